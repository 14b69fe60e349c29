"""A Prometheus alert rule, evaluated step by step as a state machine in plain loops, and what it does to incidents."""

import statistics

ABSENT = None


def is_true(value, op, threshold):
    if value is ABSENT:
        return False
    return {">": value > threshold, ">=": value >= threshold, "<": value < threshold, "<=": value <= threshold}[op]


def firing(values, op, threshold, hold, keep, interval):
    """Whether the rule fires at each step; ``hold`` and ``keep`` are `for` and `keep_firing_for`, all in one unit of time.

    Pending begins at the first step of a stretch of true steps. The rule fires once the stretch has lasted `for`. Once it fires, it goes on
    through false steps for as long as less than `keep_firing_for` has passed since the first of them.
    """
    states, pending_since, fires, false_since = [], None, False, None
    for step, value in enumerate(values):
        now = step * interval
        if is_true(value, op, threshold):
            false_since = None
            if pending_since is None:
                pending_since = now
            if now - pending_since >= hold:
                fires = True
        else:
            if fires and keep > 0:
                if false_since is None:
                    false_since = now
                if now - false_since >= keep:
                    fires = False
            else:
                fires = False
            if not fires:
                false_since = None
            # A rule that is kept firing stays active: what is true again later does not have to wait.
            pending_since = pending_since if fires else None
        states.append(fires)
    return states


def runs(states):
    """Stretches of firing steps, as (first, stop)."""
    found, start = [], None
    for step, state in enumerate([*states, False]):
        if state and start is None:
            start = step
        if not state and start is not None:
            found.append((start, step))
            start = None
    return found


def outcome(alerts, incidents, interval, lead=0):
    """Incidents found, alerts, false alerts, and the median time to detect and reset time. Alerts are steps, incidents are times."""
    times = [(first * interval, stop * interval) for first, stop in alerts]
    found, detect, reset = 0, [], []
    for start, stop in incidents:
        meeting = [(a, b) for a, b in times if a < stop and b > start - lead]
        if not meeting:
            continue
        found += 1
        detect.append(max(min(a for a, _ in meeting) - start, 0))
        reset.append(max(max((b for a, b in meeting if a < stop), default=stop) - stop, 0))
    false = sum(not any(a < stop and b > start - lead for start, stop in incidents) for a, b in times)
    medians = [statistics.median(each) if each else None for each in (detect, reset)]
    return found, len(alerts), false, *medians
