"""The page that shows all parts of the study that are in a folder."""

from __future__ import annotations

from pathlib import Path

from rangewise.paper.part import write_text
from rangewise.paper.study import PARTS

PAGE = "paper.md"
TRAINED = "trained"
_CITATION = (
    'Nesime Tatbul, Tae Jun Lee, Stan Zdonik, Mejbah Alam, Justin Gottschlich: "Precision and Recall for Time Series", NeurIPS 2018.'
)
_HEAD = f"""# The paper, reproduced

{_CITATION}

This page is made by `rangewise paper --out DIR`; every number in it comes from that command. It repeats the experiments of the paper and
checks the claims of its text.

**From published labels, exact:** Figures 3, 4 and 5 and most claims. They come from the real and predicted labels that the authors
published for their seven data sets and three detectors. `rangewise data get paper-labels nab` fetches what is needed. Table 2's ranges were
not published; ours give the same F-scores. Figure 6 was measured on the machine that made this page: compare ratios, not times.

**Trained here:** the last part (`--trained`) has our own detectors on NAB's files and on generated series, with mean and range over
several seeds. The authors' settings and series were not published, so these scores cannot be exact.

A name such as `F1_T_Front_Flat` means: F1 of the range-based model (`T`), recall with front bias, precision with flat bias.
`docs/model.md` explains the settings, `docs/metrics/nab.md` the Numenta benchmark's score.
"""


def write_page(folder: Path) -> Path | None:
    """Write the page of all parts in the folder, in the paper's order; None without any."""
    parts = [folder / f"{name}.md" for name in (*PARTS, TRAINED)]
    texts = [part.read_text(encoding="utf-8") for part in parts if part.is_file()]
    if not texts:
        return None
    return write_text(folder / PAGE, "\n".join([_HEAD, *texts]))
