"""A Prometheus alert rule as a state machine that is evaluated step by step, and the incidents that its alerts catch."""

import statistics

ABSENT = None


def is_true(value, op, threshold):
    if value is ABSENT:
        return False
    return {">": value > threshold, ">=": value >= threshold, "<": value < threshold, "<=": value <= threshold}[op]


def firing(values, op, threshold, hold, keep, interval):
    """Whether the rule fires at each step. ``hold`` is `for` and ``keep`` is `keep_firing_for`, in the unit of ``interval``.

    The rule is pending from the first of a run of true steps, and fires once the run has lasted `for`. It continues to fire through false
    steps while less than `keep_firing_for` has passed since the first of them.
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
            # A rule that keeps firing stays active: when the condition is true again, it does not wait for `for`.
            pending_since = pending_since if fires else None
        states.append(fires)
    return states


def runs(states):
    """Runs of firing steps as (start, stop)."""
    ranges, start = [], None
    for step, state in enumerate([*states, False]):
        if state and start is None:
            start = step
        if not state and start is not None:
            ranges.append((start, step))
            start = None
    return ranges


def outcome(alerts, incidents, interval, lead=0):
    """Caught incidents, alerts, false alerts, and the medians of time to detect and reset time. Alerts are steps, incidents are times."""
    times = [(first * interval, stop * interval) for first, stop in alerts]
    caught, detect, reset = 0, [], []
    for start, stop in incidents:
        meeting = [(a, b) for a, b in times if a < stop and b > start - lead]
        if not meeting:
            continue
        caught += 1
        detect.append(max(min(a for a, _ in meeting) - start, 0))
        reset.append(max(max((b for a, b in meeting if a < stop), default=stop) - stop, 0))
    false = sum(not any(a < stop and b > start - lead for start, stop in incidents) for a, b in times)
    medians = [statistics.median(each) if each else None for each in (detect, reset)]
    return caught, len(alerts), false, *medians
