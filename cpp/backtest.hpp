// An alert rule at every threshold: at which thresholds it fires at each step, and what each threshold would have done to incidents.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "scratch.hpp"

namespace rangewise {

// The largest (or smallest) of the last `width` entries at each step, by a monotone queue of their indices.
template <class Before>
class RunningExtreme {
  public:
    RunningExtreme(std::span<const std::uint32_t> values, std::size_t width, Before before)
        : values_(values), width_(width), before_(before), queue_(values.size()) {}
    std::uint32_t operator()(std::size_t i) {
        while (last_ > first_ && !before_(values_[queue_[last_ - 1]], values_[i])) --last_;
        queue_[last_++] = i;
        if (i >= width_ && queue_[first_] <= i - width_) ++first_;
        return values_[queue_[first_]];
    }

  private:
    std::span<const std::uint32_t> values_;
    std::size_t width_;
    Before before_;
    Scratch<std::size_t> queue_;
    std::size_t first_ = 0, last_ = 0;
};

// values are ranks: 0 is an absent sample. `hold` and `keep` are `for` and `keep_firing_for` in steps, rounded up. The rule with a threshold
// below rank r fires at step i where levels[i] >= r:  f_i = max(min(v_(i-hold)..v_i), min(f_(i-1), max(v_(i-keep)..v_i))).
inline void firing_levels(std::span<const std::uint32_t> values, std::size_t hold, std::size_t keep, std::span<std::uint32_t> levels) {
    const std::size_t all = values.size();
    // A window longer than the series is as good as the series.
    RunningExtreme lowest(values, std::min(hold, all) + 1, [](auto a, auto b) { return a < b; });
    RunningExtreme highest(values, std::min(keep, all) + 1, [](auto a, auto b) { return a > b; });
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < all; ++i) {
        const std::uint32_t low = lowest(i), high = highest(i);
        before = std::max(i < hold ? 0U : low, std::min(before, high));
        levels[i] = before;
    }
}

struct Incident {
    std::int64_t first, stop;      // its steps, with those of its lead
    std::int64_t onset, end;       // nanoseconds after the first step
};

// What the rule does at a rank; one entry per rank, from 1.
struct Outcomes {
    std::span<std::int64_t> found, alerts, false_alerts, steps;
    std::span<double> detect, reset;  // medians over the incidents found, in nanoseconds; nan without
};

// Sorted numbers of which the median is asked for.
class SortedNumbers {
  public:
    void add(std::int64_t number) { numbers_.insert(std::upper_bound(numbers_.begin(), numbers_.end(), number), number); }
    void remove(std::int64_t number) { numbers_.erase(std::lower_bound(numbers_.begin(), numbers_.end(), number)); }
    double median() const {
        const std::size_t half = numbers_.size() / 2;
        if (numbers_.size() % 2) return static_cast<double>(numbers_[half]);
        return (static_cast<double>(numbers_[half - 1]) + static_cast<double>(numbers_[half])) / 2;
    }
    bool empty() const { return numbers_.empty(); }

  private:
    std::vector<std::int64_t> numbers_;
};

// A change of one incident when the threshold falls to a rank: a shorter time to detect, or a longer reset.
struct IncidentChange {
    std::uint32_t rank, incident;
    bool resets;
    std::int64_t time;
};

// `levels` has a row of `steps` entries for each label set, each between 0 and `ranks`.
class RuleSweep {
  public:
    RuleSweep(std::span<const std::uint32_t> levels, std::size_t steps, std::uint32_t ranks, std::span<const Incident> incidents, std::int64_t interval)
        : levels_(levels), steps_(steps), ranks_(ranks), incidents_(incidents), interval_(interval), highest_(steps), covered_(steps + 1) {
        const std::size_t series = steps ? levels.size() / steps : 0;
        for (std::size_t i = 0; i < steps; ++i) {
            highest_[i] = 0;
            for (std::size_t row = 0; row < series; ++row) highest_[i] = std::max(highest_[i], levels[row * steps + i]);
        }
        std::fill_n(covered_.data(), steps + 1, 0);
        for (const Incident& each : incidents) ++covered_[static_cast<std::size_t>(each.first)], --covered_[static_cast<std::size_t>(each.stop)];
        std::int64_t open = 0, before = 0;
        for (std::size_t i = 0; i <= steps; ++i) {  // how many of the steps before i belong to an incident
            open += covered_[i];
            covered_[i] = before;
            before += open > 0;
        }
    }

    void run(const Outcomes& out) {
        find_changes();
        const std::size_t all = levels_.size();
        Scratch<std::size_t> head(ranks_ + 1), next(all), ends(all);
        const std::size_t none = all;
        firing_.assign(all, 0);
        std::fill_n(head.data(), ranks_ + 1, none);
        for (std::size_t i = 0; i < all; ++i) {
            next[i] = head[levels_[i]];
            head[levels_[i]] = i;
        }
        std::int64_t found = 0, alerts = 0, false_alerts = 0, on = 0;
        std::vector<std::int64_t> detect(incidents_.size(), -1), reset(incidents_.size(), 0);
        SortedNumbers detects, resets;
        auto change = changes_.begin();
        for (std::uint32_t rank = ranks_; rank > 0; --rank) {
            for (std::size_t i = head[rank]; i != none; i = next[i]) {
                ++on;
                std::size_t left = i, right = i;  // the run that i becomes part of
                if (i % steps_ != 0 && firing_[i - 1]) left = ends[i - 1], --alerts, false_alerts -= is_false(left, i - 1);
                if ((i + 1) % steps_ != 0 && firing_[i + 1]) right = ends[i + 1], --alerts, false_alerts -= is_false(i + 1, right);
                ends[left] = right, ends[right] = left;
                ++alerts, false_alerts += is_false(left, right);
                firing_[i] = 1;
            }
            for (; change != changes_.end() && change->rank == rank; ++change) {
                const std::size_t j = change->incident;
                if (change->resets) {
                    resets.remove(reset[j]);
                    resets.add(reset[j] = change->time);
                    continue;
                }
                if (detect[j] < 0) ++found, resets.add(0);
                else detects.remove(detect[j]);
                detects.add(detect[j] = change->time);
            }
            out.found[rank - 1] = found, out.alerts[rank - 1] = alerts, out.false_alerts[rank - 1] = false_alerts, out.steps[rank - 1] = on;
            out.detect[rank - 1] = detects.empty() ? std::numeric_limits<double>::quiet_NaN() : detects.median();
            out.reset[rank - 1] = resets.empty() ? std::numeric_limits<double>::quiet_NaN() : resets.median();
        }
    }

  private:
    std::int64_t is_false(std::size_t first, std::size_t last) const { return covered_[last % steps_ + 1] == covered_[first % steps_]; }

    void find_changes() {
        // The next step at which the highest level is lower than here.
        Scratch<std::size_t> lower(steps_);
        for (std::size_t i = steps_; i-- > 0;) {
            std::size_t after = i + 1;
            while (after < steps_ && highest_[after] >= highest_[i]) after = lower[after];
            lower[i] = after;
        }
        for (std::uint32_t j = 0; j < incidents_.size(); ++j) {
            const Incident& own = incidents_[j];
            std::uint32_t best = 0;
            for (auto i = own.first; i < own.stop; ++i) {
                const std::uint32_t level = highest_[static_cast<std::size_t>(i)];
                if (level <= best) continue;
                best = level;
                changes_.push_back({level, j, false, std::max<std::int64_t>(i * interval_ - own.onset, 0)});
            }
            for (auto i = static_cast<std::size_t>(own.stop - 1); i < steps_ && highest_[i] > 0; i = lower[i]) {
                const std::int64_t longer = static_cast<std::int64_t>(lower[i]) * interval_ - own.end;
                if (longer > 0) changes_.push_back({highest_[i], j, true, longer});
            }
        }
        // Stable: of one rank, an incident is found before its reset changes.
        std::stable_sort(changes_.begin(), changes_.end(), [](const auto& a, const auto& b) {
            return a.rank != b.rank ? a.rank > b.rank : a.resets < b.resets;
        });
    }

    std::span<const std::uint32_t> levels_;
    std::size_t steps_;
    std::uint32_t ranks_;
    std::span<const Incident> incidents_;
    std::int64_t interval_;
    Scratch<std::uint32_t> highest_;
    Scratch<std::int64_t> covered_;
    std::vector<std::uint8_t> firing_;
    std::vector<IncidentChange> changes_;
};

}  // namespace rangewise
