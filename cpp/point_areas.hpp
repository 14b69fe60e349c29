// The classical areas, every point for itself, and the largest F: one pass over the points in the order of their scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ranges.hpp"
#include "scratch.hpp"
#include "sort.hpp"

namespace rangewise {

struct PointAreas {
    double roc = 0.0;        // trapezoids, exact: each tie counts a half
    double pr = 0.0;         // steps
    double trapezoid = 0.0;  // the same curve from (0, 1) by trapezoids, which reward ties
    double best_f = 0.0;
};

// There are real and normal points.
inline PointAreas point_areas(Ranges real, std::size_t points, const SortedPoints& sorted, double beta) {
    Scratch<std::uint8_t> labels(points);
    std::fill_n(labels.data(), points, std::uint8_t{0});
    std::int64_t positives = 0;
    for (const Range& range : real) {
        std::fill_n(labels.data() + range.start, range.length(), std::uint8_t{1});
        positives += range.length();
    }
    const auto normal = static_cast<std::int64_t>(sorted.size()) - positives;
    const auto all = static_cast<double>(positives);
    const double weight = beta * beta;
    PointAreas found;
    std::uint64_t doubled = 0;  // twice the area under the steps of whole points; below 2**63
    std::int64_t hits = 0, hits_before = 0, count_before = 0;
    double precision_before = 1.0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        hits += labels[static_cast<std::size_t>(sorted.point(i))];
        if (!sorted.ends_group(i)) continue;
        const auto count = static_cast<std::int64_t>(i + 1);
        const std::int64_t gained = hits - hits_before, false_alarms = count - count_before - gained;
        doubled += static_cast<std::uint64_t>(hits + hits_before) * static_cast<std::uint64_t>(false_alarms);
        const double precision = static_cast<double>(hits) / static_cast<double>(count);
        found.pr += static_cast<double>(gained) * precision;
        found.trapezoid += static_cast<double>(gained) * (precision + precision_before) / 2;
        found.best_f = std::max(found.best_f, (1.0 + weight) * static_cast<double>(hits) / (weight * all + static_cast<double>(count)));
        precision_before = precision;
        hits_before = hits;
        count_before = count;
    }
    // Without normal points there is no false alarm to trade for, and the curve goes straight up.
    found.roc = normal ? static_cast<double>(doubled) / 2 / all / static_cast<double>(normal) : 1.0;
    found.pr /= all;
    found.trapezoid /= all;
    return found;
}

}  // namespace rangewise
