"""Formats of events in seconds. The example files have the same two events, read as ranges, classes and confidences."""

import json

import numpy as np
import pytest

import rangewise as rw
from examples import EVENT_FILES, EVENTS, FIXTURES
from rangewise.datasets import read_annotations, read_case, read_events
from rangewise.files.class_annotations import read_class_annotations
from rangewise.files.conversion import write_annotations
from rangewise.files.formats.base import Choices
from rangewise.files.formats.llm_answers import read_answer, read_answers
from rangewise.files.formats.table import FORMATS, guess
from rangewise.files.source import Source

PAIRS = [(start, stop) for start, stop, _ in EVENTS]


def seconds(table):
    order = np.argsort(table.starts)
    return [(table.starts[at] / 1e9, table.stops[at] / 1e9, table.classes[at]) for at in order]


@pytest.fixture
def write(tmp_path):
    def write(text, name="file.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize(("name", "kind"), EVENT_FILES.items())
def test_detects_and_reads_every_event_format(name, kind):
    for argument in (FIXTURES / name, f"{kind}:{FIXTURES / name}"):
        assert seconds(read_events(argument)) == EVENTS
        assert read_annotations(argument).given_ranges().on_clock() == rw.Ranges(PAIRS)
    annotations = read_class_annotations(FIXTURES / name, Choices())
    assert {label: ranges.on_clock() for label, ranges in annotations.ranges.items()} == {
        label: rw.Ranges([(start, stop)]) for start, stop, label in EVENTS
    }


@pytest.mark.parametrize("kind", sorted([name for name in set(EVENT_FILES.values()) if FORMATS[name].writes is not None]))
def test_events_round_trip(kind, tmp_path):
    target = tmp_path / "written"
    write_annotations(read_annotations(FIXTURES / "events.tsv"), f"{kind}:{target}")
    assert seconds(read_events(target)) == EVENTS
    with pytest.raises(ValueError, match="has dates; choose another format"):
        write_annotations(read_annotations(FIXTURES / "ranges-times.csv"), f"{kind}:{tmp_path / 'other'}")


@pytest.mark.parametrize(("kind", "name"), [("bids", 'run\t"fast"\nend'), ("dcase", 'run\t"fast"\nend'), ("audacity", 'run "fast" end')])
def test_names_with_tabs_and_lines_round_trip(kind, name, write, tmp_path):
    """A track of Audacity cannot have them."""
    segments = [{"segment": [1.0, 3.5], "label": 'run\t"fast"\nend'}, {"segment": [5.0, 5.0], "label": "click"}]
    target = tmp_path / "written"
    write_annotations(read_annotations(write(json.dumps({"results": {"v": segments}}))), f"{kind}:{target}")
    events = read_events(f"{kind}:{target}")
    assert (events.classes, events.starts.tolist()) == ((name, "click"), [10**9, 5 * 10**9])
    assert "e-09" not in target.read_text()


@pytest.mark.parametrize("kind", sorted([name for name in set(EVENT_FILES.values()) if FORMATS[name].writes is not None]))
def test_nanoseconds_round_trip(kind, write, tmp_path):
    """A track of Audacity had six decimals."""
    target = tmp_path / "written"
    write_annotations(read_annotations(write("onset\tduration\n1.5\t0.25\n2.123456789\t1.000000001\n", "n.tsv")), f"{kind}:{target}")
    events = read_events(f"{kind}:{target}")
    assert (events.starts.tolist(), events.stops.tolist()) == ([1_500_000_000, 2_123_456_789], [1_750_000_000, 3_123_456_790])
    assert "1.500000000" not in target.read_text()


def test_seconds_as_a_range_table_round_trip(tmp_path):
    target = tmp_path / "ranges.csv"
    write_annotations(read_annotations(FIXTURES / "events.tsv"), f"ranges:{target}")
    assert read_annotations(target).given_ranges().on_clock() == rw.Ranges(PAIRS)


def test_bids_has_confidences_and_the_length_of_the_recording():
    events = read_events(FIXTURES / "events.tsv")
    assert (events.confidences.tolist(), events.duration) == ([0.4, 0.9], 20 * 10**9)


def test_bids_cells_that_may_be_missing(write):
    """The length of the recording in some rows, and the confidence of the background."""
    names = "onset\tduration\teventType\tconfidence\trecordingDuration\n"
    events = read_events(write(names + "1.0\t2\tsz\t0.5\t60\n0\t60\tbckg\tn/a\tn/a\n5\t2\tsz\t0.3\t60.0\n"))
    assert (events.confidences.tolist(), events.duration) == ([0.5, 0.3], 60 * 10**9)
    assert read_events(write(names + "1.0\t2\tsz\tn/a\tn/a\n")).duration is None
    with pytest.raises(ValueError, match="line 3: 'n/a' is not a confidence"):
        read_events(write(names + "1.0\t2\tsz\t0.5\t60\n5\t2\tsz\tn/a\t60\n"))


def test_bids_with_descriptions_is_not_mne(write):
    """A column that MNE has too, beside those that it does not have."""
    text = "onset\tduration\ttrial_type\tconfidence\tdescription\trecordingDuration\n1.0\t2\tsz\t0.5\tleft\t60\n"
    events = read_events(write(text))
    assert (events.classes, events.confidences.tolist(), events.duration) == (("sz",), [0.5], 60 * 10**9)
    assert read_events(write("onset,duration,description,ch_names\n1.5,2.0,sz,Fz\n")).classes == ("sz",)


def test_bids_without_seizures_has_no_events(write):
    events = read_events(write("onset\tduration\teventType\trecordingDuration\n0.0\t3600\tbckg\t3600\n"))
    assert (len(events), events.duration) == (0, 3600 * 10**9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("onset\tduration\n1.0\tn/a\n", r"line 2: 'n/a' in column 'duration' is not a number of seconds \(0 for an event"),
        ("onset\tduration\n1.0\t-2\n", "line 2: the duration is -2"),
        ("onset\tduration\n1.0\tinf\n", "not a number of seconds"),
        ("onset\tduration\trecordingDuration\n1.0\t2\t10\n2\t3\t11\n", "several lengths of the recording"),
        ("onset\tduration\trecordingDuration\n1.0\t2\t0\n", "has the length of the recording, 0; expected seconds above 0"),
        ("onset\tduration\tconfidence\n1.0\t2\thigh\n", "'high' is not a confidence"),
        ("onset\toffset\tevent_label\n5\t2\tdog\n", "line 2: the event ends before it starts"),
        ("filename\tonset\toffset\tevent_label\na\t1\t2\tdog\nb\t1\t2\tdog\n", "2 recordings, a, b; choose one with --series"),
        ("1.0\t2.0\tdog\n3.0\tcat\n", "line 2: expected start, end and text separated by tabs"),
        ("5.0\t2.0\tdog\n", "line 1: the label ends before it starts"),
        ("# MNE-Annotations\n# onset, duration, description\n1.0,2.0\n", "line 3: expected onset, duration, description"),
        ("# MNE-Annotations\n# onset, duration, description\n5.0,-2.0,x\n", "file.txt: event 0, 5 s to 3 s, ends before it starts"),
        ("onset,duration,description\n5.0,-2.0,x\n", "file.txt: event 0, 5 s to 3 s, ends before it starts"),
        ("1.0\tnan\tdog\n", "file.txt: nan s is not a valid time"),
        ('{"results": {"v": [{"segment": [3, 1], "label": "a"}]}}', "segment 0 ends before it starts"),
        ('{"results": {"v": [], "w": []}}', "2 videos, v, w; choose one with --series"),
        ('{"results": {"v": [{"segment": [1, 3], "score": 0.1}, {"segment": [1, 3]}]}}', "1 of 2 segments have a score"),
        ("chan_id,anomaly_sequences\nA,[[4\n", "'anomaly_sequences' must be a list"),
        ('chan_id,anomaly_sequences\nA,"[[4, 2]]"\n', "ends before it starts"),
        ('chan_id,anomaly_sequences\nA,"[[4, 1e308]]"\n', "is a list of"),
        ('chan_id,anomaly_sequences,num_values\nA,"[[4, 8]]",many\n', "is the number of values"),
        ('{"results": {"v": [{"segment": [1, 1e300]}]}}', "less than a century"),
        ("start,end\n3,5.5\n1:00,70\n", "line 3: '1:00' in column 'start' is not a number, but those before it are"),
        ("start,end,score\n3.5,2.0,1\n", "line 2: 3.5 s to 2 s ends before it starts"),
    ],
)
def test_rejects_bad_events(write, text, message):
    with pytest.raises(ValueError, match=message):
        read_events(write(text))


def test_a_table_of_events_is_never_read_as_rows(write):
    path = write("onset,duration,label\n3,2,0\n10,5,1\n", "table.csv")
    assert read_annotations(path).given_ranges().on_clock() == rw.Ranges([(3.0, 5.0), (10.0, 15.0)])
    assert read_annotations(path, column="label").given_ranges().on_clock() == rw.Ranges([(3.0, 5.0), (10.0, 15.0)])
    assert set(read_class_annotations(path, Choices()).ranges) == {"0", "1"}


def test_rejects_damaged_edf(write):
    valid = (FIXTURES / "made.edf").read_bytes()
    for content, message in (
        (valid[:-30], "ends before its 2 data records"),
        (valid.replace(b"EDF Annotations", b"EEG Fz         "), "no signal 'EDF Annotations'"),
        (valid.replace(b"+2\x15", b"+x\x15"), "data record 0.*not the time of an annotation"),
        (valid.replace(b"\x153.5", b"\x15-.5"), "made.edf: event 0, 2 s to 1.5 s, ends before it starts"),
        (valid[:236] + b"many    " + valid[244:], "is not an EDF\\+ file"),
    ):
        with pytest.raises(ValueError, match=message):
            read_events(write(content, "made.edf"))


def test_discontinuous_edf_has_no_known_length(write):
    """Events may lie behind the length of its data records."""
    whole = (FIXTURES / "made.edf").read_bytes()
    assert read_events(write(whole, "made.edf")).duration == 20 * 10**9
    events = read_events(write(whole.replace(b"EDF+C", b"EDF+D"), "made.edf"))
    assert (len(events), events.duration) == (2, None)


def test_rejects_recordings_that_began_at_different_times(write):
    text = "# MNE-Annotations\n# orig_time : {}\n# onset, duration, description\n2.0,3.5,stuck\n"
    one, other = (write(text.format(f"2024-03-31 0{hour}:00:00"), f"{hour}-annot.txt") for hour in (1, 2))
    with pytest.raises(ValueError, match=r"counts seconds from 2024-03-31T01:00:00 and .* from 2024-03-31T02:00:00"):
        read_case(one, other)


def test_mne_csv_of_a_dated_recording_has_dates(write):
    events = read_events(write("onset,duration,description\n2024-03-31 01:00:00,3.5,stuck\n", "x.csv"))
    assert events.unit == "dates"


@pytest.mark.parametrize(("columns", "cells"), [("", ""), (", ch_names", ",Fz:Cz"), (", ch_names, note", ",Fz:Cz,3")])
def test_mne_text_does_not_quote_commas(write, columns, cells):
    """As MNE 1.13 writes them; its CSV files quote them."""
    text = f"# MNE-Annotations\n# onset, duration, description{columns}\n1.5,2.0,T0, left{cells}\n2.5,0.0,x{cells}\n"
    assert read_events(write(text)).classes == ("T0, left", "x")


def test_telemanom_runs_have_severities(write):
    run = write(
        'chan_id,anomaly_sequences,tp_sequences,fp_sequences,anom_scores\nA,"[[4, 9]]","[(4, 8)]","[[1, 2]]","[0.5, 2.5]"\nB,[],[],[],[]\n',
    )
    events = read_events(run, series="A")
    assert (events.unit, events.starts.tolist(), events.stops.tolist(), events.confidences.tolist()) == ("rows", [1, 4], [3, 9], [0.5, 2.5])
    assert not len(read_events(run, series="B"))
    with pytest.raises(ValueError, match="no channel 'C'; it has A, B"):
        read_events(run, series="C")


def test_telemanom_channels_of_several_rows(write):
    """As P-2 in the published files: both rows count, and what they share counts once."""
    labels = write('chan_id,anomaly_sequences,num_values\nA,"[[4, 9]]",20\nB,[],9\nA,"[[2, 6]]",20\n', "labels.csv")
    real = read_events(labels, series="A")
    assert (list(zip(real.starts.tolist(), real.stops.tolist(), strict=True)), real.length) == ([(4, 10), (2, 7)], 20)
    with pytest.raises(ValueError, match="has 2 channels, A, B"):
        read_events(labels)
    rows = [f'A,[],"[({start}, 8)]",[],"[0.5]"\n' for start in (4, 4, 3)]
    run = read_events(write("chan_id,anomaly_sequences,tp_sequences,fp_sequences,anom_scores\n" + "".join(rows)), series="A")
    assert (run.starts.tolist(), run.confidences.tolist()) == ([4, 3], [0.5, 0.5])


def test_activitynet_selects_a_video():
    assert read_events(FIXTURES / "activitynet.json", series="made").confidences.tolist() == [0.9, 0.4]
    with pytest.raises(ValueError, match="has no video 'other'; it has made"):
        read_events(FIXTURES / "activitynet.json", series="other")


def test_label_studio_keeps_annotators_apart(write):
    def annotation(annotator, *pairs):
        result = [{"type": "timeserieslabels", "value": {"start": a, "end": b, "timeserieslabels": ["x"]}} for a, b in pairs]
        return {"completed_by": annotator, "result": result}

    task = {"id": 1, "annotations": [annotation(7, (0, 1000)), annotation({"email": "b@c.d"}, (0, 2000)), annotation(None, (5000, 6000))]}
    events = read_events(write(json.dumps([task])))
    starts = {name: list(table.starts) for name, table in events.by_annotator().items()}
    assert starts == {"7": [0], "b@c.d": [0], "annotation 2": [5_000_000_000]}


def test_annotators_who_found_nothing_are_kept(write):
    """Without them, agreement and the majority would be those of the others."""
    region = {"type": "timeserieslabels", "value": {"start": 0, "end": 1000, "timeserieslabels": ["sz", "focal"]}}
    other = {"type": "timeserieslabels", "value": {"start": 0, "end": 1000, "timeserieslabels": ["artifact"]}}
    notes = [(1, [region]), (2, []), (3, [other])]
    task = {"id": 1, "annotations": [{"completed_by": who, "result": result} for who, result in notes]}
    task["annotations"].append({"completed_by": 4, "result": [], "was_cancelled": True})
    events = read_events(write(json.dumps([task])))
    assert {name: table.classes for name, table in events.by_annotator().items()} == {"1": ("sz", "focal"), "2": (), "3": ("artifact",)}
    found = {name: len(table) for name, table in events.only(["sz"]).by_annotator().items()}
    assert found == {"1": 1, "2": 0, "3": 0}
    text = "onset\tduration\teventType\tannotator\n1.0\t2\tsz\tann\n0\t60\tbckg\tbob\n"
    assert {name: len(table) for name, table in read_events(write(text)).by_annotator().items()} == {"ann": 1, "bob": 0}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"start": 3, "end": 8}]', [(3, 8)]),
        ("[[3, 8], [10, 12]]", [(3, 8), (10, 12)]),
        ('{"anomalies": []}', []),
        ('The answer is {"intervals": [[3, 8, 0.5]]} as asked.', [(3, 8)]),
        ('Sure!\n```json\n[{"onset": 3, "duration": 5}]\n```', [(3, 8)]),
        ('I considered [1] and [2]. Final: [{"start_index": "3", "end_index": "8"}]', [(3, 8)]),
    ],
)
def test_reads_answers_of_language_models(text, expected):
    answer = read_answer(text)
    assert (answer.kind, list(answer.events.ranges())) == ("read", expected)


def test_reads_answers_in_seconds_and_dates():
    assert read_answer('[{"start": "01:30", "end": "1:00:02.5"}]').events.ranges() == rw.Ranges([(90.0, 3602.5)])
    dates = read_answer('[{"start": "2024-05-01T10:02", "end": "2024-05-01T10:47"}]').events
    assert dates.unit == "dates"
    assert list(read_answer("[[3, 7]]", inclusive=True).events.ranges()) == [(3, 8)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'm sorry, but I cannot analyze this.", "refused"),
        ("There might be something near the middle.", "unreadable"),
        ('[{"start": 8, "end": 3}]', "unreadable"),
        ('[{"start": 3, "end": "later"}]', "unreadable"),
        ("", "unreadable"),
    ],
)
def test_classifies_answers_without_intervals(text, kind):
    assert read_answer(text).kind == kind


def test_reads_several_answers_from_one_file(write):
    texts = ['[{"start": 3, "end": 8}]', "I cannot help with that.", "nothing"]
    for entries in (texts, [{"response": text} for text in texts]):
        path = write(json.dumps(entries), "answers.json")
        answers = read_answers(Source(path), Choices())
        assert [answer.kind for answer in answers] == ["read", "refused", "unreadable"]
        with pytest.raises(ValueError, match="has 3 answers"):
            read_events(path)
    answers = read_answers(Source(write("[[[3, 8]], [], [[3, 8, 0.5], [9, 12, 0.1]]]")), Choices())
    assert [len(answer.events) for answer in answers] == [1, 0, 2]
    assert guess(Source(write('[{"anomalies": [[3, 8]]}, {"anomalies": []}]'))).name == "llm"
    assert guess(Source(write('[{"time": 1711850400000, "text": "pump stuck"}]'))).name == "grafana"


def test_confidences_that_are_no_numbers_leave_the_intervals():
    for confidences in ('"high"', "true", "null", "NaN"):
        answer = read_answer(f'[{{"start": 3, "end": 8, "confidence": {confidences}}}, {{"start": 9, "end": 12, "confidence": 0.5}}]')
        assert (answer.kind, list(answer.events.ranges()), answer.events.confidences) == ("read", [(3, 8), (9, 12)], None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"start": 5, "end": 5}]', r"interval 0: 5 to 5 is not an interval; rows count from 0, and the end is excluded .*--inclusive"),
        ("[[1.5, 3], [8.5, 3]]", "interval 1: 8.5 to 3 is not an interval$"),
        ('[{"start": 3, "end": "later"}]', "'later' is not a number, but others are"),
        ('[{"start": 3}]', "interval 0 has no start or no end"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told(write, text, message):
    with pytest.raises(ValueError, match=message):
        read_events(f"llm:{write(text)}")


@pytest.mark.parametrize("unit", ["seconds", "rows"])
def test_selects_events(unit, write):
    first = "1" if unit == "rows" else "1.5"
    table = read_events(write(f"start,end,class,annotator\n{first},2,a,x\n1,3,b,y\n"))
    assert table.unit == unit
    assert table.only(["b"]).classes == ("b",)
    assert set(table.by_annotator()) == {"x", "y"}
    assert not len(table.only(["c"]))
    assert table.as_seconds().unit == "seconds"
