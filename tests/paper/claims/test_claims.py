"""The ledger of claims: every claim is decided, and only the known ones fail on the published labels."""

from types import ModuleType

import pytest

from rangewise.paper.claims import claims
from rangewise.paper.claims import cost as claims_cost
from rangewise.paper.claims.ledger import ClaimResult, claim, claims_of
from rangewise.paper.figures import fig6

LIKE_THE_PAPER = fig6.Costs(
    (100, 1_000),
    {
        "Naive_Classical": (0.002, 0.2),
        "Naive_T": (0.02, 2.0),
        "Optimized_Classical": (0.00004, 0.0004),
        "Optimized1_T": (0.0002, 0.002),
        "Optimized1+2_T": (0.0001, 0.001),
        "rangewise": (0.00001, 0.00002),
    },
)
FAILING_CLAIMS = {
    "Machine-Temp has three anomalies.",
    "The anomalies of Sine last 50 to 100 points.",
    "Range-based precision is below the classical one in all data sets but Time-Guided and NYC-Taxi.",
    "That is because the real and the predicted ranges of Time-Guided are both very narrow.",
    "The most striking exception is Space-Shuttle.",
    "Space-Shuttle has a few real anomalies of medium length, and more predictions, also of medium length.",
    "And in Figure 3 its range-based recall is larger than that of Sine.",
    "The Luminol of this experiment is its bitmap detector.",
    "Luminol has by far the greatest precision, Greenhouse by far the smallest.",
    "That makes both its precision and its recall greater than the others'.",
}


@pytest.fixture
def rows(golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    return claims.compute(LIKE_THE_PAPER, with_nab=True)


def test_every_claim_is_decided(rows):
    assert len(rows) >= 25
    assert len({row.claim for row in rows}) == len(rows)
    assert {row.holds for row in rows} == {"yes", "no"}
    assert all(row.computed for row in rows)
    assert {row.section[0] for row in rows} == {"3", "4", "5"}


def test_only_known_claims_fail_on_the_published_labels(rows):
    assert {row.claim for row in rows if row.holds == "no"} == FAILING_CLAIMS


def test_claims_about_nab_need_its_files(rows):
    without = claims.compute(LIKE_THE_PAPER, with_nab=False)
    assert len(rows) - len(without) == 3
    part = claims.make(LIKE_THE_PAPER, with_nab=False)
    assert tuple(part.columns) == ("claim", "section", "computed", "holds")
    assert "are left out" in part.text


def test_facts_of_the_labels_are_in_the_ledger(rows):
    computed = {row.claim: row.computed for row in rows}
    assert any("8 full, 4 half" in text and "x = 1 for 12" in text for text in computed.values())
    assert any("2 real, 1 predicted, x = 1 and 1" in text for text in computed.values())
    assert any(text.startswith("agreement of the published labels") and "NYC-Taxi 100 %" in text for text in computed.values())


def test_cost_claims_follow_the_times():
    assert [claim.row(LIKE_THE_PAPER).holds for claim in claims_of(claims_cost)] == ["yes"] * 6
    slow = fig6.Costs((100, 1_000), dict.fromkeys(LIKE_THE_PAPER.seconds, (0.001, 0.002)))
    assert [claim.row(slow).holds for claim in claims_of(claims_cost)] == ["no"] * 6


def test_claims_keep_their_order():
    module = ModuleType("part")
    for number in range(3):
        setattr(module, f"claim_{number}", claim("1", f"claim {number}")(lambda: ClaimResult("2", False)))
    assert [claim.row().claim for claim in claims_of(module)] == ["claim 0", "claim 1", "claim 2"]
