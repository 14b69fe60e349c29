"""Incidents and alerts, minute by minute in plain loops."""


def summary(incidents, alerts, lead, span):
    first, last = span
    caught, delays, resets, per_incident = 0, [], [], []
    for start, stop in incidents:
        met = [(a, b) for a, b in alerts if a < stop and b > start - lead]
        if met:
            caught += 1
            per_incident.append(len(met))
            delays.append(max(min(a for a, _ in met) - start, 0))
            # Alerts that overlap or touch count as one that lasts until the end of the last of them.
            under_alert = {minute for a, b in alerts for minute in range(a, b)}
            after = stop
            while stop - 1 in under_alert and after in under_alert:
                after += 1
            resets.append(after - stop)
    meets = [sum(a < stop and b > start - lead for start, stop in incidents) for a, b in alerts]
    under = {minute for a, b in alerts for minute in range(a, b)}
    trouble = {minute for a, b in incidents for minute in range(a, b)}
    return {
        "found": caught,
        "missed": len(incidents) - caught,
        "false": sum(count == 0 for count in meets),
        "per_incident": sum(per_incident) / len(per_incident) if per_incident else 0.0,
        "delays": sorted(delays),
        "resets": resets,
        "noise": len(under - trouble),
        "under": len([minute for minute in under if first <= minute < last]) / (last - first) if last > first else 0.0,
    }


def only(incidents, alerts, rules, rule, lead):
    """Incidents that only this rule's alerts meet."""
    count = 0
    for start, stop in incidents:
        names = {name for (a, b), name in zip(alerts, rules, strict=True) if a < stop and b > start - lead}
        count += names == {rule}
    return count


def left_of(ranges, allowed):
    """The pieces of each range in the allowed minutes, and how many ranges were shortened, removed and split."""
    pieces, counts = [], {"shortened": 0, "removed": 0, "split": 0}
    for start, stop in ranges:
        own = []
        for minute in range(start, stop):
            if minute in allowed:
                if own and own[-1][1] == minute:
                    own[-1] = (own[-1][0], minute + 1)
                else:
                    own.append((minute, minute + 1))
        pieces += own
        kind = "removed" if not own else "split" if len(own) > 1 else "shortened" if own != [(start, stop)] else None
        if kind:
            counts[kind] += 1
    return pieces, counts
