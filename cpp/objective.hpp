// The model as an objective of training: what is maximized, from the sums of both sides, with its slopes; and a batch over threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "overlap.hpp"
#include "ranges.hpp"
#include "threads.hpp"

namespace rangewise {

enum class Target : int { f, recall, precision };

// What is maximized; `pooled` adds up all rows of a batch before it divides, as a tally does.
struct Objective {
    Target target = Target::f;
    double beta = 1.0;
    double zero_division = 0.0;
    bool pooled = true;
};

struct Slopes {
    double value, by_precision, by_recall;
};

// The target at a precision and a recall, and how it changes with each. Where both are 0, F is 0 and has no slope.
inline Slopes target_at(const Objective& objective, double precision, double recall) {
    switch (objective.target) {
        case Target::precision: return {precision, 1.0, 0.0};
        case Target::recall: return {recall, 0.0, 1.0};
        case Target::f: break;
    }
    const double weight = objective.beta * objective.beta;
    if (std::isinf(weight)) return precision > 0.0 ? Slopes{recall, 0.0, 1.0} : Slopes{0.0, 0.0, 0.0};  // what F tends to
    const double divisor = weight * precision + recall;
    if (divisor == 0.0) return {0.0, 0.0, 0.0};
    const double p = precision / divisor, r = recall / divisor;
    return {(1.0 + weight) * p * recall, (1.0 + weight) * r * r, (1.0 + weight) * weight * p * p};
}

// A batch of series of equal length, one after the other, and the real ranges of each with the tables that belong to them.
template <class T>
class Batch {
  public:
    // `real` counts points through all rows; no range reaches over the end of one.
    Batch(const T* probabilities, std::size_t rows, std::size_t length, Ranges real)
        : probabilities_(probabilities), rows_(rows), length_(length), real_(real.begin(), real.end()), first_(rows + 1, real.size()) {
        std::size_t at = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            first_[row] = at;
            const auto begin = static_cast<std::int64_t>(row * length), end = static_cast<std::int64_t>((row + 1) * length);
            for (; at < real_.size() && real_[at].start < end; ++at) real_[at] = {real_[at].start - begin, real_[at].stop - begin};
        }
    }
    std::size_t rows() const { return rows_; }
    std::size_t length() const { return length_; }
    Labels<T> row(std::size_t row) const { return {probabilities_ + row * length_, length_, 1}; }
    Ranges real(std::size_t row) const { return {real_.data() + first_[row], first_[row + 1] - first_[row]}; }
    // The rule of one row: tables that have an entry a range begin at the row's first.
    Rule rule(const Rule& whole, std::size_t row) const {
        Rule own = whole;
        if (!own.offsets.empty()) own.offsets = own.offsets.subspan(first_[row], first_[row + 1] - first_[row]);
        if (!own.factor_offsets.empty()) own.factor_offsets = own.factor_offsets.subspan(first_[row], first_[row + 1] - first_[row]);
        return own;
    }

  private:
    const T* probabilities_;
    std::size_t rows_, length_;
    std::vector<Range> real_;
    std::vector<std::size_t> first_;
};

// A thread is worth its start from about so many points.
constexpr std::size_t points_per_thread = 16384;

// Calls `job(row)` for each row, on up to `threads` threads; the first exception is thrown again here.
template <class Job>
void for_each_row(std::size_t rows, std::size_t length, std::size_t threads, Job job) {
    for_each_job(rows, std::min(threads, rows * length / points_per_thread + 1), job);
}

// The first value that is no probability; `values.size` when there is none.
template <class T>
std::size_t first_outside(const Labels<T>& values) {
    constexpr std::size_t block = 4096;
    for (std::size_t first = 0; first < values.size; first += block) {
        const std::size_t stop = std::min(values.size, first + block);
        bool inside = true;
        for (std::size_t i = first; i < stop; ++i) inside &= values.data[i] >= T{0} && values.data[i] <= T{1};
        if (inside) continue;
        for (std::size_t i = first; i < stop; ++i)
            if (!(values.data[i] >= T{0} && values.data[i] <= T{1})) return i;
    }
    return values.size;
}

}  // namespace rangewise
