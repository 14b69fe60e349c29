// Every threshold of a score in one pass: points are switched on from the highest score down, and each costs O(1).
//
// Runs of predicted points grow and merge at their ends; the two ends of a run know each other. Only the runs that merge change
// what precision adds up, and only the real range around the new point what recall does. Rewards enter and leave the sums as
// whole numbers (RewardSum), so that nothing drifts however long the sweep is.
#pragma once

#include <cstddef>
#include <cstdint>
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
    Sweep(Ranges real, std::size_t points, const Rule& recall, const Rule& precision)
        : recall_(recall), precision_(precision), points_(points + 2), ranges_(real.size()) {
        // Predicted runs come and go: their reward follows from prefix sums over the labels, which a user's own bias has not.
        if (!precision.as_points && precision.bias == Bias::table) throw std::invalid_argument("a sweep takes no table of weights for precision");
        for (const Rule* rule : {&recall, &precision})
            if (!rule->as_points && (rule->bias == Bias::sized || rule->cardinality == Cardinality::each))
                throw std::invalid_argument("a sweep takes no sizes or factors of single ranges");
        std::size_t at = 0;
        std::int64_t positions = 0;
        std::int32_t count = 0;
        // A point that is never on before the first and after the last spares every question for the ends of the series.
        points_[0] = {0, 0, ~0, off, 0.0};
        for (std::size_t j = 0; j <= real.size(); ++j) {
            const std::size_t start = j < real.size() ? static_cast<std::size_t>(real[j].start) : points + 1;
            for (; at < start; ++at) points_[at + 1] = {positions, count, ~static_cast<std::int32_t>(j), off, 0.0};
            if (j == real.size()) break;
            ranges_[j].start = real[j].start;
            ranges_[j].length = real[j].length();
            for (; at < static_cast<std::size_t>(real[j].stop); ++at) {
                points_[at + 1] = {positions, count, static_cast<std::int32_t>(j), off, 0.0};
                positions += static_cast<std::int64_t>(at);
                ++count;
            }
        }
        real_count_ = recall.as_points ? count : static_cast<std::int64_t>(real.size());
    }

    void switch_on(std::int32_t t) {
        Point &point = at(t), &before = at(t - 1), &after = at(t + 1);
        const bool left = before.end != off, right = after.end != off;
        const std::int32_t begin = left ? before.end : t, end = right ? after.end : t;
        if (precision_.as_points) {
            ++predicted_count_;
            if (point.real()) predicted_sum_.add_ones(1);
        } else {
            // What is off has a reward of 0: no question which neighbors are on.
            if (precision_.weigh_by_length) {
                predicted_sum_.subtract_times(before.reward, t - begin);
                predicted_sum_.subtract_times(after.reward, end - t);
                ++predicted_count_;
            } else {
                predicted_sum_.subtract(before.reward);
                predicted_sum_.subtract(after.reward);
                predicted_count_ += 1 - left - right;
            }
        }
        const bool left_piece = left & (before.range == point.range), right_piece = right & (after.range == point.range);
        point.end = t;
        at(begin).end = end;
        at(end).end = begin;
        if (!precision_.as_points) {
            const double reward = run_reward(begin, end);
            at(begin).reward = at(end).reward = reward;
            if (precision_.weigh_by_length) predicted_sum_.add_times(reward, std::int64_t{end} - begin + 1);
            else predicted_sum_.add(reward);
        }
        if (!point.real()) return;
        recall_changed_ = true;
        if (recall_.as_points) real_sum_.add_ones(1);
        else cover(static_cast<std::size_t>(point.range), t, precision_.as_points ? 1 : 1 - left_piece - right_piece);
    }

    double precision() const { return predicted_sum_.mean(predicted_count_); }
    // Most points are not real and leave recall as it is.
    double recall(double zero_division) {
        if (!real_count_) return zero_division;
        if (std::exchange(recall_changed_, false)) recall_value_ = real_sum_.mean(real_count_);
        return recall_value_;
    }
    std::int64_t most_real_overlaps() const { return most_real_; }
    std::int64_t most_predicted_overlaps() const { return most_predicted_; }

    // A point and its neighbors: two cache lines, and the point itself is in one of them.
    void prefetch(std::int32_t t) const {
        prefetch_to_write(&at(t - 1));
        prefetch_to_write(&at(t + 1));
    }
    // The far ends of the runs beside a point that will be switched on soon. What is off has its end at the point before the first:
    // asking whether it is on would cost more, because nobody can foretell the answer.
    void prefetch_ends(std::int32_t t) const {
        prefetch_to_write(&at(at(t - 1).end));
        prefetch_to_write(&at(at(t + 1).end));
    }

  private:
    static constexpr std::int32_t off = -1;

    // One packed record a point, two to a cache line, because points are visited in the order of their scores.
    struct alignas(32) Point {
        std::int64_t positions;  // sum of the anomalous points before this one
        std::int32_t count;      // their number
        std::int32_t range;      // the real range around the point, or ~(number of ranges before it)
        std::int32_t end;        // at either end of a run, its other end; `off` while the point is off
        double reward;           // at either end of a run, what the run earns
        bool real() const { return range >= 0; }
        std::int32_t started() const { return range >= 0 ? range + 1 : ~range; }
    };
    Point& at(std::int32_t t) { return points_[static_cast<std::size_t>(t + 1)]; }
    const Point& at(std::int32_t t) const { return points_[static_cast<std::size_t>(t + 1)]; }

    struct RealRange {
        std::int64_t start = 0, length = 0, pieces = 0;
        std::int64_t sum = 0;  // weight of the points that are on
        double weight = 0.0;   // the same for a user's bias
        double reward = 0.0;
    };

    // Weight of the anomalous points among [first, last] when positions count from `origin` + 1; as count and sum of positions.
    struct Anomalous {
        std::int64_t count, positions;
    };
    Anomalous anomalous(std::int32_t first, std::int32_t last, std::int32_t origin) const {
        const Point &low = at(first), &high = at(last);
        const std::int64_t count = high.count + high.real() - low.count;
        const std::int64_t positions = high.positions + (high.real() ? last : 0) - low.positions;
        return {count, positions - count * (std::int64_t{origin} - 1)};
    }

    double run_reward(std::int32_t begin, std::int32_t end) {
        const Anomalous all = anomalous(begin, end, begin);
        if (all.count == 0) return 0.0;
        const std::int64_t length = std::int64_t{end} - begin + 1;
        std::int64_t sum = 0;
        switch (precision_.bias) {
            case Bias::flat: sum = all.count; break;
            case Bias::back: sum = all.positions; break;
            case Bias::front: sum = (length + 1) * all.count - all.positions; break;
            case Bias::middle: {
                const auto half = static_cast<std::int32_t>(length / 2);
                const Anomalous rising = half ? anomalous(begin, begin + half - 1, begin) : Anomalous{0, 0};
                sum = rising.positions + (length + 1) * (all.count - rising.count) - (all.positions - rising.positions);
                break;
            }
            case Bias::table:
            case Bias::sized: break;  // refused by the constructor
        }
        const Point &low = at(begin), &high = at(end);
        const std::int64_t overlaps = recall_.as_points ? all.count : high.started() - low.started() + low.real();
        most_predicted_ = std::max(most_predicted_, overlaps);
        const double size = static_cast<double>(sum) / static_cast<double>(prefix_weight<std::int64_t>(precision_.bias, length, length));
        return precision_.reward(size, precision_.factor(0, overlaps, length));
    }

    void cover(std::size_t j, std::int32_t t, std::int64_t more_pieces) {
        RealRange& range = ranges_[j];
        real_sum_.subtract(range.reward);
        const std::int64_t before = t - range.start;
        range.pieces += more_pieces;
        most_real_ = std::max(most_real_, range.pieces);
        if (recall_.bias == Bias::table) {
            const double* cumulative = recall_.weights.data() + recall_.offsets[j];
            range.weight += cumulative[before + 1] - cumulative[before];
        } else {
            range.sum += prefix_weight<std::int64_t>(recall_.bias, before + 1, range.length) - prefix_weight<std::int64_t>(recall_.bias, before, range.length);
        }
        range.reward = range_reward(j);
        real_sum_.add(range.reward);
    }

    double range_reward(std::size_t j) const {
        const RealRange& range = ranges_[j];
        double size;
        if (recall_.bias == Bias::table)
            size = std::min(1.0, range.weight / recall_.weights[static_cast<std::size_t>(recall_.offsets[j] + range.length)]);
        else
            size = static_cast<double>(range.sum) / static_cast<double>(prefix_weight<std::int64_t>(recall_.bias, range.length, range.length));
        return recall_.reward(size, recall_.factor(j, range.pieces, range.length));
    }

    const Rule &recall_, &precision_;
    Scratch<Point> points_;
    std::vector<RealRange> ranges_;
    RewardSum real_sum_, predicted_sum_;
    bool recall_changed_ = true;
    double recall_value_ = 0.0;
    std::int64_t real_count_ = 0, predicted_count_ = 0, most_real_ = 0, most_predicted_ = 0;
};

// Points come in random order of time: their records are fetched a few steps before they are needed.
constexpr std::size_t prefetch_points = 16, prefetch_runs = 8;

// Switches on all points in order; `threshold(i)` is called after the last point of each distinct score.
template <class Threshold>
void sweep(Sweep& state, const SortedPoints& sorted, Threshold threshold) {
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i + prefetch_points < sorted.size()) state.prefetch(sorted.point(i + prefetch_points));
        if (i + prefetch_runs < sorted.size()) state.prefetch_ends(sorted.point(i + prefetch_runs));
        state.switch_on(sorted.point(i));
        if (sorted.ends_group(i)) threshold(i);
    }
}

inline std::size_t count_thresholds(const SortedPoints& sorted) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) count += sorted.ends_group(i);
    return count;
}

}  // namespace rangewise
