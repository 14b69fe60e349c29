// PATE: precision and recall with buffers before and behind the real ranges, at every threshold in one sweep.
//
// What is missed (FN) does not depend on the buffers: points are switched on from the highest score down, and each range keeps its first
// predicted run and the number and sum of its missed positions, from which its cost follows in O(1). Points in buffers then add their
// weight at the threshold where they begin to count: a point behind a range when it is predicted, a point before one when also the range is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "groups.hpp"
#include "ranges.hpp"
#include "scratch.hpp"
#include "sort.hpp"

namespace rangewise {

// A sum that keeps what rounding takes away: ranges leave and enter it at every point of a sweep.
class CarefulSum {
  public:
    void add(double value) {
        const double corrected = value - lost_;
        const double sum = sum_ + corrected;
        lost_ = (sum - sum_) - corrected;
        sum_ = sum;
    }
    double value() const { return sum_; }

  private:
    double sum_ = 0.0, lost_ = 0.0;
};

struct PrecisionRecall {
    double precision, recall;
};

class Pate {
  public:
    // There is a real range.
    Pate(Ranges real, const SortedPoints& sorted, const Groups& groups)
        : real_(real), groups_(groups), size_(static_cast<std::int64_t>(groups.points())), inside_(groups.count()), missed_(groups.count()),
          buffered_(groups.count()), entered_(real.size()) {
        sweep(sorted);
    }

    // Counts the points in the buffers of these lengths; `at` then returns precision and recall.
    void set_buffers(std::int64_t early, std::int64_t delay) {
        std::fill_n(buffered_.data(), groups_.count(), 0.0);
        std::int64_t free = 0;  // the first point that is behind no range
        for (std::size_t k = 0; k < real_.size(); ++k) {
            const Range& range = real_[k];
            const double center = static_cast<double>(range.start + range.stop - 1) / 2;
            const std::int64_t first = std::max(range.start - early, free);
            for (std::int64_t i = first; i < range.start; ++i)
                count(std::max(groups_.of(i), entered_[k]), 1.0 - (center - static_cast<double>(i)) / (center - static_cast<double>(first)));
            const std::int64_t next = k + 1 < real_.size() ? real_[k + 1].start : size_;
            const std::int64_t last = std::min(range.stop - 1 + delay, next - 1);
            for (std::int64_t i = range.stop; i <= last; ++i)
                count(groups_.of(i), 1.0 - (static_cast<double>(i) - center) / (static_cast<double>(last) - center));
            free = last + 1;
        }
    }

    // Calls `use` with precision and recall at each threshold, from the highest down.
    template <class Use>
    void each(Use use) const {
        double buffered = 0.0;
        for (std::size_t g = 0; g < groups_.count(); ++g) {
            buffered += buffered_[g];
            const double hits = static_cast<double>(inside_[g]) + buffered;
            const double wanted = hits + missed_[g];
            use(PrecisionRecall{hits / static_cast<double>(groups_.with(static_cast<std::int32_t>(g))), wanted > 0.0 ? hits / wanted : 0.0});
        }
    }

  private:
    static constexpr std::int32_t off = -1;

    struct Missed {
        std::int64_t first = std::numeric_limits<std::int64_t>::max();  // start of the first predicted run, and its length
        std::int64_t run = 0;
        std::int64_t count, positions;  // of the missed points, positions from the start of the range
        double cost;
    };

    void count(std::int32_t group, double weight) {
        if (static_cast<std::size_t>(group) < groups_.count()) buffered_[static_cast<std::size_t>(group)] += weight;
    }

    void sweep(const SortedPoints& sorted) {
        Scratch<std::int32_t> range_of(groups_.points()), other_end(groups_.points());
        std::fill_n(range_of.data(), groups_.points(), off);
        std::fill_n(other_end.data(), groups_.points(), off);
        std::vector<Missed> ranges(real_.size());
        CarefulSum missed;
        for (std::size_t k = 0; k < real_.size(); ++k) {
            const std::int64_t length = real_[k].length();
            std::fill_n(range_of.data() + real_[k].start, length, static_cast<std::int32_t>(k));
            ranges[k].count = length;
            ranges[k].positions = length * (length - 1) / 2;
            ranges[k].cost = static_cast<double>(length);
            missed.add(ranges[k].cost);
            entered_[k] = std::numeric_limits<std::int32_t>::max();
        }
        std::int32_t inside = 0;
        std::size_t i = 0;
        for (std::size_t g = 0; g < groups_.count(); ++g) {
            for (; i < static_cast<std::size_t>(groups_.with(static_cast<std::int32_t>(g))); ++i) {
                const auto point = static_cast<std::size_t>(sorted.point(i));
                if (range_of[point] == off) continue;
                const auto k = static_cast<std::size_t>(range_of[point]);
                entered_[k] = std::min(entered_[k], static_cast<std::int32_t>(g));
                ++inside;
                missed.add(-ranges[k].cost);
                switch_on(static_cast<std::int64_t>(point), real_[k], ranges[k], other_end);
                missed.add(ranges[k].cost);
            }
            inside_[g] = inside;
            missed_[g] = std::max(missed.value(), 0.0);
        }
    }

    static void switch_on(std::int64_t point, const Range& range, Missed& state, Scratch<std::int32_t>& other_end) {
        const auto end_at = [&](std::int64_t i) -> std::int32_t& { return other_end[static_cast<std::size_t>(i)]; };
        const bool left = point > range.start && end_at(point - 1) != off, right = point + 1 < range.stop && end_at(point + 1) != off;
        const std::int64_t begin = left ? end_at(point - 1) : point, last = right ? end_at(point + 1) : point;
        end_at(point) = static_cast<std::int32_t>(point);
        end_at(begin) = static_cast<std::int32_t>(last);
        end_at(last) = static_cast<std::int32_t>(begin);
        --state.count;
        state.positions -= point - range.start;
        if (begin <= state.first) {
            state.first = begin;
            state.run = last - begin + 1;
        }
        state.cost = cost(range.length(), state.first - range.start, state);
    }

    // What a range of which something is predicted costs. A missed point at position i costs 1 up to position g, the length of the first
    // predicted run, and 1 - (g + 1) (i - g / 2) / M behind it, with M = length (length - 1) / 2.
    static double cost(std::int64_t length, std::int64_t first, const Missed& state) {
        if (state.count == 0) return 0.0;
        const std::int64_t run = state.run;
        // Missed points up to position g: all of them before the run, some, or the one right behind a run that begins the range.
        std::int64_t full = 0, full_positions = 0;
        if (first > 0) {
            full = std::min(first, run + 1);
            full_positions = full * (full - 1) / 2;
        } else if (run < length) {
            full = 1;
            full_positions = run;
        }
        const std::int64_t late = state.count - full;
        const double doubled = static_cast<double>(2 * (state.positions - full_positions) - late * run);
        const double spread = static_cast<double>(length) * static_cast<double>(length - 1);
        return static_cast<double>(state.count) - static_cast<double>(run + 1) * doubled / spread;
    }

    Ranges real_;
    const Groups& groups_;
    std::int64_t size_;
    Scratch<std::int32_t> inside_;
    Scratch<double> missed_, buffered_;
    std::vector<std::int32_t> entered_;
};

// The area under the curve from (0, 1), without the thresholds where recall falls below what it was; by trapezoids or by steps.
inline double pate_area(const Pate& state, bool steps) {
    double area = 0.0, recall = 0.0, precision = 1.0;
    state.each([&](const PrecisionRecall& next) {
        if (next.recall < recall) return;
        area += (next.recall - recall) * (steps ? next.precision : (precision + next.precision) / 2);
        recall = next.recall;
        precision = next.precision;
    });
    return std::min(area, 1.0);
}

// F at the highest threshold: 0/1 labels have their predicted points there.
inline double pate_first_f(const Pate& state) {
    double f = -1.0;
    state.each([&](const PrecisionRecall& at) {
        if (f < 0.0) f = at.precision + at.recall > 0.0 ? 2 * at.precision * at.recall / (at.precision + at.recall) : 0.0;
    });
    return f;
}

}  // namespace rangewise
