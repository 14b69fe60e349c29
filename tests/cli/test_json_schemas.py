"""What commands print with ``--json``: it agrees with the schemas, for every command and input, and with ``to_dict()`` of the result."""

import io
import json
import shlex
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import polars as pl
import pytest
from tests.cli.test_every_option import BASES, commands, write_inputs

import rangewise as rw
from rangewise.cli import run
from rangewise.cli.commands import COMMANDS
from rangewise.cli.json_schemas import SHAPES, Either, json_keys, json_schema
from rangewise.generate.flaws import clean_series, flawed_series

MANY = "table.csv --series s --real r --predicted p"
MORE = {
    "score": [
        "labels.txt found.txt --explain --ignore ignored.csv", "times.csv found-times.csv --explain", f"{MANY} --metric point_fbeta",
        f"{MANY} --metric point_fbeta --close-gaps 2", f"{MANY} --close-gaps 2 --ignore ignored.csv", "seconds.csv seconds.csv --explain",
        f"{MANY.replace('--series s', '--series s,q')}", "labels.txt found.txt --metric point_fbeta --ignore ignored.csv",
        "labels.txt empty.txt --zero-division nan",
    ],
    "curve": [
        "labels.txt scores.txt --close-gaps 2",
        "table.csv --series s --real r --scores x --ignore ignored.csv --threshold 0.5 --close-gaps 2",
    ],
    "compare": [
        "labels.txt found.txt second.txt --ignore ignored.csv --baselines chance",
        "labels.txt found.txt second.txt --close-gaps 1",
        "labels.txt scores.txt others.txt --metric range_fbeta --threshold best-f --validation 0.5",
        "many/real many/a many/b --metric auc_pr",
        "many/real many/a many/b --metric range_fbeta --threshold best-f",
    ],
    "review": [
        "times.csv found-times.csv --weeks 2 --end 2024-05-10",
        "times.csv found-times.csv --weeks 2 --ignore ignored-times.csv",
    ],
    "classes": ["classes-times.csv found-classes-times.csv --by range", "classes-real.txt classes-found.txt --ignore ignored.csv"],
    "events": [
        "times.csv found-times.csv --span 2024-05-01 2024-05-02 --ignore ignored-times.csv --explain", "events.tsv events.tsv --explain",
        "seizures seizures", "seizures seizures --ignore seconds.csv", "annotated.csv seconds.csv --by annotator --span 0 60",
        "seconds.csv answers.json --span 0 60",
    ],
    "alerts": [
        "times.csv found-times.csv --by name --warning-window 4h..1h", "times.csv found-times.csv --ignore ignored-times.csv",
        "times.csv found-times.csv --span 2024-05-01T03:00 2024-05-01T11:00",
    ],
    "backtest": ["times.csv values.csv --at-most 9/day --holdout 0.4", "times.csv values.csv --detect-within 1min --value-column x"],
    "report": ["labels.txt found.txt scores.txt --ignore ignored.csv", "many/real many/a many/b"],
    "ranking": ["labels.txt found.txt second.txt --ignore ignored.csv --close-gaps 1"],
    "nab": ["nab results --close-gaps 2"],
    "metrics": ["--for 'old paper'", "--tasks"],
    "audit": ["audited --table audited.csv"],
    "bench table": ["published.csv --groups g"],
    "bench tsb-ad": ["made.csv more.csv --scores {series}.csv --column value"],
}  # fmt: skip
"""Arguments for the other forms of the output, in addition to BASES."""
NOT_SEEN = {
    "score": {"real[].weight", "predicted[].weight"},  # no file has weights
    "classes": {f"{side}[].{key}" for side in ("real", "predicted") for key in ("name", "weight")},
    "backtest": {key for key in json_keys("backtest") if ".early_warning." in key or ".rules[]" in key or ".ignored." in key},
    "review": {key for key in json_keys("review") if key.startswith("worse_rules[]")},
}
"""Keys that none of these small files produces."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schemas")
    write_inputs(folder)
    (folder / "empty.txt").write_text("0\n" * 20)
    (folder / "seconds.csv").write_text("start,end\n1.5,9.5\n20.5,31.5\n")
    (folder / "annotated.csv").write_text("start,end,annotator\n1.0,9.0,ann\n20.0,30.0,ann\n2.0,9.5,bob\n40.0,44.0,bob\n")
    (folder / "answers.json").write_text(json.dumps(["```json\n[[2.0, 9.0]]\n```", "```json\n[[1.0, 8.0], [50.0, 52.0]]\n```"]))
    (folder / "audited").mkdir()
    for series in (clean_series(20), *flawed_series("trivial", 22)):
        rows = zip((series.timestamps // 10**9).tolist(), series.values[:, 0].tolist(), series.labels.tolist(), strict=True)
        lines = ["timestamp,value,label", *(f"{time},{value},{label:d}" for time, value, label in rows)]
        (folder / "audited" / f"{series.name}.csv").write_text("\n".join(lines) + "\n")
    (folder / "audited.csv").write_text("file,a,b\nseries 20.csv,0.2,0.4\nseries 22.csv,1,0.1\n")
    for side, content in (("real", "labels.txt"), ("a", "scores.txt"), ("b", "others.txt")):
        (folder / "many" / side).mkdir(parents=True)
        for series in ("one", "other"):
            (folder / "many" / side / f"{series}.txt").write_bytes((folder / content).read_bytes())
    for subject in ("sub-01", "sub-02"):
        (folder / "seizures" / subject).mkdir(parents=True)
        (folder / "seizures" / subject / "events.tsv").write_bytes((folder / "events.tsv").read_bytes())
    return folder


def run_json(words):
    """Run with ``--json``: exit code, parsed output and error output."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([*words, *([] if "--json" in words or words[:2] == ["bench", "manifest"] else ["--json"])])
    try:
        return code, json.loads(out.getvalue()), err.getvalue()
    except json.JSONDecodeError as error:
        raise AssertionError((words, code, out.getvalue()[:500], err.getvalue())) from error


def closed(schema):
    """The same schema without additional keys. Readers must accept new keys, but the commands must not print undocumented ones."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    more = {"additionalProperties": False} if schema.get("type") == "object" and "additionalProperties" not in schema else {}
    return {key: value if key == "required" else closed(value) for key, value in schema.items()} | more


def keys_of(value, shape, path=""):
    """The keys of a shape that a value has, as ``json_keys`` writes them."""
    if isinstance(shape, tuple):
        yield from keys_of(value, shape[0], path)
    elif isinstance(shape, Either):
        for each in shape.shapes:
            yield from keys_of(value, each, path)
    elif isinstance(shape, list) and isinstance(value, list):
        for each in value:
            yield from keys_of(each, shape[0], f"{path}[]")
    elif isinstance(shape, dict) and isinstance(value, dict):
        plain = {key.removesuffix("?"): inner for key, inner in shape.items()}
        for key, inner in value.items():
            inner_path = f"{path}.{key if key in plain else '*'}".lstrip(".")
            if key in plain:
                yield inner_path
            yield from keys_of(inner, plain.get(key, plain.get("*")), inner_path)


def needs_jsonschema():
    return pytest.importorskip("jsonschema", reason="needs jsonschema, which `make test` installs")


def rejects_json(base):
    """Whether a command rejects ``--json``, because it prints a rule as YAML."""
    return "--rule-yaml -" in base


@pytest.mark.parametrize("command", [name for name in SHAPES if name != "error"])
def test_every_run_matches_its_schema(folder, monkeypatch, command):
    jsonschema = needs_jsonschema()
    monkeypatch.chdir(folder)
    validator = jsonschema.Draft202012Validator(closed(json_schema(command)))
    seen, forms = set(), set()
    bases = [] if command == "metrics" else [base for base in BASES[command] if not rejects_json(base)]
    for base in [*bases, *MORE.get(command, [])]:
        overwrite = ["--force"] if command == "report" else []  # it always writes a page, which may exist
        code, value, error_output = run_json([*command.split(), *shlex.split(base), *overwrite])
        assert code in (0, 1), (base, error_output)
        errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
        assert not errors, (base, errors, value)
        seen |= set(keys_of(value, SHAPES[command]))
        alternatives = json_schema(command).get("anyOf", [])
        forms |= {at for at, form in enumerate(closed(alternatives)) if jsonschema.Draft202012Validator(form).is_valid(value)}
    assert set(json_keys(command)) - seen == NOT_SEEN.get(command, set()), "keys of the schema that no run prints"
    assert len(forms) == len(json_schema(command).get("anyOf", [])), "a form of the output that no run prints"


@pytest.mark.parametrize("name", SHAPES)
def test_schemas_are_valid(name):
    needs_jsonschema().Draft202012Validator.check_schema(json_schema(name))


def test_every_command_with_json_has_a_schema():
    with_json = {name for name, options in commands().items() if any("--json" in option.opts for option in options)}
    assert with_json | {"bench manifest", "error"} == set(SHAPES)
    assert {name.split()[0] for name in SHAPES if name != "error"} <= set(COMMANDS)


def test_schema_detects_missing_and_changed_keys(folder, monkeypatch):
    jsonschema = needs_jsonschema()
    monkeypatch.chdir(folder)
    _, value, _ = run_json(["alerts", "times.csv", "found-times.csv"])
    validator = jsonschema.Draft202012Validator(json_schema("alerts"))
    assert validator.is_valid(value)
    assert validator.is_valid(value | {"new": 1})
    assert not validator.is_valid({key: inner for key, inner in value.items() if key != "missed"})
    assert not validator.is_valid(value | {"found": "2"})


@pytest.mark.parametrize(
    ("words", "command", "message"),
    [
        (["score", "labels.txt", "absent.txt"], "score", "absent.txt does not exist"),
        (["score", "labels.txt", "found.txt", "--alpha", "x"], "score", "'x'"),
        (["score", "labels.txt", "found.txt", "--no-such-option"], "score", "No such option"),
        (["bench", "table", "absent.csv"], "bench table", "absent.csv"),
        (["scroe"], "scroe", "score"),
        (["score", "labels.txt", "found.txt", "--fail-under", "f=0.1", "--junit", "absent/made.xml"], "score", "absent"),
    ],
)
def test_an_error_is_one_json_object_with_exit_code_2(folder, monkeypatch, words, command, message):
    monkeypatch.chdir(folder)
    code, value, errors = run_json(words)
    assert (code, set(value), set(value["error"])) == (2, {"error"}, {"message", "exit_code", "command"})
    assert (value["error"]["exit_code"], value["error"]["command"]) == (2, command)
    assert message in value["error"]["message"]
    assert errors == f"rangewise: {value['error']['message']}\n"


@pytest.mark.parametrize("command", [name for name in SHAPES if name != "error"])
def test_errors_of_every_command_match_the_error_schema(tmp_path, monkeypatch, command):
    validator = needs_jsonschema().Draft202012Validator(closed(json_schema("error")))
    monkeypatch.chdir(tmp_path)  # an empty folder
    bad_commands = [[*command.split(), "--no-such-option"]]
    bad_commands += [[*command.split(), *shlex.split(base)] for base in BASES.get(command, [])[:1] if "." in base]
    for words in bad_commands:
        code, value, errors = run_json([*words, "--json"])
        assert (code, value["error"]["exit_code"], value["error"]["command"]) == (2, 2, command), words
        assert not list(validator.iter_errors(value))
        assert errors == f"rangewise: {value['error']['message']}\n"


def test_internal_error_is_json(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("rangewise.model.model.RangeModel.score", lambda *_: 1 / 0)
    code, value, _ = run_json(["score", "labels.txt", "found.txt"])
    assert (code, value["error"]["exit_code"]) == (70, 70)
    assert value["error"]["message"].startswith("internal error")


def test_failed_limit_is_not_a_json_error(folder, monkeypatch):
    monkeypatch.chdir(folder)
    code, value, errors = run_json(["score", "labels.txt", "found.txt", "--fail-under", "f=0.99"])
    assert (code, "f" in value, errors.count("\n")) == (1, True, 1)


class TestJsonIsToDict:
    """What a command prints with ``--json`` is the ``to_dict()`` of its result."""

    @pytest.fixture
    def cases(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        rng = np.random.default_rng(1)
        labels = np.repeat(rng.random(40) < 0.3, 5).astype(int)
        scores = rng.random(200) + 0.8 * labels
        for name, column in (("real", labels), ("a", (scores > 0.9).astype(int)), ("b", np.roll(labels, 3)), ("scores", scores)):
            (tmp_path / f"{name}.txt").write_text("\n".join(map(str, column.tolist())))
        (tmp_path / "ignored.csv").write_text("start,end\n20,30\n")
        pl.DataFrame(
            {"name": np.repeat(["x", "y"], 100), "real": labels, "predicted": (scores > 0.9).astype(int), "score": scores}
        ).write_csv("many.csv")
        read = {"ignore": [(20, 30)]}
        return {name: rw.Case.read(labels, (scores > 0.9).astype(int) if name == "a" else np.roll(labels, 3), **read) for name in "ab"} | {
            "scores": rw.Case.read(labels, scores=scores, **read)
        }

    def printed(self, capsys, line):
        assert run([*line.split(), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    @pytest.mark.parametrize("explain", [False, True])
    def test_score(self, cases, capsys, explain):
        line = "score real.txt a.txt --ignore ignored.csv --alpha 0.5" + (" --explain" if explain else "")
        assert self.printed(capsys, line) == rw.RangeModel(alpha=0.5).score(cases["a"]).to_dict(explain=explain)

    @pytest.mark.parametrize(
        ("words", "options"), [("", {}), ("--threshold 0.5", {"threshold": 0.5}), ("--max-alert-rate 0.2", {"max_alert_rate": 0.2})]
    )
    def test_curve(self, cases, capsys, words, options):
        curve = rw.RangeModel().curve(cases["scores"])
        assert self.printed(capsys, f"curve real.txt scores.txt --ignore ignored.csv {words}") == curve.to_dict(**options)

    def test_curve_as_csv(self, cases, tmp_path):
        assert run(["curve", "real.txt", "scores.txt", "--ignore", "ignored.csv", "--csv", "curve.csv"]) == 0
        curve = rw.RangeModel().curve(cases["scores"])
        assert (tmp_path / "curve.csv").read_text() == curve.to_csv()
        assert curve.to_pandas()["recall"].tolist() == curve.to_polars()["recall"].to_list() == curve.recall.tolist()

    def test_compare(self, cases, capsys):
        table = rw.compare(cases["a"].real, {name: cases[name] for name in "ab"}, metrics=["range_fbeta", "point_recall"])
        printed = self.printed(capsys, "compare real.txt a.txt b.txt --metric range_fbeta --metric point_recall --ignore ignored.csv")
        assert printed == table.to_dict() | {"ignored": cases["a"].clipping.to_dict()}

    def test_ranking(self, cases, capsys):
        ranking = rw.ranking(cases["a"].real, {name: cases[name] for name in "ab"})
        printed = self.printed(capsys, "ranking real.txt a.txt b.txt --ignore ignored.csv")
        assert printed == json.loads(json.dumps(ranking.to_dict())) | {"ignored": cases["a"].clipping.to_dict()}

    def test_tables_of_many_series(self, cases, capsys):
        table = pl.read_csv("many.csv")
        scores = rw.score_many(table, series="name", real="real", predicted="predicted")
        assert self.printed(capsys, "score many.csv --series name --real real --predicted predicted") == scores.to_dict()
        curve = rw.pooled_curve(table, series="name", real="real", scores="score")
        assert self.printed(capsys, "curve many.csv --series name --real real --scores score") == curve.to_dict()
        assert self.printed(capsys, "curve many.csv --series name --real real --scores score --threshold 1") == curve.to_dict(1.0)
