// Alert rules at every threshold, for Python.
#include "arrays.hpp"
#include "backtest.hpp"

using namespace nb::literals;

namespace rangewise {
namespace {

using Ranks = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IncidentArray = nb::ndarray<const std::int64_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

std::span<const std::uint32_t> view(const Ranks& array) {
    return {array.data(), array.shape(0)};
}

nb::object bound_firing_levels(const Ranks& values, std::size_t hold, std::size_t keep) {
    OwnedArray<std::uint32_t> levels(values.shape(0));
    {
        nb::gil_scoped_release unlocked;
        firing_levels(view(values), hold, keep, levels.span());
    }
    return nb::cast(levels.release());
}

nb::object bound_rule_outcomes(const Ranks& levels, std::size_t steps, std::uint32_t ranks, const IncidentArray& incidents, std::int64_t interval) {
    const std::span<const Incident> given{reinterpret_cast<const Incident*>(incidents.data()), incidents.shape(0)};
    if (steps == 0 || levels.shape(0) % steps) throw nb::value_error("levels have a row of steps for each label set");
    for (const Incident& each : given)
        if (each.first < 0 || each.stop <= each.first || static_cast<std::size_t>(each.stop) > steps) throw nb::value_error("an incident lies outside the steps");
    for (const std::uint32_t level : view(levels))
        if (level > ranks) throw nb::value_error("a level is above the highest rank");
    OwnedArray<std::int64_t> found(ranks), alerts(ranks), false_alerts(ranks), firing(ranks);
    OwnedArray<double> detect(ranks), reset(ranks);
    {
        nb::gil_scoped_release unlocked;
        RuleSweep(view(levels), steps, ranks, given, interval).run({found.span(), alerts.span(), false_alerts.span(), firing.span(), detect.span(), reset.span()});
    }
    return nb::make_tuple(found.release(), alerts.release(), false_alerts.release(), firing.release(), detect.release(), reset.release());
}

}  // namespace

void bind_operations(nb::module_& m) {
    m.def("firing_levels", &bound_firing_levels, "values"_a.noconvert(), "hold"_a, "keep"_a,
          "The highest rank at which a rule fires at each step; rank 0 is an absent sample.");
    m.def("rule_outcomes", &bound_rule_outcomes, "levels"_a.noconvert(), "steps"_a, "ranks"_a, "incidents"_a.noconvert(), "interval"_a,
          "At each rank from 1: incidents found, alerts, false alerts, firing steps, and the median time to detect and reset time.");
}

}  // namespace rangewise
