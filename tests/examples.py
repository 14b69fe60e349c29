"""An example file of every format. All files of ranges describe the same ten rows."""

from pathlib import Path

import numpy as np

from rangewise.files.formats.table import FORMATS
from rangewise.files.series import Series
from rangewise.inputs.ranges import Ranges

FIXTURES = Path(__file__).parent / "files" / "examples"
UCR = "007_UCR_Anomaly_Made_4_6_7.txt"
# Each file of RANGE_FILES labels the ten rows of series.csv: rows 2 to 4 and row 7 are anomalous.
EXPECTED = [(2, 5), (7, 8)]
RANGE_FILES = {
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
# Alerts that are still open have no end, so their ranges are not EXPECTED.
OPEN_ALERT_FILES = {"prometheus-alerts.json": "prometheus-alerts"}
# Each file of EVENT_FILES has the same two events of a recording of 20 s, in seconds: "stuck" from 2 to 5.5, "spike" from 7 to 8.
EVENTS = [(2.0, 5.5, "stuck"), (7.0, 8.0, "spike")]
EVENT_FILES = {
    "events.tsv": "bids",
    "made-annot.txt": "mne",
    "made-annot.csv": "mne",
    "made.edf": "edf",
    "dcase.tsv": "dcase",
    "audacity.txt": "audacity",
    "activitynet.json": "activitynet",
}
WRITABLE_FORMATS = [name for name, entry in FORMATS.items() if entry.writes is not None and name not in EVENT_FILES.values()]


def example_series(real=((2, 5), (7, 8)), length=10, step="h"):
    times = np.datetime64("2024-03-31T00:00:00", "ns") + np.arange(length) * np.timedelta64(1, step)
    return Series("made", np.sin(np.arange(length)) / 3, times, Ranges(list(real)))
