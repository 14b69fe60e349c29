// Range-AUC and its volume over buffer lengths (VUS), at every threshold or a sample of them.
//
// A buffer of length w reaches h = w / 2 points from a real range. Points inside it count partly as hits, and the share of the zones
// (ranges with their buffers) that are hit weighs recall. A slope never falls below sqrt(1/2), so two slopes together always count
// as 1: the two nearest ranges of a point determine its weight for every w. One pass over the points near ranges, in the order of their
// scores, gives both areas for one w; a stretch of other points moves only along the ROC curve's horizontal.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "groups.hpp"
#include "ranges.hpp"
#include "scratch.hpp"
#include "sort.hpp"

namespace rangewise {

enum class VolumeVariant { tsb_ad, paper, timeeval };

struct Areas {
    double roc, pr;
};

class Volume {
  public:
    // Buffer lengths that are looked at in one pass.
    static constexpr std::size_t lanes = 4;

    // `longest` is the longest buffer that will be asked for. There is a real range.
    Volume(Ranges real, const SortedPoints& sorted, const Groups& groups, VolumeVariant variant, std::int64_t longest)
        : real_(real), groups_(groups), variant_(variant), size_(static_cast<std::int64_t>(groups.points())),
          counted_(static_cast<double>(sorted.size())), reach_(longest / 2), nearest_(groups.points()), extents_(real.size()) {
        find_nearest();
        std::size_t near = 0;
        for (std::int64_t i = 0; i < size_; ++i) near += nearest(i).first <= reach_;
        points_.reserve(near);
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            const std::int32_t point = sorted.point(i);
            if (nearest(point).first <= reach_) points_.push_back({nearest(point), groups.of(point)});
        }
        for (std::size_t k = 0; k < real.size(); ++k) {
            positives_ += real[k].length();
            extents_[k] = {real[k].start, real[k].start, never};
        }
    }

    // The areas for the buffer lengths `buffer`, `buffer` + 1, ...; lengths are asked for in ascending order. Points come in an order that no
    // processor foresees, so there are no questions about single lanes: all of them go every step, and their divisions go together.
    std::array<Areas, lanes> areas(std::int64_t buffer) {
        const auto each = [](auto use) {
            for (std::size_t lane = 0; lane < lanes; ++lane) use(lane);
        };
        std::array<std::vector<std::int32_t>, lanes> zones;
        std::array<std::int64_t, lanes> half;
        std::array<std::int32_t, lanes> next_zone;
        each([&](std::size_t lane) {
            half[lane] = std::min((buffer + static_cast<std::int64_t>(lane)) / 2, reach_);
            if (half[lane] != half_) find_zones(half[lane]);
            zones[lane] = zones_;
            next_zone[lane] = zones_.front();
        });
        find_weights(buffer);
        const bool fixed = variant_ != VolumeVariant::tsb_ad;
        const double size = counted_, positives = static_cast<double>(positives_);
        Lane partly{}, hits{}, recall{}, false_rate{}, existence{}, normal_share, halved{}, roc{}, pr{};
        if (fixed) halved = all_buffered(half);
        const auto share_of_normal = [&](double half_buffered) {
            const double normal = size - positives - half_buffered;
            return normal > 0.0 ? 1.0 / normal : 0.0;
        };
        each([&](std::size_t lane) { normal_share[lane] = share_of_normal(halved[lane]); });
        std::array<std::size_t, lanes> hit{};
        double inside = 0.0;
        for (std::size_t i = 0; i < points_.size();) {
            const std::int32_t group = points_[i].group;
            if (group == never_entering()) break;
            bool moved = false;
            for (; i < points_.size() && points_[i].group == group; ++i) {
                const Nearest& point = points_[i].nearest;
                if (point.first > half[lanes - 1]) continue;
                moved = true;
                if (point.first < 0) inside += 1.0;
                else add_weights(point, half, partly);
            }
            if (!moved) continue;
            each([&](std::size_t lane) {
                if (group < next_zone[lane]) return;
                const std::vector<std::int32_t>& firsts = zones[lane];
                while (hit[lane] < firsts.size() && firsts[hit[lane]] <= group) ++hit[lane];
                next_zone[lane] = hit[lane] < firsts.size() ? firsts[hit[lane]] : never;
                existence[lane] = static_cast<double>(hit[lane]) / static_cast<double>(firsts.size());
            });
            const double before = groups_.before(group), with = groups_.with(group);
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                // Points far from ranges that entered since the last vertex move along the horizontal only.
                const double false_before = (before - hits[lane]) * normal_share[lane];
                const double precision_before = before > 0.0 ? hits[lane] / before : 1.0;
                // The published code of TSB-AD counts only the predicted part of the buffers among the positives.
                const double half_buffered = fixed ? halved[lane] : partly[lane] / 2;
                const double new_hits = inside + partly[lane];
                const double new_share = share_of_normal(half_buffered);
                const double new_false = (with - new_hits) * new_share;
                const double new_recall = std::min(new_hits / (positives + half_buffered), 1.0) * existence[lane];
                const double new_precision = new_hits / with;
                roc[lane] += recall[lane] * (false_before - false_rate[lane]) + (recall[lane] + new_recall) / 2 * (new_false - false_before);
                pr[lane] += (new_recall - recall[lane]) * (fixed ? (precision_before + new_precision) / 2 : new_precision);
                hits[lane] = new_hits;
                recall[lane] = new_recall;
                false_rate[lane] = new_false;
                normal_share[lane] = new_share;
            }
        }
        std::array<Areas, lanes> found;
        each([&](std::size_t lane) {
            const double false_last = (size - hits[lane]) * normal_share[lane];
            roc[lane] += recall[lane] * (false_last - false_rate[lane]) + (recall[lane] + 1.0) / 2 * (1.0 - false_last);
            found[lane] = {std::clamp(roc[lane], 0.0, 1.0), std::clamp(pr[lane], 0.0, 1.0)};
        });
        return found;
    }

  private:
    using Lane = std::array<double, lanes>;
    static constexpr std::int32_t far = std::numeric_limits<std::int32_t>::max(), never = far;

    // From which half length on the nearest and the second nearest slope reach a point; -1 inside a real range.
    struct Nearest {
        std::int32_t first, second, distance;
    };
    struct NearPoint {
        Nearest nearest;
        std::int32_t group;
    };
    // The points around a range that were looked at, and the first group among them.
    struct Extent {
        std::int64_t begin, end;
        std::int32_t first;
    };

    const Nearest& nearest(std::int64_t point) const { return nearest_[static_cast<std::size_t>(point)]; }
    std::int32_t never_entering() const { return static_cast<std::int32_t>(groups_.count()); }

    void find_nearest() {
        const auto count = static_cast<std::int64_t>(real_.size());
        std::int64_t at = 0;
        for (std::int64_t k = 0; k <= count; ++k) {
            const std::int64_t gap_end = k < count ? range(k).start : size_;
            for (; at < gap_end; ++at) {
                Nearest found{far, far, 0};
                for (std::int64_t other = std::max<std::int64_t>(k - 2, 0); other < std::min(k + 2, count); ++other) {
                    const std::int64_t distance = other < k ? at - range(other).stop + 1 : range(other).start - at;
                    // The paper's slope behind a range begins on its last point, so it is a point shorter than the one before it.
                    const auto from = static_cast<std::int32_t>(distance + (variant_ == VolumeVariant::paper && other < k));
                    if (from < found.first) {
                        found.second = found.first;
                        found.first = from;
                        found.distance = static_cast<std::int32_t>(distance);
                    } else if (from < found.second) {
                        found.second = from;
                    }
                }
                if (variant_ == VolumeVariant::timeeval) found.second = far;  // the largest slope counts, not the sum
                nearest_[static_cast<std::size_t>(at)] = found;
            }
            if (k == count) break;
            for (; at < range(k).stop; ++at) nearest_[static_cast<std::size_t>(at)] = {-1, -1, 0};
        }
    }
    const Range& range(std::int64_t k) const { return real_[static_cast<std::size_t>(k)]; }

    // The weight of one slope at each distance, for each lane.
    void find_weights(std::int64_t buffer) {
        weights_.resize(static_cast<std::size_t>(reach_) + 1);
        for (std::int64_t distance = 1; distance <= reach_; ++distance) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const std::int64_t length = buffer + static_cast<std::int64_t>(lane), half = length / 2;
                double& weight = weights_[static_cast<std::size_t>(distance)][lane];
                constexpr double lowest = 1.0 / std::numbers::sqrt2;
                if (distance > half) weight = 0.0;
                else if (variant_ == VolumeVariant::timeeval) weight = lowest + (1.0 - lowest) * static_cast<double>(half - distance) / static_cast<double>(half);
                else weight = std::sqrt(1.0 - static_cast<double>(distance) / static_cast<double>(length));
            }
        }
    }
    void add_weights(const Nearest& point, const std::array<std::int64_t, lanes>& half, Lane& sums) const {
        const Lane& slope = weights_[static_cast<std::size_t>(point.distance)];
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const double one = point.first <= half[lane] ? slope[lane] : 0.0;
            sums[lane] += point.second <= half[lane] ? 1.0 : one;
        }
    }
    // Half of the weight of all points in the buffers.
    Lane all_buffered(const std::array<std::int64_t, lanes>& half) const {
        Lane sums{};
        for (const NearPoint& point : points_)
            if (point.nearest.first >= 0) add_weights(point.nearest, half, sums);
        for (double& sum : sums) sum /= 2;
        return sums;
    }

    // The group that first hits each zone, ascending.
    void find_zones(std::int64_t half) {
        half_ = half;
        const std::int64_t behind = variant_ == VolumeVariant::paper ? std::max<std::int64_t>(half - 1, 0) : half;
        zones_.clear();
        for (std::size_t k = 0; k < real_.size(); ++k) {
            Extent& extent = extents_[k];
            for (const std::int64_t begin = std::max<std::int64_t>(real_[k].start - half, 0); extent.begin > begin;) look(extent, --extent.begin);
            for (const std::int64_t end = std::min(real_[k].stop + behind, size_); extent.end < end;) look(extent, extent.end++);
            std::int32_t first = extent.first;
            // TimeEval's zones are a point too long, which shows where that point is of the next range or its slope.
            if (variant_ == VolumeVariant::timeeval && extent.end < size_ && nearest(extent.end).first <= half) first = std::min(first, groups_.of(extent.end));
            const bool joined = k > 0 && variant_ != VolumeVariant::timeeval &&
                                real_[k - 1].stop + behind - (variant_ == VolumeVariant::tsb_ad) >= real_[k].start - half;
            if (joined) zones_.back() = std::min(zones_.back(), first);
            else zones_.push_back(first);
        }
        std::sort(zones_.begin(), zones_.end());
    }
    void look(Extent& extent, std::int64_t point) const { extent.first = std::min(extent.first, groups_.of(point)); }

    Ranges real_;
    const Groups& groups_;
    VolumeVariant variant_;
    std::int64_t size_;
    double counted_;  // the points that have a score
    std::int64_t reach_, positives_ = 0, half_ = -1;
    Scratch<Nearest> nearest_;
    std::vector<NearPoint> points_;
    std::vector<Extent> extents_;
    std::vector<std::int32_t> zones_;
    std::vector<Lane> weights_;
};

// The mean of the areas over the buffer lengths first..last.
inline Areas volume(Ranges real, const SortedPoints& sorted, const Groups& groups, VolumeVariant variant, std::int64_t first, std::int64_t last) {
    Volume state(real, sorted, groups, variant, last);
    Areas sum{0.0, 0.0};
    for (std::int64_t buffer = first; buffer <= last; buffer += Volume::lanes) {
        const auto found = state.areas(buffer);
        for (std::int64_t lane = 0; lane < static_cast<std::int64_t>(Volume::lanes) && buffer + lane <= last; ++lane) {
            sum.roc += found[static_cast<std::size_t>(lane)].roc;
            sum.pr += found[static_cast<std::size_t>(lane)].pr;
        }
    }
    const auto count = static_cast<double>(last - first + 1);
    return {sum.roc / count, sum.pr / count};
}

}  // namespace rangewise
