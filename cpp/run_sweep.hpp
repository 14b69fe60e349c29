// Every threshold of ranges with a confidence: the sweep of sweep.hpp over segments instead of points.
//
// The borders of all real and all scored ranges cut time into segments, each wholly inside or outside of any of them. A range switches on
// the segments that are still off; the cost follows the number of ranges, not the time that they last. Sums of positions need 128 bits,
// because positions may be nanoseconds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "bias.hpp"
#include "overlap.hpp"
#include "ranges.hpp"

namespace rangewise {

class RunSweep {
  public:
    // `borders` ascend and hold every start and stop of a real range; segment t is [borders[t], borders[t + 1]).
    RunSweep(Ranges real, std::span<const std::int64_t> borders, const Rule& recall, const Rule& precision)
        : recall_(recall), precision_(precision), borders_(borders), segments_(borders.size() + 1), ranges_(real.size()), next_off_(borders.size() + 1) {
        if (!precision.as_points && precision.bias == Bias::table) throw std::invalid_argument("a sweep takes no table of weights for precision");
        for (const Rule* rule : {&recall, &precision})
            if (!rule->as_points && (rule->bias == Bias::sized || rule->cardinality == Cardinality::each))
                throw std::invalid_argument("a sweep takes no sizes or factors of single ranges");
        std::size_t j = 0;
        wide positions = 0;
        std::int64_t count = 0;
        for (std::size_t t = 0; t < borders.size(); ++t) {
            while (j < real.size() && real[j].stop <= borders[t]) ++j;
            const bool inside = j < real.size() && real[j].start <= borders[t] && t + 1 < borders.size();
            segments_[t] = {positions, count, inside ? static_cast<std::int64_t>(j) : ~static_cast<std::int64_t>(j), off, 0.0};
            if (!inside) continue;
            positions += sum_of(borders[t], borders[t + 1]);
            count += borders[t + 1] - borders[t];
        }
        segments_[borders.size()] = {positions, count, ~static_cast<std::int64_t>(real.size()), off, 0.0};
        for (std::size_t i = 0; i < real.size(); ++i) {
            ranges_[i].start = real[i].start;
            ranges_[i].length = real[i].length();
        }
        for (std::size_t t = 0; t < next_off_.size(); ++t) next_off_[t] = t;
        real_count_ = recall.as_points ? count : static_cast<std::int64_t>(real.size());
    }

    // Switches on what is still off of the segments [first, last).
    void switch_on(std::size_t first, std::size_t last) {
        for (std::size_t t = skip(first); t < last; t = skip(t)) {
            switch_on(static_cast<std::int64_t>(t));
            next_off_[t] = t + 1;
        }
    }

    double precision(double zero_division) const { return predicted_count_ ? predicted_sum_.mean(predicted_count_) : zero_division; }
    double recall(double zero_division) const { return real_count_ ? real_sum_.mean(real_count_) : zero_division; }
    std::int64_t most_real_overlaps() const { return most_real_; }
    std::int64_t most_predicted_overlaps() const { return most_predicted_; }

  private:
    static constexpr std::int64_t off = -1;

    struct Segment {
        wide positions;      // sum of the anomalous positions before this segment
        std::int64_t count;  // their number
        std::int64_t range;  // the real range around the segment, or ~(number of ranges before it)
        std::int64_t end;    // at either end of a run, its other end; `off` while the segment is off
        double reward;       // at either end of a run, what the run earns
        bool real() const { return range >= 0; }
        std::int64_t started() const { return range >= 0 ? range + 1 : ~range; }
    };
    struct RealRange {
        std::int64_t start = 0, length = 0, pieces = 0;
        wide sum = 0;
        double weight = 0.0;
        double reward = 0.0;
    };
    struct Anomalous {
        std::int64_t count;
        wide positions;
    };

    static wide sum_of(std::int64_t first, std::int64_t stop) { return triangle<wide>(stop - 1) - (first ? triangle<wide>(first - 1) : wide(0)); }
    Segment& at(std::int64_t t) { return segments_[static_cast<std::size_t>(t)]; }
    const Segment& at(std::int64_t t) const { return segments_[static_cast<std::size_t>(t)]; }
    std::int64_t border(std::int64_t t) const { return borders_[static_cast<std::size_t>(t)]; }

    // The first segment from t on that is off.
    std::size_t skip(std::size_t t) {
        std::size_t found = t;
        while (next_off_[found] != found) found = next_off_[found];
        while (next_off_[t] != found && t != found) {
            const std::size_t after = next_off_[t];
            next_off_[t] = found;
            t = after;
        }
        return found;
    }

    void switch_on(std::int64_t t) {
        Segment& segment = at(t);
        const bool left = t > 0 && at(t - 1).end != off, right = at(t + 1).end != off;
        const std::int64_t begin = left ? at(t - 1).end : t, end = right ? at(t + 1).end : t;
        const std::int64_t length = border(t + 1) - border(t);
        if (precision_.as_points) {
            predicted_count_ += length;
            if (segment.real()) predicted_sum_.add_ones(length);
        } else {
            if (left) drop(at(t - 1).reward, border(t) - border(begin));
            if (right) drop(at(t + 1).reward, border(end + 1) - border(t + 1));
            predicted_count_ += precision_.weigh_by_length ? length : 1 - left - right;
        }
        const bool left_piece = left && at(t - 1).range == segment.range, right_piece = right && at(t + 1).range == segment.range;
        segment.end = t;
        at(begin).end = end;
        at(end).end = begin;
        if (!precision_.as_points) {
            const double reward = run_reward(begin, end);
            at(begin).reward = at(end).reward = reward;
            if (precision_.weigh_by_length) predicted_sum_.add_times(reward, border(end + 1) - border(begin));
            else predicted_sum_.add(reward);
        }
        if (!segment.real()) return;
        if (recall_.as_points) real_sum_.add_ones(length);
        else cover(static_cast<std::size_t>(segment.range), border(t), border(t + 1), precision_.as_points ? length : 1 - left_piece - right_piece);
    }

    void drop(double reward, std::int64_t length) {
        if (precision_.weigh_by_length) predicted_sum_.subtract_times(reward, length);
        else predicted_sum_.subtract(reward);
    }

    // The anomalous positions from the border of segment `first` to `stop`, counted from `origin` + 1.
    Anomalous anomalous(std::int64_t first, std::int64_t stop, std::int64_t origin) const {
        const auto after = std::upper_bound(borders_.begin(), borders_.end(), stop) - borders_.begin();
        const std::int64_t last = static_cast<std::int64_t>(after) - 1;
        std::int64_t count = at(last).count - at(first).count;
        wide positions = at(last).positions - at(first).positions;
        if (at(last).real() && stop > border(last)) {
            count += stop - border(last);
            positions += sum_of(border(last), stop);
        }
        return {count, positions - wide(count) * wide(origin - 1)};
    }

    double run_reward(std::int64_t begin, std::int64_t end) {
        const std::int64_t start = border(begin), length = border(end + 1) - start;
        const Segment &low = at(begin), &high = at(end), &beyond = at(end + 1);
        const std::int64_t count = beyond.count - low.count;
        if (count == 0) return 0.0;
        wide sum = 0;
        switch (precision_.bias) {
            case Bias::flat: sum = count; break;
            case Bias::back: sum = beyond.positions - low.positions - wide(count) * wide(start - 1); break;
            case Bias::front: sum = wide(length + 1) * wide(count) - (beyond.positions - low.positions - wide(count) * wide(start - 1)); break;
            case Bias::middle: {
                const wide all = beyond.positions - low.positions - wide(count) * wide(start - 1);
                const std::int64_t half = length / 2;
                const Anomalous rising = half ? anomalous(begin, start + half, start) : Anomalous{0, 0};
                sum = rising.positions + wide(length + 1) * wide(count - rising.count) - (all - rising.positions);
                break;
            }
            case Bias::table:
            case Bias::sized: break;  // refused by the constructor
        }
        const std::int64_t overlaps = recall_.as_points ? count : high.started() - low.started() + low.real();
        most_predicted_ = std::max(most_predicted_, overlaps);
        const double size = static_cast<double>(sum) / static_cast<double>(prefix_weight<wide>(precision_.bias, length, length));
        return precision_.reward(size, precision_.factor(0, overlaps, length));
    }

    void cover(std::size_t j, std::int64_t from, std::int64_t to, std::int64_t more_pieces) {
        RealRange& range = ranges_[j];
        real_sum_.subtract(range.reward);
        range.pieces += more_pieces;
        most_real_ = std::max(most_real_, range.pieces);
        const std::int64_t low = from - range.start, high = to - range.start;
        double size;
        if (recall_.bias == Bias::table) {
            const double* cumulative = recall_.weights.data() + recall_.offsets[j];
            range.weight += cumulative[high] - cumulative[low];
            size = std::min(1.0, range.weight / cumulative[range.length]);
        } else {
            range.sum += prefix_weight<wide>(recall_.bias, high, range.length) - prefix_weight<wide>(recall_.bias, low, range.length);
            size = static_cast<double>(range.sum) / static_cast<double>(prefix_weight<wide>(recall_.bias, range.length, range.length));
        }
        range.reward = recall_.reward(size, recall_.factor(j, range.pieces, range.length));
        real_sum_.add(range.reward);
    }

    const Rule &recall_, &precision_;
    std::span<const std::int64_t> borders_;
    std::vector<Segment> segments_;
    std::vector<RealRange> ranges_;
    std::vector<std::size_t> next_off_;
    RewardSum real_sum_, predicted_sum_;
    std::int64_t real_count_ = 0, predicted_count_ = 0, most_real_ = 0, most_predicted_ = 0;
};

}  // namespace rangewise
