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

#include "dense_ranges.hpp"
#include "overlap.hpp"
#include "ranges.hpp"

namespace rangewise {

// A block of both sides.
struct SharedWords {
    std::uint64_t points[block_words];  // those of both sides
    std::uint64_t firsts[block_words];  // the first points of their runs; only where a cardinality counts them
};

// The ranges of one side, block by block.
class BitSide {
  public:
    BitSide(const Rule& rule, const LabelBits& bits)
        : rule_(rule), bits_(bits), counts_short_(rule.cardinality == Cardinality::one && bits.size() >= least_counted) {
        points_.at_end[0] = shared_.at_end[0] = overlaps_.at_end[0] = 0;
    }

    // The words of a block, and their number, which is 0 behind the last block.
    const std::uint64_t* words(std::size_t block) const { return bits_.data() + std::min(block, bits_.size()); }
    std::size_t count(std::size_t block) const { return std::min(block_words, bits_.size() - std::min(block, bits_.size())); }

    bool counts_overlaps() const { return rule_.cardinality != Cardinality::one; }

    // Counts the ranges of a full block if they are dense and all short, and returns whether it did; `add` takes any block. `other` has the
    // words of the other side, which must also be a full block.
    bool count_dense([[maybe_unused]] std::size_t block, [[maybe_unused]] const std::uint64_t* other) {
#if RANGEWISE_X86
        return counts_short_ && most_words_have_ends_ && has_avx2() && count_block(words(block), other);
#else
        return false;
#endif
    }
    void add(std::size_t block, const SharedWords& shared) {
        if (waiting_ >= enough_ranges) add_rewards();
        if (counts_overlaps()) read<true>(block, shared);
        else read<false>(block, shared);
    }

    // Adds the rewards of the ranges that wait for it.
    void add_rewards() {
        if (waiting_ == 0) return;
        if (rule_.cardinality == Cardinality::one) {
            if (!(counts_short_ && count_short_ranges())) divide([](std::size_t, std::int32_t) { return 1.0; });
        } else if (rule_.cardinality == Cardinality::reciprocal) {
            divide([this](std::size_t k, std::int32_t) { return 1.0 / static_cast<double>(std::max(overlaps_.between(k), 1)); });
        } else {
            divide([this](std::size_t k, std::int32_t points) { return rule_.factor(0, overlaps_.between(k), points); });
        }
        ranges_ += static_cast<std::int64_t>(waiting_);
        points_.at_end[0] = points_.at_end[waiting_];
        shared_.at_end[0] = shared_.at_end[waiting_];
        if (counts_overlaps()) overlaps_.at_end[0] = overlaps_.at_end[waiting_];
        waiting_ = 0;
    }

    RewardSum sum() const {
        RewardSum total = sum_;
        if (counts_short_) short_ranges_.add_rewards(total, rule_.alpha);
        return total;
    }
    std::int64_t ranges() const { return ranges_; }

  private:
    static constexpr std::size_t group = 3;
    // So many ranges wait for their rewards, and the most that a block adds to them.
    static constexpr std::size_t enough_ranges = 256, most_waiting = enough_ranges + block_labels / 2;
    // For fewer words, a division for each range is faster than adding up the counts of short ranges.
    static constexpr std::size_t least_counted = 1024;

    // Counts of bits before a word, from the first label on.
    struct Before {
        std::uint32_t points = 0, shared = 0, overlaps = 0;
    };
    struct Counts {
        std::uint32_t at_end[1 + most_waiting + group];  // up to the ends of the ranges that wait, behind that of the range before them

        // Signed numbers of 32 bits become doubles in vector instructions.
        std::int32_t between(std::size_t k) const { return static_cast<std::int32_t>(at_end[k + 1] - at_end[k]); }
    };

    // Reads the ranges that end in a block.
    template <bool with_overlaps>
    void read(std::size_t block, const SharedWords& shared) {
#if RANGEWISE_X86
        if (has_avx2()) return read_avx2<with_overlaps>(block, shared);
#endif
        read_words<with_overlaps>(words(block), count(block), shared);
    }
#if RANGEWISE_X86
    template <bool with_overlaps>
    [[gnu::target(RANGEWISE_AVX2)]] void read_avx2(std::size_t block, const SharedWords& shared) {
        read_words<with_overlaps>(words(block), count(block), shared);
    }
#endif
    template <bool with_overlaps>
    RANGEWISE_ALWAYS_INLINE void read_words(const std::uint64_t* words, std::size_t count, const SharedWords& shared) {
        std::uint64_t ends[block_words];
        for (std::size_t k = 0; k < count; ++k) ends[k] = words[k] & ~(words[k] >> 1 | words[k + 1] << 63);
        Before before = before_;
        std::size_t at = waiting_ + 1;
        const auto pass = [&](std::size_t k) {
            before.points += bits_in(words[k]);
            before.shared += bits_in(shared.points[k]);
            if (with_overlaps) before.overlaps += bits_in(shared.firsts[k]);
        };
        if (most_words_have_ends_) {
            for (std::size_t k = 0; k < count; ++k) {
                at = write_counts<with_overlaps>(ends[k], words[k], shared.points[k], with_overlaps ? shared.firsts[k] : 0, before, at);
                pass(k);
            }
        } else {  // words without an end are passed over
            static_assert(block_words == 64, "a bit for each word of a block");
            std::uint64_t with_end = 0;
            for (std::size_t k = 0; k < count; ++k) with_end |= std::uint64_t{ends[k] != 0} << k;
            std::uint32_t points_before[block_words], shared_before[block_words], overlaps_before[block_words];
            for (std::size_t k = 0; k < count; ++k) {
                points_before[k] = before.points;
                shared_before[k] = before.shared;
                overlaps_before[k] = before.overlaps;
                pass(k);
            }
            for (; with_end != 0; with_end &= with_end - 1) {
                const auto k = static_cast<std::size_t>(std::countr_zero(with_end));
                at = write_counts<with_overlaps>(ends[k], words[k], shared.points[k], with_overlaps ? shared.firsts[k] : 0,
                                                 {points_before[k], shared_before[k], overlaps_before[k]}, at);
            }
        }
        before_ = before;
        most_words_have_ends_ = at - 1 - waiting_ > count;
        waiting_ = at - 1;
    }

    // Writes the counts at the ends of ranges in a word, and returns where the next ones go.
    template <bool with_overlaps>
    RANGEWISE_ALWAYS_INLINE std::size_t write_counts(std::uint64_t ends, std::uint64_t points, std::uint64_t shared, std::uint64_t firsts,
                                                     const Before& before, std::size_t at) {
        const std::size_t last = at + bits_in(ends);
        const auto step = [&] {
            const std::uint64_t up_to_end = ends ^ (ends - 1);
            points_.at_end[at] = before.points + bits_in(points & up_to_end);
            shared_.at_end[at] = before.shared + bits_in(shared & up_to_end);
            if (with_overlaps) overlaps_.at_end[at] = before.overlaps + bits_in(firsts & up_to_end);
            ends &= ~up_to_end;
            ++at;
        };
        // One range and then groups, whether they are there or not: what is written too much is written over.
        step();
        while (at < last) {
            for (std::size_t more = 0; more < group; ++more) step();
        }
        return last;
    }

    // Counts the ranges that wait, unless one of them is not short.
    bool count_short_ranges() {
        static_assert(std::has_single_bit(ShortRanges::longest + 2), "a longer range has a bit above `longest`");
        std::uint32_t codes[most_waiting + ShortRanges::together], seen = 0;
        for (std::size_t k = 0; k < waiting_; ++k) {
            const auto points = static_cast<std::uint32_t>(points_.between(k)), covered = static_cast<std::uint32_t>(shared_.between(k));
            seen |= points + 1;
            codes[k] = ShortRanges::code(points, covered);
        }
        if (seen > ShortRanges::longest + 1) return false;
        short_ranges_.add(codes, waiting_);
        return true;
    }

#if RANGEWISE_X86
    // Counts the ranges of a full block if all of them are short, with less than half of the instructions of `read_words`.
    [[gnu::target(RANGEWISE_AVX2)]] bool count_block(const std::uint64_t* words, const std::uint64_t* other) {
        std::uint32_t open_points = before_.points - points_.at_end[waiting_], open_shared = before_.shared - shared_.at_end[waiting_];
        // A longer range covers an aligned quarter of a word (16 labels), or more than `most_open` of its points are before the block.
        constexpr std::uint32_t most_open = ShortRanges::longest - 15;
        __m256i full = _mm256_setzero_si256();
        for (std::size_t k = 0; k < block_words; k += 4) full = _mm256_or_si256(full, _mm256_cmpeq_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + k)), _mm256_set1_epi16(-1)));
        if (!_mm256_testz_si256(full, full) || open_points > most_open) return false;
        add_rewards();

        // A range that begins before the block is counted here, one that ends after it in the next block.
        const std::uint32_t open_before = open_points > 0;
        if (open_before) {
            const auto more = static_cast<std::uint32_t>(std::countr_one(words[0]));
            short_ranges_.add(ShortRanges::code(open_points + more, open_shared + bits_in(other[0] & ((std::uint64_t{1} << more) - 1))));
        }
        constexpr std::size_t last = block_words - 1;
        open_points = open_shared = 0;
        if (words[last] >> 63 & words[block_words]) {
            open_points = static_cast<std::uint32_t>(std::countl_one(words[last]));
            open_shared = bits_in(other[last] >> (word_labels - open_points));
        }
        before_ = {open_points, open_shared, 0};
        points_.at_end[0] = shared_.at_end[0] = 0;

        const ClosedBlock block(words, open_points);
        const std::uint32_t ranges = open_before + (has_avx512() ? add_ranges_avx512 : add_ranges_avx2)(block, other, short_ranges_);
        ranges_ += ranges;
        most_words_have_ends_ = ranges > block_words;
        return true;
    }
#endif

    // Divides what is covered of each range that waits by its length.
    template <class Factor>
    void divide(Factor factor) {
        double rewards[most_waiting];
        for (std::size_t k = 0; k < waiting_; ++k) {
            const std::int32_t points = points_.between(k), covered = shared_.between(k);
            const double met = reward_of(rule_.alpha, static_cast<double>(covered) / static_cast<double>(points), factor(k, points));
            rewards[k] = covered > 0 ? met : 0.0;
        }
        sum_.add_all({rewards, waiting_});
    }

    static std::uint32_t bits_in(std::uint64_t word) { return static_cast<std::uint32_t>(std::popcount(word)); }

    const Rule& rule_;
    const LabelBits& bits_;
    const bool counts_short_;
    RewardSum sum_;
    std::int64_t ranges_ = 0;
    std::size_t waiting_ = 0;
    Before before_;                      // the next block
    bool most_words_have_ends_ = false;  // in the block before it
    Counts points_, shared_, overlaps_;
    ShortRanges short_ranges_;  // only if `counts_short_`
};

struct BitTally {
    Tally rewards;
    std::int64_t real_ranges, predicted_ranges;
};

// A rule with a flat bias and a built-in cardinality, which neither scores points as ranges nor weighs ranges by their length.
inline bool scores_bits(const Rule& rule) {
    const bool built_in = rule.cardinality == Cardinality::one || rule.cardinality == Cardinality::reciprocal || rule.cardinality == Cardinality::consistent;
    return rule.bias == Bias::flat && built_in && !rule.as_points && !rule.weigh_by_length;
}

// For rules that score bits.
inline BitTally tally(const LabelBits& real_bits, const LabelBits& predicted_bits, const Rule& recall, const Rule& precision) {
    BitSide real(recall, real_bits), predicted(precision, predicted_bits);
    const bool with_overlaps = real.counts_overlaps() || predicted.counts_overlaps();
    SharedWords shared;
    std::uint64_t before = 0;
    for (std::size_t block = 0; real.count(block) + predicted.count(block) > 0; block += block_words) {
        const std::size_t common = std::min(real.count(block), predicted.count(block));
        const std::uint64_t *const real_words = real.words(block), *const predicted_words = predicted.words(block);
        const bool real_counted = common == block_words && real.count_dense(block, predicted_words);
        const bool predicted_counted = common == block_words && predicted.count_dense(block, real_words);
        if (real_counted && predicted_counted) continue;
        for (std::size_t k = 0; k < common; ++k) shared.points[k] = real_words[k] & predicted_words[k];
        std::fill(shared.points + common, shared.points + block_words, std::uint64_t{0});
        for (std::size_t k = 0; with_overlaps && k < block_words; ++k) {
            shared.firsts[k] = shared.points[k] & ~(shared.points[k] << 1 | before >> 63);
            before = shared.points[k];
        }
        if (!real_counted) real.add(block, shared);
        if (!predicted_counted) predicted.add(block, shared);
    }
    real.add_rewards();
    predicted.add_rewards();
    return {{real.sum(), predicted.sum()}, real.ranges(), predicted.ranges()};
}

}  // namespace rangewise
