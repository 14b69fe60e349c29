"""Figures 3 to 5 and Table 2, compared with the authors' program and with statements of the paper."""

import json

import pytest
from pytest import approx

from naive import model as naive
from rangewise.inputs.ranges import Ranges
from rangewise.paper.figures import fig3, fig4, fig5, table2
from rangewise.paper.published import DATASETS, DETECTORS, Labeled, harmonic, published


@pytest.fixture
def golden(golden_folder, monkeypatch):
    """Results of the authors' program: (precision, recall, F) by data set, detector and settings."""
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    rows = json.loads((golden_folder / "paper-labels" / "golden.json").read_text())
    return {
        (row["dataset"], row["detector"], row["mode"], row["beta"], row["alpha"], row["gamma"], row["delta_r"]): (
            row["Precision"],
            row["Recall"],
            row["F-Score"],
        )
        for row in rows
        if row["delta_p"] == "flat"
    }


def exactly(value):
    return approx(value, rel=0, abs=1e-12)


@pytest.mark.parametrize("dataset", ["ecg", "nyc_taxi"])
def test_figure_3_matches_the_authors_program(golden, dataset):
    bars = fig3.compute()
    precision, recall, f1 = golden[dataset, "lstm_ad", "classical", 1, 0, "one", "flat"]
    for infix in ("", "_T"):
        values = [bars.value(f"{kind}{infix}_Classical", dataset) for kind in ("Precision", "Recall", "F1")]
        assert values == exactly([precision, recall, f1])
    for bias in fig3.BIASES.values():
        precision, recall, f1 = golden[dataset, "lstm_ad", "T", 1, 0, "reciprocal", bias]
        assert bars.value(f"Recall_T_{bias.title()}", dataset) == exactly(recall)
        assert bars.value(f"F1_T_{bias.title()}", dataset) == exactly(f1)
        assert bars.value("Precision_T_Flat", dataset) == exactly(precision)


@pytest.mark.parametrize("dataset", ["ecg", "nyc_taxi"])
def test_figure_4_matches_the_authors_program(golden, dataset):
    bars = fig4.compute()
    for series, beta in (("F1_T", 1), ("F0.5_T", 0.5), ("F2_T", 2)):
        assert bars.value(series, dataset) == exactly(golden[dataset, "lstm_ad", "numenta_like", beta, 0, "one", "front"][2])


@pytest.mark.parametrize("dataset", ["ecg", "nyc_taxi"])
@pytest.mark.parametrize("detector", DETECTORS)
def test_figure_5_matches_the_authors_program(golden, dataset, detector):
    bars = fig5.compute()
    assert bars.value("F1_Classical", dataset, detector) == exactly(golden[dataset, detector, "classical", 1, 0, "one", "flat"][2])
    assert bars.value("F1_T_Front_Flat", dataset, detector) == exactly(golden[dataset, detector, "T", 1, 0, "reciprocal", "front"][2])


@pytest.mark.parametrize("dataset", ["sine", "timeguided", "space_shuttle"])
def test_figure_3_matches_naive_on_other_data_sets(golden, dataset):
    run, bars = published(dataset, "lstm_ad"), fig3.compute()
    for name, delta in naive.BIASES.items():
        rules = {"recall": (naive.reciprocal, delta), "precision": (naive.reciprocal, naive.flat)}
        precision, recall, f1 = naive.score(list(run.real), list(run.predicted), **rules)
        values = [bars.value(series, dataset) for series in ("Precision_T_Flat", f"Recall_T_{name.title()}", f"F1_T_{name.title()}")]
        assert values == approx([precision, recall, f1])


def test_bars_have_the_names_of_the_paper(golden):
    bars = {figure.__name__.rpartition(".")[2]: figure.compute() for figure in (fig3, fig4, fig5)}
    biases = ("Flat", "Front", "Back", "Middle")
    assert bars["fig3"].names("series", panel="recall") == (
        "Recall_Classical",
        "Recall_T_Classical",
        *(f"Recall_T_{bias}" for bias in biases),
    )
    assert bars["fig3"].names("series", panel="precision") == ("Precision_Classical", "Precision_T_Classical", "Precision_T_Flat")
    assert bars["fig3"].names("series", panel="f1") == ("F1_Classical", "F1_T_Classical", *(f"F1_T_{bias}" for bias in biases))
    assert bars["fig4"].names("series") == (
        "Numenta_Standard",
        "F1_T",
        "Numenta_Reward_Low_FP",
        "F0.5_T",
        "Numenta_Reward_Low_FN",
        "F2_T",
    )
    assert bars["fig5"].names("series") == ("F1_Classical", "Numenta_Standard", "F1_T_Front_Flat")
    assert [len(figure_bars.rows) for figure_bars in bars.values()] == [7 * (6 + 3 + 6), 7 * 3 * 2, 3 * 3 * 3]
    assert set(bars["fig3"].names("dataset")) == set(bars["fig4"].names("dataset")) == set(DATASETS)
    assert bars["fig5"].names("panel") == ("sine", "ecg", "nyc_taxi")


@pytest.mark.parametrize(("profile", "series"), [(profile, names[0]) for profile, names in fig4.PROFILES.items()])
def test_figure_4_is_sorted_by_nab_score(golden, profile, series):
    bars = fig4.compute()
    scores = [bars.value(series, dataset) for dataset in bars.names("dataset", panel=profile)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0 > scores[-1]


def test_negative_nab_scores_are_drawn_at_a_hundredth():
    assert [fig5.shown(score) for score in (0.5, 0.0, -445.0)] == [0.5, 0.0, -4.45]


def test_table_2_rounds_to_the_printed_values():
    for scenario, scores in table2.compute().items():
        assert tuple(round(value, 2) for value in scores.values()) == table2.PRINTED[scenario]


def test_table_2_in_markdown_shows_the_printed_values():
    part = table2.make()
    assert part.columns == ("scenario", "Numenta_Standard", "F1_T_Front_Flat", "F1_T_Back_Flat")
    assert [row[0] for row in part.rows] == ["Front-Predicted", "Back-Predicted"]
    assert "0.418 (0.42)" in part.text


@pytest.mark.parametrize(("real", "predicted"), [([(2, 5)], [(4, 8)]), ([], [(1, 2)]), ([(1, 2)], []), ([], [])])
def test_scores_of_points_match_naive(real, predicted):
    scores = Labeled(Ranges(real), Ranges(predicted), 10).points()
    assert scores == approx(naive.score(real, predicted, as_points="both"))


def test_f1_of_nothing_is_0():
    assert harmonic(0.0, 0.0) == 0.0
