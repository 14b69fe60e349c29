"""Tables in every output format, with the escaping that each format needs."""

import csv
import io

import pytest

from rangewise.tables import Table, columns_as_csv, display_width, latex_text

TABLE = Table(["class", "F1"], [["a_b|c", "0.5"], ["<all>", ""]])
TITLED = Table(["a|b", "c_d"], [["x|y", "1,5 & more"]], "50 %", ["a note_"])


def test_every_format_escapes_special_characters():
    assert TABLE.to_text().splitlines() == ["class   F1", "a_b|c  0.5", "<all>"]
    assert TABLE.to_markdown().splitlines()[1:3] == ["| --- | ---: |", "| a_b\\|c | 0.5 |"]
    assert "&lt;all&gt;" in TABLE.to_html()
    assert r"a\_b|c & 0.5 \\" in TABLE.to_latex()
    assert list(csv.reader(io.StringIO(TITLED.to_csv()))) == [["a|b", "c_d"], ["x|y", "1,5 & more"]]


def test_totals_follow_a_rule():
    lines = Table(TABLE.columns, TABLE.rows, totals=1).to_latex().splitlines()
    assert lines[lines.index(r"\textless{}all\textgreater{} &  \\") - 1] == r"\midrule"
    assert TABLE.to_latex().count(r"\midrule") == 1


def test_titles_and_notes():
    assert TITLED.to_text().splitlines() == ["50 %", "", "a|b         c_d", "x|y  1,5 & more", "", "a note_"]
    assert TITLED.to_markdown() == "### 50 %\n\n| a\\|b | c_d |\n| --- | ---: |\n| x\\|y | 1,5 &amp; more |\n\na note_\n"
    latex = TITLED.to_latex()
    assert r"\caption{50 \%}" in latex
    assert r"\par a note\_" in latex
    assert latex.endswith("\\end{table}\n")


def test_words_are_aligned_left_and_numbers_right():
    table = Table(["a", "number", "why"], [["x", "1", "because"], ["xy", "22", ""]], words=(0, 2))
    assert table.to_text().splitlines() == ["a   number  why", "x        1  because", "xy      22"]
    assert table.to_markdown().splitlines()[1] == "| --- | ---: | --- |"
    assert r"\begin{tabular}{lrl}" in table.to_latex()


def test_cells_with_several_lines_and_wide_characters():
    table = Table(["name", "long_\ntitle"], [["温度", "1"], ["a", "2"]], folded=True)
    assert table.to_text().splitlines() == ["name  long_", "      title", "温度      1", "a         2"]
    assert table.width == max(map(display_width, table.to_text().splitlines()))


def test_line_break_in_a_name_adds_no_row():
    table = Table(["name", "f"], [["a\nb", "1"]])
    assert table.to_text().splitlines() == ["name  f", "a b   1"]
    assert len(table.to_markdown().splitlines()) == 3


def test_bold_cells_and_links():
    table = Table(["name", "f"], [["a", "1"]], bold=[(0, 1)])
    assert "**1**" in table.to_markdown()
    assert r"\textbf{1}" in table.to_latex()
    assert '<a href="a.html?x&amp;y">a</a>' in table.to_html({"a": "a.html?x&y"})


@pytest.mark.parametrize("character", "&%$#_{}~^\\<>")
def test_latex_escapes_every_special_character(character):
    assert latex_text(character) != character
    assert latex_text(f"a{character} b").endswith(" b")


def test_columns_as_csv(tmp_path):
    columns = {"class": ["a,b"], "f": [1 / 3]}
    text = columns_as_csv(columns)
    assert text == 'class,f\n"a,b",0.3333333333333333\n'
    assert columns_as_csv(columns, tmp_path / "x.csv") is None
    assert (tmp_path / "x.csv").read_text() == text
