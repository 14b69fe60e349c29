"""No option is silently ignored: every option of every command, on every kind of input that the command takes.

An option either changes the outcome or is rejected in one line with exit code 2. The tests assert this on every input, and that each option
changes the outcome on at least one. A new option or command needs an entry in the tables here; the tests name what is missing.
"""

import io
import os
import re
import sqlite3
import warnings
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from tests.examples import FIXTURES
from tests.small_nab import write_nab, write_results

from rangewise import bench
from rangewise.bench.experiment import Experiment
from rangewise.cli import run
from rangewise.cli.commands import COMMANDS, load_command
from rangewise.detectors import ZScore
from rangewise.generate.recipe import Recipe

LABELS = "0 0 1 1 1 1 0 0 0 0 1 1 1 0 0 0 0 0 1 0"
FOUND = "0 0 0 1 0 1 0 0 1 0 1 0 1 0 0 0 1 0 0 0"
SECOND = "0 1 1 0 0 0 0 0 0 0 1 1 0 1 0 0 1 1 0 0"
SCORES = ".1 .2 .3 .9 .2 .8 .1 .1 .6 .1 .7 .3 .9 .2 .1 .2 .6 .1 .2 .2"
OTHERS = ".2 .8 .7 .3 .3 .4 .1 .1 .2 .1 .9 .8 .2 .7 .1 .1 .5 .6 .2 .1"
EXPERIMENT = """
name = "made"
baselines = false
[[detector]]
name = "z-score"
[[detector]]
name = "constant"
[[series]]
path = "made.csv"
[[series]]
path = "more.csv"
"""


def _lines(text):
    return text.replace(" ", "\n") + "\n"


def _clock(row):
    return f"2024-05-01T{row:02}:00"


def _events(pairs, **columns):
    rows = [(start, stop, *more) for (start, stop), *more in zip(pairs, *columns.values(), strict=True)]
    return "\n".join(",".join(map(str, row)) for row in [("start", "end", *columns), *rows]) + "\n"


REAL, PREDICTED = [(2, 6), (10, 13), (18, 19)], [(3, 5), (8, 9), (12, 14)]


def _times(pairs):
    return [(_clock(start), _clock(stop)) for start, stop in pairs]


def write_inputs(folder):
    """Write small files of every kind, so that each option has an effect on one of them."""
    files = {
        "labels.txt": _lines(LABELS),
        "found.txt": _lines(FOUND),
        "second.txt": _lines(SECOND),
        "scores.txt": _lines(SCORES),
        "others.txt": _lines(OTHERS),
        "rows.csv": _events(REAL, weight=[1, 2, 5]),
        "found-rows.csv": _events(PREDICTED),
        "times.csv": _events(_times(REAL), name=["a", "b", "c"], weight=[1, 2, 5]),
        "found-times.csv": _events(_times(PREDICTED), name=["x", "y", "y"]),
        "stamps.csv": "timestamp\n" + "\n".join(map(_clock, range(20))) + "\n",
        "ignored.csv": _events([(2, 4)]),
        "ignored-times.csv": _events(_times([(2, 4)])),
        "answers.txt": "1\n2\n1\n",
        "judged.csv": "real,preferred,other\nlabels.txt,found.txt,second.txt\n",
    }
    rows = list(zip(LABELS.split(), FOUND.split(), SCORES.split(), SECOND.split(), strict=True))
    files["columns.csv"] = "\n".join(",".join(row) for row in [("real", "found", "score", "label"), *rows]) + "\n"
    series = [("timestamp", "value", "label"), *((_clock(row), score, label) for row, (label, _, score, _) in enumerate(rows))]
    files["series.csv"] = "\n".join(",".join(row) for row in series) + "\n"
    table = [(name, _clock(row), *cells) for name in ("a", "b") for row, cells in enumerate(rows)]
    files["table.csv"] = "\n".join(",".join(row) for row in [("s", "t", "r", "p", "x", "q"), *table[::-1]]) + "\n"
    classes = (
        ["walk" if label == "1" else "rest" for label in LABELS.split()],
        ["walk" if predicted == "1" else "sit" for predicted in FOUND.split()],
    )
    files |= {f"classes-{side}.txt": "\n".join(names) + "\n" for side, names in zip(("real", "found"), classes, strict=True)}
    files["classes-times.csv"] = _events(_times(REAL), **{"class": ["walk", "run", "walk"], "kind": ["a", "b", "b"]})
    files["found-classes-times.csv"] = _events(_times(PREDICTED), **{"class": ["walk", "run", "run"], "kind": ["a", "a", "b"]})
    generated = ["value,label", *(f"{row % 7 + (9 if row % 50 == 30 else 0)},{row % 50 == 30:d}" for row in range(200))]
    files |= {"made.csv": "\n".join(generated) + "\n", "more.csv": "\n".join([generated[0], *generated[40:]]) + "\n"}
    files["published.csv"] = "file,a,b,g\nmade,0.5,0.25,x\nn,0.5,1,x\no,0.25,0,y\np,1,0,y\n"
    files["experiment.toml"] = EXPERIMENT
    files["values.csv"] = "time,x,y\n" + "".join(f"{_clock(row)},{score},{row}\n" for row, score in enumerate(SCORES.split()))
    for name, text in files.items():
        (folder / name).write_text(text)
    for name in ("events.tsv", "windows.json", "alertmanager.json", "pagerduty.json"):
        (folder / name).write_bytes((FIXTURES / name).read_bytes())
    write_nab(folder / "nab")
    write_results(folder / "results")
    (folder / "recipe.json").write_text(Recipe(length=300).to_json())
    ZScore().fit(np.arange(20.0)).save(folder / "saved.safetensors")
    bench.run(Experiment.read(folder / "experiment.toml"), store=folder / "made.rwbench", workers=1).close()


MANY = "--series s --real r"
BASES = {
    "score": [
        "labels.txt found.txt", "labels.txt found.txt --explain", "rows.csv found-rows.csv", "times.csv found-times.csv",
        "times.csv found-times.csv --times stamps.csv", "columns.csv columns.csv --real real --predicted found",
        "labels.txt found.txt --metric range_fbeta --metric mean_delay", "labels.txt scores.txt --metric auc_pr",
        "labels.txt found.txt --ignore ignored.csv", "labels.txt found.txt --fail-under f=0.9",
        f"table.csv {MANY} --predicted p", f"table.csv {MANY} --predicted p --times t",
    ],
    "curve": [
        "labels.txt scores.txt", "times.csv scores.txt --times stamps.csv", "columns.csv columns.csv --real real --scores score",
        f"table.csv {MANY} --scores x", "labels.txt scores.txt --ignore ignored.csv", "labels.txt scores.txt --threshold 0.5",
    ],
    "compare": [
        "labels.txt found.txt second.txt", "labels.txt scores.txt others.txt --metric auc_pr",
        "labels.txt scores.txt others.txt --metric range_fbeta --threshold best-f", "times.csv found-times.csv classes-times.csv",
        "rows.csv found-rows.csv ignored.csv", "labels.txt found.txt second.txt --json",
        "rows.csv found-rows.csv ignored.csv --metric range_recall",
    ],
    "classes": [
        "classes-real.txt classes-found.txt", "classes-times.csv found-classes-times.csv",
        "classes-times.csv found-classes-times.csv --times stamps.csv", "classes-real.txt classes-found.txt --by error",
        "classes-real.txt classes-found.txt --by metric", "classes-real.txt classes-found.txt --by range",
    ],
    "events": [
        "events.tsv events.tsv", "times.csv found-times.csv --span 2024-05-01 2024-05-02", "events.tsv events.tsv --by threshold",
        "events.tsv events.tsv --by iou",
    ],
    "alerts": [
        "times.csv found-times.csv", "times.csv found-times.csv --by name",
        "times.csv alertmanager.json --until 2024-05-02T00:00Z --tz UTC",
        "pagerduty.json alertmanager.json",
    ],
    "backtest": ["times.csv values.csv", "times.csv values.csv --rule-yaml - --expr up --value-column x"],
    "review": ["times.csv found-times.csv --weeks 2", "pagerduty.json alertmanager.json --weeks 2"],
    "ranking": [
        "labels.txt found.txt second.txt", "labels.txt scores.txt others.txt --threshold equal-share",
        "times.csv found-times.csv classes-times.csv",
    ],
    "advise": ["--answers answers.txt", "--judgements judged.csv"],
    "report": [
        "labels.txt scores.txt others.txt", "labels.txt found.txt second.txt", "times.csv found-times.csv",
        "times.csv scores.txt --times stamps.csv", "columns.csv columns.csv --real real --scores score",
    ],
    "nab": ["nab results", "nab results --ignore ignored.csv"],
    "metrics": ["", "vus_pr", "--family range", "--tasks", "--markdown"],
    "convert": [
        "labels.txt - --to ranges", "rows.csv - --to ranges", "times.csv - --to ranges", "times.csv - --to labels --times stamps.csv",
        "labels:labels.txt labels:-", "columns.csv - --to labels",
    ],
    "plot": ["series.csv out.svg", "series.csv out.svg --predicted found-times.csv", "times.csv out.svg"],
    "generate": ["out.csv", "out.csv --recipe recipe.json", "out.csv --base made.csv"],
    "detect": [
        "made.csv --detector z-score", "made.csv --detector nearest-window", "made.csv --load saved.safetensors",
        "made.csv --detector z-score --threshold best-f --use-labels",
    ],
    "audit": ["made.csv"],
    "bench import": ["experiment.toml --scores a={series}.csv --column value --threshold a=8 --store imported.rwbench --workers 1"],
    "bench manifest": ["made.rwbench"],
    "bench table": ["published.csv"],
    "bench tsb-ad": ["made.csv --scores {series}.csv --column value"],
    "bench simulate": ["--sizes 3,4 --trials 5", "published.csv --groups g --trials 5"],
    "bench run": ["experiment.toml --store ran.rwbench --workers 1"],
    "bench check": ["experiment.toml --quick"],
    "bench report": ["made.rwbench", "made.rwbench --html out.html"],
}  # fmt: skip
"""Base arguments of each command, to which the tests add one option. Commands that are not here have no options or take minutes."""

VALUES = {
    "--against": ["nonsense"], "--alert-name": ["Other"], "--alerts-end-column": ["nonsense", "name"], "--alerts-format": ["ucr"],
    "--alerts-start-column": ["nonsense"], "--alpha": ["0.5"], "--answers": ["nonsense"], "--as-points": ["both", "nonsense"],
    "--at-most": ["9/day", "nonsense"], "--background": ["rest", "nonsense"], "--base": ["walk", "nonsense"], "--beta": ["2"],
    "--bias": ["front", "nonsense"], "--by": ["nonsense"], "--cardinality": ["reciprocal", "nonsense"], "--channels": ["2"],
    "--check": ["nonsense"], "--close-gaps": ["2", "nonsense"], "--collar": ["3", "nonsense"], "--column": ["label", "nonsense"],
    "--confusion": ["made.png", "nonsense"], "--cooldown": ["2h", "nonsense"], "--correlations": ["0.5", "nonsense"], "--csv": ["made.out"],
    "--detect-within": ["1min", "nonsense"], "--detector": ["nonsense"], "--detectors": ["a", "nonsense"], "--diagram": ["made.svg"],
    "--end": ["2024-05-02", "nonsense"], "--end-column": ["nonsense"], "--exclude-rule": ["y", "nonsense"], "--expr": ["up"],
    "--fail-under": ["f=0.99", "found_share=0.99", "nonsense"], "--family": ["paper", "nonsense"], "--figure": ["table2", "nonsense"],
    "--for": ["nonsense"], "--forest": ["made.svg"], "--format": ["ucr", "nonsense"], "--gap": ["30"], "--grid": ["10Hz", "nonsense"],
    "--groups": ["g", "nonsense"], "--high": ["3"], "--holdout": ["0.4", "nonsense"], "--html": ["made.html"],
    "--ignore": ["ignored.csv", "ignored-times.csv", "nonsense"], "--ignore-end-column": ["nonsense"],
    "--ignore-format": ["ucr", "nonsense"],
    "--ignore-start-column": ["nonsense"], "--impute": ["linear", "nonsense"], "--incidents-end-column": ["nonsense"],
    "--incidents-format": ["ucr"], "--incidents-start-column": ["nonsense"], "--interval": ["2h", "nonsense"],
    "--job": ["security", "nonsense"], "--join": ["90min", "nonsense"], "--join-flaps": ["5h", "nonsense"], "--judgements": ["nonsense"],
    "--junit": ["made.xml"], "--keep-firing-for": ["2h", "nonsense"], "--kind": ["spike", "nonsense"], "--label": ["sz", "nonsense"],
    "--label-sets": ["each", "nonsense"], "--lead": ["3h", "nonsense"], "--length": ["30"], "--lengths": ["5 9"], "--level": ["0.5"],
    "--load": ["nonsense"], "--lookback": ["1h", "nonsense"], "--low": ["-3"], "--max-alert-rate": ["0.1"],
    "--metric": ["vus_pr", "range_recall", "early:f", "nonsense"], "--min-overlap": ["0.9"], "--missing": ["lowest", "nonsense"],
    "--model": ["RangeModel(alpha=0.5)", "nonsense"], "--name": ["Other"], "--noise": ["0.3"], "--number": ["2"],
    "--op": ["<", "nonsense"], "--out": ["written.csv"], "--outside": ["drop", "nonsense"], "--page": ["made.html", "nonsense"],
    "--part": ["10 200"], "--period": ["30"], "--plot": ["made.svg", "nonsense"], "--precision-bias": ["front", "nonsense"],
    "--precision-cardinality": ["reciprocal", "nonsense"], "--precision-weight": ["length", "nonsense"], "--predicted": ["found-times.csv"],
    "--predicted-column": ["found", "nonsense"], "--predicted-format": ["ucr", "nonsense"], "--predictions": ["b={series}.csv"],
    "--preset": ["early", "nonsense"], "--profile": ["reward_low_FP_rate", "nonsense"], "--protocol": ["ovlp", "nonsense"],
    "--questions": ["1"], "--rate": ["0.2"], "--real": ["times.csv", "nonsense"], "--real-column": ["found", "nonsense"],
    "--real-format": ["ucr", "nonsense"], "--recall-bias": ["front", "nonsense"], "--recall-cardinality": ["reciprocal", "nonsense"],
    "--recipe": ["recipe.json", "nonsense"], "--repeated-times": ["keep", "nonsense"],
    "--resolution": ["1h", "5h", "nonsense"], "--resamples": ["50"], "--retry": ["nonsense"],
    "--rule-yaml": ["made.yml"], "--save": ["made.out"], "--saw-labels": ["a", "nonsense"], "--scheduler": ["tcp://127.0.0.1:1"],
    "--scores": ["score", "nonsense"], "--scores-column": ["score", "nonsense"], "--seed": ["5"], "--series": ["made", "nonsense"],
    "--series-column": ["nonsense"], "--set": ["k=1", "nonsense"], "--sizes": ["2,2,2", "nonsense"],
    "--span": ["0 30", "2024-05-01 2024-05-03", "2024-05-01T08:00 2024-05-02", "a b"],
    "--split": ["1h", "none", "nonsense"], "--start-column": ["nonsense"], "--step": ["30min", "nonsense"], "--store": ["made.out"],
    "--strength": ["3 4"], "--table": ["published.csv", "nonsense"], "--threshold": ["0.7", "nonsense"], "--time-column": ["nonsense"],
    "--times": ["stamps.csv", "nonsense"], "--title": ["Other"], "--to": ["grafana", "csv", "nonsense"], "--tolerance": ["2h 2h", "a b"],
    "--train": ["0:100", "nonsense"], "--trials": ["9"], "--tz": ["Asia/Tokyo", "nonsense"], "--until": ["2024-05-01T23:00", "nonsense"],
    "--value-column": ["y", "nonsense"], "--values": ["values.csv", "series.csv", "nonsense"], "--values-column": ["value", "nonsense"],
    "--task": ["medical", "nonsense"], "--validation": ["0.5", "nonsense"], "--baselines": ["random", "nonsense"],
    "--warning-window": ["4h..1h", "nonsense"], "--weeks": ["3"],
    "--weights": ["weight", "nonsense"], "--workers": ["2"], "--zero-division": ["1"],
}  # fmt: skip
"""Values of each option: some that matter on some input, and invalid ones, which must be rejected on every input."""
OWN_VALUES = {
    ("alerts", "--by"): ["name", "alertname"],
    ("backtest", "--for"): ["3h", "nonsense"],
    ("backtest", "--threshold"): ["0.5"],
    ("bench import", "--scores"): ["a={series}.csv"],
    ("bench manifest", "--check"): ["nonsense"],
    ("bench run", "--workers"): ["2"],
    ("bench report", "--metric"): ["range:f", "nonsense"],
    ("bench report", "--format"): ["markdown", "nonsense"],
    ("bench report", "--fail-under"): ["0.99"],
    ("bench run", "--fail-under"): ["0.999"],
    ("bench table", "--series"): ["nonsense"],
    ("classes", "--column"): ["kind", "nonsense"],
    ("classes", "--real-column"): ["kind", "nonsense"],
    ("classes", "--predicted-column"): ["kind", "nonsense"],
    ("detect", "--threshold"): ["1", "nonsense"],
    ("events", "--by"): ["threshold", "iou", "nonsense"],
    ("events", "--label"): ["bckg", "sz", "nonsense"],
    ("events", "--threshold"): ["0.6"],
    ("metrics", "--for"): ["page a human", "nonsense"],
    ("metrics", "--family"): ["range", "nonsense"],
    ("nab", "--threshold"): ["0.2"],
    ("plot", "--predicted"): ["found-times.csv", "nonsense"],
    ("ranking", "--threshold"): ["best-f", "nonsense"],
    ("report", "--threshold"): ["scores=0.7", "0.7", "equal-share", "nonsense=3"],
    ("review", "--by"): ["name", "nonsense"],
    ("score", "--family"): ["range", "nonsense"],
    ("compare", "--family"): ["range", "nonsense"],
}
"""Values of an option in one command, instead of those in VALUES."""
HAS_TIMES = r"times\.csv|json"
ON_ROWS = r"times\.csv.*(--times|series\.csv)|series\.csv.*times\.csv"
MAY_DO_NOTHING = {
    "--times": (r"labels|rows|columns", "the number of timestamps is compared with that of the rows, and --explain shows them"),
    "--until": (HAS_TIMES, "no range is open here"),
    "--outside": (ON_ROWS, "no range is outside here"),
    "--inclusive": (ON_ROWS, "the default of times"),
    "--exclusive": (r"rows\.csv|ignored\.csv", "the default of rows"),
    "--missing": (r"scor|results", "no score is missing here"),
    "--resolution": ("", "times may be whole hours"),
    "--weights": ("json", "every incident is missed"),
    "--impute": ("", "no value is missing here"),
    "--ignore": ("--by threshold|--rule-yaml", "no event begins or ends there; the best rule may be the same"),
    "--label-sets": ("--value-column x", "one column is one label set"),
    "--repeated-times": ("--times t", "no time repeats here"),
    "--close-gaps": ("", "there may be no gap of that length"),
    "--length": ("rows", "checked, and used by metrics that count points"),
    "--column": (r"made\.csv|series\.csv|columns\.csv - --to", "the default column"),
    "--predicted-column": ("--predicted found", "the same column under its other name"),
    "--scores-column": ("--scores score", "the same column under its other name"),
    "--keep-always-firing": (r"name|json", "no rule always fires here"),
    "--fail-under": (r"json|rwbench", "the limit is met"),
    "--lookback": ("", "samples are as close as evaluations here"),
    "--lead": ("json|values", "no alert came shortly before an incident"),
    "--end": ("", "the last day by default"),
    "--tz": ("", "days may be the same in two zones"),
    "--wide": ("auc_pr", "the table is narrow"),
    "--baseline": ("", "the default, which scripts may give"),
    "--open": ("", "opens a browser, which tests do not"),
    "--force": (r"out\.|labels|times|columns", "no file is there to overwrite"),
    "--workers": ("", "the results are the same for any number"),
    "--seed": ("", "a small sample may come out the same"),
    "--train": ("", "the learned values may be the same"),
    "--threshold": ("nearest-window", "all scores may be on one side"),
    "--preset": ("best-f", "two models may choose one threshold"),
    "--model": ("best-f", "two models may choose one threshold"),
    "--exact": ("", "a series with few thresholds is exact anyway"),
    "--metric": (r"rwbench", "the experiment's own metric"),
    **dict.fromkeys(
        ("--span", "--join", "--split", "--tolerance", "--grid", "--protocol"), (r"^(?!.*--by iou)", "it affects none of these events"),
    ),
    **dict.fromkeys(
        ("--precision-bias", "--cardinality", "--recall-cardinality", "--precision-cardinality", "--precision-weight", "--zero-division"),
        (r"^(?!.*--by error)", "the numbers of small files may agree under two settings"),
    ),
}  # fmt: skip
"""Inputs (as a pattern) on which an option may change nothing although it is used, and why. On others it has an effect or is rejected."""
ELSEWHERE = {
    "advise": ["--answers", "--task", "--judgements"],
    "alerts": ["--cooldown", "--junit", "--annotate", "--title"],
    "audit": ["--table", "--groups", "--detectors", "--lower-is-better"],
    "backtest": ["--rule-yaml", "--expr"],
    "bench check": ["--quick"],
    "bench import": ["--scores"],
    "bench manifest": ["--check"],
    "bench report": ["--fail-under", "--junit", "--annotate"],
    "bench run": ["--retry", "--junit", "--annotate", "--fail-under"],
    "bench simulate": ["--groups", "--sizes", "--trials"],
    "bench tsb-ad": ["--scores"],
    "classes": ["--by"],
    "compare": ["--threshold"],
    "convert": ["--to"],
    "detect": ["--detector", "--load", "--set", "--use-labels"],
    "events": ["--label"],
    "generate": ["--kind"],
    "metrics": ["--ask"],
    "nab": ["--published", "--detector"],
    "report": ["--out"],
    "review": ["--weeks", "--against", "--exclude-rule"],
}
"""Options that need more than a value, or that are part of every input; the tests of the commands cover them."""
NOT_HERE = ("--scheduler", "--store")
"""Options for a cluster, and for the place of results."""


def commands():
    """Every command with its options, from the table that defines the command line."""

    def leaves(name, command):
        for part, inner in getattr(command, "commands", {}).items():
            yield from leaves(f"{name} {part}", inner)
        if not getattr(command, "commands", {}):
            yield name, [each for each in command.params if each.param_type_name == "option"]

    return {name: options for command in COMMANDS for name, options in leaves(command, load_command(command))}


def option_arguments(command, option):
    """The arguments to try an option with."""
    flags = [name for name in (*option.opts, *option.secondary_opts) if name.startswith("--")]
    if option.is_flag:
        return [[name] for name in flags]
    name = flags[0]
    values = OWN_VALUES.get((command, name), VALUES.get(name))
    assert values, f"{command} {name}: add values to try to VALUES"
    return [[name, *([value] if option.nargs == 1 else value.split())] for value in values]


def file_contents():
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def without_times(name, content):
    """The content of a file, without times and measurements."""
    if not name.endswith(".rwbench"):
        return content
    with closing(sqlite3.connect(":memory:")) as store:
        store.deserialize(content[:18] + b"\1\1" + content[20:])  # turn off WAL mode, which needs a file
        store.row_factory = sqlite3.Row
        tables = [table for (table,) in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name != 'invocation'")]
        rows = {table: [dict(row) for row in store.execute(f"SELECT * FROM {table}")] for table in tables}
    for row in rows["result"]:
        for column in ("seconds_fit", "seconds_score", "peak_memory"):
            del row[column]
    return rows


def outcome(words, before):
    """Run a command: exit code, output, errors and written files, which are removed again."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = run(words)
    out.flush()
    after = file_contents()
    for name in after:
        if name not in before:
            os.remove(name)
        elif after[name] != before[name]:
            Path(name).write_bytes(before[name])
    written = {name: without_times(name, content) for name, content in after.items() if before.get(name) != content}
    return code, out.buffer.getvalue(), err.getvalue(), written


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    write_inputs(folder)
    return folder


def arguments_with(command, base, option):
    """The command line with the option, or None if the base has it already."""
    words = base.split()
    return None if option[0] in words else [*command.split(), *words, *option]


def plain_outcomes(command, before):
    """The outcome of each base without another option."""
    plain = {base: outcome([*command.split(), *base.split()], before) for base in BASES[command]}
    for base, (code, _, error, _) in plain.items():
        assert code in (0, 1), (command, base, error)
    return plain


def effects(command, option, plain, before):
    """For each base and value, what the option did: "changed", "rejected" or "nothing"."""
    for base in BASES[command]:
        for words in option_arguments(command, option):
            if (line := arguments_with(command, base, words)) is None:
                continue
            result = outcome(line, before)
            if result[0] == 2:
                assert len(re.findall("^rangewise: (?!note: )", result[2], re.MULTILINE)) == 1, (line, result)
                assert not result[3], f"{line} was rejected, but wrote files"
            yield base, words, "rejected" if result[0] == 2 else "nothing" if result == plain[base] else "changed"


def is_named(option):
    """Whether an option names columns, formats or a series that only other files have; other tests cover these options."""
    return option.opts[0].endswith(("-column", "-format")) or option.opts[0] in ("--format", "--column", "--series", "--until", "--outside")


def may_do_nothing(option, base):
    pattern, _ = MAY_DO_NOTHING.get(option, ("(?!)", ""))
    return re.search(pattern, base) is not None


@pytest.mark.slow
@pytest.mark.parametrize("command", BASES)
def test_no_option_is_silently_ignored(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    before = file_contents()
    plain = plain_outcomes(command, before)
    silent, without_effect = [], []
    for option in commands()[command]:
        outcomes = list(effects(command, option, plain, before))
        unused = [(base, words) for base, words, effect in outcomes if effect == "nothing"]
        silent += [" ".join([base, *words]) for base, words in unused if not may_do_nothing(words[0], base)]
        if "changed" not in {effect for *_, effect in outcomes} and not is_named(option):
            without_effect.append(option.opts[0])
    assert plain_outcomes(command, before) == plain, "the output depends on when the command runs"
    assert not silent, f"rangewise {command}: these change nothing and are not rejected"
    covered_elsewhere = {*NOT_HERE, *MAY_DO_NOTHING, *ELSEWHERE.get(command, ())}
    assert not set(without_effect) - covered_elsewhere, f"rangewise {command}: these change nothing on any input"


def test_every_command_is_tried():
    untried = {"demo": "minutes", "paper": "minutes", "data get": "downloads"}
    assert {name for name, options in commands().items() if options} - set(BASES) - set(untried) == {"bench export"}
