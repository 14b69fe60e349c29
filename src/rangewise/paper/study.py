"""The paper's experiments: the parts by name, their data, and how each is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from rangewise.paper.claims import claims
from rangewise.paper.figures import fig3, fig4, fig5, fig6, table2
from rangewise.paper.nab_series import missing_nab
from rangewise.paper.part import Part
from rangewise.paper.published import missing_labels

PARTS = ("fig3", "fig4", "table2", "fig5", "fig6", "claims")
FROM_LABELS = ("fig3", "fig4", "fig5", "claims")
"""The parts that need the published labels."""


@dataclass(frozen=True)
class Study:
    """Makes the parts. Figure 6 and the claims about cost share one measurement; ``quick`` makes it a small one."""

    quick: bool = False
    say: Callable[[str], None] = lambda text: None

    @cached_property
    def costs(self) -> fig6.Costs:
        return fig6.measure(fig6.QUICK_COUNTS if self.quick else fig6.COUNTS, self.say)

    def make(self, name: str) -> Part:
        self.say(name)
        match name:
            case "fig6":
                return fig6.make(self.costs)
            case "claims":
                return claims.make(self.costs, with_nab=not missing_nab())
        return {"fig3": fig3.make, "fig4": fig4.make, "table2": table2.make, "fig5": fig5.make}[name]()


def missing_for(name: str) -> dict[str, list[str]]:
    """The missing files of a part, by collection."""
    needed = {"paper-labels": missing_labels() if name in FROM_LABELS else [], "nab": missing_nab() if name == "claims" else []}
    return {collection: files for collection, files in needed.items() if files}
