// The only file that knows Python: arrays in, arrays and numbers out, with the GIL released around every loop.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "overlap.hpp"
#include "ranges.hpp"
#include "scratch.hpp"
#include "sort.hpp"
#include "sweep.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rangewise {
namespace {

using AnyLabels = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using RangeArray = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Ranges view(const RangeArray& array) {
    return {reinterpret_cast<const Range*>(array.data()), array.shape(0)};
}

// An array that the kernel fills and Python then owns.
template <class T>
class OwnedArray {
  public:
    explicit OwnedArray(std::size_t size) : data_(size), size_(size) {}
    std::span<T> span() { return {data_.data(), size_}; }
    nb::ndarray<nb::numpy, T, nb::ndim<1>> release() {
        T* raw = data_.release();
        nb::capsule owner(raw, [](void* memory) noexcept { std::free(memory); });
        return {raw, {size_}, owner};
    }

  private:
    Scratch<T> data_;
    std::size_t size_;
};

// Calls `use` with the labels as their own type; false when no kernel exists for it.
template <class Use>
bool with_type(const AnyLabels& array, Use use) {
    const auto as = [&]<class T>(T) {
        use(Labels<T>{static_cast<const T*>(array.data()), array.shape(0), array.shape(0) > 1 ? static_cast<std::ptrdiff_t>(array.stride(0)) : 1});
        return true;
    };
    const nb::dlpack::dtype type = array.dtype();
    if (type.lanes != 1) return false;
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    if (code == nb::dlpack::dtype_code::Bool || code == nb::dlpack::dtype_code::UInt) {
        switch (type.bits) {
            case 8: return as(std::uint8_t{});
            case 16: return as(std::uint16_t{});
            case 32: return as(std::uint32_t{});
            case 64: return as(std::uint64_t{});
        }
    } else if (code == nb::dlpack::dtype_code::Int) {
        switch (type.bits) {
            case 8: return as(std::int8_t{});
            case 16: return as(std::int16_t{});
            case 32: return as(std::int32_t{});
            case 64: return as(std::int64_t{});
        }
    } else if (code == nb::dlpack::dtype_code::Float) {
        switch (type.bits) {
            case 32: return as(float{});
            case 64: return as(double{});
        }
    }
    return false;
}

// The ranges as a read-only (n, 2) array, or the index of the first label that is neither 0 nor 1.
nb::object find_ranges(const AnyLabels& array) {
    EdgeBuffer edges;
    std::size_t invalid = array.shape(0);
    const bool known = with_type(array, [&](const auto& labels) {
        nb::gil_scoped_release unlocked;
        if (!find_edges(labels, edges)) invalid = first_invalid(labels);
    });
    if (!known) throw nb::type_error("labels are bool, integers, float32 or float64");
    if (invalid < array.shape(0)) return nb::int_(invalid);
    const std::size_t count = edges.size() / 2;
    edges.reserve(1);  // a capsule wants an address, also around no ranges
    std::int64_t* raw = edges.release();
    nb::capsule owner(raw, [](void* memory) noexcept { std::free(memory); });
    return nb::cast(nb::ndarray<nb::numpy, const std::int64_t, nb::shape<-1, 2>>(raw, {count, 2}, owner));
}

// A Rule with the arrays that its tables view.
struct HeldRule {
    Rule rule;
    std::optional<Doubles> weights, sizes, factors;
    std::optional<Integers> offsets;
};

template <class T>
std::span<const T> span_of(const std::optional<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>& array) {
    if (!array) return {};
    return {array->data(), array->shape(0)};
}

HeldRule make_rule(int bias, int cardinality, double alpha, bool as_points, std::optional<Doubles> weights,
                   std::optional<Integers> offsets, std::optional<Doubles> sizes, std::optional<Doubles> factors) {
    HeldRule held{{static_cast<Bias>(bias), static_cast<Cardinality>(cardinality), alpha, as_points, {}, {}, {}, {}},
                  std::move(weights), std::move(sizes), std::move(factors), std::move(offsets)};
    held.rule.weights = span_of(held.weights);
    held.rule.offsets = span_of(held.offsets);
    held.rule.sizes = span_of(held.sizes);
    held.rule.factors = span_of(held.factors);
    return held;
}

// Every table is measured against the ranges before the loop; a table of factors checks itself (Rule::table_index).
void check_tables(const Rule& rule, Ranges own) {
    if (rule.as_points) return;
    if (rule.bias == Bias::table) {
        if (rule.offsets.size() != own.size()) throw nb::value_error("one offset a range is needed");
        for (std::size_t i = 0; i < own.size(); ++i)
            if (rule.offsets[i] < 0 || rule.offsets[i] + own[i].length() >= static_cast<std::int64_t>(rule.weights.size()))
                throw nb::value_error("the table of weights is too short");
    }
    if (rule.bias == Bias::sized && rule.sizes.size() != own.size()) throw nb::value_error("one size a range is needed");
}

nb::tuple tally_ranges(const RangeArray& real, const RangeArray& predicted, const HeldRule& recall, const HeldRule& precision) {
    Tally found;
    {
        nb::gil_scoped_release unlocked;
        check_tables(recall.rule, view(real));
        check_tables(precision.rule, view(predicted));
        found = tally(view(real), view(predicted), recall.rule, precision.rule);
    }
    return nb::make_tuple(found.real.high(), found.real.low(), found.predicted.high(), found.predicted.low());
}

nb::tuple range_rows(const RangeArray& own, const RangeArray& other, const HeldRule& rule) {
    const std::size_t count = own.shape(0);
    OwnedArray<std::int64_t> overlaps(count), covered(count);
    OwnedArray<double> size(count), factor(count), reward(count), centre(count);
    {
        nb::gil_scoped_release unlocked;
        check_tables(rule.rule, view(own));
        rows(view(own), view(other), rule.rule, {overlaps.span(), covered.span(), size.span(), factor.span(), reward.span(), centre.span()});
    }
    return nb::make_tuple(overlaps.release(), covered.release(), size.release(), factor.release(), reward.release(), centre.release());
}

auto overlap_counts(const RangeArray& own, const RangeArray& other, bool other_points) {
    OwnedArray<std::int64_t> counts(own.shape(0));
    {
        nb::gil_scoped_release unlocked;
        count_overlaps(view(own), view(other), other_points, counts.span());
    }
    return counts.release();
}

// Sorts the scores and calls `use(sorted)`; the index of the first NaN, or -1.
template <class Use>
std::int64_t with_sorted(const AnyLabels& scores, Use use) {
    std::int64_t invalid = -1;
    if (scores.shape(0) > most_sorted_points) throw nb::value_error("a curve takes fewer than 2**31 points");
    const bool known = with_type(scores, [&](const auto& values) {
        nb::gil_scoped_release unlocked;
        const std::size_t nan = first_nan(values);
        if (nan < values.size) {
            invalid = static_cast<std::int64_t>(nan);
            return;
        }
        use(SortedPoints(values));
    });
    if (!known) throw nb::type_error("scores are integers, float32 or float64");
    return invalid;
}

void check_inside(const RangeArray& real, const AnyLabels& scores) {
    if (real.shape(0) && static_cast<std::size_t>(view(real).back().stop) > scores.shape(0))
        throw nb::value_error("a real range stops after the last score");
}

// The bits of each distinct score in descending order, precision and recall there; or the index of the first NaN.
nb::object sweep_curve(const RangeArray& real, const AnyLabels& scores, const HeldRule& recall, const HeldRule& precision, double zero_division) {
    check_inside(real, scores);
    check_tables(recall.rule, view(real));
    std::optional<OwnedArray<std::uint64_t>> thresholds;
    std::optional<OwnedArray<double>> precisions, recalls;
    const std::int64_t invalid = with_sorted(scores, [&](const SortedPoints& sorted) {
        const std::size_t count = count_thresholds(sorted);
        thresholds.emplace(count);
        precisions.emplace(count);
        recalls.emplace(count);
        Sweep state(view(real), sorted.size(), recall.rule, precision.rule);
        std::size_t k = 0;
        sweep(state, sorted, [&](std::size_t i) {
            thresholds->span()[k] = sorted.bits(i);
            precisions->span()[k] = state.precision();
            recalls->span()[k] = state.recall(zero_division);
            ++k;
        });
    });
    if (invalid >= 0) return nb::int_(invalid);
    return nb::make_tuple(thresholds->release(), precisions->release(), recalls->release());
}

// The most overlaps that a real and a predicted range reach in the sweep, which size a user's table of factors.
nb::object sweep_overlaps(const RangeArray& real, const AnyLabels& scores, bool real_points, bool predicted_points) {
    check_inside(real, scores);
    Rule recall, precision;
    recall.as_points = real_points;
    precision.as_points = predicted_points;
    std::int64_t most_real = 0, most_predicted = 0;
    const std::int64_t invalid = with_sorted(scores, [&](const SortedPoints& sorted) {
        Sweep state(view(real), sorted.size(), recall, precision);
        sweep(state, sorted, [](std::size_t) {});
        most_real = state.most_real_overlaps();
        most_predicted = state.most_predicted_overlaps();
    });
    if (invalid >= 0) return nb::int_(invalid);
    return nb::make_tuple(most_real, most_predicted);
}

}  // namespace
}  // namespace rangewise

NB_MODULE(_kernel, m) {
    using namespace rangewise;
    // Models keep their rules to the end of the process, which nanobind would report as a leak.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled kernel. Internal: rangewise checks the input, the kernel trusts it.";
    nb::class_<HeldRule>(m, "Rule", "How one side of a comparison is rewarded.")
        .def("__init__",
             [](HeldRule* self, int bias, int cardinality, double alpha, bool as_points, std::optional<Doubles> weights,
                std::optional<Integers> offsets, std::optional<Doubles> sizes, std::optional<Doubles> factors) {
                 new (self) HeldRule(make_rule(bias, cardinality, alpha, as_points, std::move(weights), std::move(offsets),
                                               std::move(sizes), std::move(factors)));
             },
             nb::kw_only(), "bias"_a, "cardinality"_a, "alpha"_a, "as_points"_a, "weights"_a = nb::none(),
             "offsets"_a = nb::none(), "sizes"_a = nb::none(), "factors"_a = nb::none());
    m.def("find_ranges", &find_ranges, "labels"_a.noconvert(), "Ranges of the labels, or the index of the first invalid one.");
    m.def("tally", &tally_ranges, "real"_a.noconvert(), "predicted"_a.noconvert(), "recall"_a, "precision"_a,
          "High and low word of the rewards of both sides, in units of 2**-94.");
    m.def("rows", &range_rows, "own"_a.noconvert(), "other"_a.noconvert(), "rule"_a,
          "Overlaps, covered points, size, factor, reward and centre of each range of one side.");
    m.def("sweep", &sweep_curve, "real"_a.noconvert(), "scores"_a.noconvert(), "recall"_a, "precision"_a, "zero_division"_a,
          "The 64 bits of each distinct score, descending, precision and recall there; or the index of the first NaN.");
    m.def("sweep_overlaps", &sweep_overlaps, "real"_a.noconvert(), "scores"_a.noconvert(), "real_points"_a, "predicted_points"_a,
          "The most overlaps of a real and of a predicted range in a sweep; or the index of the first NaN.");
    m.def("overlap_counts", &overlap_counts, "own"_a.noconvert(), "other"_a.noconvert(), "other_points"_a,
          "How many ranges of the other side each range meets.");
}
