// Scores in descending order: a radix sort of keys that keep their order as unsigned integers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "ranges.hpp"
#include "scratch.hpp"

namespace rangewise {

// A point and its key, in 12 bytes: two buffers of them are the sort's whole memory.
struct KeyedPoint {
    std::uint32_t high, low, point;
    std::uint64_t key() const { return std::uint64_t{high} << 32 | low; }
};

constexpr std::size_t most_sorted_points = std::numeric_limits<std::int32_t>::max();

// A score as 64 bits: a double, a signed or an unsigned integer. 0.0 and -0.0 are the same.
enum class ScoreKind { floating, integer, natural };

template <class T>
constexpr ScoreKind kind_of = std::is_floating_point_v<T> ? ScoreKind::floating : std::is_signed_v<T> ? ScoreKind::integer : ScoreKind::natural;

template <class T>
std::uint64_t score_bits(T score) {
    if constexpr (std::is_floating_point_v<T>) return std::bit_cast<std::uint64_t>(static_cast<double>(score) + 0.0);  // -0.0 + 0.0 is 0.0
    else return static_cast<std::uint64_t>(score);  // keeps the sign of a narrow integer
}

// From a score's bits to its key and back: larger scores get smaller keys. Not for NaN.
inline std::uint64_t turned(ScoreKind kind, std::uint64_t bits) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    switch (kind) {
        case ScoreKind::floating: return bits & sign ? bits : ~(bits | sign);
        case ScoreKind::integer: return ~(bits ^ sign);
        case ScoreKind::natural: break;
    }
    return ~bits;
}

// The index of the first NaN; `scores.size` when there is none.
template <class T>
std::size_t first_nan(const Labels<T>& scores) {
    if constexpr (std::is_floating_point_v<T>) {
        for (std::size_t i = 0; i < scores.size; ++i)
            if (std::isnan(scores[i])) return i;
    }
    return scores.size;
}

// Digits of 8 bits; so many of them, from the highest that differs down, tell nearly all keys apart. What they leave is few and
// sorted in place, which is faster than passes over all points for the lowest digits.
constexpr std::size_t key_digits = 8, sorted_digits = 5;

class SortedPoints {
  public:
    // `place(i)`, called for 0, 1, ..., is where the i-th point stands in time.
    template <class T, class Place>
    SortedPoints(const Labels<T>& scores, Place place) : kind_(kind_of<T>), size_(scores.size), points_(scores.size) {
        std::array<std::array<std::uint32_t, 256>, key_digits> counts{};
        for (std::size_t i = 0; i < size_; ++i) {
            const std::uint64_t key = turned(kind_of<T>, score_bits(scores[i]));
            points_[i] = {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(place(i))};
            for (std::size_t digit = 0; digit < key_digits; ++digit) ++counts[digit][key >> (8 * digit) & 255];
        }
        if (size_ < 2) return;
        std::array<std::size_t, key_digits> differing;
        std::size_t differ = 0;
        for (std::size_t digit = key_digits; digit-- > 0;)
            if (counts[digit][points_[0].key() >> (8 * digit) & 255] != size_) differing[differ++] = digit;
        const std::size_t passes = std::min(differ, sorted_digits);
        Scratch<KeyedPoint> other(size_);
        for (std::size_t pass = passes; pass-- > 0;) scatter(counts[differing[pass]], 8 * differing[pass], other);
        if (passes < differ) sort_rest(8 * differing[passes - 1]);
    }
    std::size_t size() const { return size_; }
    std::int32_t point(std::size_t i) const { return static_cast<std::int32_t>(points_[i].point); }
    // The score of the i-th point, without a look into the scores, which are in another order.
    std::uint64_t bits(std::size_t i) const { return turned(kind_, points_[i].key()); }
    // Whether the score of the i-th point is not shared by the next one: a threshold of the curve.
    bool ends_group(std::size_t i) const { return i + 1 == size_ || points_[i].key() != points_[i + 1].key(); }

  private:
    // One stable pass by the digit at `shift`.
    void scatter(std::array<std::uint32_t, 256>& counts, std::size_t shift, Scratch<KeyedPoint>& other) {
        std::uint32_t begin = 0;
        for (std::uint32_t& count : counts) begin += std::exchange(count, begin);
        for (std::size_t i = 0; i < size_; ++i) {
            const KeyedPoint point = points_[i];
            other[counts[point.key() >> shift & 255]++] = point;
        }
        std::swap(points_, other);
    }
    // Sorts the groups whose keys are equal from `shift` up.
    void sort_rest(std::size_t shift) {
        for (std::size_t first = 0; first < size_;) {
            const std::uint64_t prefix = points_[first].key() >> shift, key = points_[first].key();
            std::size_t last = first + 1;
            bool tied = true;
            for (; last < size_ && points_[last].key() >> shift == prefix; ++last) tied &= points_[last].key() == key;
            if (!tied)
                std::stable_sort(&points_[first], &points_[first] + (last - first),
                                 [](const KeyedPoint& a, const KeyedPoint& b) { return a.key() < b.key(); });
            first = last;
        }
    }

    ScoreKind kind_;
    std::size_t size_;
    Scratch<KeyedPoint> points_;
};

}  // namespace rangewise
