// Labels to ranges, 64 labels at a time.
//
// 64 labels become a word w of bits; the set bits of w ^ (w << 1) are the edges, alternately the start and the
// stop of a range. The edges therefore are the (n, 2) array of half-open ranges, written in order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compiler.hpp"
#include "threads.hpp"

#if RANGEWISE_X86
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace rangewise {

struct Range {
    std::int64_t start, stop;
    std::int64_t length() const { return stop - start; }
};
static_assert(sizeof(Range) == 2 * sizeof(std::int64_t), "a span of ranges is an (n, 2) array of int64");

using Ranges = std::span<const Range>;

// Whether pairs are what the kernel takes for ranges: none empty or before point 0, in order, and disjoint.
inline bool are_ranges(Ranges pairs) {
    bool valid = true;
    std::int64_t reach = 0;
    for (const Range& pair : pairs) {
        valid &= pair.start >= reach && pair.stop > pair.start;
        reach = pair.stop;
    }
    return valid;
}

// One-dimensional labels; `stride` counts elements and may be negative.
template <class T>
struct Labels {
    const T* data;
    std::size_t size;
    std::ptrdiff_t stride;
    const T& operator[](std::size_t i) const { return data[static_cast<std::ptrdiff_t>(i) * stride]; }
};

struct FreeDeleter {
    void operator()(void* memory) const { std::free(memory); }
};

// The edges found so far, in memory that grows with them and not with the labels.
class EdgeBuffer {
  public:
    // Room for `more` edges, so that a block can write without looking.
    void reserve(std::size_t more) {
        if (size_ + more <= capacity_) return;
        capacity_ = std::max(2 * capacity_, size_ + more);
        void* moved = std::realloc(edges_.get(), capacity_ * sizeof(std::int64_t));
        if (moved == nullptr) throw std::bad_alloc();
        (void)edges_.release();
        edges_.reset(static_cast<std::int64_t*>(moved));
    }
    std::int64_t* end() { return edges_.get() + size_; }
    void advance(std::size_t count) { size_ += count; }
    void advance_to(const std::int64_t* end) { size_ = static_cast<std::size_t>(end - edges_.get()); }
    std::size_t size() const { return size_; }
    std::int64_t* release() { return edges_.release(); }

  private:
    std::unique_ptr<std::int64_t, FreeDeleter> edges_;
    std::size_t size_ = 0, capacity_ = 0;
};

constexpr std::size_t word_labels = 64;
// A block of labels becomes words first and edges second, so that each of the two loops stays small.
constexpr std::size_t block_words = 64;
constexpr std::size_t block_labels = block_words * word_labels;
// Edges are written in groups of this size without looking at their number, which spares a branch that no predictor can guess.
constexpr std::size_t edge_group = 2;

// `make` turns 64 bytes a word, each 0 or 1, into bit masks and returns whether there was any other byte.
struct PortableMasks {
    static bool make(const std::uint8_t* bytes, std::size_t words, std::uint64_t* masks) {
        std::uint64_t seen = 0;
        for (std::size_t word = 0; word < words; ++word) {
            std::uint64_t mask = 0;
            for (std::size_t k = 0; k < 8; ++k) {
                std::uint64_t eight = 0;
                for (std::size_t b = 0; b < 8; ++b) eight |= std::uint64_t{bytes[word_labels * word + 8 * k + b]} << (8 * b);
                seen |= eight;
                // The product moves the low bit of byte b to bit 56 + b.
                mask |= ((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << (8 * k);
            }
            masks[word] = mask;
        }
        return (seen & 0xFEFEFEFEFEFEFEFEu) != 0;
    }
};

#if RANGEWISE_X86
struct Avx2Masks {
    [[gnu::target("avx2")]] static bool make(const std::uint8_t* bytes, std::size_t words, std::uint64_t* masks) {
        __m256i seen = _mm256_setzero_si256();
        RANGEWISE_UNROLL
        for (std::size_t word = 0; word < words; ++word) {
            const auto* vectors = reinterpret_cast<const __m256i*>(bytes + word_labels * word);
            const __m256i low = _mm256_loadu_si256(vectors), high = _mm256_loadu_si256(vectors + 1);
            seen = _mm256_or_si256(seen, _mm256_or_si256(low, high));
            const auto low_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(low, 7)));
            const auto high_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(high, 7)));
            masks[word] = std::uint64_t{high_bits} << 32 | low_bits;
        }
        return !_mm256_testz_si256(seen, _mm256_set1_epi8(static_cast<char>(0xFE)));
    }
    // The same for values of eight bytes, 64 per word. `Ones` reads four of them and returns 1 in the lanes whose bit is set.
    template <class Ones, class T>
    [[gnu::target("avx2")]] static bool make_long(const T* values, std::size_t words, std::uint64_t* masks) {
        constexpr std::size_t four = 4;
        Ones ones;
        for (std::size_t word = 0; word < words; ++word, values += word_labels) {
            // Lane j collects the bits of values j, j + 4, j + 8, ..., and is shifted by j at the end.
            __m256i lanes = _mm256_setzero_si256();
            RANGEWISE_UNROLL
            for (std::size_t k = 0; k < word_labels; k += four) lanes = _mm256_or_si256(lanes, _mm256_slli_epi64(ones.read(values + k), static_cast<int>(k)));
            lanes = _mm256_sllv_epi64(lanes, _mm256_setr_epi64x(0, 1, 2, 3));
            const __m128i pair = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
            masks[word] = static_cast<std::uint64_t>(_mm_cvtsi128_si64(pair) | _mm_extract_epi64(pair, 1));
        }
        return ones.any_invalid();
    }
};

// Labels of eight bytes as `Avx2Masks::make_long` reads them.
template <class T>
class Avx2LongLabels {
  public:
    [[gnu::target("avx2"), gnu::always_inline]] __m256i read(const T* labels) {
        const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(labels));
        seen_ = _mm256_or_si256(seen_, four);
        return four;
    }
    [[gnu::target("avx2"), gnu::always_inline]] bool any_invalid() const { return !_mm256_testz_si256(seen_, _mm256_set1_epi64x(-2)); }

  private:
    __m256i seen_ = __m256i{};
};

template <>
class Avx2LongLabels<double> {
  public:
    [[gnu::target("avx2"), gnu::always_inline]] __m256i read(const double* labels) {
        const __m256d four = _mm256_loadu_pd(labels);
        const __m256d ones = _mm256_cmp_pd(four, _mm256_set1_pd(1.0), _CMP_EQ_OQ), zeros = _mm256_cmp_pd(four, _mm256_setzero_pd(), _CMP_EQ_OQ);
        valid_ = _mm256_and_pd(valid_, _mm256_or_pd(ones, zeros));
        return _mm256_srli_epi64(_mm256_castpd_si256(ones), 63);
    }
    [[gnu::target("avx2"), gnu::always_inline]] bool any_invalid() const { return _mm256_movemask_pd(valid_) != 0xF; }

  private:
    __m256d valid_ = reinterpret_cast<__m256d>(~__m256i{});
};
#endif

// Labels of any type as bytes 0 or 1; any other value becomes 2.
template <class T>
inline void narrow(const Labels<T>& labels, std::size_t first, std::size_t count, std::uint8_t* bytes) {
    const auto byte = [](T value) { return static_cast<std::uint8_t>(value == T{1} ? 1 : value == T{0} ? 0 : 2); };
    if (labels.stride == 1) {
        for (std::size_t k = 0; k < count; ++k) bytes[k] = byte(labels.data[first + k]);
    } else {
        for (std::size_t k = 0; k < count; ++k) bytes[k] = byte(labels[first + k]);
    }
}

// Writes the places of the set bits of a word that begins at `first`, and returns their end; up to `edge_group` more may be written over.
RANGEWISE_ALWAYS_INLINE std::int64_t* write_places(std::uint64_t bits, std::int64_t first, std::int64_t* out) {
    std::int64_t* const end = out + std::popcount(bits);
    do {
        for (std::size_t k = 0; k < edge_group; ++k) {
            out[k] = first + std::countr_zero(bits);
            bits &= bits - 1;
        }
        out += edge_group;
    } while (out < end);
    return end;
}

// The places of the set bits of a block of words, the first of which begins at `first`; see write_places. Most words have none: those that
// have some are gathered first, without a branch, because nobody can foretell which they are.
RANGEWISE_ALWAYS_INLINE std::int64_t* write_block(const std::uint64_t* words, std::size_t count, std::int64_t first, std::int64_t* out) {
    static_assert(block_words == 64, "a bit for each word of a block");
    std::uint64_t some = 0;
    for (std::size_t word = 0; word < count; ++word) some |= std::uint64_t{words[word] != 0} << word;
    for (; some != 0; some &= some - 1) {
        const auto word = static_cast<std::size_t>(std::countr_zero(some));
        out = write_places(words[word], first + static_cast<std::int64_t>(word_labels * word), out);
    }
    return out;
}

// Writes the words of a block of labels that begins at `first`, and returns whether any label was neither 0 nor 1.
template <class Masks, class T>
RANGEWISE_ALWAYS_INLINE bool write_words(const Labels<T>& labels, std::size_t first, std::uint64_t* out) {
    const std::size_t count = std::min(block_labels, labels.size - first), words = (count + word_labels - 1) / word_labels;
    if (sizeof(T) == 1 && labels.stride == 1 && count == block_labels) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(labels.data) + first;
        // Hardware prefetching stops at the end of a page of memory, which is as long as a block: ask for the begin of the next one.
        constexpr std::size_t asked_words = 4;
        for (std::size_t word = 0; word < asked_words; ++word) prefetch_to_read(bytes + block_labels + word_labels * word);
        return Masks::make(bytes, words, out);
    }
#if RANGEWISE_X86
    // Narrowing them to bytes first takes twice the time.
    if constexpr (sizeof(T) == 8 && std::is_same_v<Masks, Avx2Masks>) {
        if (labels.stride == 1 && count == block_labels) return Avx2Masks::make_long<Avx2LongLabels<T>>(labels.data + first, words, out);
    }
#endif
    std::uint8_t bytes[block_labels];
    narrow(labels, first, count, bytes);
    std::fill(bytes + count, bytes + words * word_labels, std::uint8_t{0});
    return Masks::make(bytes, words, out);
}

// Adds the edges of a block of words that begins at the label `first`. The word before the block is read, too.
RANGEWISE_ALWAYS_INLINE void add_edges(const std::uint64_t* words, std::size_t count, std::size_t first, EdgeBuffer& edges) {
    std::uint64_t changes[block_words];
    const std::uint64_t* const before = words - 1;
    for (std::size_t k = 0; k < count; ++k) changes[k] = words[k] ^ (words[k] << 1 | before[k] >> 63);
    edges.reserve(block_labels + edge_group);
    edges.advance_to(write_block(changes, count, static_cast<std::int64_t>(first), edges.end()));
}

// Labels as bits, 64 to a word. A word of zeros stands before the first and two behind the last one, so that every word has neighbors.
class LabelBits {
  public:
    explicit LabelBits(std::size_t labels) : size_((labels + word_labels - 1) / word_labels), words_(new std::uint64_t[size_ + 3]) {
        words_[0] = words_[size_ + 1] = words_[size_ + 2] = 0;
    }
    // The number of words.
    std::size_t size() const { return size_; }
    std::uint64_t* data() { return words_.get() + 1; }
    const std::uint64_t* data() const { return words_.get() + 1; }

  private:
    std::size_t size_;
    std::unique_ptr<std::uint64_t[]> words_;
};

// The loops, inlined into a caller for each instruction set. Those over labels return whether every one was 0 or 1.
template <class Masks, class T>
RANGEWISE_ALWAYS_INLINE bool collect_words(const Labels<T>& labels, std::uint64_t* out) {
    bool invalid = false;
    for (std::size_t first = 0; first < labels.size; first += block_labels, out += block_words) invalid |= write_words<Masks>(labels, first, out);
    return !invalid;
}

template <class Masks, class T>
RANGEWISE_ALWAYS_INLINE bool collect_edges(const Labels<T>& labels, EdgeBuffer& edges) {
    bool invalid = false;
    std::uint64_t words[1 + block_words] = {0};  // the last word of the block before, and a block
    for (std::size_t first = 0; first < labels.size; first += block_labels) {
        const std::size_t count = std::min(block_words, (labels.size - first + word_labels - 1) / word_labels);
        invalid |= write_words<Masks>(labels, first, words + 1);
        add_edges(words + 1, count, first, edges);
        words[0] = words[count];
    }
    if (words[0] >> 63) {  // the last word was full and its last label set: the range stops with the labels
        edges.reserve(1);
        *edges.end() = static_cast<std::int64_t>(labels.size);
        edges.advance(1);
    }
    return !invalid;
}

RANGEWISE_ALWAYS_INLINE void collect_edges(const LabelBits& bits, EdgeBuffer& edges) {
    const std::size_t words = bits.size() + 1;
    for (std::size_t block = 0; block < words; block += block_words)
        add_edges(bits.data() + block, std::min(block_words, words - block), block * word_labels, edges);
}

// Which of the functions for vectors can run.
enum class Vectors { none, avx2, avx512 };

#if RANGEWISE_X86
template <class T>
[[gnu::target(RANGEWISE_AVX2)]] bool collect_words_avx2(const Labels<T>& labels, std::uint64_t* out) {
    return collect_words<Avx2Masks>(labels, out);
}

template <class T>
[[gnu::target(RANGEWISE_AVX2)]] bool collect_edges_avx2(const Labels<T>& labels, EdgeBuffer& edges) {
    return collect_edges<Avx2Masks>(labels, edges);
}

[[gnu::target(RANGEWISE_AVX2)]] inline void collect_edges_avx2(const LabelBits& bits, EdgeBuffer& edges) {
    collect_edges(bits, edges);
}

// Asked of the processor itself: __builtin_cpu_supports needs a part of the compiler's runtime that not every one can link into a shared library.
inline Vectors vectors_of_machine() {
    unsigned a, b, c, d;
    const auto has = [](unsigned word, unsigned bits) { return (word & bits) == bits; };
    if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, bit_OSXSAVE | bit_AVX | bit_POPCNT)) return Vectors::none;
    // The registers that the system keeps.
    unsigned kept, rest;
    __asm__("xgetbv" : "=a"(kept), "=d"(rest) : "c"(0));
    constexpr unsigned registers_of_avx2 = 0b110, registers_of_avx512 = 0b11100110;
    if (!has(kept, registers_of_avx2)) return Vectors::none;
    if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || !has(c, bit_LZCNT)) return Vectors::none;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has(b, bit_AVX2 | bit_BMI | bit_BMI2)) return Vectors::none;
    const bool avx512 = has(kept, registers_of_avx512) && has(b, bit_AVX512F | bit_AVX512BW | bit_AVX512VL) && has(c, bit_AVX512VPOPCNTDQ);
    return avx512 ? Vectors::avx512 : Vectors::avx2;
}

// RANGEWISE_VECTORS=none or avx2 leaves out better ones, so that one machine can test all functions.
inline Vectors vectors() {
    static const Vectors known = [] {
        const char* const wish = std::getenv("RANGEWISE_VECTORS");
        const std::string_view most = wish == nullptr ? "" : wish;
        return std::min(vectors_of_machine(), most == "none" ? Vectors::none : most == "avx2" ? Vectors::avx2 : Vectors::avx512);
    }();
    return known;
}
inline bool has_avx2() { return vectors() >= Vectors::avx2; }
inline bool has_avx512() { return vectors() >= Vectors::avx512; }
#else
inline Vectors vectors() { return Vectors::none; }
#endif

template <class T>
bool find_words(const Labels<T>& labels, std::uint64_t* out) {
#if RANGEWISE_X86
    if (has_avx2()) return collect_words_avx2(labels, out);
#endif
    return collect_words<PortableMasks>(labels, out);
}

// The bits of labels on several threads, each with a part of the labels.
template <class T>
bool find_bits(const Labels<T>& labels, LabelBits& bits, std::size_t threads) {
    if (threads < 2) return find_words(labels, bits.data());
    const std::size_t share = (labels.size / threads / block_labels + 1) * block_labels, parts = (labels.size + share - 1) / share;
    std::vector<char> valid(parts);
    for_each_job(parts, threads, [&](std::size_t part) {
        const std::size_t first = part * share;
        valid[part] = find_words(Labels<T>{&labels[first], std::min(share, labels.size - first), labels.stride}, bits.data() + first / word_labels);
    });
    return std::all_of(valid.begin(), valid.end(), [](char all) { return all != 0; });
}

inline void find_edges(const LabelBits& bits, EdgeBuffer& edges) {
#if RANGEWISE_X86
    if (has_avx2()) return collect_edges_avx2(bits, edges);
#endif
    collect_edges(bits, edges);
}

// The edges of labels. On one thread, they are found block by block, which is faster than all bits first.
template <class T>
bool find_edges(const Labels<T>& labels, EdgeBuffer& edges, std::size_t threads = 1) {
    if (threads > 1) {
        LabelBits bits(labels.size);
        const bool valid = find_bits(labels, bits, threads);
        find_edges(bits, edges);
        return valid;
    }
#if RANGEWISE_X86
    if (has_avx2()) return collect_edges_avx2(labels, edges);
#endif
    return collect_edges<PortableMasks>(labels, edges);
}

// Whether there is more than about one range per 400 labels, so that bits do not take much more memory than ranges. Estimated from a few words.
template <class T>
bool are_dense(const Labels<T>& labels) {
    constexpr std::size_t sampled_words = 32, words_per_edge = 3;
    const std::size_t step = std::max(labels.size / sampled_words, word_labels);
    std::size_t words = 0, edges = 0;
    for (std::size_t first = 0; first + word_labels <= labels.size; first += step) prefetch_to_read(&labels[first]);
    for (std::size_t first = 0; first + word_labels <= labels.size; first += step) {
        std::uint64_t word = 0;
        (void)find_words(Labels<T>{&labels[first], word_labels, labels.stride}, &word);
        edges += static_cast<std::size_t>(std::popcount((word ^ word << 1) & ~std::uint64_t{1}));
        ++words;
    }
    return edges * words_per_edge >= words;
}

// The first label that is neither 0 nor 1; `labels.size` when there is none.
template <class T>
std::size_t first_invalid(const Labels<T>& labels) {
    for (std::size_t i = 0; i < labels.size; ++i)
        if (!(labels[i] == T{0} || labels[i] == T{1})) return i;
    return labels.size;
}

}  // namespace rangewise
