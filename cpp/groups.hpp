// Thresholds as groups of points: all points of one score enter together, and a sample of thresholds makes the groups larger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "scratch.hpp"
#include "sort.hpp"

namespace rangewise {

class Groups {
  public:
    // Every distinct score is a threshold; or only those of the points at the `picks`, ascending places in the sorted order.
    Groups(const SortedPoints& sorted, std::span<const std::int64_t> picks, bool all)
        : ends_(sorted.size()), of_point_(sorted.size()) {
        std::size_t pick = 0;
        for (std::size_t i = 0, first = 0; i < sorted.size(); ++i) {
            if (!sorted.ends_group(i)) continue;
            bool wanted = all;
            for (; pick < picks.size() && static_cast<std::size_t>(picks[pick]) <= i; ++pick) wanted = true;
            if (!wanted) continue;
            for (; first <= i; ++first) of_point_[static_cast<std::size_t>(sorted.point(first))] = static_cast<std::int32_t>(count_);
            ends_[count_++] = static_cast<std::int32_t>(i + 1);
        }
        // Points below the lowest threshold of a sample never enter.
        for (std::size_t i = count_ ? static_cast<std::size_t>(ends_[count_ - 1]) : 0; i < sorted.size(); ++i)
            of_point_[static_cast<std::size_t>(sorted.point(i))] = static_cast<std::int32_t>(count_);
    }
    std::size_t count() const { return count_; }
    // The group in which a point enters; `count()` for never.
    std::int32_t of(std::int64_t point) const { return of_point_[static_cast<std::size_t>(point)]; }
    // How many points are predicted before a group enters, and with it.
    std::int32_t before(std::int32_t group) const { return group ? ends_[static_cast<std::size_t>(group) - 1] : 0; }
    std::int32_t with(std::int32_t group) const { return ends_[static_cast<std::size_t>(group)]; }

  private:
    std::size_t count_ = 0;
    Scratch<std::int32_t> ends_, of_point_;
};

}  // namespace rangewise
