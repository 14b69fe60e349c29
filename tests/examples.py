"""A file of our own making in every format; each says the same of ten rows."""

from pathlib import Path

import numpy as np

from rangewise.files.formats.table import FORMATS
from rangewise.files.series import Series
from rangewise.inputs.ranges import Ranges

FIXTURES = Path(__file__).parent / "files" / "examples"
UCR = "007_UCR_Anomaly_Made_4_6_7.txt"
# Each file says the same of the ten rows of series.csv: rows 2 to 4 and row 7 are anomalous.
EXPECTED = [(2, 5), (7, 8)]
SAYING_THE_SAME = {
    "labels.txt": "labels",
    "column.csv": "csv",
    "001_Made_id_1_Test_tr_2_1st_2.csv": "tsb-ad",
    "timeeval.csv": "timeeval",
    "timeeval-integers.csv": "timeeval",
    "result.csv": "nab-result",
    "windows.json": "nab-windows",
    "ranges.csv": "ranges",
    "ranges-times.csv": "ranges",
    "orion.csv": "orion",
    "label-studio.json": "label-studio",
    "label-studio-milliseconds.json": "label-studio",
    "grafana.json": "grafana",
    "prometheus.json": "prometheus",
    "alertmanager.json": "alertmanager",
    "alertmanager-webhook.json": "alertmanager-webhook",
    "pagerduty.json": "pagerduty",
    "opsgenie.json": "opsgenie",
    "grafana-states.json": "grafana-states",
    "telemanom.csv": "telemanom",
    "llm-answer.md": "llm",
}
# What is open has no end to say the same of.
OPEN_ONLY = {"prometheus-alerts.json": "prometheus-alerts"}
# Each file has the same two events of a recording of 20 s, in seconds: "stuck" from 2 to 5.5, "spike" from 7 to 8.
EVENTS = [(2.0, 5.5, "stuck"), (7.0, 8.0, "spike")]
EVENTS_SAYING_THE_SAME = {
    "events.tsv": "bids",
    "made-annot.txt": "mne",
    "made-annot.csv": "mne",
    "made.edf": "edf",
    "dcase.tsv": "dcase",
    "audacity.txt": "audacity",
    "activitynet.json": "activitynet",
}
WRITTEN = [name for name, entry in FORMATS.items() if entry.writes is not None and name not in EVENTS_SAYING_THE_SAME.values()]


def made(real=((2, 5), (7, 8)), length=10, step="h"):
    times = np.datetime64("2024-03-31T00:00:00", "ns") + np.arange(length) * np.timedelta64(1, step)
    return Series("made", np.sin(np.arange(length)) / 3, times, Ranges(list(real)))
