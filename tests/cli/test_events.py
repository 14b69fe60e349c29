"""`rangewise events`, from files in seconds to scores, curves, average precision and annotators."""

import json

import pytest

import rangewise as rw
from rangewise.cli import run
from rangewise.events import average_precision, score_events

REAL = [(600.0, 660.0), (3000.0, 3050.0)]
PREDICTED = [(590.0, 640.0), (2000.0, 2010.0)]


def events(pairs, **columns):
    header = "\t".join(["onset", "duration", *columns])
    rows = [
        "\t".join(map(str, [start, stop - start, *(values[at] for values in columns.values())])) for at, (start, stop) in enumerate(pairs)
    ]
    return "\n".join([header, *rows]) + "\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.tsv").write_text(events(REAL, trial_type=["sz", "artifact"]))
    (tmp_path / "predicted.tsv").write_text(events(PREDICTED, trial_type=["sz", "sz"], confidence=[0.9, 0.4]))
    (tmp_path / "lasting.tsv").write_text(events(REAL, recordingDuration=[7200, 7200]))
    return tmp_path


def told(capsys, *words):
    assert run(["events", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {}),
        (["--protocol", "ovlp"], {"protocol": "ovlp"}),
        (["--protocol", "taes"], {"protocol": "taes"}),
        (["--grid", "10Hz"], {"grid": "10Hz"}),
        (["--join", "30min", "--split", "none"], {"join": "30min", "split": None}),
        (["--tolerance", "0s", "1h", "--min-overlap", "0.01"], {"tolerance": (0, 3600), "min_overlap": 0.01}),
    ],
)
def test_scores_are_those_of_python(folder, capsys, words, options):
    expected = score_events(REAL, PREDICTED, span=(0, 7200), **options).to_dict()
    assert told(capsys, "real.tsv", "predicted.tsv", "--span", "0", "7200", *words) == expected
    # The length of the recording may stand in the file.
    assert told(capsys, "lasting.tsv", "predicted.tsv", *words) == expected


def test_events_may_be_chosen(folder, capsys):
    expected = score_events(REAL[:1], PREDICTED[:1], span=(0, 7200)).to_dict()
    assert told(capsys, "real.tsv", "predicted.tsv", "--span", "0", "7200", "--label", "sz", "--threshold", "0.5") == expected


def test_words(folder, capsys):
    assert run(["events", "real.tsv", "predicted.tsv", "--explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  R1 10:00 to 11:00 (1 min): detected, 33 % of it and its tolerance predicted" in lines
    assert "  P2 33:20 to 33:30 (10 s): false alarm" in lines
    assert lines[-1] == "false alarms per day need the length of the recording: --span FIRST LAST"
    assert len(told(capsys, "real.tsv", "predicted.tsv", "--explain")["real"]) == 2


def test_thresholds(folder, capsys):
    found = told(capsys, "lasting.tsv", "predicted.tsv", "--by", "threshold")
    assert (found["thresholds"], found["false_alarms_per_day"]) == ([0.9, 0.4], [0.0, 12.0])
    assert run(["events", "lasting.tsv", "predicted.tsv", "--by", "threshold"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["0.9", "0.5", "1", "0.6667", "0"]


def test_average_precision(folder, capsys):
    found = told(capsys, "real.tsv", "predicted.tsv", "--by", "iou")
    scored = [(*pair, confidence) for pair, confidence in zip(PREDICTED, (0.9, 0.4), strict=True)]
    assert found["classes"]["sz"][0] == average_precision(REAL[:1], scored, iou=0.5)
    assert found["classes"]["artifact"] == [0.0] * 10
    assert run(["events", "real.tsv", "predicted.tsv", "--by", "iou"]) == 0
    assert "mean of .5:.05:.95" in capsys.readouterr().out


def test_annotators(folder, capsys):
    (folder / "people.tsv").write_text(events([*REAL, *REAL], annotator=["ann", "ann", "bob", "bob"]))
    found = told(capsys, "people.tsv", "predicted.tsv", "--by", "annotator", "--span", "0", "7200")
    plain = rw.score(REAL, PREDICTED)
    assert (
        found["annotators"]["ann"]
        == found["annotators"]["consensus"]
        == {"precision": plain.precision, "recall": plain.recall, "f": plain.f}
    )
    assert (found["alpha"], found["pairs"], found["left_out"]["p"]) == (1.0, {"ann, bob": 1.0}, 0.5)
    assert run(["events", "people.tsv", "predicted.tsv", "--by", "annotator"]) == 2


def test_folders_by_subject(folder, capsys):
    for side, pairs in (("real", REAL), ("found", PREDICTED)):
        for subject in ("sub-01", "sub-02"):
            for number in (1, 2):
                path = folder / side / subject / f"{subject}_run-{number}_events.tsv"
                path.parent.mkdir(parents=True, exist_ok=True)
                shown = pairs if subject == "sub-01" or side == "real" else REAL
                path.write_text(events(shown, eventType=["sz", "sz"], recordingDuration=[7200, 7200]))
    found = told(capsys, "real", "found")
    assert found["events"]["sensitivity"] == {"mean": 0.75, "standard_deviation": 0.25}
    assert found["subjects"]["sub-01"]["events"]["false_alarms_per_day"] == 12.0
    (folder / "found" / "sub-02" / "sub-02_run-2_events.tsv").unlink()
    assert run(["events", "real", "found"]) == 2
    assert "found lacks 1 files that the other folder has: sub-02/sub-02_run-2_events.tsv" in capsys.readouterr().err


def test_answers_of_a_language_model(folder, capsys):
    answers = ["[[600, 660]]", "I cannot help with that.", "no idea", '```json\n{"anomalies": [[600, 660], [3000, 3050]]}\n```']
    (folder / "answers.json").write_text(json.dumps(answers))
    found = told(capsys, "lasting.tsv", "answers.json")
    assert (found["answers"], found["refused"], found["unreadable"]) == (4, 1, 1)
    assert found["sensitivity"]["values"] == [0.5, 0.0, 0.0, 1.0]
    assert run(["events", "lasting.tsv", "answers.json"]) == 0
    assert "4 answers, 1 refused, 1 unreadable" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["real.tsv", "predicted.tsv", "--by", "events"], "did you mean 'event'"),
        (["real.tsv", "predicted.tsv", "--protocol", "sz"], "protocol is one of szcore, ovlp, taes"),
        (["real.tsv", "predicted.tsv", "--span", "0", "700"], "lies outside the recording"),
        (["real.tsv", "predicted.tsv", "--by", "iou", "--grid", "10Hz"], "--grid belongs to a protocol"),
        (["real.tsv", "predicted.tsv", "--by", "threshold", "--grid", "10Hz"], "--grid is for --by event"),
        (["real.tsv", "real.tsv", "--by", "threshold"], "gives no confidences"),
        (["real.tsv", "real.tsv", "--threshold", "0.5"], "leave --threshold out"),
        (["real.tsv", "predicted.tsv", "--by", "annotator", "--span", "0", "7200"], "names no annotators"),
        (["real.tsv", "predicted.tsv", "--explain", "--by", "iou"], "--explain is for --by event"),
        (["real.tsv", "predicted.tsv", "--label", "dog"], "no events of class 'dog'"),
        ([".", "predicted.tsv"], "is not a folder"),
        ([".", ".", "--explain"], "are for two files"),
        (["lasting.tsv", "longer.tsv"], "different lengths of the recording"),
        (["one-annot.txt", "two-annot.txt"], "are they of the same recording"),
    ],
)
def test_bad_input_is_told_in_one_line(folder, capsys, words, message):
    (folder / "longer.tsv").write_text(events(REAL, recordingDuration=[7300, 7300]))
    for name, hour in (("one", 1), ("two", 2)):
        text = f"# MNE-Annotations\n# orig_time : 2024-01-01 0{hour}:00:00\n# onset, duration, description\n1.0,2.0,x\n"
        (folder / f"{name}-annot.txt").write_text(text)
    assert run(["events", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
