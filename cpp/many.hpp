// Many series that stand one after the other in a column: their borders, ranges that no border is inside of, and one tally per series.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "compiler.hpp"
#include "overlap.hpp"
#include "ranges.hpp"
#include "wide.hpp"

namespace rangewise {

// Where series begin, and behind the last one where it stops: 0 = borders[0] < borders[1] < ... = number of points.
using Borders = std::span<const std::int64_t>;

// 1 where a point differs from the one before it, and at the very first.
template <class T>
RANGEWISE_ALWAYS_INLINE void mark_changes(const Labels<T>& names, std::size_t first, std::size_t count, std::uint8_t* bytes) {
    std::size_t k = 0;
    if (first == 0) bytes[k++] = 1;
    if (names.stride == 1) {
        const T* const here = names.data + first;
        for (; k < count; ++k) bytes[k] = here[k] != here[static_cast<std::ptrdiff_t>(k) - 1];
    } else {
        for (; k < count; ++k) bytes[k] = names[first + k] != names[first + k - 1];
    }
}

#if RANGEWISE_X86
// Compares names of eight bytes with the ones before them, for `Avx2Masks::make_long`.
struct Avx2LongChanges {
    template <class T>
    [[gnu::target("avx2"), gnu::always_inline]] __m256i read(const T* names) const {
        const auto* const here = reinterpret_cast<const __m256i*>(names);
        const auto* const before = reinterpret_cast<const __m256i*>(names - 1);
        // What compares equal is -1.
        return _mm256_add_epi64(_mm256_cmpeq_epi64(_mm256_loadu_si256(here), _mm256_loadu_si256(before)), _mm256_set1_epi64x(1));
    }
    bool any_invalid() const { return false; }
};

// A bit for each name of one byte that differs from the one before it.
[[gnu::target("avx2")]] inline void write_byte_changes(const std::uint8_t* names, std::size_t words, std::uint64_t* out) {
    for (std::size_t word = 0; word < words; ++word, names += word_labels) {
        const auto* const here = reinterpret_cast<const __m256i*>(names);
        const auto* const before = reinterpret_cast<const __m256i*>(names - 1);
        const __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256(here), _mm256_loadu_si256(before));
        const __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256(here + 1), _mm256_loadu_si256(before + 1));
        const auto low_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(low)), high_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
        out[word] = ~(std::uint64_t{high_bits} << 32 | low_bits);
    }
}
#endif

// Writes words with a bit for each change in a block of names that begins at `first`.
template <class Masks, class T>
RANGEWISE_ALWAYS_INLINE void write_changes(const Labels<T>& names, std::size_t first, std::size_t count, std::uint64_t* out) {
#if RANGEWISE_X86
    if constexpr (std::is_integral_v<T> && std::is_same_v<Masks, Avx2Masks>) {
        if (names.stride == 1 && first > 0 && count == block_labels) {
            const T* const here = names.data + first;
            if constexpr (sizeof(T) == 1) return write_byte_changes(reinterpret_cast<const std::uint8_t*>(here), block_words, out);
            if constexpr (sizeof(T) == 8) return (void)Avx2Masks::make_long<Avx2LongChanges>(here, block_words, out);
        }
    }
#endif
    const std::size_t words = (count + word_labels - 1) / word_labels;
    std::uint8_t bytes[block_labels];
    mark_changes(names, first, count, bytes);
    std::fill(bytes + count, bytes + words * word_labels, std::uint8_t{0});
    (void)Masks::make(bytes, words, out);
}

// The one loop, inlined into a caller for each instruction set, as for the edges of labels.
template <class Masks, class T>
RANGEWISE_ALWAYS_INLINE void collect_borders(const Labels<T>& names, EdgeBuffer& borders) {
    std::uint64_t masks[block_words];
    for (std::size_t block = 0; block < names.size; block += block_labels) {
        const std::size_t count = std::min(block_labels, names.size - block);
        const std::size_t words = (count + word_labels - 1) / word_labels;
        write_changes<Masks>(names, block, count, masks);
        borders.reserve(block_labels + edge_group);
        borders.advance_to(write_block(masks, words, static_cast<std::int64_t>(block), borders.end()));
    }
    borders.reserve(1);
    *borders.end() = static_cast<std::int64_t>(names.size);
    borders.advance(1);
}

#if RANGEWISE_X86
template <class T>
[[gnu::target(RANGEWISE_AVX2)]] void collect_borders_avx2(const Labels<T>& names, EdgeBuffer& borders) {
    collect_borders<Avx2Masks>(names, borders);
}
#endif

// The borders of a column that names the series, or of classes: every place where it changes, with both ends.
template <class T>
void find_borders(const Labels<T>& names, EdgeBuffer& borders) {
#if RANGEWISE_X86
    if (has_avx2()) return collect_borders_avx2(names, borders);
#endif
    collect_borders<PortableMasks>(names, borders);
}

// The ranges, cut where a border is inside of one.
inline void split_at(Ranges ranges, Borders borders, EdgeBuffer& out) {
    std::size_t k = 0;
    const auto write = [&](std::int64_t start, std::int64_t stop) {
        out.reserve(2);
        out.end()[0] = start;
        out.end()[1] = stop;
        out.advance(2);
    };
    for (const Range& range : ranges) {
        std::int64_t start = range.start;
        while (borders[k] <= start) ++k;
        for (; borders[k] < range.stop; ++k) {
            write(start, borders[k]);
            start = borders[k];
        }
        write(start, range.stop);
    }
}

// What each series adds up to; spans of one entry a series, `words` of four: high and low of the real, then of the predicted reward.
struct SeriesTallies {
    std::span<std::uint64_t> words;
    std::span<std::int64_t> real_first, predicted_first;    // the first range of each series, and behind the last
    std::span<std::int64_t> real_counts, predicted_counts;  // ranges, or points where those are scored
};

// A column has fewer points than this, so that the rewards of points fit in with the others.
constexpr std::size_t most_column_points = std::size_t{1} << 33;

inline void write_words(const RewardSum& sum, std::span<std::uint64_t> words) {
    words[0] = sum.high() + (static_cast<std::uint64_t>(sum.ones()) << 30);  // whole rewards are 2^94 = 2^64 * 2^30 units
    words[1] = sum.low();
}

// A side of the walk over one series of many: tables are indexed by the range's place among all of them.
template <class Int>
struct SeriesSide {
    TallySide<Int> side;
    std::size_t first;
    void overlap(std::size_t index, Range own, std::int64_t low, std::int64_t high, std::int64_t pieces) {
        side.overlap(first + index, own, low, high, pieces);
    }
    void close(std::size_t index, Range own) { side.close(first + index, own); }
};

template <class Int>
void tally_many_as(Ranges real, Ranges predicted, Borders borders, const Rule& recall, const Rule& precision, SeriesTallies out) {
    const auto behind = [](Ranges ranges, std::size_t at, std::int64_t border) {
        while (at < ranges.size() && ranges[at].start < border) ++at;
        return at;
    };
    const auto count = [](Ranges ranges, bool points_count) {
        if (!points_count) return static_cast<std::int64_t>(ranges.size());
        std::int64_t points = 0;
        for (const Range& range : ranges) points += range.length();
        return points;
    };
    std::size_t i = 0, j = 0;
    for (std::size_t k = 0; k + 1 < borders.size(); ++k) {
        const std::size_t next_i = behind(real, i, borders[k + 1]), next_j = behind(predicted, j, borders[k + 1]);
        const Ranges own = real.subspan(i, next_i - i), other = predicted.subspan(j, next_j - j);
        SeriesSide<Int> real_side{TallySide<Int>(recall), i}, predicted_side{TallySide<Int>(precision), j};
        walk(own, other, recall.as_points, precision.as_points, real_side, predicted_side);
        write_words(real_side.side.sum(), out.words.subspan(4 * k, 2));
        write_words(predicted_side.side.sum(), out.words.subspan(4 * k + 2, 2));
        out.real_counts[k] = count(own, recall.as_points);
        out.predicted_counts[k] = count(other, precision.as_points || precision.weigh_by_length);
        out.real_first[k] = static_cast<std::int64_t>(std::exchange(i, next_i));
        out.predicted_first[k] = static_cast<std::int64_t>(std::exchange(j, next_j));
    }
    out.real_first.back() = static_cast<std::int64_t>(real.size());
    out.predicted_first.back() = static_cast<std::int64_t>(predicted.size());
}

inline void tally_many(Ranges real, Ranges predicted, Borders borders, const Rule& recall, const Rule& precision, SeriesTallies out) {
    if (std::max(longest(real), longest(predicted)) <= longest_narrow_range)
        tally_many_as<std::int64_t>(real, predicted, borders, recall, precision, out);
    else tally_many_as<wide>(real, predicted, borders, recall, precision, out);
}

// reward / (count * 2^94), correctly rounded.
inline double mean_reward(std::uint64_t high, std::uint64_t low, std::int64_t count) {
    if ((high | low) == 0) return 0.0;
    // Shifted up until its highest bit is set, so that the quotient has more bits than rounding looks at.
    const int zeros = high ? std::countl_zero(high) : 64 + std::countl_zero(low);
    if (zeros >= 64) high = std::exchange(low, 0);
    const int shift = zeros % 64;
    if (shift > 0) {
        high = high << shift | low >> (64 - shift);
        low <<= shift;
    }
    const auto divisor = static_cast<std::uint64_t>(count);
    const WordQuotient rest = divide_words(high % divisor, low, divisor);
    return std::ldexp(nearest_double(high / divisor, rest.quotient, rest.rest != 0), -zeros - 94);
}

}  // namespace rangewise
