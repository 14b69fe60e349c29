// Scores in descending order: points are distributed over buckets, and in each by keys that keep the order of scores as unsigned integers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler.hpp"
#include "ranges.hpp"
#include "scratch.hpp"

namespace rangewise {

// A point and its key, in 12 bytes: one array of them is nearly all of the sort's memory.
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

template <class T>
std::uint64_t key_of(T score) {
    return turned(kind_of<T>, score_bits(score));
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

// Points are distributed over buckets by their scores, which is the only pass that writes all over the memory. Each bucket is then sorted in
// the caches: once more distributed, over about as many steps between its lowest and its highest key as it has points, which leaves next
// to nothing to do.
constexpr std::size_t most_buckets = 4096, bucket_points = 1024;
constexpr int most_step_bits = 11;
constexpr std::size_t few_points = 16;

// Buckets as even steps of a coordinate that falls as scores rise. Rounding keeps the order, and nothing but speed depends on how many
// points a bucket gets.
class Buckets {
  public:
    Buckets(double first, double last, std::size_t count)
        : first_(first), step_(static_cast<double>(count - 1) / (last - first)), last_bucket_(static_cast<double>(count - 1)) {}
    // False where scores are infinite, or so near to each other or so far apart that the steps are.
    bool finite() const { return std::isfinite(first_) && std::isfinite(step_); }
    std::size_t operator()(double coordinate) const { return static_cast<std::size_t>(std::min((coordinate - first_) * step_, last_bucket_)); }

  private:
    double first_, step_, last_bucket_;
};

// Two such coordinates. Steps between values suit scores that are spread evenly or around a middle; steps between keys, which are nearly
// logarithms of floating-point scores, those with a long tail, most of which would share a bucket otherwise.
struct ByValue {
    template <class T>
    double operator()(T score) const { return -static_cast<double>(score); }
};
struct ByKey {
    template <class T>
    double operator()(T score) const { return static_cast<double>(key_of(score)); }
};

// The lowest and the highest score, in four lanes: one would wait for each comparison.
template <class T>
std::pair<T, T> extremes(const Labels<T>& scores) {
    constexpr std::size_t lanes = 4;
    std::array<T, lanes> least, most;
    least.fill(scores[0]);
    most.fill(scores[0]);
    for (std::size_t i = 0; i + lanes <= scores.size; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            least[lane] = std::min(least[lane], scores[i + lane]);
            most[lane] = std::max(most[lane], scores[i + lane]);
        }
    for (std::size_t i = scores.size / lanes * lanes; i < scores.size; ++i) {
        least[0] = std::min(least[0], scores[i]);
        most[0] = std::max(most[0], scores[i]);
    }
    return {*std::min_element(least.begin(), least.end()), *std::max_element(most.begin(), most.end())};
}

// How unevenly buckets would be filled: the sum of the squares over a sample.
template <class T, class BucketOf>
std::uint64_t crowding(const Labels<T>& scores, std::size_t count, BucketOf bucket_of) {
    if (count == 1) return 0;
    constexpr std::size_t sampled = 1024;
    std::vector<std::uint32_t> sizes(count);
    std::uint64_t squares = 0;
    for (std::size_t k = 0; k < sampled; ++k) {
        std::uint32_t& size = sizes[bucket_of(scores[scores.size / sampled * k])];
        squares += 2 * size++ + 1;
    }
    return squares;
}

// Calls `use(count, bucket_of)` with the number of buckets and the bucket of a score. Equal scores have the same bucket. There are scores.
template <class T, class Use>
void with_buckets(const Labels<T>& scores, Use use) {
    const auto [least, most] = extremes(scores);
    const std::size_t count = std::clamp<std::size_t>(scores.size / bucket_points, 1, most_buckets);
    const auto by = [&, least = least, most = most](auto coordinate) {
        return [coordinate, buckets = Buckets(coordinate(most), coordinate(least), count)](T score) { return buckets(coordinate(score)); };
    };
    const auto finite = [&, least = least, most = most](auto coordinate) { return Buckets(coordinate(most), coordinate(least), count).finite(); };
    if (finite(ByValue{}) && crowding(scores, count, by(ByValue{})) <= crowding(scores, count, by(ByKey{}))) use(count, by(ByValue{}));
    else if (finite(ByKey{})) use(count, by(ByKey{}));
    else use(std::size_t{1}, [](T) { return std::size_t{0}; });  // all scores are the same
}

// The order of records is one word each: above, its key less the lowest one; below, its place among them, in the bits of this mask.
inline std::uint64_t place_mask(std::size_t size) { return (std::uint64_t{1} << std::bit_width(size - 1)) - 1; }

// Puts the words of records, of which there are some, into the order of `key()`; of equal keys, the earlier record comes first.
template <class Record>
void order_records(const Record* records, std::size_t size, std::uint64_t* order) {
    std::uint64_t least = records[0].key(), most = least;
    for (std::size_t i = 1; i < size; ++i) {
        least = std::min(least, records[i].key());
        most = std::max(most, records[i].key());
    }
    if (least == most) {
        for (std::size_t i = 0; i < size; ++i) order[i] = i;
        return;
    }
    const int place_bits = static_cast<int>(std::bit_width(size - 1)), key_bits = static_cast<int>(std::bit_width(most - least));
    const int cut = std::max(0, key_bits + place_bits - 64);  // bits of the keys that words have no room for
    const int bits = std::min(static_cast<int>(std::bit_width(size - size / 4)), most_step_bits);  // 0.75 to 1.5 steps a record
    const int shift = std::max(0, key_bits - bits);
    std::array<std::uint32_t, (std::size_t{1} << most_step_bits) + 1> ends;
    std::fill_n(ends.begin(), (std::size_t{1} << bits) + 1, 0);
    for (std::size_t i = 0; i < size; ++i) ++ends[((records[i].key() - least) >> shift) + 1];
    std::uint32_t largest = 0, sum = 0;
    for (std::size_t k = 1; k <= std::size_t{1} << bits; ++k) {
        largest = std::max(largest, ends[k]);
        ends[k] = sum += ends[k];
    }
    for (std::size_t i = 0; i < size; ++i) {
        prefetch_to_read(records + size + i);  // the next bucket
        const std::uint64_t key = records[i].key() - least;
        order[ends[key >> shift]++] = key >> cut << place_bits | i;
    }
    if (shift == 0) return;  // one step for each key
    if (largest > few_points) {
        std::uint32_t begin = 0;
        for (std::size_t k = 0; k < std::size_t{1} << bits; begin = ends[k++])
            if (ends[k] - begin > few_points) std::sort(order + begin, order + ends[k]);
    }
    // Most steps have at most two words, which this puts in order without a branch that nobody can guess.
    std::uint64_t larger = order[0];
    for (std::size_t i = 1; i < size; ++i) {
        const std::uint64_t word = order[i], changed = (larger ^ word) & -std::uint64_t{word < larger};
        order[i - 1] = larger ^ changed;
        larger = word ^ changed;
    }
    order[size - 1] = larger;
    for (std::size_t i = 1; i < size; ++i) {
        const std::uint64_t word = order[i];
        if (word > order[i - 1]) continue;
        std::size_t at = i;
        for (; at > 0 && word < order[at - 1]; --at) order[at] = order[at - 1];
        order[at] = word;
    }
    if (cut == 0) return;
    const std::uint64_t mask = place_mask(size);
    const auto before = [&](std::uint64_t one, std::uint64_t other) {
        const std::uint64_t key = records[one & mask].key(), other_key = records[other & mask].key();
        return key != other_key ? key < other_key : one < other;
    };
    for (std::size_t first = 0, i = 1; i <= size; ++i) {
        if (i < size && order[i] >> place_bits == order[first] >> place_bits) continue;
        if (i - first > 1) std::sort(order + first, order + i, before);
        first = i;
    }
}

// Puts each bucket of `records` in order; the k-th ends at `ends[k]`, and `largest` is the size of the largest.
template <class Record>
void sort_buckets(Record* records, std::span<const std::uint32_t> ends, std::size_t largest) {
    Scratch<std::uint64_t> order(largest);
    Scratch<Record> sorted(largest);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        const std::size_t size = end - begin;
        if (size > 1) {
            order_records(records + begin, size, order.data());
            const std::uint64_t mask = place_mask(size);
            for (std::size_t i = 0; i < size; ++i) sorted[i] = records[begin + (order[i] & mask)];
            std::copy_n(sorted.data(), size, records + begin);
        }
        begin = end;
    }
}

class SortedPoints {
  public:
    // `place(i)`, called for 0, 1, ..., is where the i-th point stands in time.
    template <class T, class Place>
    SortedPoints(const Labels<T>& scores, Place place) : kind_(kind_of<T>), size_(scores.size), points_(scores.size) {
        if (size_ == 0) return;
        with_buckets(scores, [&](std::size_t count, auto bucket_of) {
            std::vector<std::uint32_t> ends(count + 1);
            for (std::size_t i = 0; i < size_; ++i) ++ends[bucket_of(scores[i]) + 1];
            const std::uint32_t largest = *std::max_element(ends.begin(), ends.end());
            for (std::size_t k = 1; k <= count; ++k) ends[k] += ends[k - 1];
            for (std::size_t i = 0; i < size_; ++i) {
                const std::uint64_t key = key_of(scores[i]);
                points_[ends[bucket_of(scores[i])]++] = {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key),
                                                         static_cast<std::uint32_t>(place(i))};
            }
            sort_buckets(points_.data(), {ends.data(), count}, largest);
        });
    }
    std::size_t size() const { return size_; }
    std::int32_t point(std::size_t i) const { return static_cast<std::int32_t>(points_[i].point); }
    // The score of the i-th point, without a look into the scores, which are in another order.
    std::uint64_t bits(std::size_t i) const { return turned(kind_, points_[i].key()); }
    // Whether the score of the i-th point is not shared by the next one: a threshold of the curve.
    bool ends_group(std::size_t i) const { return i + 1 == size_ || points_[i].key() != points_[i + 1].key(); }

  private:
    ScoreKind kind_;
    std::size_t size_;
    Scratch<KeyedPoint> points_;
};

}  // namespace rangewise
