"""What the paper says of the cost of computing its metrics (section 5.5, Figure 6). Each takes the times that Figure 6 shows."""

from __future__ import annotations

import math

from rangewise.paper.claims.ledger import ClaimResult, claim
from rangewise.paper.figures.fig6 import Costs

COST = "5.5 Cost analysis"
_NEAR = 0.35


def slopes(costs: Costs, *series: str) -> str:
    return ", ".join(f"{name} {costs.slope(name):.2f}" for name in series)


@claim(COST, "The time of the naive algorithms is proportional to the product of the numbers of real and predicted ranges.")
def naive_is_quadratic(costs: Costs) -> ClaimResult:
    names = ("Naive_Classical", "Naive_T")
    return ClaimResult(
        f"growth with the number of ranges on both sides (2 expected): {slopes(costs, *names)}",
        all(abs(costs.slope(name) - 2) < _NEAR for name in names),
    )


@claim(COST, "With the first optimization, the time is proportional to the larger of the two numbers.")
def optimized_is_linear(costs: Costs) -> ClaimResult:
    names = ("Optimized_Classical", "Optimized1_T", "Optimized1+2_T")
    return ClaimResult(f"growth (1 expected): {slopes(costs, *names)}", all(abs(costs.slope(name) - 1) < _NEAR for name in names))


@claim(COST, "A bias in closed form, with one computation per range, is faster still.")
def closed_form_helps(costs: Costs) -> ClaimResult:
    ratio = costs.ratio("Optimized1_T", "Optimized1+2_T")
    return ClaimResult(f"{ratio:.2f} times as fast as the first optimization alone", ratio > 1)


@claim(COST, "Computed naively, range-based metrics cost significantly more than classical ones.")
def naive_ranges_cost_more(costs: Costs) -> ClaimResult:
    ratio = costs.ratio("Naive_T", "Naive_Classical")
    return ClaimResult(f"{ratio:.1f} times as long, with {costs.counts[-1]:,} ranges on each side", ratio > 2)


@claim(COST, "Optimized, both are almost three orders of magnitude faster than their naive baselines.")
def three_orders(costs: Costs) -> ClaimResult:
    orders = [
        math.log10(costs.ratio(naive, fast)) for naive, fast in (("Naive_Classical", "Optimized_Classical"), ("Naive_T", "Optimized1+2_T"))
    ]
    return ClaimResult(
        f"{orders[0]:.1f} orders for the classical metrics, {orders[1]:.1f} for ours, with {costs.counts[-1]:,} ranges; they grow with "
        "their number (2.5 or more counts as almost three)",
        min(orders) >= 2.5,
    )


@claim(COST, "Optimized, range-based metrics take 2 to 3 times as long as classical ones.")
def factor_of_two_or_three(costs: Costs) -> ClaimResult:
    ratio = costs.ratio("Optimized1+2_T", "Optimized_Classical")
    return ClaimResult(f"{ratio:.1f} times as long", 1.5 <= ratio < 3.5)
