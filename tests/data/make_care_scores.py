"""Writes care-scores.json with energy-fault-detector. Requires that package, pandas and scikit-learn."""

import importlib.util
import json
import logging
import sys
import types
import warnings
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from care_sets import care_set  # noqa: E402


def reference():
    """The class, without importing its package, which loads TensorFlow; the score does not need it."""
    root = Path(next(path for path in sys.path if (Path(path) / "energy_fault_detector").is_dir())) / "energy_fault_detector"
    for name in ("energy_fault_detector", "energy_fault_detector.utils", "energy_fault_detector.evaluation"):
        package = types.ModuleType(name)
        package.__path__ = [str(root / "/".join(name.split(".")[1:]))]
        sys.modules[name] = package
    spec = importlib.util.spec_from_file_location("energy_fault_detector.evaluation.care_score", root / "evaluation" / "care_score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CAREScore


def score(care, seed):
    events, settings = care_set(seed)
    fraction = settings["min_fraction"]
    scorer = care(
        coverage_beta=settings["coverage_beta"], reliability_beta=settings["reliability_beta"],
        criticality_threshold=settings["criticality_threshold"], min_fraction_anomalous=fraction or 0.1,
        ws_start_of_descend=settings["descend"], anomaly_detection_method="criticality" if fraction is None else "fraction",
    )  # fmt: skip
    for event in events:
        scorer.evaluate_event(
            event["start"], event["stop"] - 1, "anomaly" if event["is_anomaly"] else "normal", pd.Series(event["predicted"]).astype(bool),
            pd.Series(event["normal"]).astype(bool), evaluate_until_event_end=settings["until_event_end"],
        )  # fmt: skip
    return float(scorer.get_final_score())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable()
    care = reference()
    scores = [score(care, seed) for seed in range(500)]
    text = ",\n".join(map(repr, scores))
    (HERE / "care-scores.json").write_text(f'{{"made_by": "energy-fault-detector 0.8.1", "scores": [\n{text}]}}\n')
    print(json.dumps({"sets": len(scores), "distinct": len(set(scores))}))
