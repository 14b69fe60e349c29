"""A stacked LSTM in plain loops: forecasts along a series, with far points replaced, and the error of sequences.

The gates are in torch's order: input, forget, candidate, output.
"""

import math
from copy import deepcopy


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def step(layers, head, values, outputs, cells, masks=None):
    """Pass one point through the network; ``outputs`` and ``cells`` change in place. A layer is (from input, from output, bias).

    ``masks`` are factors for what each layer passes to the next, not for its own recurrent input.
    """
    for k, (from_input, from_output, bias) in enumerate(layers):
        hidden = len(outputs[k])
        gates = [
            sum(w * v for w, v in zip(from_input[g], values, strict=True))
            + sum(w * o for w, o in zip(from_output[g], outputs[k], strict=True))
            + bias[g]
            for g in range(4 * hidden)
        ]
        for j in range(hidden):
            kept = sigmoid(gates[hidden + j]) * cells[k][j]
            cells[k][j] = kept + sigmoid(gates[j]) * math.tanh(gates[2 * hidden + j])
        outputs[k] = [sigmoid(gates[3 * hidden + j]) * math.tanh(cells[k][j]) for j in range(hidden)]
        values = outputs[k] if masks is None else [o * m for o, m in zip(outputs[k], masks[k], strict=True)]
    weights, bias = head
    return [sum(w * v for w, v in zip(row, values, strict=True)) + b for row, b in zip(weights, bias, strict=True)]


def forecasts(layers, head, series, hidden, ahead, mean, whitening, far, hold, first):
    """Forecasts of two networks at each point, the next point first. One reads every point, the other replaces far points by its forecasts.

    At most ``hold`` consecutive far points are replaced; with 0 there is one network. After ``first`` consecutive points that are not far,
    the second network takes the state of the first.
    """
    reading = [[0.0] * hidden for _ in layers], [[0.0] * hidden for _ in layers]
    holding = deepcopy(reading)
    all_read, all_held, in_a_row, usual = [], [], 0, first
    for point, values in enumerate(series):
        channels, read = len(values), list(values)
        far_off = False
        if hold and point >= first:
            error = [values[c] - all_held[point - 1 - k][k * channels + c] for k in range(ahead) for c in range(channels)]
            whitened = [sum(w * (e - m) for w, e, m in zip(row, error, mean, strict=True)) for row in whitening]
            far_off = sum(w * w for w in whitened) > far
        usual = 0 if far_off else usual + 1
        if usual >= first:
            holding = deepcopy(reading)
        if not far_off:
            in_a_row = 0
        elif in_a_row < hold:
            read, in_a_row = all_held[point - 1][:channels], in_a_row + 1
        all_held.append(step(layers, head, read, *holding))
        all_read.append(step(layers, head, list(values), *reading))
    return [all_read, all_held] if hold else [all_read]


def last_forecast(layers, head, sequence, hidden):
    """The forecast at the end of a sequence that the network reads from its initial state."""
    state = [[0.0] * hidden for _ in layers], [[0.0] * hidden for _ in layers]
    return [step(layers, head, list(values), *state) for values in sequence][-1]


def squared_error(layers, head, series, starts, hidden, ahead, steps, warm_up, masks=None):
    """The mean squared error of all forecasts from step ``warm_up`` on; ``masks[layer][step][sequence]`` has a factor per unit."""
    squares = []
    for sequence, start in enumerate(starts):
        state = [[0.0] * hidden for _ in layers], [[0.0] * hidden for _ in layers]
        for offset in range(steps):
            factors = None if masks is None else [layer[offset][sequence] for layer in masks]
            forecast = step(layers, head, list(series[start + offset]), *state, factors)
            targets = [value for point in series[start + offset + 1 : start + offset + 1 + ahead] for value in point]
            if offset >= warm_up:
                squares += [(a - b) ** 2 for a, b in zip(forecast, targets, strict=True)]
    return sum(squares) / len(squares)
