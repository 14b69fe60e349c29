"""``rangewise schema``: the schemas from the command line. What is in them is tested in ``test_json_schemas.py``."""

import json

from rangewise.cli import run
from rangewise.cli.json_schemas import SHAPES, VERSION


def test_without_a_command_it_lists_those_with_a_schema(capsys):
    assert run(["schema"]) == 0
    assert capsys.readouterr().out.splitlines() == list(SHAPES)


def test_a_schema_says_its_version(capsys):
    assert run(["schema", "bench", "table"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$id"] == f"urn:rangewise:json:{VERSION}:bench-table"
    assert "by_collection" in schema["required"]


def test_an_unknown_command_is_refused_with_the_nearest_one(capsys):
    assert run(["schema", "bench", "tabel"]) == 2
    assert "did you mean 'bench table'?" in capsys.readouterr().err
