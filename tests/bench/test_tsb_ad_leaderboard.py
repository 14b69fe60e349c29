import json

import numpy as np
import pytest

import rangewise as rw
from rangewise.cli import run
from rangewise.datasets import Series
from rangewise.metrics import tsb_ad_buffer


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "scores").mkdir()
    for number in range(3):
        random = np.random.default_rng(number)
        values = np.sin(np.arange(400) / 5) + 0.1 * random.standard_normal(400)
        labels = np.zeros(400, dtype=int)
        labels[200 + number : 215] = 1
        lines = "".join(f"{value!r},{label}\n" for value, label in zip(values.tolist(), labels.tolist(), strict=True))
        (tmp_path / "data" / f"00{number}_X_id_1_Y_tr_100_1st_200.csv").write_text("Data,Label\n" + lines)
        scores = (random.random(400) + labels).tolist()
        (tmp_path / "scores" / f"00{number}_X_id_1_Y_tr_100_1st_200.csv").write_text("\n".join(map(repr, scores)) + "\n")
    return tmp_path


def test_rows_match_tsb_ad_and_are_averaged(folder):
    result = rw.bench.tsb_ad_rows("data", "scores/{series}.csv", folder=folder)
    assert len(result.rows) == 3
    assert result.failures == {}
    name = "001_X_id_1_Y_tr_100_1st_200.csv"
    content = np.loadtxt(folder / "data" / name, delimiter=",", skiprows=1)
    scores = np.loadtxt(folder / "scores" / name)
    expected = rw.tsb_ad(content[:, 1].astype(int), scores, buffer=tsb_ad_buffer(content[:, 0]), exact=False)
    assert result.rows[name] == expected
    assert result.mean["VUS-PR"] == pytest.approx(np.mean([row["VUS-PR"] for row in result.rows.values()]))


def test_missing_scores_are_reported(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "scores" / "002_X_id_1_Y_tr_100_1st_200.csv").unlink()
    assert run(["bench", "tsb-ad", "data", "--scores", "scores/{series}.csv"]) == 0
    assert "1 series have no row:" in capsys.readouterr().out
    assert run(["bench", "tsb-ad", "data", "--scores", "scores/{series}.csv", "--json", "--exact"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["exact"] is True
    assert list(content["failures"]) == ["002_X_id_1_Y_tr_100_1st_200.csv"]
    assert run(["bench", "tsb-ad", "data", "--scores", "nothing/{series}.csv"]) == 2
    assert "no series has a row; the first reason: no scores for this series" in capsys.readouterr().err


def test_series_in_memory(tmp_path):
    (tmp_path / "a.csv").write_text("0.1\n0.9\n0.2\n")
    result = rw.bench.tsb_ad_rows([Series("a", [1.0, 5.0, 1.0], real=[(1, 2)])], "{series}.csv", folder=tmp_path, exact=True, buffer=None)
    assert result.mean["AUC-PR"] == 1.0
