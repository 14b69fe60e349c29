"""Files that somebody else made: whatever they hold, reading them changes nothing on disk, runs nothing and exhausts nothing.

`SECURITY.md` lists the promises; each test here holds one of them.
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
    """Every name below a folder with its kind, its bytes and its time."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, content)
    return found


@pytest.fixture
def strangers(tmp_path, monkeypatch):
    """A folder from somebody else, inside a home with a file that matters, and the working directory."""
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
def test_a_journal_beside_a_file_is_not_obeyed(strangers, tmp_path, journal):
    place = strangers / ".labels.txt.journal"
    if journal == "FIFO":
        os.mkfifo(place)
    else:
        text = journal if isinstance(journal, str) else json.dumps(journal)
        place.write_text(text.replace("HOME", str(tmp_path)))
    before = tree(tmp_path)
    assert run(["score", "labels.txt", "labels.txt"]) == 0
    assert tree(tmp_path) == before
    assert run(["convert", "payload.txt", "labels.txt", "--to", "labels", "--force"]) == 0
    after = tree(tmp_path)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == {"downloads/theirs", "downloads/theirs/labels.txt"}


MEMORY = 1 << 30
LIMIT = 12 << 30
"""Of the address space of a child: what would go beyond ends there, and not the machine."""


def child(words, folder):
    """Run a command in a process of its own: exit code, what it says, and the most memory that it held."""
    code = (
        f"{IMPORT}import resource\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({LIMIT}, {LIMIT}))\n"
        "from rangewise.cli import run\n"
        "code = run(sys.argv[1:])\n"
        "print('\\npeak', peak_memory(), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    environment = os.environ | {"POLARS_MAX_THREADS": "2", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=environment
    )
    said, found, peak = done.stderr.rpartition("\npeak ")
    assert found, f"the process died: {done.returncode}, {done.stderr[-500:]}"
    return done.returncode, said, int(peak)


@pytest.fixture(scope="module")
def small_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    subprocess.run([sys.executable, str(Path(__file__).with_name("hostile.py")), str(folder)], check=True)
    (folder / "series.csv").write_bytes((FIXTURES / "series.csv").read_bytes())
    return folder


@pytest.fixture(scope="module")
def usual(small_files):
    """The memory of a command that reads a table of a few rows."""
    return child(["detect", "series.csv", "--detector", "moving-z-score", "--out", "-"], small_files)[2]


@pytest.mark.parametrize(
    ("command", "code", "said"),
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
def test_a_small_file_takes_little_memory(small_files, usual, command, code, said):
    returned, complaint, peak = child(command.split(), small_files)
    held = sum((small_files / word).stat().st_size for word in command.split() if (small_files / word).is_file())
    assert (returned, said in complaint) == (code, True), complaint
    assert len(complaint.splitlines()) == (1 if code else 0)
    assert peak < usual + held + MEMORY


NAME = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m\r\n# rm <img src=x onerror=alert(1)> [l](javascript:alert) =cmd|'/c calc'!A1"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]")


@pytest.fixture
def named(tmp_path, monkeypatch):
    """Files whose names, classes, rules and columns are hostile."""
    monkeypatch.chdir(tmp_path)
    for path, text in (("=a\x1b[2J\n[b].txt", "0\n1\n1\n0\n"), ("real.txt", "0\n1\n1\n0\n"), ("b.txt", "0\n1\n0\n0\n")):
        Path(path).write_text(text)
    rows = [("2024-01-01T00:00", "2024-01-01T01:00", NAME), ("2024-01-02T00:00", "2024-01-02T01:00", f"={NAME}")]
    with open("alerts.csv", "w", newline="") as file:
        csv.writer(file).writerows([("start", "end", "name"), *rows])
    with open("values.csv", "w", newline="") as file:
        csv.writer(file).writerows([("time", NAME), *((f"2024-01-01T{hour:02}:00", int(hour == 0)) for hour in range(24))])
    with open("classes.csv", "w", newline="") as file:
        csv.writer(file).writerows([("start", "end", "class"), (0, 2, NAME), (3, 5, "@x"), (6, 7, "-y")])
    with open("many.csv", "w", newline="") as file:
        csv.writer(file).writerows([("s", "r", "p"), (NAME, 1, 1), (NAME, 0, 1), (f"={NAME}", 1, 0)])
    with open("columns.csv", "w", newline="") as file:
        csv.writer(file).writerows([(NAME, "b"), (1, 2)])
    return tmp_path


HOSTILE_NAME = "=a\x1b[2J\n[b].txt"


@pytest.mark.parametrize(
    "words",
    [
        ["score", "alerts.csv", "alerts.csv", "--explain"],
        ["alerts", "alerts.csv", "alerts.csv", "--by", "name"],
        ["alerts", "alerts.csv", "alerts.csv", "--by", "name", "--markdown"],
        ["alerts", "alerts.csv", "alerts.csv", "--by", "name", "--json"],
        *(["review", "alerts.csv", "alerts.csv", "--by", "name", "--weeks", "2", *way] for way in ([], ["--markdown"], ["--json"])),
        *(["backtest", "alerts.csv", "values.csv", *way] for way in ([], ["--markdown"], ["--json"])),
        ["classes", "classes.csv", "classes.csv"],
        *(["classes", "classes.csv", "classes.csv", "--by", by] for by in ("range", "metric", "confusion")),
        *(["classes", "classes.csv", "classes.csv", way] for way in ("--markdown", "--latex", "--json")),
        ["score", "many.csv", "--series", "s", "--real", "r", "--predicted", "p"],
        ["score", "many.csv", "--series", "s", "--real", "r", "--predicted", "p", "--json"],
        *(["compare", "real.txt", HOSTILE_NAME, "b.txt", *way] for way in ([], ["--markdown"], ["--latex"], ["--csv"], ["--json"])),
        ["ranking", "real.txt", HOSTILE_NAME, "b.txt"],
        ["score", "columns.csv", "columns.csv"],
        ["score", "columns.csv", "columns.csv", "--column", "c"],
        ["score", "none\x1b[2J", "real.txt"],
        ["classes", "alerts.csv", "real.txt"],
        ["detect", "columns.csv", "--detector", "z-score"],
    ],
    ids=lambda words: " ".join(words).replace(HOSTILE_NAME, "HOSTILE").replace("\x1b", "ESC"),
)
def test_names_of_others_do_not_reach_the_terminal(named, capsys, words):
    run(words)
    printed = "".join(capsys.readouterr())
    assert printed
    assert not RAW.search(printed)
    assert "\n# rm" not in printed


def test_warnings_and_notes_are_escaped(capsys):
    import warnings

    from rangewise.cli import _one_line
    from rangewise.cli.errors import warnings_as_notes

    assert not RAW.search(_one_line(NAME, UserWarning, "a", 1))
    with warnings_as_notes():
        warnings.warn(NAME, stacklevel=1)
    assert not RAW.search(capsys.readouterr().err)


def test_a_console_of_rich_takes_no_control_characters():
    from rich.table import Table

    from rangewise.cli.console import PlainConsole

    target = io.StringIO()
    table = Table("a")
    table.add_row(NAME)
    console = PlainConsole(file=target, force_terminal=True, width=200)
    console.print(table)
    console.print(NAME)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", target.getvalue())
    assert not RAW.search(plain)
    assert "owned" in plain


def test_csv_has_no_formulas(named, capsys):
    assert run(["compare", "real.txt", HOSTILE_NAME, "b.txt", "--csv"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert any(cell.startswith("'=a") for row in rows for cell in row)
    assert not [cell for row in rows for cell in row if cell[:1] in "=@" and cell]
    assert run(["convert", "alerts.csv", "out.csv", "--to", "ranges"]) == 0
    rows = list(csv.reader(io.StringIO(Path("out.csv").read_text())))
    assert not [cell for row in rows for cell in row if cell[:1] in "=@" and cell]


@given(st.text(max_size=8) | st.sampled_from(["=1", "'=1", "''@", "-x", "+1.5", "-2e5", "\t=", "'", "-"]))
def test_a_cell_comes_back_as_it_was(text):
    assert plain_cell(csv_cell(text)) == text
    assert csv_cell(text)[:1] not in ("=", "@")


def test_latex_and_markdown_hold_no_commands():
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


def test_pages_show_names_and_run_nothing(named, tmp_path):
    page = rw.report([0, 1, 1, 0], {NAME: [0, 1, 0, 0], f"b{NAME}": [0.1, 0.2, 0.9, 0.8]}, title=NAME).html
    shown = page.partition('id="exact"')[2].partition("</pre>")[0]
    assert len(shown.splitlines()) == 2  # the command, and the comment
    assert not RAW.search(page)
    assert "Content-Security-Policy" in page
    assert "<img src=x" not in page


def test_every_page_has_a_policy():
    from rangewise.bench.page import html_page

    assert "Content-Security-Policy" in html_page(NAME, ["<h1>x</h1>"])
    for path in (Path(rw.__file__).parent).rglob("*"):
        if path.suffix in (".py", ".html") and "<!doctype html" in (text := path.read_text()):
            assert "Content-Security-Policy" in text, path


STORE = """
name = "theirs"
[[detector]]
name = "z-score"
[[series]]
path = "made.csv"
"""


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """A folder with a file of every kind that is read, and with what somebody might lay beside each of them."""
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
    (folder / "bench.toml").write_text(STORE)
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
READING = [
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


@pytest.mark.parametrize("command", READING)
def test_reading_changes_nothing_in_the_folder(everything, monkeypatch, capsys, command):
    monkeypatch.chdir(everything)
    before, outside = tree(everything), {name: (everything.parent / name).read_text() for name in ("payload", ".bashrc")}
    code = run(command.split())
    assert tree(everything) == before
    assert {name: (everything.parent / name).read_text() for name in outside} == outside
    assert code == 0, capsys.readouterr().err


def test_every_command_that_reads_is_tried():
    from rangewise.cli.commands import COMMANDS

    tried = {command.split()[0] for command in READING}
    assert tried | {"advise", "metrics", "paper", "demo", "data", "schema"} == set(COMMANDS)


def changed_store(path, **values):
    """The store with other values in a column of a table: ``table__column``."""
    connection = sqlite3.connect(path)
    for name, value in values.items():
        connection.execute(f"UPDATE {name.partition('__')[0]} SET {name.partition('__')[2]} = ?", (value,))
    connection.commit()
    connection.close()


@pytest.fixture
def store(everything, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(everything / "theirs.rwbench", tmp_path / "s.rwbench")
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
def test_a_store_with_other_values_is_one_line(store, capsys, values):
    changed_store(store, **values)
    for words in (["status"], ["report", "--html", "x.html", "--pages", "--force"], ["export"]):
        code = run(["bench", words[0], str(store), *words[1:], *(["y.csv", "--force"] if words == ["export"] else [])])
        assert code in (0, 2)
        complaint = capsys.readouterr().err
        assert len(complaint.splitlines()) == (code == 2)
        assert not RAW.search(complaint)


def test_a_store_with_other_tables_is_refused(store, capsys):
    connection = sqlite3.connect(store)
    connection.executescript(
        "DROP TABLE run; CREATE VIEW run AS SELECT 1 AS id, randomblob(1000000000) AS started, '' AS ended, '' AS version;"
    )
    connection.close()
    assert run(["bench", "status", str(store)]) == 2
    assert "does not have the tables of a store" in capsys.readouterr().err


def test_a_store_names_no_files_of_the_reader(store, capsys):
    """The page of a series has the values of the file that the store names only where they are those that were scored."""
    secret = store.with_name("salaries.csv")
    secret.write_text("value,label\n" + "".join(f"{row}.4242,0\n" for row in range(400)))
    source = {"name": "made.csv", "kind": "file", "where": str(secret), "group": "", "format": None, "column": None}
    found = bench.read(store)
    assert found.values_of("made.csv") is not None
    described = json.loads(found._store.rows("SELECT source FROM series")[0][0])
    found.close()
    changed_store(store, series__source=json.dumps(described | {"where": source["where"]}))
    found = bench.read(store)
    assert found.values_of("made.csv") is None
    found.close()


def test_what_lies_beside_a_store_is_not_followed(store, tmp_path, capsys):
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
def test_names_in_pictures_are_no_formulas(tmp_path, monkeypatch, ending):
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
    """A new command that prints with typer's or rich's own functions would let control characters through."""
    folder = Path(rw.__file__).parent / "cli"
    for path in folder.glob("*.py"):
        if path.name not in ("printing.py", "console.py"):
            text = path.read_text()
            assert "typer.echo" not in text, path
            assert not re.search(r"(?<!Plain)Console\((?!width=_WIDE\)\.measure)", text), path


def test_every_test_that_the_threat_model_names_exists():
    root = Path(__file__).parents[1]
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in (root / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", text):
        assert f"def {name}(" in sources, name
    for path in re.findall(r"`((?:tests/)?[\w/]*test_\w+\.py)`", text):
        assert (root / "tests" / path.removeprefix("tests/")).is_file(), path
