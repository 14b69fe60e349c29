"""Early warning in plain loops over whole minutes."""


def after_cooldown(alarms, cooldown):
    kept = []
    for alarm in sorted(alarms):
        if not kept or alarm >= kept[-1] + cooldown:
            kept.append(alarm)
    return kept


def summary(events, alarms, earliest, latest, cooldown, span):
    first, last = span
    events = sorted(pair for pair in events if first <= pair[0] < last)
    kept = after_cooldown([alarm for alarm in alarms if first <= alarm < last], cooldown)
    warned, leads = 0, []
    for onset, end in events:
        near = [alarm for alarm in kept if onset - earliest <= alarm < end or onset - earliest <= alarm <= onset - latest]
        leads.append(onset - near[0] if near and near[0] < end else None)
        warned += any(onset - earliest <= alarm <= onset - latest for alarm in kept)
    late = false = 0
    for alarm in kept:
        in_window = any(onset - earliest <= alarm <= onset - latest for onset, _ in events)
        near = any(onset - earliest <= alarm < end for onset, end in events)
        late += near and not in_window
        false += not near
    quiet = sum(not any(onset - earliest <= minute < end for onset, end in events) for minute in range(first, last))
    in_warning = sum(any(alarm + latest <= minute < alarm + earliest for alarm in kept) for minute in range(first, last))
    return {
        "warned": warned,
        "leads": leads,
        "late": late,
        "false": false,
        "quiet": quiet,
        "time": in_warning / (last - first),
        "kept": kept,
    }


def p_shift(onsets, alarms, earliest, latest, length):
    """The share of circular shifts that are at least as good. Between two whole minutes, the number of warned events is constant and the
    lead changes linearly."""

    def summed(leads_of):
        leads = [max(own) for own in leads_of if own]
        return len(leads), sum(leads)

    def good(shift):
        around = [[(onset - alarm - shift) % length for alarm in alarms] for onset in onsets]
        return summed([[lead for lead in own if latest <= lead <= earliest] for own in around])

    if not onsets or not alarms:
        return 1.0
    # As observed, an alarm at the end of the span does not warn of an event at its start.
    count, total = summed([[onset - alarm for alarm in alarms if latest <= onset - alarm <= earliest] for onset in onsets])
    if not count:
        return 1.0
    measure = 0.0
    for minute in range(length):
        other, middle = good(minute + 0.5)
        if other > count:
            measure += 1
        elif other == count:
            # the sum is middle + count / 2 at the left end of the minute, and middle - count / 2 at its right end
            measure += min(max((middle - total) / count + 0.5, 0.0), 1.0)
    return measure / length
