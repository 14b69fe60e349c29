"""The claims ledger: every sentence of the paper's model and experiments that can be checked, and the result."""

from __future__ import annotations

from rangewise.paper.claims import classical as claims_classical
from rangewise.paper.claims import cost as claims_cost
from rangewise.paper.claims import detectors as claims_detectors
from rangewise.paper.claims import model as claims_model
from rangewise.paper.claims import nab as claims_nab
from rangewise.paper.claims.ledger import Row, claims_of
from rangewise.paper.figures.fig6 import Costs
from rangewise.paper.part import Part
from rangewise.tables import Table

FROM_LABELS = tuple(claim for part in (claims_model, claims_classical, claims_nab, claims_detectors) for claim in claims_of(part))
FROM_TIMES = tuple(claims_of(claims_cost))


def compute(costs: Costs, *, with_nab: bool) -> list[Row]:
    """Decide every claim, in the paper's order; those about NAB's files only if the files are there."""
    return [claim.row() for claim in FROM_LABELS if with_nab or not claim.needs_nab] + [claim.row(costs) for claim in FROM_TIMES]


def make(costs: Costs, *, with_nab: bool) -> Part:
    rows = compute(costs, with_nab=with_nab)
    held = sum(row.holds == "yes" for row in rows)
    cells = [(row.claim, str(row.section), row.computed, row.holds) for row in rows]
    failed = [(at, 3) for at, row in enumerate(rows) if row.holds != "yes"]
    table = Table(["claim, in our words", "section", "computed", "holds"], cells, words=range(4), bold=failed)
    left_out = "" if with_nab else " Claims about NAB's own files are left out, because the data folder does not have these files."
    text = (
        f"{held} of {len(rows)} claims hold, by the published labels and the times of Figure 6; {len(rows) - held} do not.{left_out} "
        "Section 3 of the paper is related work, 4 the model, 5 the experiments. A word such as *rarely* or *similar* "
        "needs a limit; see the function of each claim in `rangewise/paper/claims/`.\n\n" + table.to_markdown().rstrip("\n")
    )
    return Part("claims", "The claims of the text", Row._fields, rows, text)
