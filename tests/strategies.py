"""Random inputs with many edge cases: empty sides, one long range against many pieces, touching ranges, single points, both ends."""

import numpy as np
from hypothesis import strategies as st

from naive import model as naive
from rangewise.model.bias import BIASES
from rangewise.model.cardinality import CARDINALITIES
from rangewise.model.model import RangeModel
from rangewise.model.presets import early


@st.composite
def range_lists(draw, longest=60):
    """Sorted disjoint pairs in [0, longest); touching ranges and ranges of one point are common."""
    # A gap of 0 makes ranges touch. A first gap of 0 and the cut at `longest` reach both ends.
    gaps_and_lengths = draw(st.lists(st.tuples(st.sampled_from([0, 0, 1, 2, 7]), st.sampled_from([1, 1, 2, 3, 8, 30])), max_size=25))
    ranges, at = [], 0
    for gap, length in gaps_and_lengths:
        start, stop = at + gap, min(at + gap + length, longest)
        if start >= longest:
            break
        ranges.append((start, stop))
        at = stop
    return ranges


@st.composite
def side_pairs(draw):
    """Two range lists, sometimes one long range against many pieces."""
    real, predicted = draw(range_lists()), draw(range_lists())
    match draw(st.integers(0, 5)):
        case 0:
            real = [(0, 60)]
        case 1:
            predicted = [(0, 60)]
        case 2:
            predicted = [(i, i + 1) for i in range(0, 60, 2)]
    return (real, predicted) if draw(st.booleans()) else (predicted, real)


def leaves_points(ignored, length):
    """Whether any point of a series is not ignored; scoring a series without such points is an error."""
    return not all(any(start <= point < stop for start, stop in ignored) for point in range(length))


def labels(max_size=300):
    """0/1 labels in runs, so that 64-bit words are often all 0, all 1 or mixed."""
    runs = st.lists(st.tuples(st.integers(0, 1), st.sampled_from([1, 2, 3, 17, 63, 64, 65, 128])), max_size=12)
    return runs.map(lambda drawn: [label for label, count in drawn for _ in range(count)][:max_size])


def steep(positions, length):
    """A user-defined bias, for arrays and for single positions."""
    return positions**2 + 0.5


def ends(positions, length):
    """Only the first and the last position count."""
    return ((positions == 1) | (positions == length)) * 1.0


def quadratic(overlaps):
    """A user-defined cardinality. Its value for one overlap is wrong on purpose: it must not be used there."""
    return 0.9 / overlaps**2


def crowded(overlaps, length):
    """A user-defined cardinality that also depends on the length."""
    return 1.0 / (1.0 + overlaps / length)


OWN_CARDINALITIES = {"quadratic": quadratic, "crowded": crowded}
OWN_BIASES = {"steep": steep, "ends": ends}

# Drawn from the tables of the library, so that a new entry is tested at once; it fails until it has a naive version.
bias_names = st.sampled_from([*BIASES])
cardinality_names = st.sampled_from([*CARDINALITIES])
biases = st.sampled_from([*BIASES, *OWN_BIASES])
cardinalities = st.sampled_from([*CARDINALITIES, *OWN_CARDINALITIES])
precision_weights = st.sampled_from(["range", "range", "length"])


def bias_pair(name):
    """The argument for the model, and the naive function of the same bias."""
    return (OWN_BIASES[name], OWN_BIASES[name]) if name in OWN_BIASES else (name, naive.BIASES[name])


def cardinality_pair(name):
    return (OWN_CARDINALITIES[name], OWN_CARDINALITIES[name]) if name in OWN_CARDINALITIES else (name, naive.CARDINALITIES[name])


@st.composite
def scored_ranges(draw, longest=30):
    """Real ranges, at least one, in a short series with one score per point; ties are common."""
    real = draw(range_lists(longest).filter(bool))
    levels = draw(st.sampled_from([1, 2, 5, 1000]))
    scores = draw(st.lists(st.integers(0, levels), min_size=longest, max_size=longest))
    return real, [score / 8 for score in scores]


@st.composite
def built_in_models(draw):
    """Models without user-defined functions, with every bias and cardinality of the tables."""
    return RangeModel(
        alpha=draw(st.sampled_from([0.0, 0.1, 0.3, 1.0]) | st.floats(0, 1)),
        beta=draw(st.sampled_from([0.3, 0.5, 1.0, 2.0])),
        recall_bias=draw(st.sampled_from([*BIASES])),
        precision_bias=draw(st.sampled_from([*BIASES])),
        recall_cardinality=draw(st.sampled_from([*CARDINALITIES])),
        precision_cardinality=draw(st.sampled_from([*CARDINALITIES])),
        as_points=draw(st.sampled_from([None, None, "real", "predicted", "both"])),
        zero_division=draw(st.sampled_from([0.0, 1.0, float("nan")])),
    )


@st.composite
def class_pairs(draw, names="abc-", longest=60):
    """Real and predicted classes per point, in runs and of equal length; predicted is sometimes real with a few changes."""
    runs = st.lists(st.tuples(st.sampled_from(names), st.sampled_from([1, 1, 2, 3, 8, 30])), min_size=1, max_size=15)
    real, predicted = ([name for name, count in draw(runs) for _ in range(count)][:longest] for _ in range(2))
    if draw(st.booleans()):
        predicted = list(real)
        for at in draw(st.lists(st.integers(0, len(real) - 1), max_size=4)):
            predicted[at : at + 3] = [draw(st.sampled_from(names))] * len(predicted[at : at + 3])
    length = min(len(real), len(predicted))
    return real[:length], predicted[:length]


@st.composite
def overlapping_classes(draw, names="abc"):
    """Real and predicted ranges by class; ranges of different classes may overlap."""
    real, predicted = ({name: draw(range_lists(30)) for name in draw(st.sets(st.sampled_from(names), min_size=1))} for _ in range(2))
    return real, predicted


@st.composite
def series_tables(draw, least=0):
    """Tables of a few series, named in ``name``, sorted or mixed; labels ``real``, ``a`` and ``b`` in runs that may cross series."""
    size = draw(st.integers(least, 60))
    names = draw(st.lists(st.sampled_from("abcd"), min_size=size, max_size=size))
    if draw(st.booleans()):
        names.sort()
    runs = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 20)), min_size=size, max_size=size)
    columns = [[label for label, count in draw(runs) for _ in range(count)][:size] for _ in range(3)]
    import polars as pl  # polars does not support every Python that the other strategies run on

    return pl.DataFrame(
        {"name": names, "real": columns[0], "a": columns[1], "b": columns[2]},
        schema={"name": pl.String, "real": pl.Int8, "a": pl.Int64, "b": pl.Float64},
    )


def random_tallies(seed, count, model=early):
    """``count`` tallies of random series with four real and six predicted ranges each."""
    random = np.random.default_rng(seed)
    tallies = []
    for _ in range(count):
        edges = np.sort(random.choice(200, size=12, replace=False)).reshape(-1, 2)
        tallies.append(model.tally(edges[:4], edges + random.integers(0, 3)))
    return tallies
