import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.pipelines import RangeSplit
from strategies import labels


@given(labels(), st.integers(2, 5), st.booleans())
def test_no_range_is_cut_or_joined_and_every_fold_has_one(y, n_splits, past_only):
    y = np.array(y, dtype=int)
    split = RangeSplit(n_splits, past_only=past_only)
    total = len(rw.Ranges.from_labels(y))
    if total < n_splits + past_only:
        with pytest.raises(ValueError, match="need at least"):
            list(split.split(y, y))
        return
    folds = list(split.split(y, y))
    assert len(folds) == split.get_n_splits() == n_splits
    tested = np.concatenate([test for _, test in folds])
    assert (np.diff(tested) == 1).all()
    for train, test in folds:
        counts = [len(rw.Ranges.from_labels(y[part])) for part in (train, test)]
        assert min(counts) >= 1
        if past_only:
            assert train.tolist() == list(range(test[0]))
        else:
            assert sum(counts) == total
            assert sorted([*train, *test]) == list(range(len(y)))


def test_ranges_and_labels_give_the_same_folds():
    y = np.array([0, 1, 1, 0, 0, 1, 0, 0, 1, 0])
    both = [list(RangeSplit(3).split(y, side)) for side in (y, rw.Ranges.from_labels(y))]
    for one, other in zip(*both, strict=True):
        assert [rows.tolist() for rows in one] == [rows.tolist() for rows in other]


def test_rejects_bad_input():
    with pytest.raises(ValueError, match="n_splits is 2 or more; got 1"):
        RangeSplit(1)
    with pytest.raises(ValueError, match="it needs y"):
        list(RangeSplit().split([1, 2, 3]))
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2 labels"):
        list(RangeSplit().split([1, 2, 3], [0, 1]))
    with pytest.raises(ValueError, match="5 parts need at least 5 real ranges, but there are 3; give n_splits=3 or fewer"):
        list(RangeSplit().split(range(6), [0, 1, 0, 1, 0, 1]))
    with pytest.raises(ValueError, match="a range of y stops at 9"):
        list(RangeSplit().split(range(6), [(1, 9)]))
    assert repr(RangeSplit(3, past_only=True)) == "RangeSplit(n_splits=3, past_only=True)"


def test_ranges_around_a_fold_are_not_joined():
    y = np.array([1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1])
    train, test = list(RangeSplit(3).split(y, y))[1]
    assert test.tolist() == [6, 7]
    assert len(rw.Ranges.from_labels(y[train])) == 2
