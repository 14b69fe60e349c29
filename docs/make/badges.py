"""The badges of README.md, drawn here from pyproject.toml: nothing is fetched when the page is read. Run by ``make pictures``."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "images" / "badges"
_LETTER = 6.6
"""The mean width of a letter, in pixels."""


def badges() -> dict[str, str]:
    """The SVG of each badge by the name of its file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lowest = project["requires-python"].removeprefix(">=")
    return {"license": _badge("license", project["license"]), "python": _badge("Python", f"{lowest} or later")}


def _badge(left: str, right: str) -> str:
    middle, width = (round(_LETTER * sum(map(len, words)) + 16 * len(words)) for words in ((left,), (left, right)))
    text = 'y="14" text-anchor="middle" fill="#fff"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{left}: {right}">
<title>{left}: {right}</title>
<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="{middle}" height="20" fill="#3a3d46"/>
<rect x="{middle}" width="{width - middle}" height="20" fill="#0072b2"/></g>
<g font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{middle / 2}" {text}>{left}</text><text x="{(middle + width) / 2}" {text}>{right}</text>
</g>
</svg>
"""


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, picture in badges().items():
        (FOLDER / f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
