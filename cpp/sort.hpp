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
#include <vector>

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

// Digits of 10 bits: with more, the places they are written to do not fit into the nearest caches. Three of them, from the highest bit
// that differs down, tell nearly all keys apart; what they leave is few and sorted in place, which is faster than passes over all points
// for the lowest digits.
constexpr int digit_bits = 10, sorted_digits = 3;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;

class SortedPoints {
  public:
    // `place(i)`, called for 0, 1, ..., is where the i-th point stands in time.
    template <class T, class Place>
    SortedPoints(const Labels<T>& scores, Place place) : kind_(kind_of<T>), size_(scores.size), points_(scores.size) {
        std::uint64_t differing = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            const std::uint64_t key = turned(kind_of<T>, score_bits(scores[i]));
            points_[i] = {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(place(i))};
            differing |= key ^ points_[0].key();
        }
        if (differing == 0) return;
        const int bits = std::bit_width(differing), passes = std::min(sorted_digits, (bits + digit_bits - 1) / digit_bits);
        const int lowest = std::max(0, bits - passes * digit_bits);
        std::vector<std::array<std::uint32_t, digit_values>> counts(static_cast<std::size_t>(passes));
        for (std::size_t i = 0; i < size_; ++i) {
            std::uint64_t rest = points_[i].key() >> lowest;
            for (auto& of_digit : counts) {
                ++of_digit[rest % digit_values];
                rest >>= digit_bits;
            }
        }
        Scratch<KeyedPoint> other(size_);
        for (std::size_t pass = 0; pass < counts.size(); ++pass) scatter(counts[pass], lowest + static_cast<int>(pass) * digit_bits, other);
        if (lowest > 0) sort_rest(lowest);
    }
    std::size_t size() const { return size_; }
    std::int32_t point(std::size_t i) const { return static_cast<std::int32_t>(points_[i].point); }
    // The score of the i-th point, without a look into the scores, which are in another order.
    std::uint64_t bits(std::size_t i) const { return turned(kind_, points_[i].key()); }
    // Whether the score of the i-th point is not shared by the next one: a threshold of the curve.
    bool ends_group(std::size_t i) const { return i + 1 == size_ || points_[i].key() != points_[i + 1].key(); }

  private:
    // One stable pass by the digit at `shift`.
    void scatter(std::array<std::uint32_t, digit_values>& counts, int shift, Scratch<KeyedPoint>& other) {
        std::uint32_t begin = 0;
        for (std::uint32_t& count : counts) begin += std::exchange(count, begin);
        for (std::size_t i = 0; i < size_; ++i) {
            const KeyedPoint point = points_[i];
            other[counts[point.key() >> shift & (digit_values - 1)]++] = point;
        }
        std::swap(points_, other);
    }
    // Sorts the groups whose keys are equal from `shift` up.
    void sort_rest(int shift) {
        for (std::size_t first = 0; first < size_;) {
            const std::uint64_t prefix = points_[first].key() >> shift, key = points_[first].key();
            std::size_t last = first + 1;
            bool tied = true;
            for (; last < size_ && points_[last].key() >> shift == prefix; ++last) tied &= points_[last].key() == key;
            if (!tied) sort_group(first, last);
            first = last;
        }
    }
    // Nearly all groups are two or three points: the library's sort would ask for memory for each of them.
    void sort_group(std::size_t first, std::size_t last) {
        constexpr std::size_t few = 16;
        const auto before = [](const KeyedPoint& a, const KeyedPoint& b) { return a.key() < b.key(); };
        if (last - first > few) {
            std::stable_sort(&points_[first], &points_[first] + (last - first), before);
            return;
        }
        for (std::size_t next = first + 1; next < last; ++next) {
            const KeyedPoint point = points_[next];
            std::size_t to = next;
            for (; to > first && before(point, points_[to - 1]); --to) points_[to] = points_[to - 1];
            points_[to] = point;
        }
    }

    ScoreKind kind_;
    std::size_t size_;
    Scratch<KeyedPoint> points_;
};

}  // namespace rangewise
