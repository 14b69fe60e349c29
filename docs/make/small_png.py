"""Pictures of the documents in as many bytes as they need: of a chart, a few dozen colors are all."""

from pathlib import Path

from PIL import Image

COLOURS = 48


def shrink(path: Path) -> None:
    """The PNG with a palette of its own colors, without dots of one in the other."""
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
