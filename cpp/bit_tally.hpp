// The model with a flat bias on labels as bits: faster than the walk over ranges (overlap.hpp) where ranges are dense.
//
// A side is looked at only where its ranges end. From one end to the next, the number of its own points is the length of a range, the number
// of points that both sides share is how much of it is covered, and the number of runs of shared points is how many overlaps it has. All
// three are differences of counts of bits, so that no branch depends on where the other side has ranges.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "overlap.hpp"
#include "ranges.hpp"

namespace rangewise {

// A block of both sides.
struct SharedWords {
    std::uint64_t points[block_words];  // those of both sides
    std::uint64_t firsts[block_words];  // the first points of their runs; only where a cardinality counts them
};

// Counts short ranges by their numbers of points and covered points, which is faster than one division per range.
class ShortRanges {
  public:
    static constexpr std::uint32_t longest = 30;
    // The code of a range is a sum over its points. Short ranges with other numbers of points or covered points have other codes.
    static constexpr std::uint32_t per_point = 30, per_covered = 1;
    static std::uint32_t code(std::uint32_t points, std::uint32_t covered) { return per_point * points + per_covered * covered; }

    // What each value of half a byte adds to a code; twice, because a vector lookup needs one table for each of its halves.
    static constexpr std::array<std::uint8_t, 32> half_byte_codes(std::uint32_t per_bit) {
        static_assert(8 * (per_point + per_covered) < 256, "the code of a byte fits in a byte");
        std::array<std::uint8_t, 32> added{};
        for (std::uint32_t k = 0; k < added.size(); ++k) added[k] = static_cast<std::uint8_t>(per_bit * static_cast<std::uint32_t>(std::popcount(k % 16)));
        return added;
    }

    // Code 0 is no range. It and the codes of ranges without a covered point, which have no reward, need not be added.
    void add(std::size_t code) { ++counts_[code]; }

    void add_rewards(RewardSum& sum, double alpha) const {
        for (std::uint32_t points = 1; points <= longest; ++points)
            for (std::uint32_t covered = 1; covered <= points; ++covered)
                if (const std::uint32_t count = counts_[code(points, covered)])
                    sum.add_times(reward_of(alpha, static_cast<double>(covered) / static_cast<double>(points), 1.0), count);
    }

  private:
    static constexpr std::size_t codes = longest * (per_point + per_covered) + 1;
    std::uint32_t counts_[codes] = {};
};

#if RANGEWISE_X86
template <class T>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i four_words(const T* first) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first));
}

// Adds the ranges that start in a block, four at a time. None of them covers an aligned quarter of a word, and none goes on after the block
// unless its bit in `starts` is cleared. `other` has the words of the other side.
//
// Each 64-bit lane has half a word, in which ranges start, and the next half, in which the last of them may stop. Adding the bit of a start
// to the lane carries through the range and clears it, so that the cleared bits are the range; a lane without a start left has none. The
// codes of the half bytes of these bits add up to the code of the range.
[[gnu::target("avx2,bmi,bmi2,popcnt,lzcnt")]] inline void add_ranges_avx2(const std::uint64_t* words, const std::uint64_t* other,
                                                                          const std::uint64_t* starts, ShortRanges& ranges) {
    static constexpr auto point_codes = ShortRanges::half_byte_codes(ShortRanges::per_point);
    static constexpr auto covered_codes = ShortRanges::half_byte_codes(ShortRanges::per_covered);
    const __m256i points_table = four_words(point_codes.data()), covered_table = four_words(covered_codes.data());
    const __m256i half_bytes = _mm256_set1_epi8(15), zero = _mm256_setzero_si256(), neighbors = _mm256_setr_epi32(0, 1, 1, 2, 2, 3, 3, 4);
    for (std::size_t k = 0; k < block_words; k += 2) {
        const __m256i own = _mm256_permutevar8x32_epi32(four_words(words + k), neighbors);
        const __m256i others = _mm256_permutevar8x32_epi32(four_words(other + k), neighbors);
        const __m256i others_low = _mm256_and_si256(others, half_bytes), others_high = _mm256_and_si256(_mm256_srli_epi16(others, 4), half_bytes);
        __m256i left = _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(starts + k)));
        while (!_mm256_testz_si256(left, left)) {
            const __m256i start = _mm256_and_si256(left, _mm256_sub_epi64(zero, left));
            left = _mm256_xor_si256(left, start);
            const __m256i range = _mm256_andnot_si256(_mm256_add_epi64(own, start), own);
            const __m256i low = _mm256_and_si256(range, half_bytes), high = _mm256_and_si256(_mm256_srli_epi16(range, 4), half_bytes);
            const __m256i points = _mm256_add_epi8(_mm256_shuffle_epi8(points_table, low), _mm256_shuffle_epi8(points_table, high));
            const __m256i covered = _mm256_add_epi8(_mm256_shuffle_epi8(covered_table, _mm256_and_si256(low, others_low)),
                                                    _mm256_shuffle_epi8(covered_table, _mm256_and_si256(high, others_high)));
            const __m256i codes = _mm256_sad_epu8(_mm256_add_epi8(points, covered), zero);
            const __m128i first = _mm256_castsi256_si128(codes), second = _mm256_extracti128_si256(codes, 1);
            ranges.add(static_cast<std::size_t>(_mm_cvtsi128_si64(first)));
            ranges.add(static_cast<std::size_t>(_mm_extract_epi64(first, 1)));
            ranges.add(static_cast<std::size_t>(_mm_cvtsi128_si64(second)));
            ranges.add(static_cast<std::size_t>(_mm_extract_epi64(second, 1)));
        }
    }
}

// The same, sixteen at a time: each 32-bit lane has a quarter of a word and the next one. Ranges without a covered point are left out.
[[gnu::target(RANGEWISE_AVX512)]] inline void add_ranges_avx512(const std::uint64_t* words, const std::uint64_t* other,
                                                                const std::uint64_t* starts, ShortRanges& ranges) {
    typedef std::uint32_t Quarters __attribute__((vector_size(64)));
    typedef std::uint16_t NarrowQuarters __attribute__((vector_size(32)));
    constexpr std::size_t lanes = sizeof(Quarters) / sizeof(std::uint32_t);
    constexpr __mmask8 five_words = 0b11111;  // four, and the first quarter of the next
    static constexpr auto next_to_each_other = [] {
        std::array<std::uint16_t, 2 * lanes> quarters{};
        for (std::size_t k = 0; k < quarters.size(); ++k) quarters[k] = static_cast<std::uint16_t>((k + 1) / 2);
        return quarters;
    }();
    const __m512i neighbors = _mm512_loadu_si512(next_to_each_other.data());
    std::uint32_t codes[block_labels / 2 + lanes];
    std::size_t count = 0;
    for (std::size_t k = 0; k < block_words; k += lanes / 4) {
        const auto own = reinterpret_cast<Quarters>(_mm512_permutexvar_epi16(neighbors, _mm512_maskz_loadu_epi64(five_words, words + k)));
        const auto others = reinterpret_cast<Quarters>(_mm512_permutexvar_epi16(neighbors, _mm512_maskz_loadu_epi64(five_words, other + k)));
        Quarters left = __builtin_convertvector(reinterpret_cast<NarrowQuarters>(four_words(starts + k)), Quarters);
        // Where ranges are dense, some lane nearly always has two of them: a question about each of the two would often be guessed wrong.
        for (int step = 0; step < 2 || _mm512_test_epi32_mask(reinterpret_cast<__m512i>(left), reinterpret_cast<__m512i>(left)) != 0; ++step) {
            const Quarters without = left & (left - 1), range = own & ~(own + (left ^ without)), shared = range & others;
            left = without;
            const auto points = reinterpret_cast<Quarters>(_mm512_popcnt_epi32(reinterpret_cast<__m512i>(range)));
            const auto covered = reinterpret_cast<Quarters>(_mm512_popcnt_epi32(reinterpret_cast<__m512i>(shared)));
            const Quarters own_codes = ShortRanges::per_point * points + ShortRanges::per_covered * covered;
            const __mmask16 any = _mm512_test_epi32_mask(reinterpret_cast<__m512i>(shared), reinterpret_cast<__m512i>(shared));
            _mm512_storeu_si512(codes + count, _mm512_maskz_compress_epi32(any, reinterpret_cast<__m512i>(own_codes)));
            count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(any)));
        }
    }
    RANGEWISE_UNROLL
    for (std::size_t k = 0; k < count; ++k) ranges.add(codes[k]);
}
#endif

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
    [[gnu::target("avx2,bmi,bmi2,popcnt,lzcnt")]] void read_avx2(std::size_t block, const SharedWords& shared) {
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
        std::uint32_t codes[most_waiting], seen = 0;
        for (std::size_t k = 0; k < waiting_; ++k) {
            const auto points = static_cast<std::uint32_t>(points_.between(k)), covered = static_cast<std::uint32_t>(shared_.between(k));
            seen |= points + 1;
            codes[k] = ShortRanges::code(points, covered);
        }
        if (seen > ShortRanges::longest + 1) return false;
        for (std::size_t k = 0; k < waiting_; ++k) short_ranges_.add(codes[k]);
        return true;
    }

#if RANGEWISE_X86
    // Counts the ranges of a full block if all of them are short, with less than half of the instructions of `read_words`.
    [[gnu::target("avx2,bmi,bmi2,popcnt,lzcnt")]] bool count_block(const std::uint64_t* words, const std::uint64_t* other) {
        std::uint32_t open_points = before_.points - points_.at_end[waiting_], open_shared = before_.shared - shared_.at_end[waiting_];
        // A longer range covers an aligned quarter of a word (16 labels), or more than `most_open` of its points are before the block.
        constexpr std::uint32_t most_open = ShortRanges::longest - 15;
        __m256i full = _mm256_setzero_si256();
        for (std::size_t k = 0; k < block_words; k += 4) full = _mm256_or_si256(full, _mm256_cmpeq_epi16(four_words(words + k), _mm256_set1_epi16(-1)));
        if (!_mm256_testz_si256(full, full) || open_points > most_open) return false;
        add_rewards();

        // A range that begins before the block is counted here, one that ends after it in the next block.
        const std::uint32_t open_before = open_points > 0;
        if (open_before) {
            const auto more = static_cast<std::uint32_t>(std::countr_one(words[0]));
            short_ranges_.add(ShortRanges::code(open_points + more, open_shared + bits_in(other[0] & ((std::uint64_t{1} << more) - 1))));
        }
        std::uint64_t starts[block_words];
        const std::uint64_t* const before = words - 1;
        for (std::size_t k = 0; k < block_words; ++k) starts[k] = words[k] & ~(words[k] << 1 | before[k] >> 63);
        constexpr std::size_t last = block_words - 1;
        open_points = open_shared = 0;
        if (words[last] >> 63 & words[block_words]) {
            open_points = static_cast<std::uint32_t>(std::countl_one(words[last]));
            open_shared = bits_in(other[last] >> (word_labels - open_points));
            starts[last] ^= std::uint64_t{1} << (word_labels - open_points);
        }
        before_ = {open_points, open_shared, 0};
        points_.at_end[0] = shared_.at_end[0] = 0;

        if (has_avx512()) add_ranges_avx512(words, other, starts, short_ranges_);
        else add_ranges_avx2(words, other, starts, short_ranges_);
        std::uint32_t ranges = open_before;
        for (std::size_t k = 0; k < block_words; ++k) ranges += bits_in(starts[k]);
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
