"""Makes docs/examples/review/: eight weeks of incidents, as PagerDuty exports them, and of alerts, as Alertmanager lists them."""

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "examples" / "review"
FIRST = datetime(2024, 4, 8, tzinfo=UTC)
WEEKS = 8


def main():
    rng = random.Random(8)
    incidents, alerts = [], []
    for week in range(WEEKS):
        last = week == WEEKS - 1
        for _ in range(rng.choice([5, 6, 7])):
            start = FIRST + timedelta(days=7 * week, minutes=rng.randrange(7 * 1440 - 120))
            length = timedelta(minutes=rng.randrange(12, 90))
            number = 1001 + len(incidents)
            incidents.append(f"{number},checkout,{stamp(start)},{stamp(start + length)}")
            if rng.random() < 0.15:
                continue
            late = timedelta(minutes=rng.randrange(1, 9))
            for rule in rng.choice([["HighLatency"], ["ErrorRate"], ["HighLatency", "ErrorRate"]]):
                stop = start + length + timedelta(minutes=rng.randrange(0, 6))
                if rng.random() < 0.3:
                    alerts.append(alert(rule, start + late, start + late + timedelta(minutes=2)))
                    alerts.append(alert(rule, start + late + timedelta(minutes=4), stop))
                else:
                    alerts.append(alert(rule, start + late, stop))
        for day in range(7):
            for rule, often in (("DiskFull", 0.5), ("HighLatency", 0.25), ("NodeDown", 0.1)):
                # A new threshold of DiskFull in the last week fires all the time.
                times = 3 + rng.randrange(4) if last and rule == "DiskFull" else int(rng.random() < often)
                for _ in range(times):
                    start = FIRST + timedelta(days=7 * week + day, minutes=rng.randrange(1400))
                    alerts.append(alert(rule, start, start + timedelta(minutes=rng.randrange(5, 30))))
    alerts.append(alert("Watchdog", FIRST, FIRST + timedelta(weeks=WEEKS)))
    alerts.sort(key=lambda each: each["startsAt"])
    FOLDER.mkdir(parents=True, exist_ok=True)
    head = "incident_number,service_name,created_on,resolved_on"
    (FOLDER / "incidents.csv").write_text("\n".join([head, *incidents]) + "\n")
    (FOLDER / "alerts.json").write_text("[\n" + ",\n".join(json.dumps(each) for each in alerts) + "\n]\n")


def alert(rule, start, stop):
    return {"labels": {"alertname": rule}, "annotations": {"summary": rule}, "startsAt": stamp(start), "endsAt": stamp(stop)}


def stamp(time):
    return time.isoformat().replace("+00:00", "Z")


if __name__ == "__main__":
    main()
