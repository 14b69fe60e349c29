import os
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from experts import agreement, expert, judgements
from naive import rankings as naive
from strategies import range_lists

# Set RANGEWISE_EXPERTS=200 for a long run.
EXPERTS = int(os.environ.get("RANGEWISE_EXPERTS", "12"))
REAL, EARLY, LATE, WHOLE = [(0, 10)], [(0, 4)], [(6, 10)], [(0, 10)]


@settings(max_examples=25)
@given(st.lists(st.tuples(range_lists(), range_lists(), range_lists()), min_size=1, max_size=3), st.floats(0.001, 0.999))
def test_intervals_are_where_every_judgement_holds(triples, alpha):
    fit = rw.fit_model(triples, betas=[0.5, 2])
    for bias in ("flat", "front", "back", "middle"):
        for cardinality in ("one", "reciprocal"):
            for beta in (Fraction(1, 2), Fraction(2)):
                leads = []
                for real, preferred, other in triples:
                    parts = [naive.earned(real, side, bias, cardinality) for side in (preferred, other)]
                    leads.append(naive.f(parts[0], Fraction(alpha), beta) - naive.f(parts[1], Fraction(alpha), beta))
                here = [one for one in fit.intervals if (one.bias, one.cardinality, one.beta) == (bias, cardinality, beta)]
                inside = any(one.start < alpha < one.stop for one in here)
                if any(0 < abs(lead) < 1e-9 for lead in leads):
                    continue  # too close to a border
                assert inside == all(lead > 0 for lead in leads)


@settings(max_examples=25)
@given(st.lists(st.tuples(range_lists(), range_lists(), range_lists()), min_size=1, max_size=4))
def test_model_agrees_with_the_reported_number_of_judgements(triples):
    fit = rw.fit_model(triples)
    held = [fit.model.score(real, one).f > fit.model.score(real, other).f for real, one, other in triples]
    assert sum(held) == fit.agreed == max(fit.families.values())
    assert bool(fit.contradictions) == (fit.agreed < len(triples)) == (not fit.intervals)
    for group in fit.contradictions:
        assert rw.fit_model([triples[at] for at in group]).agreed < len(group)
        for left_out in group if len(group) > 1 else ():
            rest = [triples[at] for at in group if at != left_out]
            assert rw.fit_model(rest).agreed == len(rest)


def test_random_experts_are_recovered():
    agreements = []
    for seed in range(EXPERTS):
        random = np.random.default_rng(seed)
        model = expert(random)
        fit = rw.fit_model(judgements(random, model, 40))
        assert fit.agreed == 40
        agreements.append(agreement(fit.model, judgements(random, model, 100)))
    assert np.mean(agreements) >= 0.96


def test_reports_contradictions():
    fit = rw.fit_model([(REAL, EARLY, LATE), (REAL, WHOLE, EARLY), (REAL, LATE, EARLY)])
    assert fit.contradictions == ((0, 2),)
    assert fit.agreed == 2
    assert fit.intervals == ()
    assert "judgement 1 and judgement 3" in str(fit)
    alone = rw.fit_model([(REAL, [], WHOLE)])
    assert alone.contradictions == ((0,),)
    assert alone.agreed == 0


def test_no_judgements_leave_all_settings_open():
    fit = rw.fit_model([])
    assert len(fit.intervals) == 24
    assert fit.model == rw.RangeModel(alpha=0.5)
    assert fit.contradictions == ()


def test_no_setting_prefers_one_of_two_equal_predictions():
    assert rw.fit_model([(REAL, EARLY, EARLY)]).contradictions == ((0,),)


def test_margin_is_how_far_alpha_may_move():
    fit = rw.fit_model([([(0, 10), (20, 30)], [(0, 2), (20, 22)], [(0, 10)])], betas=1, biases="flat", cardinalities="one")
    assert [(one.start, one.stop) for one in fit.intervals] == [(pytest.approx(0.375), 1.0)]
    assert fit.model.alpha == pytest.approx(0.69, abs=0.01)
    assert fit.margin == pytest.approx(0.31, abs=0.01)


def test_rejects_bad_judgements():
    with pytest.raises(TypeError, match="judgement 1 is"):
        rw.fit_model([(REAL, EARLY, LATE), (REAL, EARLY)])
    with pytest.raises(TypeError, match="judgements must be"):
        rw.fit_model(None)
    with pytest.raises(ValueError, match="judgement 0:"):
        rw.fit_model([(REAL, [(3, 2)], LATE)])


def test_reads_judgements_from_a_csv_file(tmp_path):
    for name, labels in (("real", "0110"), ("good", "0110"), ("bad", "1001")):
        (tmp_path / f"{name}.txt").write_text("\n".join(labels))
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("real,preferred,other\nreal.txt,good.txt,bad.txt\nreal.txt,labels:good.txt,bad.txt\n")
    fit = rw.fit_model(pairs)
    assert (len(fit.judgements), fit.agreed) == (2, 2)
    pairs.write_text("real,preferred\nreal.txt,good.txt\n")
    with pytest.raises(ValueError, match="line 2: other is missing"):
        rw.fit_model(str(pairs))
    pairs.write_text("real,preferred,other\n")
    with pytest.raises(ValueError, match="no judgements"):
        rw.fit_model(pairs)
