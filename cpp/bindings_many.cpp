// Many series or classes in one call, for Python.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "arrays.hpp"
#include "classes.hpp"
#include "held_rule.hpp"
#include "many.hpp"

using namespace nb::literals;

namespace rangewise {
namespace {

// Where a column changes, with both ends.
nb::object series_borders(const AnyLabels& names) {
    EdgeBuffer borders;
    const bool known = with_type(names, [&](const auto& values) {
        nb::gil_scoped_release unlocked;
        find_borders(values, borders);
    });
    if (!known) throw nb::type_error("names are bool, integers, float32 or float64");
    const std::size_t size = borders.size();
    return release_edges<nb::ndim<1>>(borders, {size});
}

// The ranges of labels of many series, none over a border.
nb::object find_series_ranges(const AnyLabels& array, const Integers& borders) {
    check_borders(borders, array.shape(0));
    EdgeBuffer edges, cut;
    const bool known = with_type(array, [&](const auto& labels) {
        nb::gil_scoped_release unlocked;
        if (!find_edges(labels, edges)) throw InvalidValue(first_invalid(labels));
        edges.reserve(1);
        split_at({reinterpret_cast<const Range*>(edges.end() - edges.size()), edges.size() / 2}, view(borders), cut);
    });
    if (!known) throw nb::type_error("labels are bool, integers, float32 or float64");
    const std::size_t count = cut.size() / 2;
    return release_edges<nb::shape<-1, 2>>(cut, {count, 2});
}

// Rewards and numbers of ranges of each series, and where its ranges begin. No range is over a border (find_series_ranges).
nb::tuple tally_series(const RangeArray& real, const RangeArray& predicted, const Integers& borders, const HeldRule& recall, const HeldRule& precision) {
    if (borders.shape(0) == 0) throw nb::value_error("borders rise from 0 to the number of points");
    check_borders(borders, static_cast<std::size_t>(view(borders).back()));
    const std::size_t series = borders.shape(0) - 1;
    OwnedArray<std::uint64_t> words(4 * series);
    OwnedArray<std::int64_t> real_first(series + 1), predicted_first(series + 1), real_counts(series), predicted_counts(series);
    {
        nb::gil_scoped_release unlocked;
        check_tables(recall.rule, view(real));
        check_tables(precision.rule, view(predicted));
        tally_many(view(real), view(predicted), view(borders), recall.rule, precision.rule,
                   {words.span(), real_first.span(), predicted_first.span(), real_counts.span(), predicted_counts.span()});
    }
    return nb::make_tuple(words.release(), real_counts.release(), predicted_counts.release(), real_first.release(), predicted_first.release());
}

// The number of each integer among the distinct ones in order, and the index at which each of those first occurs; None if they span `most`.
nb::object number_classes(const AnyLabels& array, std::size_t most) {
    OwnedArray<std::int64_t> codes(array.shape(0));
    std::vector<std::int64_t> firsts;
    bool numbered = false;
    const bool known = with_type(array, [&]<class T>(const Labels<T>& values) {
        if constexpr (std::is_integral_v<T>) {
            if (values.stride != 1) throw nb::value_error("classes are contiguous");
            nb::gil_scoped_release unlocked;
            numbered = number_values(std::span(values.data, values.size), most, codes.span(), firsts);
        } else {
            throw nb::type_error("classes are bool or integers");
        }
    });
    if (!known) throw nb::type_error("classes are bool or integers");
    if (!numbered) return nb::none();
    OwnedArray<std::int64_t> places(firsts.size());
    std::copy(firsts.begin(), firsts.end(), places.span().begin());
    return nb::make_tuple(codes.release(), places.release());
}

// The ranges of each class one after the other, and where those of each begin.
nb::tuple class_ranges(const Integers& borders, const Integers& codes, std::size_t classes) {
    if (borders.shape(0) != codes.shape(0) + 1) throw nb::value_error("runs have one border more than codes");
    OwnedArray<std::int64_t> first(classes + 1);
    EdgeBuffer bounds;
    {
        nb::gil_scoped_release unlocked;
        bounds.reserve(2 * codes.shape(0));
        group_runs(view(borders), {codes.data(), codes.shape(0)}, {reinterpret_cast<Range*>(bounds.end()), codes.shape(0)}, first.span());
    }
    const auto count = static_cast<std::size_t>(first.span().back());
    return nb::make_tuple(release_edges<nb::shape<-1, 2>>(bounds, {count, 2}), first.release());
}

using Words = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::device::cpu>;
using Counts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;

// The average reward of each series, correctly rounded.
auto mean_rewards(const Words& high, const Words& low, const Counts& counts, double zero_division) {
    const std::size_t size = counts.shape(0);
    if (high.shape(0) != size || low.shape(0) != size) throw nb::value_error("one reward and one number of ranges a series are needed");
    OwnedArray<double> means(size);
    {
        nb::gil_scoped_release unlocked;
        for (std::size_t k = 0; k < size; ++k) {
            const auto at = static_cast<std::ptrdiff_t>(k);
            const std::int64_t count = counts.data()[at * counts.stride(0)];
            means.span()[k] = count ? mean_reward(high.data()[at * high.stride(0)], low.data()[at * low.stride(0)], count) : zero_division;
        }
    }
    return means.release();
}

}  // namespace

void bind_many(nb::module_& m) {
    m.def("series_borders", &series_borders, "names"_a.noconvert(), "Where a column changes, with both ends.");
    m.def("number_classes", &number_classes, "values"_a.noconvert(), "most"_a,
          "The number of each integer among the distinct ones in order, and the index at which each of those first occurs; None if they span `most`.");
    m.def("class_ranges", &class_ranges, "borders"_a.noconvert(), "codes"_a.noconvert(), "classes"_a,
          "The ranges of each class one after the other, and where those of each begin.");
    m.def("find_series_ranges", &find_series_ranges, "labels"_a.noconvert(), "borders"_a.noconvert(),
          "Ranges of the labels, none over a border between series.");
    m.def("tally_series", &tally_series, "real"_a.noconvert(), "predicted"_a.noconvert(), "borders"_a.noconvert(), "recall"_a, "precision"_a,
          "Of each series: four words of rewards, the numbers of real and predicted ranges, and where its ranges begin.");
    m.def("mean_rewards", &mean_rewards, "high"_a.noconvert(), "low"_a.noconvert(), "counts"_a.noconvert(), "zero_division"_a,
          "The average reward of each series, correctly rounded.");
}

}  // namespace rangewise
