"""The authors' own labels get the scores of their own program."""

import json

import pytest
from pytest import approx

import rangewise as rw
from rangewise.datasets import read_labels

AS_POINTS = {"classical": "both", "T": None, "numenta_like": "predicted"}


def test_published_labels_match_the_authors_program(golden_folder):
    folder = golden_folder / "paper-labels"
    rows = json.loads((folder / "golden.json").read_text())
    assert len(rows) > 20
    for row in rows:
        case = folder / row["dataset"] / row["detector"]
        model = rw.RangeModel(
            alpha=row["alpha"],
            beta=row["beta"],
            cardinality=row["gamma"],
            recall_bias=row["delta_r"],
            precision_bias=row["delta_p"],
            as_points=AS_POINTS[row["mode"]],
        )
        score = model.score(read_labels(f"{case}.real"), read_labels(f"{case}.pred"))
        assert (score.precision, score.recall, score.f) == approx((row["Precision"], row["Recall"], row["F-Score"]), rel=0, abs=1e-12), row


@pytest.mark.parametrize(
    ("dataset", "count"), [("space_shuttle", 5), ("nyc_taxi", 3), ("aapl", 2), ("timeguided", 12), ("machine_temp", 2)]
)
def test_number_of_real_ranges_matches_the_paper(golden_folder, dataset, count):
    assert len(rw.as_ranges(read_labels(golden_folder / "paper-labels" / dataset / "lstm_ad.real"))) == count
