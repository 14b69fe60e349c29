import json
import re

import numpy as np
import pytest

from rangewise.cli import run


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = np.zeros(200, dtype=int)
    labels[50:70] = labels[120:125] = 1
    np.savetxt("real.txt", labels, fmt="%d")
    np.savetxt("one.txt", np.random.default_rng(1).random(200) + labels)
    np.savetxt("two.txt", np.roll(labels, 3), fmt="%d")
    return tmp_path


def test_writes_the_page_and_prints_a_summary(files, capsys):
    assert run(["report", "real.txt", "one.txt", "two.txt", "--threshold", "one=0.9", "--out", "page.html", "--title", "Mine"]) == 0
    out = capsys.readouterr().out
    html = (files / "page.html").read_text()
    assert "page.html" in out
    assert " MB" in out
    assert out.split(".")[0] in re.sub("<[^>]+>", "", html)
    assert '"rangewise","curve","real.txt","one.txt"' in html
    assert '"rangewise","score","real.txt","two.txt"' in html


@pytest.mark.parametrize("policy", ["1.2", "best-f", "equal-share:0.1"])
def test_thresholds_are_those_of_compare(files, capsys, policy):
    """Detectors with scores have one policy, as in ``compare``; predictions stay as they are."""
    np.savetxt("three.txt", np.random.default_rng(2).random(200) + np.loadtxt("real.txt"))
    paths = ["real.txt", "one.txt", "two.txt", "three.txt", "--threshold", policy]
    assert run(["report", *paths, "--json", "--out", "policy.html"]) == 0
    shown = {row["name"]: row["f"] for row in json.loads(capsys.readouterr().out)["detectors"]}
    assert run(["compare", *paths, "--metric", "range_fbeta", "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)["detectors"]
    assert shown == {row["detector"]: row["metrics"]["range_fbeta"]["value"] for row in compared}


@pytest.mark.parametrize("column", ["score", "other"])
@pytest.mark.parametrize("labels", [True, False])
def test_command_on_the_page_reads_the_same_column(files, capsys, column, labels):
    """A table with two columns: the command on the page scores the column that the page shows, as scores or labels."""
    random = np.random.default_rng(4)
    shown, hidden = (random.integers(0, 2, 200) if labels else random.integers(0, 9, 200) / 8 for _ in range(2))
    columns = {"score": shown, "other": hidden} if column == "score" else {"score": hidden, "other": shown}
    rows = zip(*columns.values(), strict=True)
    (files / "table.csv").write_text("score,other\n" + "".join(f"{one},{two}\n" for one, two in rows))
    (files / "shown.txt").write_text("".join(f"{value}\n" for value in shown))
    (files / "real.txt").write_text("".join(f"{int(row % 50 < 9)}\n" for row in range(200)))
    options = [] if column == "score" else ["--scores", column]
    assert run(["report", "real.txt", "table.csv", "--out", "columns.html", *options]) == 0
    data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', (files / "columns.html").read_text(), re.DOTALL)[1])
    name, *words = data["detectors"][0]["command"]
    outputs = []
    for arguments in (words, [words[0], "real.txt", "shown.txt"]):
        capsys.readouterr()
        assert run([*arguments, "--json"]) == 0
        outputs.append(json.loads(capsys.readouterr().out)["f" if labels else "average_precision"])
    assert (name, words[0]) == ("rangewise", "score" if labels else "curve")
    assert outputs[0] == outputs[1]


def test_command_in_the_form_of_the_page_runs(files, capsys):
    assert run(["curve", "real.txt", "one.txt", "--threshold", "0.9", "--model", "RangeModel(alpha=0.5)"]) == 0
    assert "0.9" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["one.txt", "--out", "page.png"], "ends in .html"),
        (["two.txt", "--threshold", "0.5"], "no detector has scores"),
        (["one.txt", "--threshold", "one=high"], "'high'"),
        (["one.txt", "--threshold", "other=1"], "a detector with a threshold is one of one; got 'other'"),
        (["absent.txt"], "absent.txt"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(files, capsys, arguments, message):
    assert run(["report", "real.txt", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
