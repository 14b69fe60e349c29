// Every threshold of a score: points are switched on from the highest score down, and each costs O(1).
//
// Predicted runs grow and merge. The run that a point makes reaches from the last point before it to the first point behind it that enter
// later, so a first pass, in order of time and with a stack of the runs that are still open, knows every run that will ever be: what precision
// gains with each point is written down there, in one small record a point in order of the scores. The second pass reads these records one
// after the other, adds them up, and follows the one real range around each point for recall; switching points on one by one would have to
// find the far ends of runs in all of the memory. Rewards enter and leave the sums as whole numbers (RewardSum), so that nothing drifts
// however long the sweep is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bias.hpp"
#include "compiler.hpp"
#include "overlap.hpp"
#include "ranges.hpp"
#include "scratch.hpp"
#include "sort.hpp"

namespace rangewise {

class Sweep {
  public:
    // The points that are not among the sorted ones never enter.
    Sweep(Ranges real, std::size_t points, const Rule& recall, const Rule& precision, const SortedPoints& sorted)
        : recall_(recall), precision_(precision), real_(real), points_(points), entries_(sorted.size()), recalls_(points), ranges_(real.size() + 1) {
        // Predicted runs come and go: their reward follows from prefix sums over the labels, which a user's own bias has not.
        if (!precision.as_points && precision.bias == Bias::table) throw std::invalid_argument("a sweep takes no table of weights for precision");
        for (const Rule* rule : {&recall, &precision})
            if (!rule->as_points && (rule->bias == Bias::sized || rule->cardinality == Cardinality::each))
                throw std::invalid_argument("a sweep takes no sizes or factors of single ranges");
        if (real.size() > most_real_ranges) throw std::invalid_argument("a sweep takes fewer than 2**30 real ranges");
        for (std::size_t j = 0; j < real.size(); ++j) {
            ranges_[j + 1].start = real[j].start;
            ranges_[j + 1].length = real[j].length();
            if (recall.as_points) real_count_ += real[j].length();
        }
        if (!recall.as_points) real_count_ = static_cast<std::int64_t>(real.size());
        auto* const rank = reinterpret_cast<std::int32_t*>(recalls_.data());  // before there are any recalls
        if (sorted.size() < points) std::fill_n(rank, points, never);
        for (std::size_t i = 0; i < sorted.size(); ++i) rank[sorted.point(i)] = static_cast<std::int32_t>(i);
        prepare(rank);
    }

    // Switches on all points, the highest score first; calls `threshold(i, precision, recall)` after the last point of each distinct score.
    // In blocks that stay in the nearest cache: one thing is done for all points of a block before the next, which leaves the processor
    // nothing to guess.
    template <class Threshold>
    void run(const SortedPoints& sorted, double zero_division, Threshold threshold) {
        double precision[block_points], recall[block_points];
        double before = recall_of_nothing(zero_division);
        for (std::size_t first = 0; first < sorted.size(); first += block_points) {
            const std::size_t count = std::min(block_points, sorted.size() - first);
            add_predicted(&entries_[first], count, precision);
            before = add_real(sorted, first, count, before, recall);
            for (std::size_t k = 0; k < count; ++k)
                if (sorted.ends_group(first + k)) threshold(first + k, precision[k], recall[k]);
        }
    }

    // The curve: the bits of each distinct score, precision and recall there, written over what is passed of the sorted points and of the
    // sweep, because memory that a process touches for the first time is dear. Returns how many there are.
    std::size_t keep_curve(SortedPoints& sorted, double zero_division) {
        std::size_t k = 0;
        run(sorted, zero_division, [&](std::size_t i, double precision, double recall) {
            static_assert(sizeof(Entry) >= sizeof precision, "the k-th precision ends before the entry behind the i-th begins");
            sorted.keep_bits(k, i);
            std::memcpy(reinterpret_cast<unsigned char*>(entries_.data()) + k * sizeof precision, &precision, sizeof precision);
            recalls_[k] = recall;
            ++k;
        });
        return k;
    }
    Scratch<double> release_precisions(std::size_t count) { return {std::move(entries_), count}; }
    Scratch<double> release_recalls(std::size_t count) { return {std::move(recalls_), count}; }

    // Recall before any point is on.
    double recall_of_nothing(double zero_division) const { return real_count_ ? 0.0 : zero_division; }
    std::int64_t most_real_overlaps() const { return most_real_; }
    std::int64_t most_predicted_overlaps() const { return most_predicted_; }

  private:
    // Of `Entry::place`: whether the neighbors of a point are on when it enters, and the number of the real range around it, from 1 on.
    static constexpr std::uint32_t left_on = 1, right_on = 2, real_step = 4;
    static constexpr std::size_t block_points = 256;
    // Records are written in random order: each is fetched this many points before its own comes.
    static constexpr std::size_t prefetch_points = 24;
    static constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();
    static constexpr std::size_t most_real_ranges = (std::size_t{1} << 30) - 1;
    static std::size_t index(std::int32_t t) { return static_cast<std::size_t>(t); }

    // One packed record a point, because the first pass writes them in random order: what the rewards of predicted runs change by when it
    // enters (128 bits, in units of 2^-94), and its place. As long as its run is open, the rewards of the run before it.
    struct Entry {
        std::uint32_t words[4];
        std::uint32_t place;
        wide units() const { return make_wide(std::uint64_t{words[3]} << 32 | words[2], std::uint64_t{words[1]} << 32 | words[0]); }
        void set(wide units, std::uint32_t new_place) {
            const auto high = static_cast<std::uint64_t>(units >> 64), low = static_cast<std::uint64_t>(units);
            words[0] = static_cast<std::uint32_t>(low);
            words[1] = static_cast<std::uint32_t>(low >> 32);
            words[2] = static_cast<std::uint32_t>(high);
            words[3] = static_cast<std::uint32_t>(high >> 32);
            place = new_place;
        }
    };

    // What lies before a point: the sum of the real points, their number, and the number of real ranges that stop there or before.
    struct Before {
        std::int64_t positions = 0;
        std::int32_t count = 0, ranges = 0;
    };
    // A run whose end is not known yet.
    struct Open {
        std::int32_t rank, point;
        Before before;  // the run
    };

    // Calls `visit(point, place, before)` for all points in order of time.
    template <class Visit>
    void each_point(Visit visit) const {
        Before before;
        std::size_t t = 0;
        const auto advance = [&](std::size_t stop, std::uint32_t place) {
            for (; t < stop; ++t) {
                visit(static_cast<std::int32_t>(t), place, std::as_const(before));
                before.positions += place ? static_cast<std::int64_t>(t) : 0;
                before.count += place != 0;
            }
        };
        for (std::size_t j = 0; j < real_.size(); ++j) {
            advance(static_cast<std::size_t>(real_[j].start), 0);
            advance(static_cast<std::size_t>(real_[j].stop), static_cast<std::uint32_t>(j + 1) * real_step);
            ++before.ranges;
        }
        advance(points_, 0);
    }

    // Writes down what each point will change, in order of time. `rank` is when a point enters, or `never`.
    void prepare(const std::int32_t* rank) {
        if (precision_.as_points) {
            each_point([&](std::int32_t t, std::uint32_t place, const Before&) {
                if (rank[t] != never) entries_[index(rank[t])].place = place;
            });
            return;
        }
        Scratch<Open> stack(points_);  // memory is taken only as deep as the stack gets
        Open* top = stack.data();      // behind the last open run; the ranks fall from the first to the last
        std::int32_t segment = 0;      // behind the last point that never enters
        std::optional<Scratch<Before>> halves;
        if (precision_.bias == Bias::middle) {
            halves.emplace(points_ + 1);
            each_point([&](std::int32_t t, std::uint32_t, const Before& before) { (*halves)[index(t)] = before; });
        }
        // Closes the runs of points that enter before `limit`, with t - 1 as their last point. Returns the last of them, whose run is the
        // part of a later run before or behind its own point.
        struct Closed {
            wide units = 0;
            const Open* run = nullptr;
        };
        const auto close = [&](std::int32_t limit, std::int32_t t, const Before& before, std::int64_t started) {
            Closed last;
            while (top > stack.data() && top[-1].rank < limit) {
                const Open& run = *--top;
                Entry& entry = entries_[index(run.rank)];
                const std::int64_t begin = top > stack.data() ? top[-1].point + 1 : segment;
                const wide units = run_units(begin, t, run.before, before, started, halves ? halves->data() : nullptr);
                const wide left = entry.units();
                entry.set(units - left - last.units, entry.place | (last.run != nullptr ? right_on : 0));
                last = {units, &run};
            }
            return last;
        };
        Before end;
        std::int64_t started = 0;  // real ranges before the point or around the one before it
        each_point([&](std::int32_t t, std::uint32_t place, const Before& before) {
            if (index(t) + prefetch_points < points_) prefetch(rank[index(t) + prefetch_points]);
            const Closed left = close(rank[t], t, before, started);
            started = before.ranges + (place >= real_step);
            end = before;
            end.count += place >= real_step;
            end.positions += place >= real_step ? t : 0;
            if (rank[t] == never) {
                segment = t + 1;
                return;
            }
            entries_[index(rank[t])].set(left.units, place | (left.run != nullptr ? left_on : 0));
            *top = {rank[t], t, left.run != nullptr ? left.run->before : before};
            ++top;
        });
        close(never, static_cast<std::int32_t>(points_), end, started);
    }

    // The record of a point that enters at `rank`, which may lie across two cache lines. There is none at `never`, where nobody looks.
    void prefetch(std::int32_t rank) {
        prefetch_to_write(entries_.data() + rank);
        prefetch_to_write(&(entries_.data() + rank)->place);
    }

    struct alignas(64) RealRange {
        std::int64_t start = 0, length = 0, pieces = 0;
        std::int64_t sum = 0;  // weight of the points that are on
        double weight = 0.0;   // the same for a user's bias
        wide reward = 0;
    };

    // Precision after each of the next points.
    void add_predicted(const Entry* entries, std::size_t count, double* precision) {
        if (precision_.as_points) {
            for (std::size_t k = 0; k < count; ++k) {
                predicted_sum_.add_ones(entries[k].place >= real_step);
                precision[k] = predicted_sum_.mean(++predicted_count_);
            }
            return;
        }
        RewardSum sum = predicted_sum_;  // in registers
        std::int64_t runs = predicted_count_;
        for (std::size_t k = 0; k < count; ++k) {
            const std::uint32_t place = entries[k].place;
            sum.add_units(entries[k].units());
            runs += precision_.weigh_by_length ? 1 : 1 - static_cast<std::int64_t>(place & left_on) - static_cast<std::int64_t>((place & right_on) / right_on);
            precision[k] = sum.mean(runs);
        }
        predicted_sum_ = sum;
        predicted_count_ = runs;
    }

    // Recall after each of the next points, `before` them; returns the last.
    double add_real(const SortedPoints& sorted, std::size_t first, std::size_t count, double before, double* recall) {
        std::uint32_t real_points[block_points];
        std::size_t reals = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const std::uint32_t place = entries_[first + k].place;
            prefetch_to_write(&ranges_[place / real_step]);  // of a point that is not real one that nobody needs, which spares the question
            real_points[reals] = static_cast<std::uint32_t>(k);
            reals += place >= real_step;
        }
        std::size_t filled = 0;
        for (std::size_t m = 0; m < reals; ++m) {
            const std::size_t k = real_points[m];
            std::fill(recall + filled, recall + k, before);
            filled = k;
            if (recall_.as_points) real_sum_.add_ones(1);
            else cover(entries_[first + k].place, sorted.point(first + k));
            before = real_sum_.mean(real_count_);
        }
        std::fill(recall + filled, recall + count, before);
        return before;
    }

    // What the run [begin, stop) earns, from what lies before both; `started` are the real ranges that start before `stop`.
    wide run_units(std::int64_t begin, std::int64_t stop, const Before& from, const Before& to, std::int64_t started, const Before* halves) {
        const std::int64_t count = to.count - from.count;
        if (count == 0) return 0;
        const std::int64_t length = stop - begin;
        // Positions count from 1.
        const auto positions = [&](const Before& until) { return until.positions - from.positions - (until.count - from.count) * (begin - 1); };
        std::int64_t sum = 0;
        switch (precision_.bias) {
            case Bias::flat: sum = count; break;
            case Bias::back: sum = positions(to); break;
            case Bias::front: sum = (length + 1) * count - positions(to); break;
            case Bias::middle: {
                const Before& half = halves[begin + length / 2];
                const std::int64_t rising = positions(half);
                sum = rising + (length + 1) * (to.count - half.count) - (positions(to) - rising);
                break;
            }
            case Bias::table:
            case Bias::sized: break;  // refused by the constructor
        }
        const std::int64_t overlaps = recall_.as_points ? count : started - from.ranges;
        most_predicted_ = std::max(most_predicted_, overlaps);
        const double size = static_cast<double>(sum) / static_cast<double>(prefix_weight<std::int64_t>(precision_.bias, length, length));
        const wide units = RewardSum::whole(precision_.reward(size, precision_.factor(0, overlaps, length)));
        return precision_.weigh_by_length ? units * length : units;
    }

    // Switches on the real point `t`.
    void cover(std::uint32_t place, std::int32_t t) {
        const std::size_t j = place / real_step - 1;
        RealRange& range = ranges_[j + 1];
        const std::int64_t before = t - range.start;
        const std::int64_t left = (place & left_on) != 0 && before > 0, right = (place & right_on) != 0 && before + 1 < range.length;
        range.pieces += precision_.as_points ? 1 : 1 - left - right;
        most_real_ = std::max(most_real_, range.pieces);
        if (recall_.bias == Bias::table) {
            const double* cumulative = recall_.weights.data() + recall_.offsets[j];
            range.weight += cumulative[before + 1] - cumulative[before];
        } else {
            range.sum += prefix_weight<std::int64_t>(recall_.bias, before + 1, range.length) - prefix_weight<std::int64_t>(recall_.bias, before, range.length);
        }
        const wide reward = RewardSum::whole(range_reward(j));
        real_sum_.add_units(reward - range.reward);
        range.reward = reward;
    }

    double range_reward(std::size_t j) const {
        const RealRange& range = ranges_[j + 1];
        double size;
        if (recall_.bias == Bias::table)
            size = std::min(1.0, range.weight / recall_.weights[static_cast<std::size_t>(recall_.offsets[j] + range.length)]);
        else
            size = static_cast<double>(range.sum) / static_cast<double>(prefix_weight<std::int64_t>(recall_.bias, range.length, range.length));
        return recall_.reward(size, recall_.factor(j, range.pieces, range.length));
    }

    const Rule &recall_, &precision_;
    Ranges real_;
    std::size_t points_;
    Scratch<Entry> entries_;
    Scratch<double> recalls_;  // at first the ranks of the points
    std::vector<RealRange> ranges_;  // from 1 on
    RewardSum real_sum_, predicted_sum_;
    std::int64_t real_count_ = 0, predicted_count_ = 0, most_real_ = 0, most_predicted_ = 0;
};

}  // namespace rangewise
