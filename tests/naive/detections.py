"""Average precision of detections in plain loops. Imports nothing of rangewise.

The algorithm of ActivityNet's evaluation (Caba Heilbron et al., 2015) goes through the predictions by decreasing confidence. Each goes
through the real segments of its video by decreasing temporal IoU, takes the first that is free, and stops below the threshold.
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
        ranked = sorted(range(len(real.get(video, []))), key=lambda index: -iou(real[video][index], (start, stop)))
        matched = False
        for index in ranked:
            if iou(real[video][index], (start, stop)) < threshold:
                break
            if (video, index) in taken:
                continue
            taken.add((video, index))
            matched = True
            break
        true.append(matched)
    return area(true, positives)


def within(real, scored, tolerance, ends):
    """One recording, matched by the distance of ends; ``ends`` has 0 if starts count and 1 if stops count."""
    taken = set()
    true = []
    for start, stop, _ in sorted(scored, key=lambda each: -each[2]):
        best = None
        for index, segment in enumerate(real):
            distance = max(abs(segment[end] - (start, stop)[end]) for end in ends)
            if index not in taken and distance <= tolerance and (best is None or distance < best[0]):
                best = (distance, index)
        if best is not None:
            taken.add(best[1])
        true.append(best is not None)
    return area(true, len(real))


def area(true, positives):
    """The area under precision over recall, where precision is made non-increasing."""
    precisions, recalls, hits = [0.0], [0.0], 0
    for count, hit in enumerate(true, start=1):
        hits += hit
        precisions.append(hits / count)
        recalls.append(hits / positives)
    precisions.append(0.0)
    recalls.append(1.0)
    for index in range(len(precisions) - 2, -1, -1):
        precisions[index] = max(precisions[index], precisions[index + 1])
    return sum((recalls[index] - recalls[index - 1]) * precisions[index] for index in range(1, len(recalls)))
