// The model's mean over an evenly drawn threshold, exact, with its gradient: the Choquet integral of F over the sets {p >= tau}.
//
// F^(p) = F(nothing) + sum over k of p_(k) (F(top k) - F(top k-1)), p sorted descending, so its gradient at the k-th point is the bracket;
// points that share a probability share theirs evenly. F(top k) for all k is the sweep of the curve.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "objective.hpp"
#include "overlap.hpp"
#include "sweep.hpp"

namespace rangewise {

// `origin(place)` is where the point that stands at `place` in time stands in the gradient.
template <class T, class Origin>
double swept_objective_of(Sweep& state, const Objective& objective, Origin origin, T* gradient) {
    double before = target_at(objective, objective.zero_division, state.recall_of_nothing(objective.zero_division)).value, sum = before;
    state.run(objective.zero_division, [&](const Sweep::Ordered& group, double precision_here, double recall_here) {
        const double here = target_at(objective, precision_here, recall_here).value;
        const double gain = here - before;
        sum += std::bit_cast<double>(state.bits(group[0])) * gain;
        if (gradient != nullptr) {
            const auto each = static_cast<T>(gain / static_cast<double>(group.size()));
            for (std::size_t k = 0; k < group.size(); ++k) gradient[origin(group[k].point)] = each;
        }
        before = here;
    });
    return sum;
}

// The objective of each row, or of all together under one threshold where it is pooled, and its gradient unless that is null.
template <class T>
void swept_objective(const Batch<T>& batch, Ranges all, const Rule& recall, const Rule& precision, const Objective& objective, std::size_t threads,
                     std::span<double> values, T* gradient) {
    const std::size_t rows = batch.rows(), length = batch.length();
    if (!objective.pooled || rows == 1) {
        for_each_row(rows, length, threads, [&](std::size_t row) {
            const Rule own = batch.rule(recall, row);
            Sweep state(batch.real(row), length, own, precision, batch.row(row), [](std::size_t i) { return i; });
            values[row] = swept_objective_of(state, objective, [](std::size_t place) { return place; },
                                             gradient == nullptr ? nullptr : gradient + row * length);
        });
        return;
    }
    // Between two rows stands a point that is never on.
    std::vector<Range> real(all.begin(), all.end());
    const auto spread = static_cast<std::int64_t>(length);
    for (Range& range : real) {
        const std::int64_t row = range.start / spread;
        range = {range.start + row, range.stop + row};
    }
    const Labels<T> scores{batch.row(0).data, rows * length, 1};
    Sweep state(real, rows * (length + 1), recall, precision, scores, [&](std::size_t i) { return i + i / length; });
    values[0] = swept_objective_of(state, objective, [&](std::size_t place) { return place - place / (length + 1); }, gradient);
}

}  // namespace rangewise
