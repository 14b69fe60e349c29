// One pass over two sorted lists of disjoint ranges meets every overlapping pair (the paper's first optimization).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "bias.hpp"
#include "power.hpp"
#include "ranges.hpp"

namespace rangewise {

enum class Cardinality : int {
    one,
    reciprocal,
    consistent,  // ((L - 1) / L)^(x - 1): x pieces in a range of length L
    table,       // a user's own, by number of overlaps: a sweep meets every number up to the largest
    by_length,   // a user's own that also looks at the length, in a sweep: such a table for each distinct length
    each,        // a user's own, by range: of two fixed sides, however many points a range meets
};

inline double reward_of(double alpha, double size, double factor) { return alpha + (1.0 - alpha) * factor * size; }

// How one side is rewarded. The tables are empty unless the bias or the cardinality asks for them.
struct Rule {
    Bias bias = Bias::flat;
    Cardinality cardinality = Cardinality::one;
    double alpha = 0.0;
    bool as_points = false;                   // score every point of this side as a range of its own
    std::span<const double> weights;          // Bias::table: W(0..L) of each distinct length, one after the other
    std::span<const std::int64_t> offsets;    // Bias::table: where W(0) of each range's length stands in `weights`
    std::span<const double> sizes;            // Bias::sized: the sum of omega of each range
    std::span<const double> factors;          // Cardinality::table: the factor by number of overlaps; by_length: such tables in a row;
                                              // each: of each range
    std::span<const std::int64_t> factor_offsets;  // Cardinality::by_length: where the table of each range's length begins
    bool weigh_by_length = false;             // a range counts by its length in the mean, not as one

    double factor(std::size_t index, std::int64_t overlaps, std::int64_t length) const {
        // Without a question that depends on the range.
        if (cardinality == Cardinality::reciprocal) return 1.0 / static_cast<double>(std::max<std::int64_t>(overlaps, 1));
        if (overlaps < 2) return 1.0;
        switch (cardinality) {
            case Cardinality::one:
            case Cardinality::reciprocal: break;
            case Cardinality::consistent: return shrunk(length, overlaps - 1);
            case Cardinality::table: return factors[table_index(overlaps)];
            case Cardinality::each: return factors[index];
            case Cardinality::by_length: return factors[table_index(factor_offsets[index] + overlaps)];
        }
        return 1.0;
    }
    // Past the end of a table there is no error, only a wrong number.
    std::size_t table_index(std::int64_t at) const {
        if (static_cast<std::size_t>(at) >= factors.size()) throw std::out_of_range("the table of factors is too short");
        return static_cast<std::size_t>(at);
    }
    double reward(double size, double factor) const { return reward_of(alpha, size, factor); }
};

// A sum of rewards as a whole number of 2^-94: addition is exact, so order and grouping cannot change the result, bit for bit.
// A reward of 2^-41 or more enters exactly, a smaller one to within 2^-94. Whole rewards of points are counted apart: there may be
// 2^62 of them, and far fewer ranges than the 2^33 whose rewards fit here.
class RewardSum {
  public:
    void add(double reward) { sum_ += whole(reward); }
    void subtract(double reward) { sum_ -= whole(reward); }
    void add_times(double reward, std::int64_t count) { sum_ += whole(reward) * count; }
    void subtract_times(double reward, std::int64_t count) { sum_ -= whole(reward) * count; }
    void add_ones(std::int64_t count) { ones_ += count; }
    void add_units(wide units) { sum_ += units; }
    // `add` for each of at most 2^20 rewards, without a 128-bit number until the end, so that vector instructions do several at once. A
    // reward becomes whole numbers of 2^-32, 2^-63 and 2^-94: a number below 2^51 is rounded to a whole one by adding 1.5 * 2^52, and that
    // is in the lowest bits of the result. Only the last of them may have a fraction to leave out.
    void add_all(std::span<const double> rewards) {
        constexpr double shift = 0x1.8p52;
        std::uint64_t highs = 0, middles = 0, lows = 0;
        for (const double reward : rewards) {
            const double units = reward * 0x1p32, high = units + shift;
            const double rest = (units - (high - shift)) * 0x1p31, middle = rest + shift;
            const double last = (rest - (middle - shift)) * 0x1p31, low = last + shift;
            highs += std::bit_cast<std::uint64_t>(high);
            middles += std::bit_cast<std::uint64_t>(middle);
            lows += std::bit_cast<std::uint64_t>(low - (low - shift > last ? 1.0 : 0.0));
        }
        const std::uint64_t shifts = rewards.size() * std::bit_cast<std::uint64_t>(shift);
        const auto whole_number = [=](std::uint64_t sum) { return static_cast<wide>(static_cast<std::int64_t>(sum - shifts)); };
        sum_ += (whole_number(highs) << 62) + (whole_number(middles) << 31) + whole_number(lows);
    }
    void add(const RewardSum& other) {
        sum_ += other.sum_;
        ones_ += other.ones_;
    }
    // The sum over `count`, to within two units in the last place.
    double mean(std::int64_t count) const {
        constexpr std::int64_t low_bits = (std::int64_t{1} << 62) - 1;
        const auto high = static_cast<double>(static_cast<std::int64_t>(sum_ >> 62));
        const auto low = static_cast<double>(static_cast<std::int64_t>(sum_) & low_bits);
        return (static_cast<double>(ones_) + high * 0x1p-32 + low * 0x1p-94) / static_cast<double>(count);
    }
    std::uint64_t high() const { return static_cast<std::uint64_t>(sum_ >> 64); }
    std::uint64_t low() const { return static_cast<std::uint64_t>(sum_); }
    std::int64_t ones() const { return ones_; }

    // A reward in units of 2^-94.
    static wide whole(double reward) {
        // Signed conversions are one instruction each, unsigned ones are not.
        const double units = reward * 0x1p32;
        const auto high = static_cast<std::int64_t>(units);
        const auto low = static_cast<std::int64_t>((units - static_cast<double>(high)) * 0x1p62);
        return (static_cast<wide>(high) << 62) + low;
    }

  private:
    wide sum_ = 0;
    std::int64_t ones_ = 0;
};

// The part of a range that the other side covers, gathered overlap by overlap.
template <class Int>
class Coverage {
  public:
    explicit Coverage(const Rule& rule) : rule_(rule) {}

    void add(std::size_t index, Range own, std::int64_t low, std::int64_t high, std::int64_t pieces) {
        const std::int64_t from = low - own.start, to = high - own.start;
        overlaps_ += pieces;
        if (rule_.bias == Bias::table) {
            const double* cumulative = rule_.weights.data() + rule_.offsets[index];
            weight_ += cumulative[to] - cumulative[from];
        } else {
            sum_ += prefix_weight<Int>(rule_.bias, to, own.length()) - prefix_weight<Int>(rule_.bias, from, own.length());
        }
    }
    std::int64_t overlaps() const { return overlaps_; }
    // The sum of omega over the overlaps.
    double size(std::size_t index, Range own) const {
        if (rule_.bias == Bias::sized) return rule_.sizes[index];
        if (rule_.bias == Bias::table) return std::min(1.0, weight_ / rule_.weights[static_cast<std::size_t>(rule_.offsets[index] + own.length())]);
        return static_cast<double>(sum_) / static_cast<double>(prefix_weight<Int>(rule_.bias, own.length(), own.length()));
    }
    void clear() {
        overlaps_ = 0;
        sum_ = 0;
        weight_ = 0.0;
    }

  private:
    const Rule& rule_;
    std::int64_t overlaps_ = 0;
    Int sum_ = 0;
    double weight_ = 0.0;
};

// A side of the walk that adds up what its ranges earn.
template <class Int>
class TallySide {
  public:
    explicit TallySide(const Rule& rule) : rule_(rule), coverage_(rule) {}

    void overlap(std::size_t index, Range own, std::int64_t low, std::int64_t high, std::int64_t pieces) {
        if (rule_.as_points) sum_.add_ones(high - low);  // a point that is met at all is met whole
        else coverage_.add(index, own, low, high, pieces);
    }
    void close(std::size_t index, Range own) {
        if (coverage_.overlaps() == 0) return;
        const double reward = rule_.reward(coverage_.size(index, own), rule_.factor(index, coverage_.overlaps(), own.length()));
        if (rule_.weigh_by_length) sum_.add_times(reward, own.length());
        else sum_.add(reward);
        coverage_.clear();
    }
    const RewardSum& sum() const { return sum_; }

  private:
    const Rule& rule_;
    Coverage<Int> coverage_;
    RewardSum sum_;
};

// What the explanation of a score shows of each range; spans of one entry a range.
struct RowColumns {
    std::span<std::int64_t> overlaps, covered;
    std::span<double> size, factor, reward;
    std::span<double> center;  // mean place of the covered points in the range, from 0 (its front) to 1 (its back)
};

template <class Int>
class RowSide {
  public:
    RowSide(const Rule& rule, RowColumns rows) : rule_(rule), coverage_(rule), rows_(rows) {}

    void overlap(std::size_t index, Range own, std::int64_t low, std::int64_t high, std::int64_t pieces) {
        coverage_.add(index, own, low, high, pieces);
        covered_ += high - low;
        middles_ += static_cast<double>(high - low) * (0.5 * static_cast<double>((low - own.start) + (high - own.start)));
    }
    void close(std::size_t index, Range own) {
        const std::int64_t overlaps = coverage_.overlaps();
        const double size = overlaps ? coverage_.size(index, own) : 0.0;
        const double factor = rule_.factor(index, overlaps, own.length());
        rows_.overlaps[index] = overlaps;
        rows_.covered[index] = covered_;
        rows_.size[index] = size;
        rows_.factor[index] = factor;
        rows_.reward[index] = overlaps ? rule_.reward(size, factor) : 0.0;
        rows_.center[index] = overlaps ? middles_ / static_cast<double>(covered_) / static_cast<double>(own.length()) : std::nan("");
        coverage_.clear();
        covered_ = 0;
        middles_ = 0.0;
    }

  private:
    const Rule& rule_;
    Coverage<Int> coverage_;
    RowColumns rows_;
    std::int64_t covered_ = 0;
    double middles_ = 0.0;
};

// A side that only counts the overlaps of each of its ranges.
class CountSide {
  public:
    explicit CountSide(std::span<std::int64_t> counts) : counts_(counts) {}
    void overlap(std::size_t, Range, std::int64_t, std::int64_t, std::int64_t pieces) { overlaps_ += pieces; }
    void close(std::size_t index, Range) {
        counts_[index] = overlaps_;
        overlaps_ = 0;
    }

  private:
    std::span<std::int64_t> counts_;
    std::int64_t overlaps_ = 0;
};

struct IgnoredSide {
    void overlap(std::size_t, Range, std::int64_t, std::int64_t, std::int64_t) {}
    void close(std::size_t, Range) {}
};

// Calls `overlap` of both sides for every pair that overlaps and `close` for every range, each side in order: O(Nr + Np).
// A side scored as points meets the other in as many pieces as there are common points.
template <class RealSide, class PredictedSide>
void walk(Ranges real, Ranges predicted, bool real_points, bool predicted_points, RealSide& real_side, PredictedSide& predicted_side) {
    std::size_t i = 0, j = 0;
    while (i < real.size() && j < predicted.size()) {
        const Range r = real[i], p = predicted[j];
        const std::int64_t low = std::max(r.start, p.start), high = std::min(r.stop, p.stop);
        if (low < high) {
            real_side.overlap(i, r, low, high, predicted_points ? high - low : 1);
            predicted_side.overlap(j, p, low, high, real_points ? high - low : 1);
        }
        if (r.stop <= p.stop) real_side.close(i++, r);
        if (p.stop <= r.stop) predicted_side.close(j++, p);
    }
    for (; i < real.size(); ++i) real_side.close(i, real[i]);
    for (; j < predicted.size(); ++j) predicted_side.close(j, predicted[j]);
}

// Biases whose weights are sums of positions, and points.
inline bool has_closed_form(const Rule& rule) { return rule.as_points || (rule.bias != Bias::table && rule.bias != Bias::sized); }

// What the other side covers of all ranges so far, of which the last one may still be open: weight of the common positions (their number
// where the side is scored as points) and overlaps. What a single range has of it is the difference to the range before, which is exact even
// if the sum wraps around.
template <class Int>
struct Covered {
    using Sum = std::conditional_t<std::is_same_v<Int, std::int64_t>, std::uint64_t, Int>;
    Sum weight;
    std::int64_t overlaps;
};

// The weight of positions s+1..e of a range, and of all of them. The bias is part of the type: a question in each step would cost as much as it.
template <Bias bias>
struct BiasWeight {
    template <class Int>
    static Int between(std::int64_t from, std::int64_t to, std::int64_t length) {
        return prefix_weight<Int>(bias, to, length) - prefix_weight<Int>(bias, from, length);
    }
    template <class Int>
    static Int all(std::int64_t length) { return prefix_weight<Int>(bias, length, length); }
};

template <class Use>
void with_weight(const Rule& rule, Use use) {
    if (rule.as_points) return use(BiasWeight<Bias::flat>{});
    switch (rule.bias) {
        case Bias::flat: return use(BiasWeight<Bias::flat>{});
        case Bias::front: return use(BiasWeight<Bias::front>{});
        case Bias::back: return use(BiasWeight<Bias::back>{});
        case Bias::middle: return use(BiasWeight<Bias::middle>{});
        case Bias::table:
        case Bias::sized: break;  // not a closed form
    }
}

// Ranges are walked in blocks of this many steps, whose results stay in the nearest cache.
constexpr std::ptrdiff_t walk_steps = 256;

// The walk for closed forms. Both sinks get all ranges that meet anything, in order and in blocks: the index of the first range of the block,
// and what is covered before it, with it, with the next one, and so on.
//
// Whether two ranges overlap and which of them stops first is different at every step, and a wrong guess of the processor costs more than
// several steps. So each step writes what is covered so far for both ranges, whatever it is, and moves the pointers on where a range has
// stopped; rewards wait until the block is through.
template <class Int, class RealWeight, class PredictedWeight, class RealSink, class PredictedSink>
void walk_blocks(Ranges real, Ranges predicted, bool real_points, bool predicted_points, RealWeight real_weight, PredictedWeight predicted_weight,
                 RealSink real_sink, PredictedSink predicted_sink) {
    using Sum = typename Covered<Int>::Sum;
    using Block = std::span<const Covered<Int>>;
    Covered<Int> real_block[walk_steps + 2], predicted_block[walk_steps + 2];
    real_block[0] = predicted_block[0] = {0, 0};
    Sum real_sum = 0, predicted_sum = 0;
    std::int64_t real_overlaps = 0, predicted_overlaps = 0;
    const Range *r = real.data(), *p = predicted.data();
    const Range *const real_end = r + real.size(), *const predicted_end = p + predicted.size();
    while (r < real_end && p < predicted_end) {
        const auto first_real = static_cast<std::size_t>(r - real.data()), first_predicted = static_cast<std::size_t>(p - predicted.data());
        Covered<Int> *real_out = real_block + 1, *predicted_out = predicted_block + 1;
        const auto step = [&]() {
            const std::int64_t real_stop = r->stop, predicted_stop = p->stop;
            // Without an overlap both ends are equal, and the weight between them is 0.
            const std::int64_t low = std::max(r->start, p->start), high = std::max(low, std::min(real_stop, predicted_stop));
            const std::int64_t points = high - low, met = points > 0;
            real_overlaps += predicted_points ? points : met;
            predicted_overlaps += real_points ? points : met;
            real_sum += static_cast<Sum>(real_weight.template between<Int>(low - r->start, high - r->start, r->length()));
            predicted_sum += static_cast<Sum>(predicted_weight.template between<Int>(low - p->start, high - p->start, p->length()));
            *real_out = {real_sum, real_overlaps};
            *predicted_out = {predicted_sum, predicted_overlaps};
            const bool real_stops = real_stop <= predicted_stop, predicted_stops = predicted_stop <= real_stop;
            // As choices between pointers: adding 0 or 1 to them would make each load wait for the comparison before it.
            const Range *const next_real = r + 1, *const next_predicted = p + 1;
            Covered<Int> *const next_real_out = real_out + 1, *const next_predicted_out = predicted_out + 1;
            r = real_stops ? next_real : r;
            p = predicted_stops ? next_predicted : p;
            real_out = real_stops ? next_real_out : real_out;
            predicted_out = predicted_stops ? next_predicted_out : predicted_out;
        };
        // A step takes at most one range of each side. Only where one of them has few left, each step asks for its end: the compiler would make
        // branches of the choices above beside such a question.
        if (std::min(real_end - r, predicted_end - p) >= walk_steps) {
            for (std::ptrdiff_t k = 0; k < walk_steps; ++k) step();
        } else {
            for (std::ptrdiff_t k = 0; k < walk_steps && r < real_end && p < predicted_end; ++k) step();
        }
        real_sink(first_real, Block(real_block, real_out));
        predicted_sink(first_predicted, Block(predicted_block, predicted_out));
        real_block[0] = real_out[-1];
        predicted_block[0] = predicted_out[-1];
    }
    // One side is through. A range of the other side that is still open is its next one; those behind it meet nothing.
    real_block[1] = {real_sum, real_overlaps};
    predicted_block[1] = {predicted_sum, predicted_overlaps};
    if (r < real_end) real_sink(static_cast<std::size_t>(r - real.data()), Block(real_block, 2));
    if (p < predicted_end) predicted_sink(static_cast<std::size_t>(p - predicted.data()), Block(predicted_block, 2));
}

template <class Int, class RealSink, class PredictedSink>
void walk_closed_forms(Ranges real, Ranges predicted, const Rule& recall, const Rule& precision, RealSink real_sink, PredictedSink predicted_sink) {
    with_weight(recall, [&](auto real_weight) {
        with_weight(precision, [&](auto predicted_weight) {
            walk_blocks<Int>(real, predicted, recall.as_points, precision.as_points, real_weight, predicted_weight, real_sink, predicted_sink);
        });
    });
}

// Adds up what the ranges of a block earn. A range without an overlap earns nothing, also with an alpha.
template <class Int>
void add_rewards(const Rule& rule, Ranges own, std::size_t first, std::span<const Covered<Int>> block, RewardSum& total) {
    using Sum = typename Covered<Int>::Sum;
    if (rule.as_points) {  // a point that is met at all is met whole
        total.add_ones(static_cast<std::int64_t>(static_cast<Sum>(block.back().weight - block.front().weight)));
        return;
    }
    const auto add = [&](auto weight, auto factor) {
        const std::size_t size = block.size() - 1;
        const double alpha = rule.alpha;
        double covered[walk_steps + 1], all[walk_steps + 1], overlaps[walk_steps + 1], rewards[walk_steps + 1];
        for (std::size_t k = 0; k < size; ++k) {
            covered[k] = static_cast<double>(static_cast<Int>(static_cast<Sum>(block[k + 1].weight - block[k].weight)));
            all[k] = static_cast<double>(weight.template all<Int>(own[first + k].length()));
            overlaps[k] = static_cast<double>(block[k + 1].overlaps - block[k].overlaps);
        }
        for (std::size_t k = 0; k < size; ++k) {
            const double met = reward_of(alpha, covered[k] / all[k], factor(k, overlaps[k]));
            rewards[k] = overlaps[k] > 0.0 ? met : 0.0;
        }
        if (rule.weigh_by_length) {
            for (std::size_t k = 0; k < size; ++k) total.add_times(rewards[k], own[first + k].length());
        } else {
            total.add_all({rewards, size});
        }
    };
    with_weight(rule, [&](auto weight) {
        // Spelled out for the usual cardinalities, which then ask no question that depends on the range.
        if (rule.cardinality == Cardinality::one) add(weight, [](std::size_t, double) { return 1.0; });
        else if (rule.cardinality == Cardinality::reciprocal) add(weight, [](std::size_t, double overlaps) { return 1.0 / std::max(overlaps, 1.0); });
        else add(weight, [&](std::size_t k, double) { return rule.factor(first + k, block[k + 1].overlaps - block[k].overlaps, own[first + k].length()); });
    });
}

struct Tally {
    RewardSum real, predicted;
};

template <class Int>
Tally tally_as(Ranges real, Ranges predicted, const Rule& recall, const Rule& precision) {
    if (has_closed_form(recall) && has_closed_form(precision)) {
        Tally found;
        walk_closed_forms<Int>(
            real, predicted, recall, precision,
            [&](std::size_t first, std::span<const Covered<Int>> block) { add_rewards<Int>(recall, real, first, block, found.real); },
            [&](std::size_t first, std::span<const Covered<Int>> block) { add_rewards<Int>(precision, predicted, first, block, found.predicted); });
        return found;
    }
    TallySide<Int> real_side(recall), predicted_side(precision);
    walk(real, predicted, recall.as_points, precision.as_points, real_side, predicted_side);
    return {real_side.sum(), predicted_side.sum()};
}

inline std::int64_t longest(Ranges ranges) {
    std::int64_t found = 0;
    for (const Range& range : ranges) found = std::max(found, range.length());
    return found;
}

inline Tally tally(Ranges real, Ranges predicted, const Rule& recall, const Rule& precision) {
    if (std::max(longest(real), longest(predicted)) <= longest_narrow_range)
        return tally_as<std::int64_t>(real, predicted, recall, precision);
    return tally_as<wide>(real, predicted, recall, precision);
}

// The rows of one side, which is given as it is scored (points as unit ranges).
inline void rows(Ranges own, Ranges other, bool other_points, const Rule& rule, RowColumns columns) {
    const auto fill = [&]<class Int>(Int) {
        RowSide<Int> side(rule, columns);
        IgnoredSide ignored;
        walk(own, other, false, other_points, side, ignored);
    };
    if (longest(own) <= longest_narrow_range) fill(std::int64_t{0});
    else fill(wide{0});
}

inline void count_overlaps(Ranges own, Ranges other, bool other_points, std::span<std::int64_t> counts) {
    CountSide side(counts);
    IgnoredSide ignored;
    walk(own, other, false, other_points, side, ignored);
}

}  // namespace rangewise
