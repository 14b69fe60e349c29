// The model with a flat bias on labels as bits: faster than the walk over ranges (overlap.hpp) where ranges are dense.
//
// A side is looked at only where its ranges end. From one end to the next, the number of its own points is the length of a range, the number
// of points that both sides share is how much of it is covered, and the number of runs of shared points is how many overlaps it has. All
// three are differences of counts of bits, so that no branch depends on where the other side has ranges.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "overlap.hpp"
#include "ranges.hpp"

namespace rangewise {

// The ranges of one side, block by block.
class BitSide {
  public:
    BitSide(const Rule& rule, const LabelBits& bits)
        : rule_(rule), bits_(bits), counts_short_(rule.cardinality == Cardinality::one && bits.size() >= least_counted) {
        points_[0] = shared_[0] = overlaps_[0] = 0;
        if (counts_short_) std::fill(counters_, counters_ + short_points * short_points, 0u);
    }

    // The words of a block, and their number, which is 0 behind the last block.
    const std::uint64_t* words(std::size_t block) const { return bits_.data() + std::min(block, bits_.size()); }
    std::size_t count(std::size_t block) const { return std::min(block_words, bits_.size() - std::min(block, bits_.size())); }

    // Adds the ranges that end in a block. `shared` are the points of both sides, and `pieces` the first points of their runs.
    template <bool with_overlaps>
    RANGEWISE_ALWAYS_INLINE void add(std::size_t block, const std::uint64_t* shared, const std::uint64_t* pieces) {
        if (waiting_ >= enough_ranges) add_rewards<with_overlaps>();
        const std::uint64_t* const own = words(block);
        const std::size_t words = count(block);
        std::uint64_t ends[block_words];
        for (std::size_t k = 0; k < words; ++k) ends[k] = own[k] & ~(own[k] >> 1 | own[k + 1] << 63);
        std::uint32_t points = points_before_, both = shared_before_, overlaps = overlaps_before_;
        std::size_t at = waiting_ + 1;
        for (std::size_t k = 0; k < words; ++k) {
            const std::uint64_t own_word = own[k], shared_word = shared[k], piece_word = with_overlaps ? pieces[k] : 0;
            std::uint64_t rest = ends[k];
            const auto step = [&]() {
                const std::uint64_t up_to_end = rest ^ (rest - 1);
                points_[at] = points + bits_in(own_word & up_to_end);
                shared_[at] = both + bits_in(shared_word & up_to_end);
                if (with_overlaps) overlaps_[at] = overlaps + bits_in(piece_word & up_to_end);
                rest &= ~up_to_end;
                ++at;
            };
            // One range and then groups, whether they are there or not: what is written too much is written over.
            const std::size_t end = at + bits_in(rest);
            step();
            while (at < end) {
                for (std::size_t more = 0; more < group; ++more) step();
            }
            at = end;
            points += bits_in(own_word);
            both += bits_in(shared_word);
            if (with_overlaps) overlaps += bits_in(piece_word);
        }
        points_before_ = points;
        shared_before_ = both;
        overlaps_before_ = overlaps;
        waiting_ = at - 1;
    }

    // Adds the rewards of the ranges that wait for it.
    template <bool with_overlaps>
    RANGEWISE_ALWAYS_INLINE void add_rewards() {
        const std::size_t ranges = waiting_;
        // Signed numbers of 32 bits become doubles in vector instructions.
        const auto between = [](const std::uint32_t* counts, std::size_t k) { return static_cast<std::int32_t>(counts[k + 1] - counts[k]); };
        const auto add = [&](auto factor) {
            double rewards[most_waiting];
            for (std::size_t k = 0; k < ranges; ++k) {
                const std::int32_t points = between(points_, k), covered = between(shared_, k);
                const double met = reward_of(rule_.alpha, static_cast<double>(covered) / static_cast<double>(points), factor(k, points));
                rewards[k] = covered > 0 ? met : 0.0;
            }
            sum_.add_all({rewards, ranges});
        };
        if (!with_overlaps || rule_.cardinality == Cardinality::one) {
            if (!(counts_short_ && count_short_ranges(ranges))) add([](std::size_t, std::int32_t) { return 1.0; });
        } else if (rule_.cardinality == Cardinality::reciprocal) {
            add([&](std::size_t k, std::int32_t) { return 1.0 / static_cast<double>(std::max(between(overlaps_, k), 1)); });
        } else {
            add([&](std::size_t k, std::int32_t points) { return rule_.factor(0, between(overlaps_, k), points); });
        }
        ranges_ += static_cast<std::int64_t>(ranges);
        points_[0] = points_[ranges];
        shared_[0] = shared_[ranges];
        if (with_overlaps) overlaps_[0] = overlaps_[ranges];
        waiting_ = 0;
    }

    RewardSum sum() const {
        RewardSum total = sum_;
        for (std::uint32_t points = 1; counts_short_ && points < short_points; ++points)
            for (std::uint32_t covered = 1; covered <= points; ++covered)
                if (const std::uint32_t count = counters_[points * short_points + covered])
                    total.add_times(reward_of(rule_.alpha, static_cast<double>(covered) / static_cast<double>(points), 1.0), count);
        return total;
    }
    std::int64_t ranges() const { return ranges_; }

  private:
    static constexpr std::size_t group = 3;
    // So many ranges wait for their rewards, and the most that a block adds to them.
    static constexpr std::size_t enough_ranges = 256, most_waiting = enough_ranges + block_labels / 2;
    // Ranges with fewer points are counted by points and covered points, which is faster than a division for each of them. For fewer words
    // than `least_counted`, clearing the counters would take longer.
    static constexpr std::uint32_t short_points = 32;
    static constexpr std::size_t least_counted = 1024;

    // Counts the ranges that wait, unless one of them is not short.
    RANGEWISE_ALWAYS_INLINE bool count_short_ranges(std::size_t ranges) {
        std::uint32_t counter[most_waiting], seen = 0;
        for (std::size_t k = 0; k < ranges; ++k) {
            const std::uint32_t points = points_[k + 1] - points_[k];
            seen |= points;
            counter[k] = points * short_points + (shared_[k + 1] - shared_[k]);
        }
        if (seen >= short_points) return false;
        for (std::size_t k = 0; k < ranges; ++k) ++counters_[counter[k]];
        return true;
    }

    static std::uint32_t bits_in(std::uint64_t word) { return static_cast<std::uint32_t>(std::popcount(word)); }

    const Rule& rule_;
    const LabelBits& bits_;
    const bool counts_short_;
    RewardSum sum_;
    std::int64_t ranges_ = 0;
    // Counts from the first label up to the next block, and up to the ends of the ranges that wait, behind those of the range before them.
    std::uint32_t points_before_ = 0, shared_before_ = 0, overlaps_before_ = 0;
    std::size_t waiting_ = 0;
    std::uint32_t points_[1 + most_waiting + group], shared_[1 + most_waiting + group], overlaps_[1 + most_waiting + group];
    std::uint32_t counters_[short_points * short_points];
};

template <bool with_overlaps>
RANGEWISE_ALWAYS_INLINE void walk_bits(BitSide& real, BitSide& predicted) {
    std::uint64_t shared[block_words], pieces[block_words], before = 0;
    for (std::size_t block = 0; real.count(block) + predicted.count(block) > 0; block += block_words) {
        const std::size_t common = std::min(real.count(block), predicted.count(block));
        const std::uint64_t *const real_words = real.words(block), *const predicted_words = predicted.words(block);
        for (std::size_t k = 0; k < common; ++k) shared[k] = real_words[k] & predicted_words[k];
        std::fill(shared + common, shared + block_words, std::uint64_t{0});
        for (std::size_t k = 0; with_overlaps && k < block_words; ++k) {
            pieces[k] = shared[k] & ~(shared[k] << 1 | before >> 63);
            before = shared[k];
        }
        real.add<with_overlaps>(block, shared, pieces);
        predicted.add<with_overlaps>(block, shared, pieces);
    }
    real.add_rewards<with_overlaps>();
    predicted.add_rewards<with_overlaps>();
}

RANGEWISE_ALWAYS_INLINE void walk_bits(BitSide& real, BitSide& predicted, bool with_overlaps) {
    if (with_overlaps) walk_bits<true>(real, predicted);
    else walk_bits<false>(real, predicted);
}

#if RANGEWISE_X86
[[gnu::target("avx2,bmi,bmi2,popcnt,lzcnt")]] inline void walk_bits_avx2(BitSide& real, BitSide& predicted, bool with_overlaps) {
    walk_bits(real, predicted, with_overlaps);
}
#endif

struct BitTally {
    Tally rewards;
    std::int64_t real_ranges, predicted_ranges;
};

// For rules with a flat bias and a cardinality of our own, which neither score points as ranges nor weigh ranges by their length.
inline BitTally tally(const LabelBits& real, const LabelBits& predicted, const Rule& recall, const Rule& precision) {
    BitSide real_side(recall, real), predicted_side(precision, predicted);
    const bool with_overlaps = recall.cardinality != Cardinality::one || precision.cardinality != Cardinality::one;
    bool walked = false;
#if RANGEWISE_X86
    if (has_avx2()) {
        walk_bits_avx2(real_side, predicted_side, with_overlaps);
        walked = true;
    }
#endif
    if (!walked) walk_bits(real_side, predicted_side, with_overlaps);
    return {{real_side.sum(), predicted_side.sum()}, real_side.ranges(), predicted_side.ranges()};
}

}  // namespace rangewise
