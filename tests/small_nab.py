"""A small made-up folder in NAB's layout, and a detector's results for it."""

import json


def time(minute):
    return f"2024-05-01 {minute // 60:02}:{minute % 60:02}:00"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_nab(folder):
    """Three files of 40 rows: one with two windows, one without, one that repeats timestamps and jumps back in time."""
    jumpy = [*range(20), 15, 16, 17, *range(18, 35)]
    for name, minutes in (("real/a_b.csv", range(40)), ("real/b.csv", range(40)), ("odd/jumpy.csv", jumpy)):
        lines = [f"{time(minute)},{index}.5" for index, minute in enumerate(minutes)]
        write(folder / "data" / name, "\n".join(["timestamp,value", *lines]) + "\n")
    windows = {
        "real/a_b.csv": [[f"{time(10)}.000000", f"{time(14)}.000000"], [time(30), time(30)]],
        "real/b.csv": [],
        "odd/jumpy.csv": [[time(16), time(18)]],
    }
    write(folder / "labels/combined_windows.json", json.dumps(windows))
    return folder


def write_results(folder):
    """Scores that grow with the row; the detector's name has an underscore, and one file's name ends like another's."""
    for category, file in (("real", "a_b.csv"), ("real", "b.csv"), ("odd", "jumpy.csv")):
        lines = [f"{time(row)},0,{row / 100},0,-0.11,0" for row in range(40)]
        header = "timestamp,value,anomaly_score,label,S(t)_standard,S(t)_reward_low_FP_rate"
        write(folder / category / f"my_det_{file}", "\n".join([header, *lines]))
    # NAB keeps tables of scores beside the result folders.
    write(folder / "my_det_standard_scores.csv", "Detector,Profile\n")
    return folder
