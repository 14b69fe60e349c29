"""Scripts without comments and spaces are the same scripts; all tests of the scripts run them so."""

import pytest
import quickjs

from javascript import ASSETS
from rangewise.reports.compact import compact_script, compact_style
from rangewise.reports.content import SCRIPTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_more_to_take_away(name):
    once = compact_script((ASSETS / name).read_text())
    assert compact_script(once) == once
    assert "//" not in once.replace("http://", "")


@pytest.mark.parametrize(
    "code",
    [
        "`a ${ [1, 2].map((x) => `${ x } /* no */ // ` ).join('  ') } b`",
        "'it\\'s  // no comment' + \"a  b\"",
        "1 + +'2' - -3",
        "'a  b c'.replace(/ +[/ ]*/g, (x) => x.length) // gone",
        "(() => { let a = 4, b = 2\n return a / b / 2 })()",
        "/* gone */ [4 / 2, /a  b/.test('a  b')].join()",
        "typeof 1 + void 0",
    ],
)
def test_same_values(code):
    context = quickjs.Context()
    assert context.eval(compact_script(code)) == context.eval(code)
    assert len(compact_script(code)) <= len(code)


def test_styles():
    assert compact_style("a  b > c:first-child { margin: 0  auto; }\n\n@media (x: 1px) { d { e: f; } }") == (
        "a b>c:first-child{margin:0 auto}@media (x:1px){d{e:f}}"
    )
    assert compact_style("a { width: calc(100% - 2px); }") == "a{width:calc(100% - 2px)}"
