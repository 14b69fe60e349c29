"""Reads the files of detectors into cases, for metrics of predictions and of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rangewise.cli.inputs import FileOptions
from rangewise.inputs.case import Case
from rangewise.metrics.named import NamedMetric


def detector_case(
    chosen: Sequence[NamedMetric], files: FileOptions, real: str, file: str, name: str = "", *, has_threshold: bool = False
) -> Case:
    """One detector's file: scores if a metric or a threshold needs them, otherwise a prediction. Values of 0 and 1 serve as both."""
    if has_threshold:
        return files.detector_case(real, file, name)
    if not any(named.metric.needs == "scores" for named in chosen):
        return files.case(real, file, name)
    case = files.score_case(real, file, name, as_labels=True)
    for named in chosen:
        if named.metric.needs == "labels" and case.predicted is None and named.asked_for:
            assert case.scores is not None
            first = case.scores[(case.scores != 0) & (case.scores != 1)][0]
            raise ValueError(
                f"{named.text} needs 0/1 labels, but {file} contains {first:g}; score labels and scores in two runs, "
                "or turn scores into labels with a threshold (compare --threshold)"
            )
    return case


def files_of_series(real: str, detectors: Mapping[str, str]) -> dict[str, tuple[str, dict[str, str]]]:
    """The real file and each detector's file by series. Folders have one file per series, with the same name on both sides.

    Two files are one series, which is called ``""``.
    """
    folders = [path for path in (real, *detectors.values()) if Path(path).is_dir()]
    if not folders:
        return {"": (real, dict(detectors))}
    if len(folders) <= len(detectors):
        other = next(path for path in (real, *detectors.values()) if path not in folders)
        raise ValueError(f"{folders[0]} is a folder of series and {other} is a file; give folders or files for all of them")
    ours = series_files(real)
    theirs = {name: series_files(path) for name, path in detectors.items()}
    for name, files in theirs.items():
        for series in [*ours, *files]:
            if series not in files:
                raise ValueError(f"{detectors[name]} has no file for series {series!r}, which {real} has as {Path(ours[series]).name}")
            if series not in ours:
                raise ValueError(f"{detectors[name]} has a file for series {series!r}, which {real} does not have")
    return {series: (file, {name: files[series] for name, files in theirs.items()}) for series, file in ours.items()}


def series_files(folder: str) -> dict[str, str]:
    """The files of a folder by the name of their series: the file name without its extension."""
    files: dict[str, str] = {}
    for path in sorted(Path(folder).iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        series = Path(path.name.removesuffix(".gz")).stem
        if series in files:
            raise ValueError(f"{folder} has two files for series {series!r}: {Path(files[series]).name} and {path.name}")
        files[series] = str(path)
    if not files:
        raise ValueError(f"{folder} has no files; expected one file per series, e.g. {folder}/SERIES.csv")
    return files
