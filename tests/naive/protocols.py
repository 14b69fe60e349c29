"""Event scoring of other fields in plain loops, on whole numbers. Imports nothing of ours.

Events are sorted, disjoint, half-open pairs. SzCORE: Dan et al. (2024); TAES: Shah et al. (2021) and NEDC's program.
"""


def join(events, gap):
    joined = []
    for start, stop in events:
        if joined and start - joined[-1][1] < gap:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return joined


def split(events, longest):
    pieces = []
    for start, stop in events:
        while longest is not None and stop - start > longest:
            pieces.append((start, start + longest))
            start += longest
        pieces.append((start, stop))
    return pieces


def left(events, ignored):
    """What is left of each event outside the ignored points: events of one piece or of several."""
    pieces = []
    for start, stop in events:
        open_piece = False
        for point in range(start, stop):
            if point in ignored:
                open_piece = False
            elif open_piece:
                pieces[-1] = (pieces[-1][0], point + 1)
            else:
                pieces.append((point, point + 1))
                open_piece = True
    return pieces


def szcore(real, predicted, *, gap, longest, before, after, least, length, ignored=()):
    """True positives, false positives and the number of real events, point by point. Ignored points are in no sum and no length."""
    real, predicted = (split(left(join(side, gap), ignored), longest) for side in (real, predicted))
    extended = [(max(0, start - before), min(length, stop + after)) for start, stop in real]
    points = {point for start, stop in predicted for point in range(start, stop)}
    detected = []
    for start, stop in extended:
        counted = [point for point in range(start, stop) if point not in ignored]
        if sum(point in points for point in counted) > least * len(counted):
            detected.append((start, stop))
    allowed = {point for start, stop in detected for point in range(start, stop)}
    false = [event for event in predicted if not any(point in allowed for point in range(*event))]
    return len(detected), len(false), len(real)


def samples(real, predicted, ignored=()):
    """Points that both sides have, points that only the prediction has, points of the real side."""
    one, other = ({point for start, stop in side for point in range(start, stop)} - set(ignored) for side in (real, predicted))
    return len(one & other), len(other - one), len(one)


def taes(real, predicted):
    """Hits and false alarms, each a sum of shares."""
    free_real, free_predicted = [True] * len(real), [True] * len(predicted)
    hits = alarms = 0.0

    def meet(one, other):
        return one[0] < other[1] and other[0] < one[1]

    def share(event, guess):
        length = event[1] - event[0]
        inside = min(event[1], guess[1]) - max(event[0], guess[0])
        outside = (guess[1] - guess[0]) - inside
        return inside / length, min(1.0, outside / length)

    for i, event in enumerate(real):
        for j, guess in enumerate(predicted):
            if not (free_real[i] and free_predicted[j] and meet(event, guess)):
                continue
            free_real[i] = free_predicted[j] = False
            hit, alarm = share(event, guess)
            hits, alarms = hits + hit, alarms + alarm
            if guess[1] >= event[1]:
                # One long prediction: the other events under it are missed.
                for k in range(i + 1, len(real)):
                    if meet(real[k], guess):
                        free_real[k] = False
            else:
                # One long event: the other predictions in it add to its hit.
                for k in range(j + 1, len(predicted)):
                    if meet(event, predicted[k]):
                        free_predicted[k] = False
                        hit, alarm = share(event, predicted[k])
                        hits, alarms = hits + hit, alarms + alarm
    return hits, alarms + sum(free_predicted)
