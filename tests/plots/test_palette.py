import re
from pathlib import Path

import pytest

import rangewise
from rangewise.plots import palette

PICTURES = sorted(path for path in (Path(rangewise.__file__).parent / "plots").glob("*_picture*.py"))


def test_every_detector_has_a_letter_and_the_first_eight_have_their_own_style():
    assert [palette.letter(number) for number in (0, 25, 26, 53)] == ["A", "Z", "A1", "B2"]
    styles = {(palette.color_of(number), str(palette.style_of(number))) for number in range(8)}
    assert len(styles) == len({color for color, _ in styles}) == len({style for _, style in styles}) == 8


@pytest.mark.parametrize("color", palette.DETECTORS)
def test_letters_are_readable_on_every_color(color):
    def luminance(text):
        shares = [int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    ink = {"white": "#ffffff", "black": "#000000"}[palette.ink_on(color)]
    brighter, darker = sorted((luminance(color), luminance(ink)), reverse=True)
    assert (brighter + 0.05) / (darker + 0.05) >= 3  # WCAG's ratio for large, bold text


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_pictures_take_their_colors_from_the_palette(path):
    gray = {"#222222", "#888888"}
    assert set(re.findall(r"#[0-9a-fA-F]{6}\b", path.read_text())) <= gray
