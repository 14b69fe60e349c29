"""Pictures of the documents in as many bytes as they need: of a chart, a few dozen colors are all."""

from pathlib import Path

from PIL import Image


def shrink(path: Path, colors: int = 48) -> None:
    """The PNG with a palette of its own colors, without dots of one in the other."""
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    picture.quantize(colors, dither=Image.Dither.NONE).save(path, optimize=True)
