// The model for Python, and the module itself: arrays in, arrays and numbers out, with the GIL released around every loop.
// Only bindings*.cpp and arrays.hpp know Python.
#include <stdexcept>
#include <utility>

#include "arrays.hpp"
#include "bit_tally.hpp"
#include "held_rule.hpp"
#include "overlap.hpp"
#include "run_sweep.hpp"
#include "sweep.hpp"

using namespace nb::literals;

namespace rangewise {
namespace {

// Calls `use` with the labels as their own type, without the GIL.
template <class Use>
void with_labels(const AnyLabels& array, Use use) {
    const bool known = with_type(array, [&](const auto& labels) {
        nb::gil_scoped_release unlocked;
        use(labels);
    });
    if (!known) throw nb::type_error("labels are bool, integers, float32 or float64");
}

nb::object release_ranges(EdgeBuffer& edges) {
    const std::size_t count = edges.size() / 2;
    return release_edges<nb::shape<-1, 2>>(edges, {count, 2});
}

// The ranges as a read-only (n, 2) array.
nb::object find_ranges(const AnyLabels& array, std::size_t threads) {
    EdgeBuffer edges;
    with_labels(array, [&](const auto& labels) {
        if (!find_edges(labels, edges, threads)) throw InvalidValue(first_invalid(labels));
    });
    return release_ranges(edges);
}

bool pairs_are_ranges(const RangeArray& pairs) {
    nb::gil_scoped_release unlocked;
    return are_ranges(view(pairs));
}

LabelBits make_bits(const AnyLabels& array, std::size_t threads) {
    LabelBits bits(array.shape(0));
    with_labels(array, [&](const auto& labels) {
        if (!find_bits(labels, bits, threads)) throw InvalidValue(first_invalid(labels));
    });
    return bits;
}

nb::object ranges_of(const LabelBits& bits) {
    EdgeBuffer edges;
    {
        nb::gil_scoped_release unlocked;
        find_edges(bits, edges);
    }
    return release_ranges(edges);
}

bool have_dense_ranges(const AnyLabels& array) {
    bool dense = false;
    with_labels(array, [&](const auto& labels) { dense = are_dense(labels); });
    return dense;
}

nb::tuple parts_of(const RewardSum& sum) { return nb::make_tuple(sum.high(), sum.low(), sum.ones()); }

nb::tuple tally_ranges(const RangeArray& real, const RangeArray& predicted, const HeldRule& recall, const HeldRule& precision) {
    Tally found;
    {
        nb::gil_scoped_release unlocked;
        check_tables(recall.rule, view(real));
        check_tables(precision.rule, view(predicted));
        found = tally(view(real), view(predicted), recall.rule, precision.rule);
    }
    return nb::make_tuple(parts_of(found.real), parts_of(found.predicted));
}

nb::tuple tally_bits(const LabelBits& real, const LabelBits& predicted, const HeldRule& recall, const HeldRule& precision) {
    if (!scores_bits(recall.rule) || !scores_bits(precision.rule)) throw nb::value_error("bits need a flat bias and a built-in cardinality, without points and weights");
    BitTally found;
    {
        nb::gil_scoped_release unlocked;
        found = tally(real, predicted, recall.rule, precision.rule);
    }
    return nb::make_tuple(parts_of(found.rewards.real), parts_of(found.rewards.predicted), found.real_ranges, found.predicted_ranges);
}

nb::tuple range_rows(const RangeArray& own, const RangeArray& other, const HeldRule& rule, bool other_points) {
    const std::size_t count = own.shape(0);
    OwnedArray<std::int64_t> overlaps(count), covered(count);
    OwnedArray<double> size(count), factor(count), reward(count), center(count);
    {
        nb::gil_scoped_release unlocked;
        check_tables(rule.rule, view(own));
        rows(view(own), view(other), other_points, rule.rule, {overlaps.span(), covered.span(), size.span(), factor.span(), reward.span(), center.span()});
    }
    return nb::make_tuple(overlaps.release(), covered.release(), size.release(), factor.release(), reward.release(), center.release());
}

auto overlap_counts(const RangeArray& own, const RangeArray& other, bool other_points) {
    OwnedArray<std::int64_t> counts(own.shape(0));
    {
        nb::gil_scoped_release unlocked;
        count_overlaps(view(own), view(other), other_points, counts.span());
    }
    return counts.release();
}

// The sweep of the scores before its run, which is compiled once and not for each type of scores. The rules must outlive it.
std::optional<Sweep> make_sweep(const RangeArray& real, const AnyLabels& scores, const Timeline& timeline, const Rule& recall, const Rule& precision) {
    std::optional<Sweep> state;
    with_places(scores, timeline, [&](const auto& values, auto place) {
        state.emplace(view(real), timeline.points, recall, precision, values, place);
    });
    return state;
}

// The bits of each distinct score in descending order, precision and recall there.
nb::tuple sweep_curve(const RangeArray& real, const AnyLabels& scores, const HeldRule& recall, const HeldRule& precision, double zero_division,
                      const std::optional<Integers>& borders, const std::optional<Integers>& rows, std::size_t points) {
    const Timeline timeline(scores, borders, rows, points);
    timeline.check_inside(view(real));
    check_tables(recall.rule, view(real));
    std::optional<OwnedArray<std::uint64_t>> thresholds;
    std::optional<OwnedArray<double>> precisions, recalls;
    auto state = make_sweep(real, scores, timeline, recall.rule, precision.rule);
    {
        nb::gil_scoped_release unlocked;
        const std::size_t count = state->keep_curve(zero_division);
        thresholds.emplace(state->release_bits(count), count);
        precisions.emplace(state->release_precisions(count), count);
        recalls.emplace(state->release_recalls(count), count);
        state.reset();
    }
    return nb::make_tuple(thresholds->release(), precisions->release(), recalls->release());
}

// The most overlaps that a real and a predicted range reach in the sweep, which size a user's table of factors.
nb::tuple sweep_overlaps(const RangeArray& real, const AnyLabels& scores, bool real_points, bool predicted_points, const std::optional<Integers>& borders,
                         const std::optional<Integers>& rows, std::size_t points) {
    const Timeline timeline(scores, borders, rows, points);
    timeline.check_inside(view(real));
    Rule recall, precision;
    recall.as_points = real_points;
    precision.as_points = predicted_points;
    std::int64_t most_real = 0, most_predicted = 0;
    auto state = make_sweep(real, scores, timeline, recall, precision);
    {
        nb::gil_scoped_release unlocked;
        state->run(0.0, [](const Sweep::Ordered&, double, double) {});
        most_real = state->most_real_overlaps();
        most_predicted = state->most_predicted_overlaps();
    }
    return nb::make_tuple(most_real, most_predicted);
}

// Precision and recall after each group of ranges, the most confident first, and the most overlaps of a real and a predicted range.
nb::tuple sweep_runs(const RangeArray& real, const Integers& borders, const Integers& firsts, const Integers& lasts, const Integers& groups,
                     const HeldRule& recall, const HeldRule& precision, double zero_division) {
    const std::size_t count = groups.shape(0);
    OwnedArray<double> precisions(count), recalls(count);
    std::int64_t most_real = 0, most_predicted = 0;
    {
        nb::gil_scoped_release unlocked;
        check_tables(recall.rule, view(real));
        RunSweep state(view(real), {borders.data(), borders.shape(0)}, recall.rule, precision.rule);
        std::size_t i = 0;
        for (std::size_t k = 0; k < count; ++k) {
            for (const auto stop = static_cast<std::size_t>(groups.data()[k]); i < stop; ++i)
                state.switch_on(static_cast<std::size_t>(firsts.data()[i]), static_cast<std::size_t>(lasts.data()[i]));
            precisions.span()[k] = state.precision(zero_division);
            recalls.span()[k] = state.recall(zero_division);
        }
        most_real = state.most_real_overlaps();
        most_predicted = state.most_predicted_overlaps();
    }
    return nb::make_tuple(precisions.release(), recalls.release(), most_real, most_predicted);
}

}  // namespace

void bind_areas(nb::module_& m);  // bindings_areas.cpp
void bind_many(nb::module_& m);   // bindings_many.cpp
void bind_operations(nb::module_& m);  // bindings_operations.cpp
void bind_training(nb::module_& m);  // bindings_training.cpp

}  // namespace rangewise

NB_MODULE(_kernel, m) {
    using namespace rangewise;
    // Models keep their rules to the end of the process, which nanobind would report as a leak.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled kernel. Internal: rangewise checks the input, the kernel trusts it.";
    m.attr("vectors") = vectors() == Vectors::avx512 ? "avx512" : vectors() == Vectors::avx2 ? "avx2" : "none";
    nb::exception<InvalidValue>(m, "InvalidValueError", PyExc_ValueError);
    nb::enum_<Bias>(m, "Bias", "Positional biases: those with a closed form, then those that a user's function fills.")
        .value("flat", Bias::flat)
        .value("front", Bias::front)
        .value("back", Bias::back)
        .value("middle", Bias::middle)
        .value("table", Bias::table)
        .value("sized", Bias::sized);
    nb::enum_<Cardinality>(m, "Cardinality", "Overlap cardinalities: our own, then those that a user's function fills.")
        .value("one", Cardinality::one)
        .value("reciprocal", Cardinality::reciprocal)
        .value("consistent", Cardinality::consistent)
        .value("table", Cardinality::table)
        .value("by_length", Cardinality::by_length)
        .value("each", Cardinality::each);
    nb::class_<HeldRule>(m, "Rule", "How one side of a comparison is rewarded.")
        .def("__init__",
             [](HeldRule* self, Bias bias, Cardinality cardinality, double alpha, bool as_points, std::optional<Doubles> weights,
                std::optional<Integers> offsets, std::optional<Doubles> sizes, std::optional<Doubles> factors,
                std::optional<Integers> factor_offsets, bool weigh_by_length) {
                 new (self) HeldRule(make_rule(bias, cardinality, alpha, as_points, std::move(weights), std::move(offsets),
                                               std::move(sizes), std::move(factors), std::move(factor_offsets), weigh_by_length));
             },
             nb::kw_only(), "bias"_a.noconvert(), "cardinality"_a.noconvert(), "alpha"_a, "as_points"_a, "weights"_a = nb::none(),
             "offsets"_a = nb::none(), "sizes"_a = nb::none(), "factors"_a = nb::none(), "factor_offsets"_a = nb::none(),
             "weigh_by_length"_a = false);
    m.def("find_ranges", &find_ranges, "labels"_a.noconvert(), "threads"_a = 1, "The ranges of 0/1 labels.");
    m.def("are_ranges", &pairs_are_ranges, "pairs"_a.noconvert(), "Whether pairs are ranges: none empty or before point 0, in order, and disjoint.");
    m.def("have_dense_ranges", &have_dense_ranges, "labels"_a.noconvert(), "Whether there is more than about one range per 400 labels.");
    nb::class_<LabelBits>(m, "LabelBits", "0/1 labels as bits.")
        .def("__init__", [](LabelBits* self, const AnyLabels& labels, std::size_t threads) { new (self) LabelBits(make_bits(labels, threads)); },
             "labels"_a.noconvert(), "threads"_a = 1)
        .def("ranges", &ranges_of, "The ranges of the labels.");
    m.def("tally", &tally_ranges, "real"_a.noconvert(), "predicted"_a.noconvert(), "recall"_a, "precision"_a,
          "The rewards of both sides: high and low word in units of 2**-94, and whole ones.");
    m.def("tally_bits", &tally_bits, "real"_a, "predicted"_a, "recall"_a, "precision"_a,
          "The rewards of both sides as in `tally`, and their numbers of ranges.");
    m.def("rows", &range_rows, "own"_a.noconvert(), "other"_a.noconvert(), "rule"_a, "other_points"_a,
          "Overlaps, covered points, size, factor, reward and center of each range of one side.");
    m.def("sweep", &sweep_curve, "real"_a.noconvert(), "scores"_a.noconvert(), "recall"_a, "precision"_a, "zero_division"_a, "borders"_a = nb::none(),
          "rows"_a = nb::none(), "points"_a = 0, "The 64 bits of each distinct score, descending, precision and recall there.");
    m.def("sweep_overlaps", &sweep_overlaps, "real"_a.noconvert(), "scores"_a.noconvert(), "real_points"_a, "predicted_points"_a, "borders"_a = nb::none(),
          "rows"_a = nb::none(), "points"_a = 0, "The most overlaps of a real and of a predicted range in a sweep.");
    m.def("sweep_runs", &sweep_runs, "real"_a.noconvert(), "borders"_a.noconvert(), "firsts"_a.noconvert(), "lasts"_a.noconvert(),
          "groups"_a.noconvert(), "recall"_a, "precision"_a, "zero_division"_a,
          "Precision and recall after each group of ranges with a confidence, and the most overlaps of a real and of a predicted range.");
    m.def("overlap_counts", &overlap_counts, "own"_a.noconvert(), "other"_a.noconvert(), "other_points"_a,
          "How many ranges of the other side each range meets.");
    bind_areas(m);
    bind_many(m);
    bind_operations(m);
    bind_training(m);
}
