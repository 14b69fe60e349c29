import json

import pytest

from rangewise.cli import run


@pytest.fixture
def files(tmp_path):
    labels = {"real": "1" * 10 + "0" * 10 + "1" * 10, "thorough": "1" * 10 + "0" * 20, "touchy": "11" + "0" * 18 + "11" + "0" * 8}
    for name, text in labels.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(text) + "\n")
    (tmp_path / "scores.txt").write_text("\n".join(f"{0.1 + 0.02 * i:.2f}" for i in range(30)) + "\n")
    return tmp_path


def paths(files, *names):
    return [str(files / f"{name}.txt") for name in names]


def test_prints_summary_exceptions_and_grid(files, capsys):
    words = ["ranking", *paths(files, "real", "thorough", "touchy"), "--bias", "flat", "--beta", "1"]
    assert run(words) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "The leader depends on the settings: touchy under 62 % and thorough under 37 % of them.\ntouchy leads most often, because"
    )
    assert "  2 of 2 combinations: thorough leads, above alpha 0.37 touchy leads\n" in out
    assert "cardinality  beta  flat\none          1     B .37 A\nreciprocal   1     B .37 A\n\nA: touchy, B: thorough." in out
    assert run([*words, "--wide"]) == 0
    assert "one          flat  1     0.3750 to 1.0000  touchy" in capsys.readouterr().out


def test_json(files, capsys):
    assert run(["ranking", *paths(files, "real", "thorough", "touchy"), "--json", "--alpha", "0.1", "--alpha", "0.9"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert set(result) == {"detectors", "first", "crossings", "map", "always", "thresholds", "sees_labels", "explanation"}
    assert result["crossings"][0]["first"] == "thorough"
    assert result["map"][0]["from_alpha"] == 0.1


def test_draws_the_map(files, capsys):
    for name in ("map.png", "map.svg"):
        assert run(["ranking", *paths(files, "real", "thorough", "touchy"), "--plot", str(files / name)]) == 0
        assert (files / name).stat().st_size > 1000
    assert "The map of settings" in capsys.readouterr().out
    again = ["ranking", *paths(files, "real", "thorough", "touchy"), "--plot", str(files / "map.png")]
    assert run(again) == 2
    assert "map.png exists; write to another file, or overwrite it with --force" in capsys.readouterr().err
    assert run([*again, "--force"]) == 0


def test_scores_need_a_threshold(files, capsys):
    assert run(["ranking", *paths(files, "real", "scores")]) == 2
    assert run(["ranking", *paths(files, "real", "scores", "touchy"), "--threshold", "equal-share", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sees_labels"]
    assert run(["ranking", *paths(files, "real", "scores"), "--threshold", "scores=0.5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["thresholds"] == {"scores": 0.5}


def test_threshold_applies_only_to_scores(files, capsys):
    words = paths(files, "real", "scores", "touchy")
    (files / "table.csv").write_text("time,score\n" + "".join(f"{i},{0.1 + 0.02 * i:.2f}\n" for i in range(30)))
    assert run(["ranking", *words, "--threshold", "scores=0.5", "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)
    assert ranked["thresholds"] == {"scores": 0.5}
    assert run(["ranking", words[0], f"scores={files / 'table.csv'}", words[2], "--threshold", "0.5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == ranked
    for command in ("ranking", "compare"):
        assert run([command, *paths(files, "real", "thorough", "touchy"), "--threshold", "0.5"]) == 2
        assert "no detector has scores; leave it out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--threshold", "scores=x"], "the threshold of scores is a number, or a rule that is one of best-f, equal-share; got 'x'"),
        (["--threshold", "best-f", "--threshold", "scores=1"], "one policy, or NAME=X"),
        (["--threshold", "other=1"], "a detector with a threshold"),
        (["--threshold", "bst-f"], "best-f"),
        (["--plot", "map.txt"], "PNG, SVG or PDF"),
        (["--bias", "sideways", "--threshold", "best-f"], "flat, front, back, middle"),
    ],
)
def test_bad_options_exit_with_2_and_one_line(files, capsys, options, message):
    assert run(["ranking", *paths(files, "real", "scores"), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
