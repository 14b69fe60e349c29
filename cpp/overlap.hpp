// One pass over two sorted lists of disjoint ranges meets every overlapping pair (the paper's first optimization).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "bias.hpp"
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
        if (overlaps < 2) return 1.0;
        switch (cardinality) {
            case Cardinality::one: break;
            case Cardinality::reciprocal: return 1.0 / static_cast<double>(overlaps);
            // A power of 1 - 1/L would be a power of 1 for very long ranges.
            case Cardinality::consistent: return std::exp(static_cast<double>(overlaps - 1) * std::log1p(-1.0 / static_cast<double>(length)));
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
    double reward(double size, double factor) const { return alpha + (1.0 - alpha) * factor * size; }
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

  private:
    static wide whole(double reward) {
        // Signed conversions are one instruction each, unsigned ones are not.
        const double units = reward * 0x1p32;
        const auto high = static_cast<std::int64_t>(units);
        const auto low = static_cast<std::int64_t>((units - static_cast<double>(high)) * 0x1p62);
        return (static_cast<wide>(high) << 62) + low;
    }
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

struct Tally {
    RewardSum real, predicted;
};

template <class Int>
Tally tally_as(Ranges real, Ranges predicted, const Rule& recall, const Rule& precision) {
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
