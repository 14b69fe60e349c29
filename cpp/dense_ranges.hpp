// Short ranges where they are dense: found in vector instructions in blocks of bits, and counted instead of divided one by one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "overlap.hpp"
#include "ranges.hpp"

namespace rangewise {

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
    void add(std::uint32_t code) { ++counts_[0][code]; }

    // The same for several codes; up to `together` others behind them are overwritten.
    static constexpr std::size_t together = 8;
    void add(std::uint32_t* codes, std::size_t count) {
        std::fill(codes + count, codes + count + together, 0u);
        for (std::size_t k = 0; k < count; k += together) {
            RANGEWISE_UNROLL
            for (std::size_t one = 0; one < together; ++one) ++counts_[one % tables][codes[k + one]];
        }
    }

    void add_rewards(RewardSum& sum, double alpha) const {
        for (std::uint32_t points = 1; points <= longest; ++points)
            for (std::uint32_t covered = 1; covered <= points; ++covered) {
                std::uint32_t count = 0;
                for (const auto& counts : counts_) count += counts[code(points, covered)];
                if (count > 0) sum.add_times(reward_of(alpha, static_cast<double>(covered) / static_cast<double>(points), 1.0), count);
            }
    }

  private:
    // Adding to a counter waits until the last addition to it is done, so that neighbors go to different tables.
    static constexpr std::size_t tables = 4, codes = longest * (per_point + per_covered) + 1;
    std::uint32_t counts_[tables][codes] = {};
};

#if RANGEWISE_X86
// A block of words without the range that goes on after it; the words before and behind it can be read, too.
class ClosedBlock {
  public:
    // `open` points of that range are in the block, less than a word.
    ClosedBlock(const std::uint64_t* words, std::uint32_t open) : words_(words) {
        std::copy(words + copied - 1, words + block_words, last_);
        last_[together] &= ~std::uint64_t{0} >> open;
        last_[together + 1] = 0;
    }
    // The next so many words, with the words before and behind them; `k` is a multiple of the number.
    static constexpr std::size_t together = 8;
    const std::uint64_t* from(std::size_t k) const { return k < copied ? words_ + k : last_ + 1; }

  private:
    static constexpr std::size_t copied = block_words - together;
    const std::uint64_t* words_;
    std::uint64_t last_[1 + together + 1];
};

// Where a search writes. A vector is written as a whole, so that some room behind the last one is needed. It starts at a page of memory:
// most writes go to the start of each array, and those that cross into another page doubled the time of the whole block.
template <std::size_t lanes>
struct alignas(4096) SearchResults {
    static constexpr std::size_t quarters = 4 * block_words;
    std::uint32_t codes[block_labels / 2 + std::max(lanes, ShortRanges::together)];
    std::uint32_t own[quarters + lanes], others[quarters + lanes];  // lanes with another range
};

// One quarter of a word later.
inline const void* next_quarter(const std::uint64_t* words) { return reinterpret_cast<const char*>(words) + sizeof(*words) / 4; }

// The ranges in vectors of 32-bit lanes. Each lane has a quarter of a word, in which ranges start, and the next quarter, in which the last of
// them may stop. Adding the bit of a start to the lane carries through the range and clears it, so that the cleared bits are the range; a
// lane without a start has none.
//
// A second range in a lane is rare, but one of many lanes often has one: such lanes are written next to each other, for a second loop.
class Avx2Search {
  public:
    static constexpr std::size_t lanes = 8;
    [[gnu::target(RANGEWISE_AVX2), gnu::always_inline]] explicit Avx2Search(SearchResults<lanes>& results)
        : codes_end(results.codes), own_end(results.own), others_end(results.others) {}
    std::uint32_t *codes_end, *own_end, *others_end;

    // Takes the first of the ranges from each lane, and writes its code if it has a covered point.
    [[gnu::target(RANGEWISE_AVX2), gnu::always_inline]] void take_first(__m256i& own, __m256i others, __m256i& starts) {
        const __m256i zero = _mm256_setzero_si256(), start = _mm256_and_si256(starts, _mm256_sub_epi32(zero, starts));
        taken_ = _mm256_sub_epi32(taken_, _mm256_cmpgt_epi32(starts, zero));
        starts = _mm256_xor_si256(starts, start);
        const __m256i carried = _mm256_add_epi32(own, start), range = _mm256_andnot_si256(carried, own), shared = _mm256_and_si256(range, others);
        own = _mm256_and_si256(own, carried);
        static constexpr auto point_codes = ShortRanges::half_byte_codes(ShortRanges::per_point);
        static constexpr auto covered_codes = ShortRanges::half_byte_codes(ShortRanges::per_covered);
        const __m256i bytes = _mm256_add_epi8(in_bytes(range, read(point_codes.data())), in_bytes(shared, read(covered_codes.data())));
        const __m256i codes = _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
        codes_end = write(codes_end, codes, above_zero(shared));
    }
    // The same for lanes that were not seen before; those with another range are written.
    [[gnu::target(RANGEWISE_AVX2), gnu::always_inline]] void take_first_of_new(__m256i own, __m256i others, __m256i starts) {
        take_first(own, others, starts);
        const std::uint32_t more = above_zero(starts);
        own_end = write(own_end, own, more);
        others_end = write(others_end, others, more);
    }
    [[gnu::target(RANGEWISE_AVX2), gnu::always_inline]] std::uint32_t taken() const {
        std::uint32_t each[lanes], sum = 0;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(each), taken_);
        for (const std::uint32_t count : each) sum += count;
        return sum;
    }

    [[gnu::target(RANGEWISE_AVX2), gnu::always_inline]] static __m256i read(const void* from) {
        return _mm256_loadu_si256(static_cast<const __m256i*>(from));
    }

  private:
    // The sum over the bits of each byte, from a table with that of each half byte.
    [[gnu::target(RANGEWISE_AVX2), gnu::always_inline]] static __m256i in_bytes(__m256i bits, __m256i table) {
        const __m256i half_bytes = _mm256_set1_epi8(15);
        const __m256i low = _mm256_and_si256(bits, half_bytes), high = _mm256_and_si256(_mm256_srli_epi16(bits, 4), half_bytes);
        return _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
    }
    // The lanes above 0, a bit for each.
    [[gnu::target(RANGEWISE_AVX2), gnu::always_inline]] static std::uint32_t above_zero(__m256i values) {
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(values, _mm256_setzero_si256()))));
    }
    // Writes the chosen lanes next to each other, and returns their end.
    [[gnu::target(RANGEWISE_AVX2), gnu::always_inline]] static std::uint32_t* write(std::uint32_t* to, __m256i values, std::uint32_t chosen) {
        static constexpr auto lanes_of_bits = [] {
            std::array<std::array<std::uint8_t, lanes>, 1 << lanes> in_order{};
            for (std::size_t bits = 0; bits < in_order.size(); ++bits)
                for (std::uint8_t lane = 0, count = 0; lane < lanes; ++lane)
                    if (bits >> lane & 1) in_order[bits][count++] = lane;
            return in_order;
        }();
        const __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes_of_bits[chosen].data())));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(values, order));
        return to + std::popcount(chosen);
    }

    __m256i taken_ = _mm256_setzero_si256();
};

// Adds the ranges that start in a block and have a covered point, and returns how many start there, covered or not. None of them covers an
// aligned quarter of a word. `other` has the words of the other side, and another one behind them.
[[gnu::target(RANGEWISE_AVX2)]] inline std::uint32_t add_ranges_avx2(const ClosedBlock& block, const std::uint64_t* other, ShortRanges& ranges) {
    using Search = Avx2Search;
    SearchResults<Search::lanes> results;
    Search search(results);
    for (std::size_t k = 0; k < block_words; k += ClosedBlock::together) {
        const std::uint64_t* const words = block.from(k);
        for (const std::size_t four : {0, 4}) {
            const __m256i own = Search::read(words + four), before = Search::read(words + four - 1);
            const __m256i starts = _mm256_andnot_si256(_mm256_or_si256(_mm256_slli_epi64(own, 1), _mm256_srli_epi64(before, 63)), own);
            search.take_first_of_new(own, Search::read(other + k + four), _mm256_and_si256(starts, _mm256_set1_epi32(0xffff)));
            search.take_first_of_new(Search::read(next_quarter(words + four)), Search::read(next_quarter(other + k + four)),
                                     _mm256_srli_epi32(starts, 16));
        }
    }
    const std::uint32_t* const own_end = search.own_end;
    std::fill(search.own_end, search.own_end + Search::lanes, 0u);
    for (std::size_t k = 0; results.own + k < own_end; k += Search::lanes) {
        // Without its first range, whatever starts in a lane starts behind its first point.
        __m256i own = Search::read(results.own + k);
        const __m256i others = Search::read(results.others + k);
        __m256i starts = _mm256_and_si256(_mm256_andnot_si256(_mm256_slli_epi32(own, 1), own), _mm256_set1_epi32(0xfffe));
        do search.take_first(own, others, starts);
        while (!_mm256_testz_si256(starts, starts));
    }
    ranges.add(results.codes, static_cast<std::size_t>(search.codes_end - results.codes));
    return search.taken();
}

// The same with sixteen lanes. Operators instead of intrinsics, of which some give warnings with gcc 12.
class Avx512Search {
  public:
    typedef std::uint32_t Lanes __attribute__((vector_size(64)));
    typedef std::uint64_t Words __attribute__((vector_size(64)));
    static constexpr std::size_t lanes = sizeof(Lanes) / sizeof(std::uint32_t);
    explicit Avx512Search(SearchResults<lanes>& results) : codes_end(results.codes), own_end(results.own), others_end(results.others) {}
    std::uint32_t *codes_end, *own_end, *others_end;
    std::uint32_t taken = 0;

    [[gnu::target(RANGEWISE_AVX512), gnu::always_inline]] void take_first(Lanes& own, const Lanes& others, Lanes& starts) {
        taken += count(not_zero(starts));
        const Lanes without = starts & (starts - 1), carried = own + (starts ^ without), range = own & ~carried, shared = range & others;
        starts = without;
        own &= carried;
        const auto points = reinterpret_cast<Lanes>(_mm512_popcnt_epi32(reinterpret_cast<__m512i>(range)));
        const auto covered = reinterpret_cast<Lanes>(_mm512_popcnt_epi32(reinterpret_cast<__m512i>(shared)));
        codes_end = write(codes_end, ShortRanges::per_point * points + ShortRanges::per_covered * covered, not_zero(shared));
    }
    [[gnu::target(RANGEWISE_AVX512), gnu::always_inline]] void take_first_of_new(Lanes own, const Lanes& others, Lanes starts) {
        take_first(own, others, starts);
        const __mmask16 more = not_zero(starts);
        own_end = write(own_end, own, more);
        others_end = write(others_end, others, more);
    }
    template <class Vector = Lanes>
    [[gnu::target(RANGEWISE_AVX512), gnu::always_inline]] static Vector read(const void* from) {
        return reinterpret_cast<Vector>(_mm512_loadu_si512(from));
    }
    [[gnu::target(RANGEWISE_AVX512), gnu::always_inline]] static __mmask16 not_zero(const Lanes& values) {
        return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(values), reinterpret_cast<__m512i>(values));
    }

  private:
    static std::uint32_t count(__mmask16 chosen) { return static_cast<std::uint32_t>(std::popcount(static_cast<unsigned>(chosen))); }
    [[gnu::target(RANGEWISE_AVX512), gnu::always_inline]] static std::uint32_t* write(std::uint32_t* to, const Lanes& values, __mmask16 chosen) {
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(chosen, reinterpret_cast<__m512i>(values)));
        return to + count(chosen);
    }
};

[[gnu::target(RANGEWISE_AVX512)]] inline std::uint32_t add_ranges_avx512(const ClosedBlock& block, const std::uint64_t* other, ShortRanges& ranges) {
    using Search = Avx512Search;
    SearchResults<Search::lanes> results;
    Search search(results);
    for (std::size_t k = 0; k < block_words; k += ClosedBlock::together) {
        const std::uint64_t* const words = block.from(k);
        const auto own = Search::read<Search::Words>(words), before = Search::read<Search::Words>(words - 1);
        const auto starts = reinterpret_cast<Search::Lanes>(own & ~(own << 1 | before >> 63));
        search.take_first_of_new(reinterpret_cast<Search::Lanes>(own), Search::read(other + k), starts & 0xffff);
        search.take_first_of_new(Search::read(next_quarter(words)), Search::read(next_quarter(other + k)), starts >> 16);
    }
    const std::uint32_t* const own_end = search.own_end;
    std::fill(search.own_end, search.own_end + Search::lanes, 0u);
    for (std::size_t k = 0; results.own + k < own_end; k += Search::lanes) {
        Search::Lanes own = Search::read(results.own + k), starts = own & ~(own << 1) & 0xfffe;
        const Search::Lanes others = Search::read(results.others + k);
        do search.take_first(own, others, starts);
        while (Search::not_zero(starts) != 0);
    }
    ranges.add(results.codes, static_cast<std::size_t>(search.codes_end - results.codes));
    return search.taken;
}
#endif

}  // namespace rangewise
