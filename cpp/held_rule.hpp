// A rule as Python holds it, for the files that bind the kernel to Python.
#pragma once

#include <optional>
#include <utility>

#include "arrays.hpp"
#include "overlap.hpp"

namespace rangewise {

// A Rule with the arrays that its tables view.
struct HeldRule {
    Rule rule;
    std::optional<Doubles> weights, sizes, factors;
    std::optional<Integers> offsets, factor_offsets;
};

inline HeldRule make_rule(Bias bias, Cardinality cardinality, double alpha, bool as_points, std::optional<Doubles> weights,
                   std::optional<Integers> offsets, std::optional<Doubles> sizes, std::optional<Doubles> factors,
                   std::optional<Integers> factor_offsets, bool weigh_by_length) {
    HeldRule held{{bias, cardinality, alpha, as_points, {}, {}, {}, {}, {}, weigh_by_length},
                  std::move(weights), std::move(sizes), std::move(factors), std::move(offsets), std::move(factor_offsets)};
    held.rule.weights = span_of(held.weights);
    held.rule.offsets = span_of(held.offsets);
    held.rule.sizes = span_of(held.sizes);
    held.rule.factors = span_of(held.factors);
    held.rule.factor_offsets = span_of(held.factor_offsets);
    return held;
}

// Every table is measured against the ranges before the loop; a table of factors checks itself (Rule::table_index).
inline void check_tables(const Rule& rule, Ranges own) {
    if (rule.as_points) return;
    if (rule.bias == Bias::table) {
        if (rule.offsets.size() != own.size()) throw nb::value_error("one offset a range is needed");
        for (std::size_t i = 0; i < own.size(); ++i)
            if (rule.offsets[i] < 0 || rule.offsets[i] + own[i].length() >= static_cast<std::int64_t>(rule.weights.size()))
                throw nb::value_error("the table of weights is too short");
    }
    if (rule.bias == Bias::sized && rule.sizes.size() != own.size()) throw nb::value_error("one size a range is needed");
    if (rule.cardinality == Cardinality::by_length && rule.factor_offsets.size() != own.size())
        throw nb::value_error("one offset of factors a range is needed");
    if (rule.cardinality == Cardinality::each && rule.factors.size() != own.size()) throw nb::value_error("one factor a range is needed");
}

}  // namespace rangewise
