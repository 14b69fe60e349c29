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

#include "ranges.hpp"
#include "scratch.hpp"
#include "threads.hpp"

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
// Threads take several parts each, so that one with crowded buckets does not keep the others waiting.
constexpr std::size_t jobs_per_thread = 8;

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

// Inserts each of the records in `to`, which may be the same place: fast where they are nearly in order.
template <class Record>
void insert_each(const Record* records, std::size_t size, Record* to) {
    for (std::size_t i = 0; i < size; ++i) {
        const Record record = records[i];
        std::size_t at = i;
        for (; at > 0 && record.key() < to[at - 1].key(); --at) to[at] = to[at - 1];
        to[at] = record;
    }
}

// Sorts records by `key()`, with as much memory as they take in `other`, and leaves them in `to`, which is one of the two. Records with the
// same key stay in order.
template <class Record>
void sort_bucket(Record* records, std::size_t size, Record* other, Record* to) {
    if (size <= few_points) return insert_each(records, size, to);
    std::uint64_t least = records[0].key(), most = least;
    for (std::size_t i = 1; i < size; ++i) {
        least = std::min(least, records[i].key());
        most = std::max(most, records[i].key());
    }
    if (least == most) {
        if (to != records) std::copy_n(records, size, to);
        return;
    }
    const int bits = std::min(static_cast<int>(std::bit_width(size - size / 4)), most_step_bits);  // 0.75 to 1.5 steps a record
    const int shift = std::max(0, static_cast<int>(std::bit_width(most - least)) - bits);
    const auto step = [&](const Record& record) { return (record.key() - least) >> shift; };
    std::array<std::uint32_t, (std::size_t{1} << most_step_bits) + 1> ends;
    std::fill_n(ends.begin(), (std::size_t{1} << bits) + 1, 0);
    for (std::size_t i = 0; i < size; ++i) ++ends[step(records[i]) + 1];
    std::uint32_t largest = 0, sum = 0;
    for (std::size_t k = 1; k <= std::size_t{1} << bits; ++k) {
        largest = std::max(largest, ends[k]);
        ends[k] = sum += ends[k];
    }
    for (std::size_t i = 0; i < size; ++i) other[ends[step(records[i])]++] = records[i];
    if (shift > 0 && largest > few_points) {  // crowded: bucket by bucket once more
        std::uint32_t begin = 0;
        for (std::size_t k = 0; k < std::size_t{1} << bits; begin = ends[k++])
            if (ends[k] - begin > few_points) sort_bucket(other + begin, ends[k] - begin, records + begin, other + begin);
    }
    insert_each(other, size, to);
}

// Sorts each bucket of `records` on up to `threads` threads; the k-th ends at `ends[k]`, and `largest` is the size of the largest.
template <class Record>
void sort_buckets(Record* records, std::span<const std::uint32_t> ends, std::size_t largest, std::size_t threads) {
    const std::size_t jobs = threads < 2 ? 1 : std::min(ends.size(), jobs_per_thread * threads);
    for_each_job(jobs, threads, [&](std::size_t job) {
        Scratch<Record> other(largest);
        for (std::size_t k = job * ends.size() / jobs; k < (job + 1) * ends.size() / jobs; ++k) {
            const std::uint32_t begin = k == 0 ? 0 : ends[k - 1];
            sort_bucket(records + begin, ends[k] - begin, other.data(), records + begin);
        }
    });
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
            sort_buckets(points_.data(), {ends.data(), count}, largest, 1);
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
