from rangewise.text_table import aligned, html, latex, markdown

CELLS = [["class", "F1"], ["a_b|c", "0.5"], ["<all>", ""]]


def test_every_form_escapes_what_it_must():
    assert aligned(CELLS).splitlines() == ["class   F1", "a_b|c  0.5", "<all>"]
    assert markdown(CELLS).splitlines()[1:3] == ["| --- | ---: |", "| a_b\\|c | 0.5 |"]
    assert "&lt;all&gt;" in html(CELLS)
    assert r"a\_b|c & 0.5 \\" in latex(CELLS)


def test_totals_stand_behind_a_rule():
    lines = latex(CELLS, totals=1).splitlines()
    assert lines[lines.index(r"<all> &  \\") - 1] == r"\midrule"
    assert latex(CELLS).count(r"\midrule") == 1
