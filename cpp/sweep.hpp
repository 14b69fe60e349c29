// Every threshold of a score: points are switched on from the highest score down, and each costs O(1).
//
// Predicted runs grow and merge. The run that a point makes reaches from the last point before it to the first point behind it that enter
// later, so a first pass, in order of time and with a stack of the runs that are still open, knows every run that will ever be: what precision
// gains with each point is written down there, in one small record a point. The records go straight into the buckets of the sort, because one
// pass that writes all over the memory is dear enough: neither pass looks for anything by its rank. The second pass sorts one bucket after the
// other in the caches, adds its records up, and follows the one real range around each point for recall; switching points on one by one would
// have to find the far ends of runs in all of the memory. Rewards enter and leave the sums as whole numbers (RewardSum), so that nothing drifts
// however long the sweep is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
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
    // One record a point, half a cache line: its score, where it stands, and what the rewards of predicted runs change by when it enters
    // (128 bits, in units of 2^-94).
    struct Entry {
        std::uint64_t score_key;
        std::uint32_t point, place;
        std::uint64_t high, low;
        std::uint64_t key() const { return score_key; }
        wide units() const { return make_wide(high, low); }
    };

    // `place(i)`, called for 0, 1, ..., is where the i-th score stands in time; points without a score never enter.
    template <class T, class Place>
    Sweep(Ranges real, std::size_t points, const Rule& recall, const Rule& precision, const Labels<T>& scores, Place place)
        : recall_(recall), precision_(precision), real_(real), points_(points), kind_(kind_of<T>), size_(scores.size), ranges_(real.size() + 1) {
        check();
        for (std::size_t j = 0; j < real.size(); ++j) {
            ranges_[j + 1].start = real[j].start;
            ranges_[j + 1].length = real[j].length();
            if (!recall.as_points) ranges_[j + 1].total = total_weight(j);
            real_count_ += recall.as_points ? real[j].length() : 1;
        }
        Scratch<std::uint64_t> keys(points + 1);
        if (size_ > 0) distribute(scores, place, keys);
        else segments_.emplace_back(0);
        recalls_.emplace(std::move(keys), points);
        order_.emplace(largest_);
    }

    // The score of a point that enters.
    std::uint64_t bits(const Entry& entry) const { return turned(kind_, entry.key()); }

    // Entries in order of their scores, the highest first: a bucket or a part of it.
    class Ordered {
      public:
        Ordered(const Entry* entries, const std::uint64_t* order, std::size_t size) : Ordered(entries, order, size, place_mask(size)) {}
        const Entry& operator[](std::size_t k) const { return entries_[order_[k] & mask_]; }
        std::size_t size() const { return size_; }
        Ordered part(std::size_t first, std::size_t last) const { return {entries_, order_ + first, last - first, mask_}; }

      private:
        Ordered(const Entry* entries, const std::uint64_t* order, std::size_t size, std::uint64_t mask)
            : entries_(entries), order_(order), size_(size), mask_(mask) {}

        const Entry* entries_;
        const std::uint64_t* order_;
        std::size_t size_;
        std::uint64_t mask_;
    };

    // Switches on all points, the highest score first; calls `threshold(group, precision, recall)` after the points of each distinct score,
    // which are the group. For one call.
    template <class Threshold>
    void run(double zero_division, Threshold threshold) {
        std::size_t group = 0;  // where it begins in the bucket
        each_block(zero_division, [&](const Ordered& bucket, std::size_t first, const Block& block) {
            for (std::size_t k = 0; k < block.size; ++k) {
                if (!block.ends_group[k]) continue;
                threshold(bucket.part(group, first + k + 1), block.precision[k], block.recall[k]);
                group = first + k + 1;
            }
            if (group == bucket.size()) group = 0;
        });
    }

    // The curve: the bits of each distinct score, precision and recall there, written over what is passed of the sweep, because memory
    // that a process touches for the first time is dear. Returns how many there are. For one call.
    std::size_t keep_curve(double zero_division) {
        std::size_t count = 0, before = 0;      // thresholds so far, and before the bucket
        Scratch<std::uint64_t> keys(largest_);  // of the thresholds in the bucket
        precisions_.emplace(size_);
        double *const precisions = precisions_->data(), *const recalls = recalls_->data();
        each_block(zero_division, [&](const Ordered& bucket, std::size_t first, const Block& block) {
            for (std::size_t k = 0; k < block.size; ++k) {  // what does not end a group is written over
                keys[count - before] = block.entries[k].key();
                precisions[count] = block.precision[k];
                recalls[count] = block.recall[k];
                count += block.ends_group[k];
            }
            if (first + block.size < bucket.size()) return;
            static_assert(sizeof(Entry) >= sizeof(std::uint64_t), "the scores of a bucket end before the entries behind it begin");
            auto* const scores = reinterpret_cast<unsigned char*>(segments_.front().data());
            for (std::size_t k = before; k < count; ++k) {
                const std::uint64_t score = turned(kind_, keys[k - before]);
                std::memcpy(scores + k * sizeof score, &score, sizeof score);
            }
            before = count;
        });
        segments_.erase(segments_.begin() + 1, segments_.end());
        return count;
    }
    Scratch<std::uint64_t> release_bits(std::size_t count) { return {std::move(segments_.front()), count}; }
    Scratch<double> release_precisions(std::size_t count) { return {std::move(*precisions_), count}; }
    Scratch<double> release_recalls(std::size_t count) { return {std::move(*recalls_), count}; }

    // Recall before any point is on.
    double recall_of_nothing(double zero_division) const { return real_count_ ? 0.0 : zero_division; }
    std::int64_t most_real_overlaps() const { return most_real_; }
    std::int64_t most_predicted_overlaps() const { return most_predicted_; }

  private:
    // The next points, at most so many that they stay in the nearest cache: one thing is done for all of them before the next, which leaves
    // the processor nothing to guess.
    struct Block {
        static constexpr std::size_t most = 256;
        Entry entries[most];
        bool ends_group[most];  // whether the next score is another one
        double precision[most], recall[most];
        std::size_t size;
    };

    // Switches on all points, the highest score first; calls `use(bucket, first, block)` with those that follow the `first` of a bucket.
    // After the last block of a bucket, nobody needs its entries any more.
    template <class Use>
    void each_block(double zero_division, Use use) {
        Block block;
        double before = recall_of_nothing(zero_division);
        for (const auto [entries, size] : buckets_) {
            if (size == 0) continue;
            order_records(entries, size, order_->data());
            const Ordered bucket(entries, order_->data(), size);
            for (std::size_t first = 0; first < size; first += block.size) {
                block.size = std::min(Block::most, size - first);
                for (std::size_t k = 0; k < block.size; ++k) block.entries[k] = bucket[first + k];
                for (std::size_t k = 0; k + 1 < block.size; ++k) block.ends_group[k] = block.entries[k].key() != block.entries[k + 1].key();
                const std::size_t next = first + block.size;  // equal scores share a bucket
                block.ends_group[block.size - 1] = next == size || bucket[next].key() != bucket[next - 1].key();
                add_predicted(block);
                before = add_real(block, before);
                use(bucket, first, std::as_const(block));
            }
        }
    }

    void check() const {
        // Predicted runs come and go: their reward follows from prefix sums over the labels, which a user's own bias has not.
        if (!precision_.as_points && precision_.bias == Bias::table) throw std::invalid_argument("a sweep takes no table of weights for precision");
        for (const Rule* rule : {&recall_, &precision_})
            if (!rule->as_points && (rule->bias == Bias::sized || rule->cardinality == Cardinality::each))
                throw std::invalid_argument("a sweep takes no sizes or factors of single ranges");
        if (real_.size() > most_real_ranges) throw std::invalid_argument("a sweep takes fewer than 2**30 real ranges");
    }

    // Counts the points of each bucket, and writes down what each of them will change.
    template <class T, class Place>
    void distribute(const Labels<T>& scores, Place& place, Scratch<std::uint64_t>& keys) {
        Scratch<std::uint16_t> buckets(points_ + 1);
        const std::size_t first_absent = size_ < points_ ? 0 : points_;
        std::fill(buckets.data() + first_absent, buckets.data() + points_ + 1, never);
        std::fill(keys.data() + first_absent, keys.data() + points_ + 1, last_key);
        std::vector<std::uint32_t> sizes;
        with_buckets(scores, [&](std::size_t count, auto bucket_of) {
            sizes.assign(count, 0);
            for (std::size_t i = 0; i < size_; ++i) {
                const std::size_t t = place(i), bucket = bucket_of(scores[i]);
                keys[t] = key_of(scores[i]);
                buckets[t] = static_cast<std::uint16_t>(bucket);
                ++sizes[bucket];
            }
        });
        largest_ = *std::max_element(sizes.begin(), sizes.end());
        lay_out(sizes);
        prepare(keys.data(), buckets.data());
    }

    // Takes memory for the entries of all buckets, in two segments: the first has room for the thresholds, so that the second can be freed.
    void lay_out(std::span<const std::uint32_t> sizes) {
        constexpr std::size_t share = sizeof(Entry) / sizeof(std::uint64_t);
        buckets_.reserve(sizes.size());
        for (std::size_t first = 0, last = 0; first < sizes.size(); first = last) {
            const std::size_t least = segments_.empty() ? (size_ + share - 1) / share : size_;
            std::size_t count = 0;
            while (last < sizes.size() && count < least) count += sizes[last++];
            Entry* entries = segments_.emplace_back(count).data();
            for (std::size_t k = first; k < last; ++k) {
                buckets_.push_back({entries, sizes[k]});
                entries += sizes[k];
            }
        }
    }

    // Of `Entry::place`: whether the neighbors of a point are on when it enters, and the number of the real range around it, from 1 on.
    static constexpr std::uint32_t left_on = 1, right_on = 2, real_step = 4;
    // The bucket and the key of a point that never enters; the lowest integer has this key, too.
    static constexpr std::uint16_t never = std::numeric_limits<std::uint16_t>::max();
    static constexpr std::uint64_t last_key = std::numeric_limits<std::uint64_t>::max();
    static_assert(most_buckets < never, "the bucket of a point that never enters is none");
    static constexpr std::size_t most_real_ranges = (std::size_t{1} << 30) - 1;
    static std::size_t index(std::int32_t t) { return static_cast<std::size_t>(t); }

    // The points whose scores lie between two borders.
    struct Bucket {
        Entry* entries;
        std::size_t size;
    };

    // What lies before a point: the sum of the real points, their number, and the number of real ranges that stop there or before.
    struct Before {
        std::int64_t positions = 0;
        std::int32_t count = 0, ranges = 0;
    };
    // A run whose end is not known yet.
    struct Open {
        std::uint64_t key;
        std::int32_t point;
        std::uint32_t place;
        Before behind;  // the point
        wide left;      // rewards of the run before the point
    };

    // What the run [begin, stop), which has real points, earns, from what lies before both; `started` are the real ranges that start before `stop`.
    struct RunUnits {
        const Rule& rule;
        bool real_points;
        const Before* halves;
        std::int64_t most_overlaps = 0;

        wide operator()(std::int64_t begin, std::int64_t stop, const Before& from, const Before& to, std::int64_t started) {
            const std::int64_t count = to.count - from.count;
            const std::int64_t length = stop - begin;
            // Positions count from 1.
            const auto positions = [&](const Before& until) { return until.positions - from.positions - (until.count - from.count) * (begin - 1); };
            std::int64_t sum = 0;
            switch (rule.bias) {
                case Bias::flat: sum = count; break;
                case Bias::back: sum = positions(to); break;
                case Bias::front: sum = (length + 1) * count - positions(to); break;
                case Bias::middle: {
                    const Before& half = halves[begin + length / 2];
                    const std::int64_t rising = positions(half);
                    sum = rising + (length + 1) * (to.count - half.count) - (positions(to) - rising);
                    break;
                }
                case Bias::table:
                case Bias::sized: break;  // refused by the constructor
            }
            const std::int64_t overlaps = real_points ? count : started - from.ranges;
            most_overlaps = std::max(most_overlaps, overlaps);
            const double size = static_cast<double>(sum) / static_cast<double>(prefix_weight<std::int64_t>(rule.bias, length, length));
            const wide units = RewardSum::whole(rule.reward(size, rule.factor(0, overlaps, length)));
            return rule.weigh_by_length ? units * length : units;
        }
    };

    // Calls `visit(point, place, before, behind)` for all points in order of time, and for one behind them, with what lies before and behind
    // the point. From one place and inlined, so that the compiler keeps what `visit` needs in registers.
    template <class Visit>
    RANGEWISE_ALWAYS_INLINE void each_point(Visit visit) const {
        Before before;
        std::size_t t = 0;
        const std::size_t parts = 2 * real_.size() + 1;  // real ranges, and what lies around them
        for (std::size_t part = 0; part < parts; ++part) {
            const bool real = part % 2 != 0;
            const auto stop = part + 1 == parts ? points_ + 1 : static_cast<std::size_t>(real ? real_[part / 2].stop : real_[part / 2].start);
            const auto place = real ? static_cast<std::uint32_t>(part / 2 + 1) * real_step : 0;
            for (; t < stop; ++t) {
                const Before behind{before.positions + (real ? static_cast<std::int64_t>(t) : 0), before.count + real,
                                    before.ranges + (real && t + 1 == stop)};
                visit(static_cast<std::int32_t>(t), place, before, behind);
                before = behind;
            }
        }
    }

    // Writes down what each point will change, in order of time, and distributes it over the buckets of the sort.
    void prepare(const std::uint64_t* keys, const std::uint16_t* buckets) {
        std::vector<Entry*> ends;  // of what is written of each bucket
        for (const Bucket& bucket : buckets_) ends.push_back(bucket.entries);
        const auto put = [=, ends = ends.data()](std::int32_t t, std::uint64_t key, std::uint32_t place, wide units) {
            Entry* const entry = ends[buckets[t]]++;
            prefetch_to_write(entry + 2);
            *entry = {key, static_cast<std::uint32_t>(t), place, static_cast<std::uint64_t>(units >> 64), static_cast<std::uint64_t>(units)};
        };
        if (precision_.as_points) {
            each_point([&](std::int32_t t, std::uint32_t place, const Before&, const Before&) {
                if (buckets[t] != never) put(t, keys[t], place, 0);
            });
            return;
        }
        // Not scratch memory, whose huge pages would be cleared: memory is taken only as deep as the stack gets.
        const std::unique_ptr<Open, FreeDeleter> stack(static_cast<Open*>(std::malloc((points_ + 1) * sizeof(Open))));
        if (!stack) throw std::bad_alloc();
        Open* const bottom = stack.get() + 1;
        Open* top = bottom;                // behind the last open run; the keys fall from the first to the last
        bottom[-1] = {0, -1, 0, {}, 0};    // the last point that never enters; runs begin behind it
        std::optional<Scratch<Before>> halves;
        if (precision_.bias == Bias::middle) {
            halves.emplace(points_ + 1);
            each_point([&](std::int32_t t, std::uint32_t, const Before& before, const Before&) { (*halves)[index(t)] = before; });
        }
        const Rule rule = precision_;
        RunUnits run_units{rule, recall_.as_points, halves ? halves->data() : nullptr};
        std::int64_t started = 0;  // real ranges before the point or around the one before it
        each_point([&](std::int32_t t, std::uint32_t place, const Before& before, const Before& behind) {
            // Closes the runs of points that enter before this one, with t - 1 as their last point; of equal scores the earlier point enters
            // first. The run of the last of them is the part of a later run before or behind its own point.
            const std::uint64_t key = keys[t];
            wide units = 0;
            std::uint32_t closed = 0;
            while (top[-1].key <= key && top > bottom) {
                const Open& run = *--top;
                const Open& outer = top[-1];
                wide gain = 0;
                if (outer.behind.count != before.count) {  // most runs have no real point, and no part of them has
                    const wide earned = run_units(outer.point + 1, t, outer.behind, before, started);
                    gain = earned - run.left - units;
                    units = earned;
                }
                put(run.point, run.key, run.place | closed * right_on, gain);
                closed = 1;
            }
            started = before.ranges + (place != 0);
            if (key == last_key && buckets[t] == never) bottom[-1] = {0, t, 0, behind, 0};
            else *top++ = {key, t, place | closed * left_on, behind, units};
        });
        most_predicted_ = run_units.most_overlaps;
    }

    double total_weight(std::size_t j) const {
        const std::int64_t length = real_[j].length();
        if (recall_.bias == Bias::table) return recall_.weights[static_cast<std::size_t>(recall_.offsets[j] + length)];
        return static_cast<double>(prefix_weight<std::int64_t>(recall_.bias, length, length));
    }

    struct alignas(64) RealRange {
        std::int64_t start = 0, length = 0, pieces = 0;
        std::int64_t sum = 0;  // weight of the points that are on
        double weight = 0.0;   // the same for a user's bias
        double total = 0.0;    // weight of all points
        wide reward = 0;
    };

    // Precision after each of the next points.
    void add_predicted(Block& block) {
        if (precision_.as_points) {
            for (std::size_t k = 0; k < block.size; ++k) {
                predicted_sum_.add_ones(block.entries[k].place >= real_step);
                block.precision[k] = predicted_sum_.mean(++predicted_count_);
            }
            return;
        }
        RewardSum sum = predicted_sum_;  // in registers
        std::int64_t runs = predicted_count_;
        for (std::size_t k = 0; k < block.size; ++k) {
            const std::uint32_t place = block.entries[k].place;
            sum.add_units(block.entries[k].units());
            runs += precision_.weigh_by_length ? 1 : 1 - static_cast<std::int64_t>(place & left_on) - static_cast<std::int64_t>((place & right_on) / right_on);
            block.precision[k] = sum.mean(runs);
        }
        predicted_sum_ = sum;
        predicted_count_ = runs;
    }

    // Recall after each of the next points, `before` them; returns the last.
    double add_real(Block& block, double before) {
        // How many points are real up to each one, and the recall after so many: without a question that depends on the point.
        std::uint16_t real_points[Block::most], passed[Block::most];
        double after[Block::most + 1];
        std::size_t reals = 0;
        for (std::size_t k = 0; k < block.size; ++k) {
            const std::uint32_t place = block.entries[k].place;
            prefetch_to_write(&ranges_[place / real_step]);  // of a point that is not real one that nobody needs
            real_points[reals] = static_cast<std::uint16_t>(k);
            reals += place >= real_step;
            passed[k] = static_cast<std::uint16_t>(reals);
        }
        after[0] = before;
        RewardSum sum = real_sum_;  // in registers
        const std::int64_t count = real_count_;
        if (recall_.as_points) {
            for (std::size_t m = 0; m < reals; ++m) {
                sum.add_ones(1);
                after[m + 1] = sum.mean(count);
            }
        } else {
            const Rule rule = recall_;
            for (std::size_t m = 0; m < reals; ++m) {
                sum.add_units(cover(rule, block.entries[real_points[m]]));
                after[m + 1] = sum.mean(count);
            }
        }
        real_sum_ = sum;
        for (std::size_t k = 0; k < block.size; ++k) block.recall[k] = after[passed[k]];
        return after[reals];
    }

    // Switches on a real point; returns what the rewards of real ranges change by.
    wide cover(const Rule& rule, const Entry& entry) {
        const std::size_t j = entry.place / real_step - 1;
        RealRange& range = ranges_[j + 1];
        const std::int64_t before = static_cast<std::int64_t>(entry.point) - range.start, length = range.length;
        // Without the branches of &&, which nobody can guess.
        const std::int64_t left = ((entry.place & left_on) != 0) & (before > 0), right = ((entry.place & right_on) != 0) & (before + 1 < length);
        range.pieces += precision_.as_points ? 1 : 1 - left - right;
        most_real_ = std::max(most_real_, range.pieces);
        double size;
        if (rule.bias == Bias::table) {
            const double* cumulative = rule.weights.data() + rule.offsets[j];
            range.weight += cumulative[before + 1] - cumulative[before];
            size = std::min(1.0, range.weight / range.total);
        } else {
            range.sum += prefix_weight<std::int64_t>(rule.bias, before + 1, length) - prefix_weight<std::int64_t>(rule.bias, before, length);
            size = static_cast<double>(range.sum) / range.total;
        }
        const wide reward = RewardSum::whole(rule.reward(size, rule.factor(j, range.pieces, length))), change = reward - range.reward;
        range.reward = reward;
        return change;
    }

    const Rule &recall_, &precision_;
    Ranges real_;
    std::size_t points_;
    ScoreKind kind_;
    std::size_t size_;
    std::vector<Scratch<Entry>> segments_;  // entries of the buckets
    std::vector<Bucket> buckets_;
    std::size_t largest_ = 0;  // of the sizes of the buckets
    std::optional<Scratch<std::uint64_t>> order_;
    std::optional<Scratch<double>> precisions_, recalls_;  // recalls were the keys of all points
    std::vector<RealRange> ranges_;  // from 1 on
    RewardSum real_sum_, predicted_sum_;
    std::int64_t real_count_ = 0, predicted_count_ = 0, most_real_ = 0, most_predicted_ = 0;
};

}  // namespace rangewise
