// Every threshold of a score in one pass: points are switched on from the highest score down, and each costs O(1).
//
// Runs of predicted points grow and merge at their ends; the two ends of a run know each other. Only the runs that merge change
// what precision adds up, and only the real range around the new point what recall does. Rewards enter and leave the sums as
// whole numbers (RewardSum), so that nothing drifts however long the sweep is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bias.hpp"
#include "overlap.hpp"
#include "ranges.hpp"
#include "scratch.hpp"
#include "sort.hpp"

namespace rangewise {

class Sweep {
  public:
    Sweep(Ranges real, std::size_t points, const Rule& recall, const Rule& precision)
        : recall_(recall), precision_(precision), points_(points), ranges_(real.size()), size_(points) {
        std::size_t at = 0;
        std::int64_t positions = 0;
        std::int32_t count = 0;
        for (std::size_t j = 0; j <= real.size(); ++j) {
            const std::size_t start = j < real.size() ? static_cast<std::size_t>(real[j].start) : points;
            for (; at < start; ++at) points_[at] = {positions, count, ~static_cast<std::int32_t>(j), off, 0.0};
            if (j == real.size()) break;
            ranges_[j].start = real[j].start;
            ranges_[j].length = real[j].length();
            for (; at < static_cast<std::size_t>(real[j].stop); ++at) {
                points_[at] = {positions, count, static_cast<std::int32_t>(j), off, 0.0};
                positions += static_cast<std::int64_t>(at);
                ++count;
            }
        }
        real_count_ = recall.as_points ? count : static_cast<std::int64_t>(real.size());
    }

    void switch_on(std::size_t index) {
        const auto t = static_cast<std::int32_t>(index);
        Point& point = points_[index];
        const bool left = t > 0 && points_[index - 1].end != off;
        const bool right = index + 1 < size_ && points_[index + 1].end != off;
        const std::int32_t begin = left ? points_[index - 1].end : t, end = right ? points_[index + 1].end : t;
        if (precision_.as_points) {
            ++predicted_count_;
            if (point.range >= 0) predicted_sum_.add_ones(1);
        } else {
            if (left) predicted_sum_.subtract(points_[index - 1].reward);
            if (right) predicted_sum_.subtract(points_[index + 1].reward);
            predicted_count_ += 1 - left - right;
        }
        point.end = t;
        points_[static_cast<std::size_t>(begin)].end = end;
        points_[static_cast<std::size_t>(end)].end = begin;
        if (!precision_.as_points) {
            const double reward = run_reward(begin, end);
            points_[static_cast<std::size_t>(begin)].reward = points_[static_cast<std::size_t>(end)].reward = reward;
            predicted_sum_.add(reward);
        }
        if (point.range < 0) return;
        if (recall_.as_points) {
            real_sum_.add_ones(1);
        } else {
            const bool left_piece = left && points_[index - 1].range == point.range;
            const bool right_piece = right && points_[index + 1].range == point.range;
            cover(static_cast<std::size_t>(point.range), t, precision_.as_points ? 1 : 1 - left_piece - right_piece);
        }
    }

    double precision() const { return predicted_sum_.mean(predicted_count_); }
    double recall(double zero_division) const { return real_count_ ? real_sum_.mean(real_count_) : zero_division; }
    std::int64_t most_real_overlaps() const { return most_real_; }
    std::int64_t most_predicted_overlaps() const { return most_predicted_; }

    // A point and its neighbours, one of which is always in another cache line.
    void prefetch(std::size_t index) const {
        __builtin_prefetch(&points_[index], 1);
        const std::size_t other_line = index % 2 ? index + 1 : index - 1;
        if (other_line < size_) __builtin_prefetch(&points_[other_line], 1);
    }
    // The real range around a point that will be switched on soon, and the far ends of the runs beside it.
    void prefetch_ends(std::size_t index) const {
        if (points_[index].real()) __builtin_prefetch(&ranges_[static_cast<std::size_t>(points_[index].range)], 1);
        if (index > 0 && points_[index - 1].end != off) __builtin_prefetch(&points_[static_cast<std::size_t>(points_[index - 1].end)], 1);
        if (index + 1 < size_ && points_[index + 1].end != off)
            __builtin_prefetch(&points_[static_cast<std::size_t>(points_[index + 1].end)], 1);
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
        const Point &low = points_[static_cast<std::size_t>(first)], &high = points_[static_cast<std::size_t>(last)];
        const std::int64_t count = high.count + high.real() - low.count;
        const std::int64_t positions = high.positions + (high.real() ? last : 0) - low.positions;
        return {count, positions - count * (std::int64_t{origin} - 1)};
    }

    double run_reward(std::int32_t begin, std::int32_t end) {
        const Anomalous all = anomalous(begin, end, begin);
        if (all.count == 0) return 0.0;
        const std::int64_t length = std::int64_t{end} - begin + 1;
        std::int64_t sum = all.count;
        switch (precision_.bias) {
            case Bias::back: sum = all.positions; break;
            case Bias::front: sum = (length + 1) * all.count - all.positions; break;
            case Bias::middle: {
                const auto half = static_cast<std::int32_t>(length / 2);
                const Anomalous rising = half ? anomalous(begin, begin + half - 1, begin) : Anomalous{0, 0};
                sum = rising.positions + (length + 1) * (all.count - rising.count) - (all.positions - rising.positions);
                break;
            }
            default: break;
        }
        const Point &low = points_[static_cast<std::size_t>(begin)], &high = points_[static_cast<std::size_t>(end)];
        const std::int64_t overlaps = recall_.as_points ? all.count : high.started() - low.started() + low.real();
        most_predicted_ = std::max(most_predicted_, overlaps);
        const double size = static_cast<double>(sum) / static_cast<double>(prefix_weight<std::int64_t>(precision_.bias, length, length));
        return precision_.reward(size, precision_.factor(overlaps));
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
        return recall_.reward(size, recall_.factor(range.pieces));
    }

    const Rule &recall_, &precision_;
    Scratch<Point> points_;
    std::vector<RealRange> ranges_;
    std::size_t size_;
    RewardSum real_sum_, predicted_sum_;
    std::int64_t real_count_ = 0, predicted_count_ = 0, most_real_ = 0, most_predicted_ = 0;
};

// Points come in random order of time: their records are fetched a few steps before they are needed.
constexpr std::size_t prefetch_points = 32, prefetch_runs = 16;

// Switches on all points in order; `threshold(i)` is called after the last point of each distinct score.
template <class Threshold>
void sweep(Sweep& state, const SortedPoints& sorted, Threshold threshold) {
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i + prefetch_points < sorted.size()) state.prefetch(sorted[i + prefetch_points].point);
        if (i + prefetch_runs < sorted.size()) state.prefetch_ends(sorted[i + prefetch_runs].point);
        state.switch_on(sorted[i].point);
        if (sorted.ends_group(i)) threshold(i);
    }
}

inline std::size_t count_thresholds(const SortedPoints& sorted) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) count += sorted.ends_group(i);
    return count;
}

}  // namespace rangewise
