"""Files from an untrusted source: reading them changes nothing on disk, runs nothing and exhausts nothing.

``SECURITY.md`` lists the promises; each test here checks one of them.
"""

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import FIXTURES
from tests.peak_memory import IMPORT
from tests.small_nab import write_nab, write_results

import rangewise as rw
from rangewise import bench
from rangewise.bench.experiment import Experiment
from rangewise.bench.store import Store
from rangewise.cli import run
from rangewise.detectors import ZScore
from rangewise.generate.recipe import Recipe
from rangewise.tables import Table, csv_cell, plain_cell


def tree(folder):
    """The mode, modification time and content of every path below a folder."""
    entries = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        entries[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, content)
    return entries


@pytest.fixture
def downloaded_folder(tmp_path, monkeypatch):
    """A folder from a stranger as the working directory, inside a home folder with a file that must not change."""
    (tmp_path / ".bashrc").write_text("precious")
    folder = tmp_path / "downloads" / "theirs"
    folder.mkdir(parents=True)
    for name in ("labels.txt", "series.csv"):
        (folder / name).write_bytes((FIXTURES / name).read_bytes())
    (folder / "payload").write_text("echo owned")
    (folder / "payload.txt").write_text("0\n1\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    "journal",
    [
        [["payload", "../../.bashrc"]],
        [["payload", "HOME/.bashrc"]],
        [["../../.bashrc", "stolen"]],
        [["payload", "labels.txt"]],
        "[" * 100_000,
        "FIFO",
    ],
    ids=["relative", "absolute", "stolen", "own", "deep", "pipe"],
)
def test_journal_beside_a_file_is_ignored(downloaded_folder, tmp_path, journal):
    path = downloaded_folder / ".labels.txt.journal"
    if journal == "FIFO":
        os.mkfifo(path)
    else:
        text = journal if isinstance(journal, str) else json.dumps(journal)
        path.write_text(text.replace("HOME", str(tmp_path)))
    before = tree(tmp_path)
    assert run(["score", "labels.txt", "labels.txt"]) == 0
    assert tree(tmp_path) == before
    assert run(["convert", "payload.txt", "labels.txt", "--to", "labels", "--force"]) == 0
    after = tree(tmp_path)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == {"downloads/theirs", "downloads/theirs/labels.txt"}


MEMORY = 1 << 30
ADDRESS_SPACE = 12 << 30
"""Limit for the address space of a child, so that a failing test does not exhaust the machine."""


def run_child(words, folder):
    """Run a command in a separate process: exit code, error output and peak memory."""
    code = (
        f"{IMPORT}import resource\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({ADDRESS_SPACE}, {ADDRESS_SPACE}))\n"
        "from rangewise.cli import run\n"
        "code = run(sys.argv[1:])\n"
        "print('\\npeak', peak_memory(), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    environment = os.environ | {"POLARS_MAX_THREADS": "2", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    completed = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=environment
    )
    errors, separator, peak = completed.stderr.rpartition("\npeak ")
    assert separator, f"the process died: {completed.returncode}, {completed.stderr[-500:]}"
    return completed.returncode, errors, int(peak)


@pytest.fixture(scope="module")
def expanding_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    subprocess.run([sys.executable, str(Path(__file__).with_name("hostile.py")), str(folder)], check=True)
    (folder / "series.csv").write_bytes((FIXTURES / "series.csv").read_bytes())
    return folder


@pytest.fixture(scope="module")
def usual_memory(expanding_files):
    """The memory of a command that reads a table of a few rows."""
    return run_child(["detect", "series.csv", "--detector", "moving-z-score", "--out", "-"], expanding_files)[2]


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("convert labels.parquet - --to ranges --column label", 2, "rows would take"),
        ("curve labels.parquet labels.parquet --column label", 2, "rows would take"),
        ("score labels.parquet labels.parquet --column label --metric point_adjust_fbeta", 2, "rows would take"),
        ("score labels.parquet labels.parquet", 0, ""),
        ("score ones.parquet pieces.parquet", 2, "others overlap would take"),
        ("score table.parquet --series s --real real --predicted predicted", 0, ""),
        ("score table.parquet --series s --real real --predicted predicted --close-gaps 3", 0, ""),
        ("curve table.parquet --series s --real real --scores predicted", 2, "rows would take"),
        ("score series.parquet --series s --real real --predicted predicted", 2, "series would take"),
        ("classes texts.parquet texts.parquet", 2, "would take"),
        ("score packed.csv --series s --real real --predicted predicted", 2, "is compressed"),
        ("curve packed.csv --series s --real real --scores predicted", 2, "is compressed"),
        ("score packed.csv packed.csv", 2, ""),
        ("score columns.csv columns.csv", 2, "10000001 columns; expected at most"),
        ("score columns.csv --series s --real real --predicted predicted", 2, "columns; expected at most"),
        ("score short.csv short.csv --column a", 2, "the first line names 10001 columns"),
        *((f"detect series.csv --load {name}.safetensors --out o.csv", 2, name) for name in ("layers", "sections", "channels")),
    ],
)
def test_small_files_take_little_memory(expanding_files, usual_memory, command, code, message):
    exit_code, errors, peak = run_child(command.split(), expanding_files)
    file_sizes = sum((expanding_files / word).stat().st_size for word in command.split() if (expanding_files / word).is_file())
    assert (exit_code, message in errors) == (code, True), errors
    assert len(errors.splitlines()) == (1 if code else 0)
    assert peak < usual_memory + file_sizes + MEMORY


HOSTILE_TEXT = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m\r\n# rm <img src=x onerror=alert(1)> [l](javascript:alert) =cmd|'/c calc'!A1"
CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]")


@pytest.fixture
def hostile_names(tmp_path, monkeypatch):
    """Files with hostile names, classes, rules and columns."""
    monkeypatch.chdir(tmp_path)
    for path, text in (("=a\x1b[2J\n[b].txt", "0\n1\n1\n0\n"), ("real.txt", "0\n1\n1\n0\n"), ("b.txt", "0\n1\n0\n0\n")):
        Path(path).write_text(text)
    rows = [("2024-01-01T00:00", "2024-01-01T01:00", HOSTILE_TEXT), ("2024-01-02T00:00", "2024-01-02T01:00", f"={HOSTILE_TEXT}")]
    with open("alerts.csv", "w", newline="") as file:
        csv.writer(file).writerows([("start", "end", "name"), *rows])
    with open("values.csv", "w", newline="") as file:
        csv.writer(file).writerows([("time", HOSTILE_TEXT), *((f"2024-01-01T{hour:02}:00", int(hour == 0)) for hour in range(24))])
    with open("classes.csv", "w", newline="") as file:
        csv.writer(file).writerows([("start", "end", "class"), (0, 2, HOSTILE_TEXT), (3, 5, "@x"), (6, 7, "-y")])
    with open("many.csv", "w", newline="") as file:
        csv.writer(file).writerows([("s", "r", "p"), (HOSTILE_TEXT, 1, 1), (HOSTILE_TEXT, 0, 1), (f"={HOSTILE_TEXT}", 1, 0)])
    with open("columns.csv", "w", newline="") as file:
        csv.writer(file).writerows([(HOSTILE_TEXT, "b"), (1, 2)])
    return tmp_path


HOSTILE_FILE = "=a\x1b[2J\n[b].txt"


@pytest.mark.parametrize(
    "words",
    [
        ["score", "alerts.csv", "alerts.csv", "--explain"],
        ["alerts", "alerts.csv", "alerts.csv", "--by", "name"],
        ["alerts", "alerts.csv", "alerts.csv", "--by", "name", "--markdown"],
        ["alerts", "alerts.csv", "alerts.csv", "--by", "name", "--json"],
        *(["review", "alerts.csv", "alerts.csv", "--by", "name", "--weeks", "2", *flags] for flags in ([], ["--markdown"], ["--json"])),
        *(["backtest", "alerts.csv", "values.csv", *flags] for flags in ([], ["--markdown"], ["--json"])),
        ["classes", "classes.csv", "classes.csv"],
        *(["classes", "classes.csv", "classes.csv", "--by", by] for by in ("range", "metric", "confusion")),
        *(["classes", "classes.csv", "classes.csv", way] for way in ("--markdown", "--latex", "--json")),
        ["score", "many.csv", "--series", "s", "--real", "r", "--predicted", "p"],
        ["score", "many.csv", "--series", "s", "--real", "r", "--predicted", "p", "--json"],
        *(["compare", "real.txt", HOSTILE_FILE, "b.txt", *flags] for flags in ([], ["--markdown"], ["--latex"], ["--csv"], ["--json"])),
        ["ranking", "real.txt", HOSTILE_FILE, "b.txt"],
        ["score", "columns.csv", "columns.csv"],
        ["score", "columns.csv", "columns.csv", "--column", "c"],
        ["score", "none\x1b[2J", "real.txt"],
        ["classes", "alerts.csv", "real.txt"],
        ["detect", "columns.csv", "--detector", "z-score"],
    ],
    ids=lambda words: " ".join(words).replace(HOSTILE_FILE, "HOSTILE").replace("\x1b", "ESC"),
)
def test_control_characters_do_not_reach_the_terminal(hostile_names, capsys, words):
    run(words)
    printed = "".join(capsys.readouterr())
    assert printed
    assert not CONTROL_CHARACTERS.search(printed)
    assert "\n# rm" not in printed


def test_warnings_and_notes_are_escaped(capsys):
    import warnings

    from rangewise.cli import _one_line
    from rangewise.cli.errors import warnings_as_notes

    assert not CONTROL_CHARACTERS.search(_one_line(HOSTILE_TEXT, UserWarning, "a", 1))
    with warnings_as_notes():
        warnings.warn(HOSTILE_TEXT, stacklevel=1)
    assert not CONTROL_CHARACTERS.search(capsys.readouterr().err)


def test_rich_console_prints_no_control_characters():
    from rich.table import Table

    from rangewise.cli.console import PlainConsole

    target = io.StringIO()
    table = Table("a")
    table.add_row(HOSTILE_TEXT)
    console = PlainConsole(file=target, force_terminal=True, width=200)
    console.print(table)
    console.print(HOSTILE_TEXT)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", target.getvalue())
    assert not CONTROL_CHARACTERS.search(plain)
    assert "owned" in plain


def test_csv_has_no_formulas(hostile_names, capsys):
    assert run(["compare", "real.txt", HOSTILE_FILE, "b.txt", "--csv"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert any(cell.startswith("'=a") for row in rows for cell in row)
    assert not [cell for row in rows for cell in row if cell[:1] in "=@" and cell]
    assert run(["convert", "alerts.csv", "out.csv", "--to", "ranges"]) == 0
    rows = list(csv.reader(io.StringIO(Path("out.csv").read_text())))
    assert not [cell for row in rows for cell in row if cell[:1] in "=@" and cell]


@given(st.text(max_size=8) | st.sampled_from(["=1", "'=1", "''@", "-x", "+1.5", "-2e5", "\t=", "'", "-"]))
def test_csv_cell_round_trips(text):
    assert plain_cell(csv_cell(text)) == text
    assert csv_cell(text)[:1] not in ("=", "@")


def test_latex_and_markdown_are_escaped():
    hostile = [["name", "f"], [r"\input{/etc/passwd} [2cm] ^^5cinput ~ #1 $x$", "1"], ["a\nb | c <script> ![x](http://y) `z` &lt;", "2"]]
    table = Table(hostile[0], hostile[1:])
    tex, text = table.to_latex(), table.to_markdown()
    assert r"\input" not in tex
    assert "^^" not in tex
    assert not re.search(r"\\\\\s*[\[*]", Table(["a"], [["[x]"], ["*"]]).to_latex())
    assert len(text.splitlines()) == 4
    assert "<script>" not in text
    assert not re.search(r"(?<!\\)\[x|(?<!\\)`z", text)
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines()] == [3] * 4


def test_pages_escape_names(hostile_names, tmp_path):
    page = rw.report([0, 1, 1, 0], {HOSTILE_TEXT: [0, 1, 0, 0], f"b{HOSTILE_TEXT}": [0.1, 0.2, 0.9, 0.8]}, title=HOSTILE_TEXT).html
    code = page.partition('id="exact"')[2].partition("</pre>")[0]
    assert len(code.splitlines()) == 2  # the command and the comment
    assert not CONTROL_CHARACTERS.search(page)
    assert "Content-Security-Policy" in page
    assert "<img src=x" not in page


def test_every_page_has_a_content_security_policy():
    from rangewise.bench.page import html_page

    assert "Content-Security-Policy" in html_page(HOSTILE_TEXT, ["<h1>x</h1>"])
    for path in (Path(rw.__file__).parent).rglob("*"):
        if path.suffix in (".py", ".html") and "<!doctype html" in (text := path.read_text()):
            assert "Content-Security-Policy" in text, path


EXPERIMENT = """
name = "theirs"
[[detector]]
name = "z-score"
[[series]]
path = "made.csv"
"""


@pytest.fixture(scope="module")
def all_inputs(tmp_path_factory):
    """A folder with an input file of every kind, each with a hostile journal beside it."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "theirs"
    shutil.copytree(FIXTURES, folder)
    write_nab(folder / "nab")
    write_results(folder / "results")
    (folder / "made.csv").write_text("value,label\n" + "".join(f"{row % 7},{row % 50 == 0:d}\n" for row in range(400)))
    (folder / "many.csv").write_text("s,r,p\na,1,1\na,0,1\nb,1,0\n")
    (folder / "tables").mkdir()
    pl.read_csv(folder / "many.csv").write_parquet(folder / "tables" / "a.parquet")
    (folder / "scores.csv").write_text("file,a,b,g\nmade,0.5,0.25,x\nn,0.5,1,x\no,0.5,0,y\np,1,0,y\n")
    (folder / "scores-made.csv").write_text("".join(f"{row % 9}\n" for row in range(400)))
    (folder / "classes.csv").write_text("start,end,class\n0,2,a\n3,4,b\n")
    (folder / "values.csv").write_text("time,x\n" + "".join(f"2024-03-31T{hour:02}:00Z,{hour % 5}\n" for hour in range(24)))
    (folder / "judgements.txt").write_text("")
    (folder / "bench.toml").write_text(EXPERIMENT)
    ZScore().fit(np.arange(10.0)).save(folder / "saved.safetensors")
    (folder / "recipe.json").write_text(Recipe(length=100).to_json())
    bench.run(Experiment.read(folder / "bench.toml"), store=folder / "theirs.rwbench", workers=1).close()
    killed = (
        "import os, sys\nfrom rangewise.bench.store import Store\nstore = Store.writing(sys.argv[1], 'theirs')\n"
        "with store.transaction() as write: write.execute('INSERT INTO invocation (started, version) VALUES (1, 2)')\nos._exit(0)"
    )
    shutil.copy(folder / "theirs.rwbench", folder / "killed.rwbench")
    subprocess.run([sys.executable, "-c", killed, str(folder / "killed.rwbench")], check=True)
    assert (folder / "killed.rwbench-wal").stat().st_size
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        target = path.with_name(f".{path.name[:100]}.journal")
        target.write_text(json.dumps([["../payload", path.name], ["payload", str(home / ".bashrc")]]))
    for name in ("payload", "theirs/payload", ".bashrc"):
        (home / name).write_text(name)
    return folder


FILES = sorted(path.name for path in FIXTURES.iterdir() if path.name != "series.csv")
READING_COMMANDS = [
    *(f"score {name} {name} --explain{' --until 2024-03-31T08:00' if name.endswith('.json') else ''}" for name in FILES),
    *(f"convert {name} - --to ranges" for name in FILES),
    "score labels.txt labels.txt --ignore ranges.csv --metric vus_pr --json",
    "score ranges-times.csv windows.json --times series.csv --outside drop",
    "score many.csv --series s --real r --predicted p",
    "score tables --series s --real r --predicted p",
    "score tables/a.parquet --series s --real r --predicted p --fail-under f=0.1 --junit ../junit.xml --force",
    "curve labels.txt labels.txt --csv ../curve.csv --plot ../curve.png --force",
    "curve tables/*.parquet --series s --real r --scores p",
    "compare labels.txt column.csv labels.txt",
    "ranking labels.txt column.csv labels.txt --plot ../ranking.png --force",
    "classes classes.csv classes.csv --by range --confusion ../confusion.png --force",
    *(f"events events.tsv {name} --span 0 60 --explain" for name in ("events.tsv", "audacity.txt", "made.edf", "llm-answer.md")),
    "alerts ranges-times.csv alertmanager.json --page ../alerts.html --plot ../alerts.png --force",
    "backtest pagerduty.json values.csv --for 0,1h --plot ../backtest.png --force",
    "review pagerduty.json alertmanager.json --weeks 1 --page ../review.html --force",
    "report labels.txt column.csv --values series.csv --out ../report.html --force",
    "nab nab results",
    "plot timeeval.csv ../plot.png --force",
    "detect made.csv --detector moving-z-score --out ../detected.csv --save ../saved.safetensors --force",
    "detect made.csv --load saved.safetensors",
    "generate ../made.csv --recipe recipe.json --force",
    "audit made.csv --html ../audit.html --table scores.csv --force",
    "bench table scores.csv --html ../table.html --force",
    "bench simulate scores.csv --groups g --trials 5",
    "bench tsb-ad made.csv --scores scores-{series}.csv",
    "bench manifest theirs.rwbench --out ../manifest.json --force",
    "bench check bench.toml --quick --store theirs.rwbench",
    *(f"bench {command}" for store in ("theirs", "killed") for command in (
        f"status {store}.rwbench", f"report {store}.rwbench", f"report {store}.rwbench --html ../bench.html --pages --force",
        f"export {store}.rwbench ../export.csv --force",
    )),
]  # fmt: skip


@pytest.mark.parametrize("command", READING_COMMANDS)
def test_reading_changes_nothing_in_the_folder(all_inputs, monkeypatch, capsys, command):
    monkeypatch.chdir(all_inputs)
    before, contents_outside = tree(all_inputs), {name: (all_inputs.parent / name).read_text() for name in ("payload", ".bashrc")}
    code = run(command.split())
    assert tree(all_inputs) == before
    assert {name: (all_inputs.parent / name).read_text() for name in contents_outside} == contents_outside
    assert code == 0, capsys.readouterr().err


def test_every_reading_command_is_covered():
    from rangewise.cli.commands import COMMANDS

    covered = {command.split()[0] for command in READING_COMMANDS}
    assert covered | {"advise", "metrics", "paper", "demo", "data", "schema"} == set(COMMANDS)


def change_store(path, **values):
    """Change all values of a column of the store; the argument is ``table__column``."""
    connection = sqlite3.connect(path)
    for name, value in values.items():
        connection.execute(f"UPDATE {name.partition('__')[0]} SET {name.partition('__')[2]} = ?", (value,))
    connection.commit()
    connection.close()


@pytest.fixture
def store(all_inputs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(all_inputs / "theirs.rwbench", tmp_path / "s.rwbench")
    return tmp_path / "s.rwbench"


@pytest.mark.parametrize(
    "values",
    [
        {"about__value": "[" * 100_000},
        {"about__value": "{}"},
        {"about__value": None},
        {"series__real": "[[0, 9e99]]"},
        {"series__points": 10**18},
        {"series__name": b"bytes"},
        {"plan__detector": "other"},
        {"score__real_reward": "9" * 5000},
        {"prediction__ranges": b"z" + zlib.compress(bytes(1 << 30), 1)},
        {"prediction__ranges": b"z" + zlib.compress(bytes(1 << 20), 1)[:-9]},
        {"prediction__ranges": b"rx"},
    ],
    ids=lambda values: next(iter(values)),
)
def test_invalid_values_in_a_store_give_at_most_one_line(store, capsys, values):
    change_store(store, **values)
    for words in (["status"], ["report", "--html", "x.html", "--pages", "--force"], ["export"]):
        code = run(["bench", words[0], str(store), *words[1:], *(["y.csv", "--force"] if words == ["export"] else [])])
        assert code in (0, 2)
        errors = capsys.readouterr().err
        assert len(errors.splitlines()) == (code == 2)
        assert not CONTROL_CHARACTERS.search(errors)


def test_rejects_store_with_other_tables(store, capsys):
    connection = sqlite3.connect(store)
    connection.executescript(
        "DROP TABLE run; CREATE VIEW run AS SELECT 1 AS id, randomblob(1000000000) AS started, '' AS ended, '' AS version;"
    )
    connection.close()
    assert run(["bench", "status", str(store)]) == 2
    assert "does not have the tables of a store" in capsys.readouterr().err


def test_store_cannot_show_other_files(store, capsys):
    """The store names the file with the values of a series. They are only shown if they are the values that were scored."""
    other_file = store.with_name("salaries.csv")
    other_file.write_text("value,label\n" + "".join(f"{row}.4242,0\n" for row in range(400)))
    source = {"name": "made.csv", "kind": "file", "where": str(other_file), "group": "", "format": None, "column": None}
    results = bench.read(store)
    assert results.values_of("made.csv") is not None
    scored_source = json.loads(results._store.rows("SELECT source FROM series")[0][0])
    results.close()
    change_store(store, series__source=json.dumps(scored_source | {"where": source["where"]}))
    results = bench.read(store)
    assert results.values_of("made.csv") is None
    results.close()


def test_links_beside_a_store_are_not_followed(store, tmp_path, capsys):
    precious = tmp_path / "precious"
    precious.write_text("precious")
    for suffix in ("-wal", "-shm", "-journal"):
        beside = store.with_name(f"{store.name}{suffix}")
        beside.symlink_to(precious)
        with pytest.raises(ValueError, match="does not belong to a store of rangewise"):
            Store.writing(store, "theirs")
        assert run(["bench", "status", str(store)]) == 0
        beside.unlink()
        assert precious.read_text() == "precious"


def test_a_reader_sees_what_a_later_run_wrote(store):
    reader = Store.reading(store)
    with Store.writing(store, "theirs") as writer, writer.transaction() as write:
        write.execute("INSERT OR REPLACE INTO about VALUES ('note', 'new')")
    assert reader.about("note") == "new"
    with Store.writing(store, "theirs") as writer:
        with writer.transaction() as write:
            write.execute("INSERT OR REPLACE INTO about VALUES ('note', 'newer')")
        assert reader.about("note") == "newer"
    assert reader.about("note") == "newer"
    reader.close()


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_names_in_pictures_are_not_formulas(tmp_path, monkeypatch, ending):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for name, text in (("real.txt", "0\n1\n1\n0\n"), ("a$\\frac{$.txt", "0\n1\n0\n0\n"), ("$b^{$.txt", "0\n0\n1\n1\n")):
        Path(name).write_text(text)
    Path("classes.csv").write_text("start,end,class\n0,2,$x^{$\n3,4,b\n")
    Path("alerts.csv").write_text("start,end,name\n2024-01-01T00:00,2024-01-01T01:00,$x^{$\n")
    assert run(["ranking", "real.txt", "a$\\frac{$.txt", "$b^{$.txt", "--plot", f"ranking.{ending}"]) == 0
    assert run(["classes", "classes.csv", "classes.csv", "--confusion", f"classes.{ending}"]) == 0
    assert run(["alerts", "alerts.csv", "alerts.csv", "--by", "name", "--plot", f"alerts.{ending}"]) == 0


def test_commands_print_through_the_escaping_functions():
    """A command that prints with the functions of typer or rich would let control characters through."""
    folder = Path(rw.__file__).parent / "cli"
    for path in folder.glob("*.py"):
        if path.name not in ("printing.py", "console.py"):
            text = path.read_text()
            assert "typer.echo" not in text, path
            assert not re.search(r"(?<!Plain)Console\((?!width=_WIDE\)\.measure)", text), path


def test_every_test_named_in_the_threat_model_exists():
    root = Path(__file__).parents[1]
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in (root / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", text):
        assert f"def {name}(" in sources, name
    for path in re.findall(r"`((?:tests/)?[\w/]*test_\w+\.py)`", text):
        assert (root / "tests" / path.removeprefix("tests/")).is_file(), path
