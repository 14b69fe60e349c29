"""A stacked LSTM along a series in plain loops, with points held back. The gates are in torch's order: input, forget, candidate, output."""

import math


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def step(layers, head, values, outputs, cells):
    """One point through the network; ``outputs`` and ``cells`` change in place. A layer is (from input, from output, bias)."""
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
        values = outputs[k]
    weights, bias = head
    return [sum(w * v for w, v in zip(row, values, strict=True)) + b for row, b in zip(weights, bias, strict=True)]


def forecasts(layers, head, series, hidden, ahead, mean, whitening, far, hold, first):
    """What is forecast at each point, the next point first; at most ``hold`` far points in a row are replaced by their forecast."""
    outputs, cells = [[0.0] * hidden for _ in layers], [[0.0] * hidden for _ in layers]
    made, held = [], 0
    for point, values in enumerate(series):
        channels, read = len(values), list(values)
        if hold and point >= first:
            error = [values[c] - made[point - 1 - k][k * channels + c] for k in range(ahead) for c in range(channels)]
            whitened = [sum(w * (e - m) for w, e, m in zip(row, error, mean, strict=True)) for row in whitening]
            if sum(w * w for w in whitened) <= far:
                held = 0
            elif held < hold:
                read, held = made[point - 1][:channels], held + 1
        made.append(step(layers, head, read, outputs, cells))
    return made
