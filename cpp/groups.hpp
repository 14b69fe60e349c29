// Thresholds as groups of points: all points of one score enter together, and a sample of thresholds makes the groups larger.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "scratch.hpp"
#include "sort.hpp"

namespace rangewise {

class Groups {
  public:
    // Every distinct score is a threshold; or only those of the points at the `picks`, ascending places in the sorted order.
    // Of the `points` of the series, those that are not among the sorted ones never enter.
    Groups(const SortedPoints& sorted, std::size_t points, std::span<const std::int64_t> picks, bool all)
        : points_(points), ends_(sorted.size()), of_point_(points) {
        constexpr std::int32_t unset = -1;
        const bool some_never_enter = sorted.size() < points;
        if (some_never_enter) std::fill_n(of_point_.data(), points, unset);
        std::size_t pick = 0;
        for (std::size_t i = 0, first = 0; i < sorted.size(); ++i) {
            if (!sorted.ends_group(i)) continue;
            bool wanted = all;
            for (; pick < picks.size() && static_cast<std::size_t>(picks[pick]) <= i; ++pick) wanted = true;
            if (!wanted) continue;
            for (; first <= i; ++first) of_point_[static_cast<std::size_t>(sorted.point(first))] = static_cast<std::int32_t>(count_);
            ends_[count_++] = static_cast<std::int32_t>(i + 1);
        }
        // Nor do points below the lowest threshold of a sample.
        for (std::size_t i = count_ ? static_cast<std::size_t>(ends_[count_ - 1]) : 0; i < sorted.size(); ++i)
            of_point_[static_cast<std::size_t>(sorted.point(i))] = static_cast<std::int32_t>(count_);
        if (some_never_enter) std::replace(of_point_.data(), of_point_.data() + points, unset, static_cast<std::int32_t>(count_));
    }
    std::size_t points() const { return points_; }
    std::size_t count() const { return count_; }
    // The group in which a point enters; `count()` for never.
    std::int32_t of(std::int64_t point) const { return of_point_[static_cast<std::size_t>(point)]; }
    // How many points are predicted before a group enters, and with it.
    std::int32_t before(std::int32_t group) const { return group ? ends_[static_cast<std::size_t>(group) - 1] : 0; }
    std::int32_t with(std::int32_t group) const { return ends_[static_cast<std::size_t>(group)]; }

  private:
    std::size_t points_, count_ = 0;
    Scratch<std::int32_t> ends_, of_point_;
};

}  // namespace rangewise
