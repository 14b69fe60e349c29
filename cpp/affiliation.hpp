// Affiliation precision and recall at every threshold in one sweep, from the lowest threshold up: points are switched off.
//
// Every real range owns the zone that is nearest to it. In a zone, precision is a mean of weights that each predicted point has for
// itself; recall is an integral over the range that splits at the predicted points into gaps, and a point that is switched off joins the
// two gaps beside it. So each point costs O(1). Time is continuous: point i is the interval from i to i + 1, cut at the ends of zones,
// which may lie half way. The definition is in src/rangewise/metrics/affiliations.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "overlap.hpp"
#include "ranges.hpp"
#include "scratch.hpp"
#include "sort.hpp"

namespace rangewise {

class AffiliationSweep {
  public:
    // All points are on. There is a real range.
    AffiliationSweep(Ranges real, std::int64_t size) : size_(size), before_(index(size)), after_(index(size)), zones_(real.size()) {
        for (std::int64_t i = 0; i < size; ++i) {
            before_[index(i)] = static_cast<std::int32_t>(i - 1);
            after_[index(i)] = static_cast<std::int32_t>(i + 1);
        }
        for (std::size_t k = 0; k < real.size(); ++k) {
            Zone& zone = zones_[k];
            zone.start = static_cast<double>(real[k].start);
            zone.stop = static_cast<double>(real[k].stop);
            zone.low = k ? zones_[k - 1].high : 0.0;
            zone.high = k + 1 < real.size() ? (zone.stop + static_cast<double>(real[k + 1].start)) / 2 : static_cast<double>(size);
            for (auto i = static_cast<std::int64_t>(zone.low); static_cast<double>(i) < zone.high; ++i) {
                const Piece piece = cut(zone, i);
                zone.predicted += piece.stop - piece.start;
                zone.precision += precision_weight(zone, piece);
            }
            zone.recall = (zone.stop - zone.start) * zone.length();
            count(zone);
        }
    }

    void switch_off(std::int32_t point) {
        const std::size_t own = zone_of(point);
        switch_off(zones_[own], point);
        // A point that a border of zones cuts belongs to both.
        if (own + 1 < zones_.size() && zones_[own].high < static_cast<double>(point + 1)) switch_off(zones_[own + 1], point);
        const std::int32_t before = before_[index(point)], after = after_[index(point)];
        if (before >= 0) after_[index(before)] = after;
        if (after < size_) before_[index(after)] = before;
    }

    double precision() const { return predicted_zones_ ? precisions_.mean(predicted_zones_) : 0.0; }
    double recall() const { return recalls_.mean(static_cast<std::int64_t>(zones_.size())); }

  private:
    struct Piece {
        double start, stop;
    };
    struct Zone {
        double low, high, start, stop;
        double predicted = 0.0, precision = 0.0, recall = 0.0;  // measure of the predictions, and the two integrals
        double precision_share = 0.0, recall_share = 0.0;       // what they add to the sums
        double length() const { return high - low; }
    };
    static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

    static Piece cut(const Zone& zone, std::int64_t point) {
        return {std::max(static_cast<double>(point), zone.low), std::min(static_cast<double>(point + 1), zone.high)};
    }

    // The zone in which a point begins.
    std::size_t zone_of(std::int32_t point) const {
        const auto found = std::upper_bound(zones_.begin(), zones_.end(), static_cast<double>(point),
                                            [](double at, const Zone& zone) { return at < zone.high; });
        return static_cast<std::size_t>(found - zones_.begin());
    }

    void switch_off(Zone& zone, std::int32_t point) {
        discount(zone);
        const Piece piece = cut(zone, point);
        const std::int32_t before = before_[index(point)], after = after_[index(point)];
        const bool left = before >= 0 && static_cast<double>(before + 1) > zone.low, right = after < size_ && static_cast<double>(after) < zone.high;
        if (!left && !right) {  // the last point of its zone
            zone.predicted = zone.precision = zone.recall = 0.0;
            return;
        }
        zone.predicted -= piece.stop - piece.start;
        zone.precision -= precision_weight(zone, piece);
        const double from = left ? cut(zone, before).stop : zone.low, to = right ? cut(zone, after).start : zone.high;
        const double covered = std::max(std::min(piece.stop, zone.stop) - std::max(piece.start, zone.start), 0.0) * zone.length();
        zone.recall += gap(zone, from, left, to, right) - gap(zone, from, left, piece.start, true) - gap(zone, piece.stop, true, to, right) - covered;
        count(zone);
    }

    void count(Zone& zone) {
        ++predicted_zones_;
        zone.precision_share = std::clamp(zone.precision / (zone.predicted * zone.length()), 0.0, 1.0);
        zone.recall_share = std::clamp(zone.recall / ((zone.stop - zone.start) * zone.length()), 0.0, 1.0);
        precisions_.add(zone.precision_share);
        recalls_.add(zone.recall_share);
    }
    void discount(const Zone& zone) {
        --predicted_zones_;
        precisions_.subtract(zone.precision_share);
        recalls_.subtract(zone.recall_share);
    }

    // Integral over a piece of the measure of the zone's points that are at least as far from the range.
    static double precision_weight(const Zone& zone, const Piece& piece) {
        const double room_before = zone.start - zone.low, room_after = zone.high - zone.stop;
        const auto chance = [&](double distance) {
            const double near = std::min(distance, room_before), far = std::min(distance, room_after);
            return near * (room_before - near / 2) + far * (room_after - far / 2);
        };
        const double inside = std::max(std::min(piece.stop, zone.stop) - std::max(piece.start, zone.start), 0.0);
        return inside * zone.length() + chance(std::max(zone.start - piece.start, 0.0)) - chance(std::max(zone.start - piece.stop, 0.0)) +
               chance(std::max(piece.stop - zone.stop, 0.0)) - chance(std::max(piece.start - zone.stop, 0.0));
    }

    // What the part of the range between two predicted pieces adds to recall; a side without one is the end of the zone.
    static double gap(const Zone& zone, double from, bool left, double to, bool right) {
        const double middle = left && right ? (from + to) / 2 : left ? to : from;
        double sum = 0.0;
        if (left) {
            const double begin = std::max(from, zone.start), end = std::min(middle, zone.stop);
            if (begin < end) sum += ramp(-end, -begin, from - zone.low, -(from + zone.high));
        }
        if (right) {
            const double begin = std::max(middle, zone.start), end = std::min(to, zone.stop);
            if (begin < end) sum += ramp(begin, end, zone.high - to, to + zone.low);
        }
        return sum;
    }
    // Integral of base + max(2 y - zero, 0) over y from begin to end.
    static double ramp(double begin, double end, double base, double zero) {
        const double foot = std::max(begin, zero / 2), top = std::max(end, zero / 2);
        return base * (end - begin) + (top - foot) * (top + foot - zero);
    }

    std::int64_t size_, predicted_zones_ = 0;
    Scratch<std::int32_t> before_, after_;  // the predicted points beside a predicted point
    std::vector<Zone> zones_;
    RewardSum precisions_, recalls_;
};

// The largest F over all thresholds.
inline double best_affiliation_fbeta(Ranges real, const SortedPoints& sorted, double beta) {
    AffiliationSweep state(real, static_cast<std::int64_t>(sorted.size()));
    const double weight = beta * beta;
    double best = 0.0;
    for (std::size_t i = sorted.size(); i-- > 0;) {
        if (sorted.ends_group(i)) {
            const double precision = state.precision(), recall = state.recall(), whole = weight * precision + recall;
            if (whole > 0.0) best = std::max(best, (1.0 + weight) * precision * recall / whole);
        }
        state.switch_off(sorted.point(i));
    }
    return best;
}

}  // namespace rangewise
