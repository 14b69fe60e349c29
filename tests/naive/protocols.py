"""Event scoring of other fields in plain loops, on whole numbers. Imports nothing of rangewise.

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
    """The pieces of each event outside the ignored points."""
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
    """True positives, false positives and the number of real events, point by point. Ignored points count in no sum and no length."""
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
    """Points of both sides, points of the predicted side only, and points of the real side."""
    positives, predictions = ({point for start, stop in side for point in range(start, stop)} - set(ignored) for side in (real, predicted))
    return len(positives & predictions), len(predictions - positives), len(positives)


def taes(real, predicted):
    """Hits and false alarms, both sums of shares."""
    free_real, free_predicted = [True] * len(real), [True] * len(predicted)
    hits = alarms = 0.0

    def meet(first, second):
        return first[0] < second[1] and second[0] < first[1]

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
                # A long prediction hits only its first event; the others under it are missed.
                for k in range(i + 1, len(real)):
                    if meet(real[k], guess):
                        free_real[k] = False
            else:
                # A long event: the other predictions in it add to its hit.
                for k in range(j + 1, len(predicted)):
                    if meet(event, predicted[k]):
                        free_predicted[k] = False
                        hit, alarm = share(event, predicted[k])
                        hits, alarms = hits + hit, alarms + alarm
    return hits, alarms + sum(free_predicted)
