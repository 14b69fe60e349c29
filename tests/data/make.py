"""Copies the files that tests compare with from a complete data folder into this one: ``python tests/data/make.py FOLDER``.

README.md in this folder says where the files come from. Public files keep their bytes; labels and series are gzipped.
"""

import gzip
import json
import shutil
import sys
from pathlib import Path

from rangewise.datasets import nab_names, read_nab

HERE = Path(__file__).parent
NAB_SERIES = (
    "realKnownCause/nyc_taxi.csv",
    "realKnownCause/machine_temperature_system_failure.csv",
    "realTweets/Twitter_volume_AAPL.csv",
    "realTraffic/speed_7578.csv",
    "realAdExchange/exchange-2_cpm_results.csv",
)
# windowedGaussian is left out: its scores alone take 2.2 MB.
NAB_DETECTORS = ("bayesChangePt", "null", "numenta", "skyline")


def main(source: Path) -> None:
    _copy(source, "metric-vectors/*.json", "paper-labels/LICENSE", "paper-labels/golden.json", "nab/LICENSE.txt", "nab/config/*.json")
    _copy(source, "nab/labels/combined_windows.json", "nab/results/final_results.json", "discords/labels.json")
    _copy(source, *(f"nab/results/{detector}/*" for detector in NAB_DETECTORS))
    _copy(source, "paper-labels/*/*.real", "paper-labels/*/*.pred", *(f"nab/data/{name}" for name in NAB_SERIES), pack=True)
    corpus = [read_nab(source / "nab", name) for name in nab_names(source / "nab")]
    lines = [f'"{series.name}": {json.dumps({"rows": len(series), "windows": [list(pair) for pair in series.real]})}' for series in corpus]
    (HERE / "nab" / "rows.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _copy(source: Path, *patterns: str, pack: bool = False) -> None:
    for path in (path for pattern in patterns for path in sorted(source.glob(pattern))):
        target = HERE / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if pack:
            # No time stamp, so that the same content gives the same bytes.
            target.with_name(f"{target.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        else:
            shutil.copyfile(path, target)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python tests/data/make.py FOLDER (one with nab/, paper-labels/ and metric-vectors/)")
    main(Path(sys.argv[1]))
