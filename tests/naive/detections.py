"""Average precision of detections in plain loops. Imports nothing of ours.

The algorithm of ActivityNet's evaluation (Caba Heilbron et al., 2015): predictions by falling confidence; each looks at the real segments
of its video by falling temporal IoU, takes the first that is free, and gives up below the threshold.
"""


def iou(one, other):
    shared = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    return shared / ((one[1] - one[0]) + (other[1] - other[0]) - shared)


def activitynet(real, scored, threshold):
    """``real`` is {video: [(start, stop)]}, ``scored`` a list of (video, start, stop, confidence)."""
    positives = sum(len(segments) for segments in real.values())
    taken = set()
    true = []
    for video, start, stop, _ in sorted(scored, key=lambda each: -each[3]):
        ranked = sorted(range(len(real.get(video, []))), key=lambda at: -iou(real[video][at], (start, stop)))
        matched = False
        for at in ranked:
            if iou(real[video][at], (start, stop)) < threshold:
                break
            if (video, at) in taken:
                continue
            taken.add((video, at))
            matched = True
            break
        true.append(matched)
    return area(true, positives)


def within(real, scored, tolerance, ends):
    """One recording, matched by the distance of ends; ``ends`` are the places of those that count."""
    taken = set()
    true = []
    for start, stop, _ in sorted(scored, key=lambda each: -each[2]):
        best = None
        for at, segment in enumerate(real):
            apart = max(abs(segment[end] - (start, stop)[end]) for end in ends)
            if at not in taken and apart <= tolerance and (best is None or apart < best[0]):
                best = (apart, at)
        if best is not None:
            taken.add(best[1])
        true.append(best is not None)
    return area(true, len(real))


def area(true, positives):
    """Precision, made not to rise with recall, over recall."""
    precisions, recalls, hits = [0.0], [0.0], 0
    for count, one in enumerate(true, start=1):
        hits += one
        precisions.append(hits / count)
        recalls.append(hits / positives)
    precisions.append(0.0)
    recalls.append(1.0)
    for at in range(len(precisions) - 2, -1, -1):
        precisions[at] = max(precisions[at], precisions[at + 1])
    return sum((recalls[at] - recalls[at - 1]) * precisions[at] for at in range(1, len(recalls)))
