import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from rangewise.metrics.overlaps import overlaps_of
from strategies import side_pairs


@settings(max_examples=100)
@given(side_pairs(), st.integers(0, 3))
def test_matches_a_plain_loop(sides, remainder):
    own, other = sides
    overlaps = overlaps_of(rw.Ranges(own), rw.Ranges(other))
    selected = [index % 4 == remainder for index in range(len(other))]
    any_met = overlaps.any_met(np.array(selected, dtype=bool))
    for i, (start, stop) in enumerate(own):
        met = [j for j, (a, b) in enumerate(other) if a < stop and start < b]
        covered = [point for point in range(start, stop) if any(a <= point < b for a, b in other)]
        assert overlaps.count[i] == len(met)
        assert list(range(overlaps.first[i], overlaps.last[i])) == met
        assert overlaps.covered[i] == len(covered)
        assert (overlaps.begin[i], overlaps.end[i]) == ((covered[0], covered[-1] + 1) if covered else (start, start))
        assert any_met[i] == any(selected[j] for j in met)
