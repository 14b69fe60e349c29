"""``rangewise schema`` prints the schemas. ``test_json_schemas.py`` tests their content."""

import json

from rangewise.cli import run
from rangewise.cli.json_schemas import SHAPES, VERSION


def test_lists_commands_with_a_schema(capsys):
    assert run(["schema"]) == 0
    assert capsys.readouterr().out.splitlines() == list(SHAPES)


def test_schema_has_its_version(capsys):
    assert run(["schema", "bench", "table"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$id"] == f"urn:rangewise:json:{VERSION}:bench-table"
    assert "by_collection" in schema["required"]


def test_unknown_command_suggests_the_nearest_one(capsys):
    assert run(["schema", "bench", "tabel"]) == 2
    assert "did you mean 'bench table'?" in capsys.readouterr().err
