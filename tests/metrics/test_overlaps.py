import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from rangewise.metrics.overlaps import overlaps_of
from strategies import side_pairs


@settings(max_examples=100)
@given(side_pairs(), st.integers(0, 3))
def test_equals_a_plain_loop(sides, odd):
    own, other = sides
    found = overlaps_of(rw.Ranges(own), rw.Ranges(other))
    marked = [index % 4 == odd for index in range(len(other))]
    any_met = found.any_met(np.array(marked, dtype=bool))
    for i, (start, stop) in enumerate(own):
        met = [j for j, (a, b) in enumerate(other) if a < stop and start < b]
        covered = [point for point in range(start, stop) if any(a <= point < b for a, b in other)]
        assert found.count[i] == len(met)
        assert list(range(found.first[i], found.last[i])) == met
        assert found.covered[i] == len(covered)
        assert (found.begin[i], found.end[i]) == ((covered[0], covered[-1] + 1) if covered else (start, start))
        assert any_met[i] == any(marked[j] for j in met)
