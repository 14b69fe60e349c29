"""Makes docs/examples/backtest/: a week of a latency metric with two label sets, and its incidents. Run it from the repository."""

import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "examples" / "backtest"
STEP, STEPS = 60, 7 * 24 * 60
# day, hour, minutes, rise in seconds, minutes until the rise is complete
INCIDENTS = [
    (0, 9.3, 42, 1.1, 9), (0, 20.1, 14, 0.5, 4), (1, 14.2, 65, 0.7, 14), (2, 3.5, 25, 1.3, 3), (2, 16.0, 33, 0.5, 8),
    (3, 11.6, 90, 0.6, 20), (4, 8.8, 12, 1.2, 3), (4, 19.4, 48, 0.8, 10), (5, 13.1, 30, 0.24, 8), (6, 17.7, 55, 0.9, 6),
]  # fmt: skip


def week():
    """Seconds since 1970, the latency of two instances, and the incidents as (start, end)."""
    rng = np.random.default_rng(20240506)
    minutes = np.arange(STEPS)
    first = int(np.datetime64("2024-05-06T00:00:00", "s").astype(int))
    daily = 0.35 + 0.12 * np.sin(2 * np.pi * (minutes / 1440 - 0.35))
    noise = np.zeros((STEPS, 2))
    for step in range(1, STEPS):
        noise[step] = 0.7 * noise[step - 1] + rng.normal(0, 0.035, 2)
    values = daily[:, None] * np.array([1.0, 1.1]) + noise
    # Batch jobs: spikes that are no incident, most of them short.
    for start in rng.choice(STEPS - 20, 70, replace=False):
        values[start : start + 1 + rng.geometric(0.45), rng.integers(2)] += rng.uniform(0.3, 1.2)
    incidents = []
    for day, hour, lasting, rise, ramp in INCIDENTS:
        start = round((day * 24 + hour) * 60)
        values[start : start + lasting, 0] += rise * np.minimum(np.arange(1, lasting + 1) / ramp, 1)
        values[start : start + lasting, 1] += 0.6 * rise * np.minimum(np.arange(1, lasting + 1) / ramp, 1)
        incidents.append((first + 60 * start, first + 60 * (start + lasting)))
    present = np.ones(STEPS, dtype=bool)
    present[3 * 1440 + 300 : 3 * 1440 + 312] = False  # the scrape failed
    return first + 60 * minutes[present], np.maximum(values[present], 0.05).round(3), incidents


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    times, values, incidents = week()
    lines = [f"INC-{number},{stamp(start)},{stamp(end)}" for number, (start, end) in enumerate(incidents, start=101)]
    (FOLDER / "incidents.csv").write_text("id,created_at,resolved_at\n" + "\n".join(lines) + "\n")
    results = [
        {
            "metric": {"__name__": "http_request_duration_seconds:p99", "instance": name},
            "values": [[int(time), f"{value:g}"] for time, value in zip(times, values[:, column], strict=True)],
        }
        for column, name in enumerate(("api-1", "api-2"))
    ]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": results}}
    (FOLDER / "latency.json").write_text(json.dumps(answer, separators=(",", ":")) + "\n")


def stamp(seconds):
    return f"{np.datetime64(seconds, 's')}Z"


if __name__ == "__main__":
    main()
