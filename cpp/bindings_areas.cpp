// Areas under curves over all thresholds, for Python.
#include "affiliation.hpp"
#include "arrays.hpp"
#include "groups.hpp"
#include "pate.hpp"
#include "point_areas.hpp"
#include "vus.hpp"

using namespace nb::literals;

namespace rangewise {
namespace {

// ROC and PR area by steps, PR area by trapezoids and the largest F of points.
nb::tuple bound_point_areas(const RangeArray& real, const AnyLabels& scores, double beta, const std::optional<Integers>& rows, std::size_t points) {
    const Timeline timeline(scores, std::nullopt, rows, points);
    timeline.check_inside(view(real));
    PointAreas found;
    with_sorted(scores, timeline, [&](const SortedPoints& sorted) { found = point_areas(view(real), timeline.points, sorted, beta); });
    return nb::make_tuple(found.roc, found.pr, found.trapezoid, found.best_f);
}

// Mean ROC and PR area over the buffer lengths first..last.
nb::tuple bound_volume(const RangeArray& real, const AnyLabels& scores, VolumeVariant variant, std::int64_t first, std::int64_t last,
                       const std::optional<Integers>& picks, const std::optional<Integers>& rows, std::size_t points) {
    const Timeline timeline(scores, std::nullopt, rows, points);
    timeline.check_inside(view(real));
    Areas found{0.0, 0.0};
    with_sorted(scores, timeline, [&](const SortedPoints& sorted) {
        const Groups groups(sorted, timeline.points, span_of(picks), !picks);
        found = volume(view(real), sorted, groups, variant, first, last);
    });
    return nb::make_tuple(found.roc, found.pr);
}

// PATE of each pair of buffer lengths: areas, or F at the highest threshold.
auto bound_pate(const RangeArray& real, const AnyLabels& scores, const Integers& early, const Integers& delay, const std::optional<Integers>& picks,
                bool steps, bool first_f, const std::optional<Integers>& rows, std::size_t points) {
    const Timeline timeline(scores, std::nullopt, rows, points);
    timeline.check_inside(view(real));
    if (early.shape(0) != delay.shape(0)) throw nb::value_error("one delay buffer an early buffer is needed");
    OwnedArray<double> values(early.shape(0));
    with_sorted(scores, timeline, [&](const SortedPoints& sorted) {
        const Groups groups(sorted, timeline.points, span_of(picks), !picks);
        Pate state(view(real), sorted, groups);
        for (std::size_t pair = 0; pair < early.shape(0); ++pair) {
            state.set_buffers(early.data()[pair], delay.data()[pair]);
            values.span()[pair] = first_f ? pate_first_f(state) : pate_area(state, steps);
        }
    });
    return values.release();
}

// The largest F of affiliation over all thresholds.
double bound_best_affiliation_f(const RangeArray& real, const AnyLabels& scores, double beta) {
    const Timeline timeline(scores, std::nullopt, std::nullopt, 0);
    timeline.check_inside(view(real));
    double best = 0.0;
    with_sorted(scores, timeline, [&](const SortedPoints& sorted) { best = best_affiliation_fbeta(view(real), sorted, beta); });
    return best;
}

}  // namespace

void bind_areas(nb::module_& m) {
    m.def("point_areas", &bound_point_areas, "real"_a.noconvert(), "scores"_a.noconvert(), "beta"_a, "rows"_a = nb::none(), "points"_a = 0,
          "ROC area, PR area by steps and by trapezoids, and the largest F of points.");
    m.def("best_affiliation_fbeta", &bound_best_affiliation_f, "real"_a.noconvert(), "scores"_a.noconvert(), "beta"_a,
          "The largest F of affiliation over all thresholds.");
    nb::enum_<VolumeVariant>(m, "VolumeVariant", "Whose definition of Range-AUC.")
        .value("tsb_ad", VolumeVariant::tsb_ad)
        .value("paper", VolumeVariant::paper)
        .value("timeeval", VolumeVariant::timeeval);
    m.def("volume", &bound_volume, "real"_a.noconvert(), "scores"_a.noconvert(), "variant"_a, "first"_a, "last"_a, "picks"_a.none(),
          "rows"_a = nb::none(), "points"_a = 0, "Mean ROC and PR area over buffer lengths.");
    m.def("pate", &bound_pate, "real"_a.noconvert(), "scores"_a.noconvert(), "early"_a, "delay"_a, "picks"_a.none(), "steps"_a, "first_f"_a,
          "rows"_a = nb::none(), "points"_a = 0, "PATE of each pair of buffer lengths: areas, or F at the highest threshold.");
}

}  // namespace rangewise
