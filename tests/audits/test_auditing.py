import json

import numpy as np
import polars as pl
import pytest

import rangewise as rw
from rangewise.audits import CHECKS
from rangewise.cli import run
from rangewise.datasets import Series
from rangewise.generate.flaws import FLAWS, clean_series, flawed_series

SEEDS = range(20, 32)


@pytest.mark.parametrize("flaw", FLAWS)
def test_finds_each_planted_flaw_and_no_other(flaw):
    for seed in SEEDS:
        series = flawed_series(flaw, seed)
        result = rw.audit(*series)
        assert {each.check for each in result.of(series[-1].name) if each.is_flaw} == {flaw}
        assert result.flagged == (series[-1].name,)


def test_clean_series_have_no_flaws():
    result = rw.audit([clean_series(seed) for seed in SEEDS])
    assert result.flagged == ()
    assert len(result.clean) == len(SEEDS)
    assert "No series needs to be excluded." in result.verdict()


def test_every_check_is_planted_or_tested_here():
    others = {"unreadable", "at-the-end", "gaps", "buffer", "position", "power"}
    assert set(CHECKS) == set(FLAWS) | others


def noise(rows=2000, seed=0):
    return np.random.default_rng(seed).normal(size=rows)


def test_notes_are_not_flaws():
    times = np.arange(2000) * 60
    times[1000:] += 600
    wave = np.sin(2 * np.pi * np.arange(2000) / 100) + 0.01 * noise()
    result = rw.audit(Series("a", wave, times, real=[(500, 502), (1995, 2000)]))
    notes = {each.check: each.message for each in result.findings if not each.is_flaw and each.series}
    assert set(notes) == {"at-the-end", "gaps", "buffer"}
    assert notes["gaps"] == "1 gaps; the longest is 11 usual steps"
    assert not {"at-the-end", "gaps", "buffer"} & {each.check for each in result.findings if each.is_flaw}


def test_late_anomalies_and_few_series():
    at_the_end = [Series(f"s{number}", noise(seed=number), real=[(1700 + number, 1750 + number)]) for number in range(30)]
    assert "position" in rw.audit(at_the_end).counts()
    spread = [Series(f"s{number}", noise(seed=number), real=[(60 * number, 60 * number + 50)]) for number in range(30)]
    assert not {"position", "power"} & set(rw.audit(spread).counts())
    few = rw.audit(spread[:5])
    assert "5 series with anomalies: even a detector that wins on all of them has p = 0.062" in few.verdict()
    assert "power" not in rw.audit(spread[:6]).counts()


def test_unreadable_files_are_findings(tmp_path):
    (tmp_path / "bad.csv").write_text("value,label\n1,0\nx,0\n")
    good = "value,label\n" + "\n".join(f"{value},{int(600 <= row < 640)}" for row, value in enumerate(noise()))
    (tmp_path / "good.csv").write_text(good)
    result = rw.audit(tmp_path)
    assert [(each.check, each.series) for each in result.findings if each.is_flaw and each.series] == [("unreadable", "bad.csv")]
    assert result.clean == ("good.csv",)


def test_short_constant_runs_are_normal_and_long_ones_are_not():
    random = np.random.default_rng(3)
    counter = np.repeat(random.integers(0, 3, 400), random.integers(5, 40, 400)).astype(float)
    assert "constant" not in rw.audit(Series("counter", counter, real=[(100, 150)])).counts()
    stuck = np.concatenate([counter, np.full(2000, 7.0), counter])
    assert "constant" in rw.audit(Series("stuck", stuck, real=[(100, 150)])).counts()
    labeled = rw.audit(Series("labeled", stuck, real=[(len(counter), len(counter) + 2000)]))
    assert "constant" not in labeled.counts()


def test_many_channels_and_odd_series():
    values = np.column_stack([noise(), np.zeros(2000), noise(seed=1)])
    result = rw.audit(Series("wide", values, real=[(100, 140)]), Series("one", [1.0], real=[(0, 1)]), Series("nan", [np.nan] * 5))
    assert {each.check for each in result.of("wide") if each.is_flaw} == {"constant"}
    assert "density" in {each.check for each in result.of("one")}
    assert {"missing", "no-anomaly"} <= {each.check for each in result.of("nan")}


@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**600, 2.0**1018])
def test_very_large_and_small_values_have_the_same_findings(factor):
    """One series with values whose squares overflow must not end the audit of all others."""
    usual = np.random.default_rng(5).normal(size=600).round(2)
    usual[300] = 30.0
    usual[400:480] = usual[399]

    def findings(values):
        several = [Series("first", values, real=[(300, 301)]), Series("second", values[50:], real=[(250, 251)])]
        return [(each.check, each.series, list(each.where)) for each in rw.audit(*several).findings]

    expected = findings(usual)
    assert {"trivial", "duplicate", "constant"} <= {check for check, *_ in expected}
    assert findings(usual * factor) == expected


def test_requires_series():
    with pytest.raises(ValueError, match="at least one series"):
        rw.audit()


def write(folder, series):
    pl.DataFrame({"timestamp": series.timestamps // 10**9, "value": series.values[:, 0], "label": series.labels}).write_csv(
        folder / f"{series.name}.csv"
    )


def test_audit_command(tmp_path, capsys):
    data = tmp_path / "data"
    data.mkdir()
    for seed in (20, 21):
        write(data, clean_series(seed))
    write(data, flawed_series("trivial", 22)[0])
    page = tmp_path / "page.html"
    assert run(["audit", str(data), "--html", str(page), "--name", "three"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("three: 1 of 3 series has a flaw (trivial 1).")
    text = page.read_text(encoding="utf-8")
    assert "Audit of three" in text
    assert text.count("<svg") == 1
    assert run(["audit", str(data), "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["flagged"] == ["series 22.csv"]
    assert run(["audit", str(data), "--markdown"]) == 0
    assert "| series 22.csv | flaw | trivial: solved by" in capsys.readouterr().out


def test_scores_with_and_without_flawed_series(tmp_path, capsys):
    data = tmp_path / "data"
    data.mkdir()
    for series in (clean_series(20), clean_series(21), *flawed_series("trivial", 22)):
        write(data, series)
    table = tmp_path / "scores.csv"
    table.write_text("file,a,b\nseries 20.out,0.2,0.4\nseries 21.out,0.2,0.4\nseries 22.out,1,0.1\nother.out,0,0\n")
    assert run(["audit", str(data), "--table", str(table), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["table"]
    assert [(row["detector"], row["place"], row["clean_place"]) for row in rows] == [("a", 1, 2), ("b", 2, 1)]
    assert rows[0]["clean_mean"] == pytest.approx(0.2)
    assert run(["audit", str(data), "--table", str(table)]) == 0
    out = capsys.readouterr().out
    assert "without flawed series" in out
    assert f"Means over 3 of 4 series of {table}; 2 of them have no flaw." in " ".join(out.split())
    assert run(["audit", str(data), "--table", str(table), "--lower-is-better", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [(row["detector"], row["place"], row["clean_place"]) for row in content["table"]] == [("b", 1, 2), ("a", 2, 1)]
    assert content["table_series"] == {"all": 4, "in_data": 3, "clean": 2}
    for arguments, message in (
        ([str(data), "--groups", "x"], "describe the file of --table"),
        ([str(data), "--lower-is-better"], "describe the file of --table"),
        ([str(data), "--json", "--markdown"], "choose one"),
        (["nothing-here-*.csv"], "data 1 matches no series: 'nothing-here-*.csv'"),
    ):
        assert run(["audit", *arguments]) == 2
        assert message in capsys.readouterr().err
