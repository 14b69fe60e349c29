"""``rangewise events``: scores, curves, average precision and annotators from files in seconds."""

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


def invoke_json(capsys, *words):
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
def test_scores_match_python(folder, capsys, words, options):
    expected = score_events(REAL, PREDICTED, span=(0, 7200), **options).to_dict()
    assert invoke_json(capsys, "real.tsv", "predicted.tsv", "--span", "0", "7200", *words) == expected
    # The file may also contain the length of the recording.
    assert invoke_json(capsys, "lasting.tsv", "predicted.tsv", *words) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("away.csv", "start,end\n1900,2100\n610,620\n"),
        ("away.csv", "start,end\n1900.0,2100.0\n610.0,620.0\n"),
        ("away.tsv", "onset\tduration\n610\t10\n1900\t200\n"),
        ("away.txt", "1900.0\t2100.0\tpause\n610.0\t620.0\tpause\n"),
        ("away.csv", "series,start,end\na,1900.0,2100.0\na,610.0,620.0\n"),
    ],
)
def test_ignored_time(folder, capsys, name, text):
    (folder / name).write_text(text)
    expected = score_events(REAL, PREDICTED, span=(0, 7200), ignore=[(1900, 2100), (610, 620)])
    assert (expected.false_positives, expected.counts.seconds, expected.counts.references) == (0, 6990.0, 3)
    assert invoke_json(capsys, "lasting.tsv", "predicted.tsv", "--ignore", name) == expected.to_dict()
    assert run(["events", "lasting.tsv", "predicted.tsv", "--ignore", name]) == 0
    assert "ignored  2 intervals of 3 min 30 s" in capsys.readouterr().out
    curve = invoke_json(capsys, "lasting.tsv", "predicted.tsv", "--ignore", name, "--by", "threshold")
    assert (curve["thresholds"], curve["false_alarms_per_day"]) == ([0.9], [0.0])
    (folder / "answers.json").write_text(json.dumps(["[[2000, 2010]]", "[[600, 660]]"]))
    assert invoke_json(capsys, "lasting.tsv", "answers.json", "--ignore", name)["false_alarms_per_day"]["mean"] == 0.0


def test_ignored_time_of_folders(folder, capsys):
    for side, pairs in (("real", REAL), ("found", PREDICTED), ("away", [(1900, 2100)])):
        for subject in ("sub-01", "sub-02") if side != "away" else ("sub-01",):
            path = folder / side / subject / f"{subject}_events.tsv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(events(pairs, recordingDuration=[7200, 7200]))
    (folder / "all.csv").write_text("start,end\n1900,2100\n")
    (folder / "one.csv").write_text("series,start,end\nsub-01/sub-01_events.tsv,1900,2100\n")
    rates = {}
    for ignored in ("all.csv", "one.csv", "away"):
        result = invoke_json(capsys, "real", "found", "--ignore", ignored)
        rates[ignored] = [result["subjects"][name]["events"]["false_alarms_per_day"] for name in ("sub-01", "sub-02")]
        assert result["ignored"]["intervals"] == (2 if ignored == "all.csv" else 1)
    assert rates == {"all.csv": [0.0, 0.0], "one.csv": [0.0, 12.0], "away": [0.0, 12.0]}
    (folder / "one.csv").write_text("series,start,end\nsub-1/sub-01_events.tsv,1900,2100\n")
    assert run(["events", "real", "found", "--ignore", "one.csv"]) == 2
    assert "not one of the 2 recordings; did you mean 'sub-01/sub-01_events.tsv'" in capsys.readouterr().err


def test_open_events_need_until(folder, capsys):
    (folder / "open.csv").write_text("start,end,class\n2024-01-01T01:00,2024-01-01T02:00,a\n2024-01-01T03:00,,b\n2024-01-01T09:00,,c\n")
    assert run(["events", "open.csv", "open.csv"]) == 2
    assert "--until" in capsys.readouterr().err
    words = ["open.csv", "open.csv", "--until", "2024-01-01T04:00", "--protocol", "ovlp"]
    assert invoke_json(capsys, *words)["events"]["true_positives"] == 2
    assert invoke_json(capsys, *words, "--label", "b")["events"]["true_positives"] == 1


def test_label_and_threshold_select_events(folder, capsys):
    expected = score_events(REAL[:1], PREDICTED[:1], span=(0, 7200)).to_dict()
    assert invoke_json(capsys, "real.tsv", "predicted.tsv", "--span", "0", "7200", "--label", "sz", "--threshold", "0.5") == expected


def test_class_on_one_side_only(folder, capsys):
    """A detector may never predict a class, and not every recording of a folder has every class."""
    expected = score_events(REAL[1:], [], span=(0, 7200)).to_dict()
    assert invoke_json(capsys, "real.tsv", "predicted.tsv", "--span", "0", "7200", "--label", "artifact") == expected
    for side, pairs, kinds in (("a", REAL, ["sz", "artifact"]), ("b", PREDICTED, ["sz", "sz"])):
        for subject in ("sub-01", "sub-02"):
            (folder / side).mkdir(exist_ok=True)
            rows = (pairs, kinds) if subject == "sub-01" else ([], [])
            (folder / side / f"{subject}_events.tsv").write_text(events(rows[0], trial_type=rows[1]))
    result = invoke_json(capsys, "a", "b", "--span", "0", "7200", "--label", "artifact")
    assert result["subjects"]["sub-01"]["events"]["sensitivity"] == 0.0
    assert run(["events", "a", "b", "--span", "0", "7200", "--label", "dog"]) == 2
    assert "there are no events of class 'dog', real or predicted; the classes are artifact, sz" in capsys.readouterr().err


def test_note_names_classes_that_are_scored_as_one(folder, capsys):
    for words in ([], ["--by", "threshold"]):
        assert run(["events", "real.tsv", "predicted.tsv", *words]) == 0
        assert "note: all classes are scored as one: artifact, sz; choose with --label" in capsys.readouterr().err
    for words in (["--label", "sz"], ["--by", "iou"]):
        assert run(["events", "real.tsv", "predicted.tsv", *words]) == 0
        assert capsys.readouterr().err == ""


def test_predictions_may_lack_recordings(folder, capsys):
    names = "filename\tonset\toffset\tevent_label\n"
    (folder / "list.tsv").write_text(names + "a.wav\t1.0\t2.0\tdog\nb.wav\t1.0\t2.0\tdog\n")
    (folder / "found.tsv").write_text(names + "a.wav\t1.0\t2.0\tdog\n")
    (folder / "quiet.tsv").write_text(names + "a.wav\t1.0\t2.0\tdog\nb.wav\t\t\t\n")
    assert invoke_json(capsys, "quiet.tsv", "quiet.tsv", "--series", "a.wav")["events"]["sensitivity"] == 1.0
    assert invoke_json(capsys, "quiet.tsv", "list.tsv", "--series", "b.wav")["events"]["false_positives"] == 1
    (folder / "quiet.tsv").write_text(names + "a.wav\t1.0\t\tdog\n")
    assert run(["events", "quiet.tsv", "found.tsv"]) == 2
    assert "line 2: '' in column 'offset' is not a number of seconds" in capsys.readouterr().err
    assert invoke_json(capsys, "list.tsv", "found.tsv", "--series", "a.wav")["events"]["sensitivity"] == 1.0
    assert invoke_json(capsys, "list.tsv", "found.tsv", "--series", "b.wav")["events"]["sensitivity"] == 0.0
    assert run(["events", "list.tsv", "found.tsv", "--series", "c.wav"]) == 2
    assert "list.tsv has no events of 'c.wav'" in capsys.readouterr().err
    assert run(["classes", "list.tsv", "found.tsv", "--series", "b.wav", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"][0]["recall"] == 0.0
    videos = {"a": {"annotations": [{"segment": [1, 2], "label": "x"}]}, "b": {"annotations": []}}
    (folder / "database.json").write_text(json.dumps({"database": videos}))
    (folder / "results.json").write_text(json.dumps({"results": {}}))
    assert invoke_json(capsys, "database.json", "results.json", "--series", "a")["events"]["sensitivity"] == 0.0
    (folder / "many.csv").write_text("series,start,end\na,1,2\nb,1,2\n")
    (folder / "few.csv").write_text("series,start,end\na,1,2\n")
    assert invoke_json(capsys, "many.csv", "few.csv", "--series", "b")["events"]["sensitivity"] == 0.0


def test_file_without_events(folder, capsys):
    """An empty file needs its format: then it is a track without labels."""
    (folder / "empty.txt").write_text("")
    for command in ("events", "classes"):
        assert run([command, "real.tsv", "empty.txt"]) == 2
        assert "give its format, e.g. audacity:" in capsys.readouterr().err
        assert run([command, "real.tsv", "audacity:empty.txt"]) == 0
    assert run(["classes", "ucr:real.tsv", "predicted.tsv"]) == 2
    assert "ucr files have no classes" in capsys.readouterr().err


def test_explain(folder, capsys):
    assert run(["events", "real.tsv", "predicted.tsv", "--explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  R1 10:00 to 11:00 (1 min): detected, 33 % of it and its tolerance predicted" in lines
    assert "  P2 33:20 to 33:30 (10 s): false alarm" in lines
    assert lines[-1] == "false alarms per day need the length of the recording: --span FIRST LAST"
    assert len(invoke_json(capsys, "real.tsv", "predicted.tsv", "--explain")["real"]) == 2


def test_curve_over_thresholds(folder, capsys):
    result = invoke_json(capsys, "lasting.tsv", "predicted.tsv", "--by", "threshold")
    assert (result["thresholds"], result["false_alarms_per_day"]) == ([0.9, 0.4], [0.0, 12.0])
    assert run(["events", "lasting.tsv", "predicted.tsv", "--by", "threshold"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["0.9", "0.5", "1", "0.6667", "0"]


def test_average_precision(folder, capsys):
    result = invoke_json(capsys, "real.tsv", "predicted.tsv", "--by", "iou")
    scored = [(*pair, confidence) for pair, confidence in zip(PREDICTED, (0.9, 0.4), strict=True)]
    assert result["classes"]["sz"][0] == average_precision(REAL[:1], scored, iou=0.5)
    assert result["classes"]["artifact"] == [0.0] * 10
    assert run(["events", "real.tsv", "predicted.tsv", "--by", "iou"]) == 0
    assert "mean of .5:.05:.95" in capsys.readouterr().out


def test_annotators(folder, capsys):
    (folder / "people.tsv").write_text(events([*REAL, *REAL], annotator=["ann", "ann", "bob", "bob"]))
    result = invoke_json(capsys, "people.tsv", "predicted.tsv", "--by", "annotator", "--span", "0", "7200")
    plain = rw.score(REAL, PREDICTED)
    assert (
        result["annotators"]["ann"]
        == result["annotators"]["consensus"]
        == {"precision": plain.precision, "recall": plain.recall, "f": plain.f}
    )
    assert (result["alpha"], result["pairs"], result["left_out"]["p"]) == (1.0, {"ann, bob": 1.0}, 0.5)
    assert run(["events", "people.tsv", "predicted.tsv", "--by", "annotator"]) == 2


def test_annotators_of_label_studio(folder, capsys):
    """An annotator without regions counts, and a region with two labels is an event of each."""

    def region(*labels):
        return {"type": "timeserieslabels", "value": {"start": 0, "end": 1000, "timeserieslabels": labels}}

    notes = [(1, [region("sz", "focal")]), (2, [region("sz")]), (3, [])]
    tasks = [{"id": 1, "annotations": [{"completed_by": who, "result": result} for who, result in notes]}]
    (folder / "people.json").write_text(json.dumps(tasks))
    (folder / "found.csv").write_text("start,end,score\n1970-01-01T00:00:00,1970-01-01T00:00:01,0.5\n")
    span = ["--span", "1970-01-01T00:00:00", "1970-01-01T00:00:02"]
    found = invoke_json(capsys, "people.json", "found.csv", "--by", "annotator", *span)
    assert {name: scores["f"] for name, scores in found["annotators"].items()} == {"1": 1.0, "2": 1.0, "3": 0.0, "consensus": 1.0}
    assert (found["alpha"], len(found["left_out"]["human"])) == (pytest.approx(0.25), 3)
    assert invoke_json(capsys, "people.json", "people.json", "--label", "focal")["events"]["true_positives"] == 1
    assert invoke_json(capsys, "people.json", "found.csv", "--by", "iou")["mean"] == 1.0


def test_folders_by_subject(folder, capsys):
    for side, pairs in (("real", REAL), ("found", PREDICTED)):
        for subject in ("sub-01", "sub-02"):
            for number in (1, 2):
                path = folder / side / subject / f"{subject}_run-{number}_events.tsv"
                path.parent.mkdir(parents=True, exist_ok=True)
                file_pairs = pairs if subject == "sub-01" or side == "real" else REAL
                path.write_text(events(file_pairs, eventType=["sz", "sz"], recordingDuration=[7200, 7200]))
    result = invoke_json(capsys, "real", "found")
    assert result["events"]["sensitivity"] == {"mean": 0.75, "standard_deviation": 0.25}
    assert result["subjects"]["sub-01"]["events"]["false_alarms_per_day"] == 12.0
    last = folder / "found" / "sub-02" / "sub-02_run-2_events.tsv"
    last.write_text("onset\tduration\n9000\t10\n")
    assert run(["events", "real", "found"]) == 2
    assert "sub-02/sub-02_run-2_events.tsv: predicted: event 0, 2:30:00 to 2:30:10, lies outside the recording" in capsys.readouterr().err
    last.unlink()
    assert run(["events", "real", "found"]) == 2
    assert "found lacks 1 file that the other folder has: sub-02/sub-02_run-2_events.tsv" in capsys.readouterr().err


def test_answers_of_a_language_model(folder, capsys):
    answers = ["[[600, 660]]", "I cannot help with that.", "no idea", '```json\n{"anomalies": [[600, 660], [3000, 3050]]}\n```']
    (folder / "answers.json").write_text(json.dumps(answers))
    result = invoke_json(capsys, "lasting.tsv", "answers.json")
    assert (result["answers"], result["refused"], result["unreadable"]) == (4, 1, 1)
    assert result["sensitivity"]["values"] == [0.5, 0.0, 0.0, 1.0]
    assert run(["events", "lasting.tsv", "answers.json"]) == 0
    assert "4 answers, 1 refused, 1 unreadable" in capsys.readouterr().out
    (folder / "points.json").write_text(json.dumps(["[[600, 660]]", "[[3000, 3000]]"]))
    assert run(["events", "lasting.tsv", "points.json"]) == 0
    assert "note: points.json, answer 2, interval 0: 3000 to 3000 is not an interval" in capsys.readouterr().err
    for words, message in ((["--explain"], "--explain is for one answer"), (["--by", "iou"], "without --by scores each of them")):
        assert run(["events", "lasting.tsv", "points.json", *words]) == 2
        assert message in capsys.readouterr().err


def test_labels_of_rows_are_not_seconds(folder, capsys):
    """A row may last any time: only a protocol without durations can score labels."""
    (folder / "labels.txt").write_text("0\n1\n1\n0\n")
    (folder / "found.txt").write_text("0\n0\n1\n1\n")
    for more in ([], ["--protocol", "ovlp", "--join", "2s"], ["--protocol", "ovlp", "--span", "0", "9"], ["--by", "threshold"]):
        assert run(["events", "labels.txt", "found.txt", *more]) == 2
        assert "labels.txt has one label per row, but the protocol has durations" in capsys.readouterr().err
    assert run(["events", "labels.txt", "found.txt", "--protocol", "ovlp"]) == 0
    assert "sensitivity 1   precision 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["real.tsv", "predicted.tsv", "--by", "events"], "did you mean 'event'"),
        (["real.tsv", "predicted.tsv", "--protocol", "sz"], "protocol is one of szcore, ovlp, taes"),
        (["real.tsv", "predicted.tsv", "--span", "0", "700"], "lies outside the recording"),
        (["real.tsv", "predicted.tsv", "--by", "iou", "--ignore", "real.tsv"], "--ignore is for --by event and --by threshold"),
        (["real.tsv", "predicted.tsv", "--ignore-format", "bids"], "give --ignore FILE too"),
        (["lasting.tsv", "predicted.tsv", "--ignore", "real.tsv", "--grid", "10Hz"], "timescoring, which cannot ignore intervals"),
        (["real.tsv", "predicted.tsv", "--ignore", "two.csv"], "has 2 series, a, b; choose one with --series"),
        (["real.tsv", "predicted.tsv", "--ignore", "dated.csv"], "ignore"),
        (["real.tsv", "predicted.tsv", "--by", "iou", "--grid", "10Hz"], "--grid belongs to a protocol"),
        (["real.tsv", "predicted.tsv", "--by", "threshold", "--grid", "10Hz"], "--grid is for --by event"),
        (["real.tsv", "real.tsv", "--by", "threshold"], "has no confidences"),
        (["real.tsv", "real.tsv", "--threshold", "0.5"], "leave --threshold out"),
        (["real.tsv", "predicted.tsv", "--by", "annotator", "--span", "0", "7200"], "has no annotators"),
        (
            ["nobody.tsv", "predicted.tsv", "--by", "annotator", "--span", "0", "7200"],
            "event 1, 50:00 to 50:50, has no annotator; give every",
        ),
        (
            ["people.tsv", "predicted.tsv", "--by", "annotator", "--span", "0", "70"],
            "annotator ann: 10:00 to 11:00 is outside --span; check",
        ),
        (["real.tsv", "predicted.tsv", "--grid", "10Hz"], "--grid needs the start and end of the recording: give --span FIRST LAST"),
        (["real.tsv", "predicted.tsv", "--min-overlap", "2"], "--min-overlap must be from 0 to below 1; got 2"),
        (["real.tsv", "predicted.tsv", "--explain", "--by", "iou"], "--explain is for --by event"),
        (["real.tsv", "predicted.tsv", "--label", "dog"], "no events of class 'dog'"),
        (["real.tsv", "onsets.tsv"], "neither 'duration' nor 'offset'"),
        ([".", "nowhere"], "nowhere does not exist"),
        ([".", "predicted.tsv"], "is not a folder"),
        ([".", ".", "--explain"], "are for two files"),
        (["lasting.tsv", "longer.tsv"], "different lengths of the recording"),
        (["one-annot.txt", "two-annot.txt"], "check that they are of the same recording"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(folder, capsys, words, message):
    (folder / "onsets.tsv").write_text("onset\ttrial_type\n1.0\tsz\n")
    (folder / "two.csv").write_text("series,start,end\na,1,2\nb,1,2\n")
    (folder / "dated.csv").write_text("start,end\n2024-01-01T01:00,2024-01-01T02:00\n")
    for name, annotators in (("nobody", ["ann", "n/a"]), ("people", ["ann", "bob"])):
        (folder / f"{name}.tsv").write_text(events(REAL, annotator=annotators))
    (folder / "longer.tsv").write_text(events(REAL, recordingDuration=[7300, 7300]))
    for name, hour in (("one", 1), ("two", 2)):
        text = f"# MNE-Annotations\n# orig_time : 2024-01-01 0{hour}:00:00\n# onset, duration, description\n1.0,2.0,x\n"
        (folder / f"{name}-annot.txt").write_text(text)
    assert run(["events", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
