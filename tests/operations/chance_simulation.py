"""How often the tests of early warning reject alarms that are independent of events. ``python chance_simulation.py [SIMULATIONS]``."""

import sys

import numpy as np

from rangewise.inputs.clocks import TimePairs
from rangewise.operations.early_warning import WarningWindow, warn_of

HOUR = 3600 * 10**9


def rejected_shares(simulations, *, seed, bursts, level=0.05):
    """The share of simulations that each test rejects at this level. Events are single, or in bursts of three."""
    rng = np.random.default_rng(seed)
    length, window = 2000 * HOUR, WarningWindow(10 * HOUR, HOUR)
    rejected = {"shift": 0, "binomial": 0}
    for _ in range(simulations):
        onsets = rng.integers(0, length, 4 if bursts else 12)
        if bursts:
            onsets = (onsets[:, None] + rng.integers(0, 6 * HOUR, (4, 3))).ravel() % length
        alarms = rng.integers(0, length, 40)
        result = warn_of(TimePairs(np.sort(onsets), np.sort(onsets) + 1, None, "events"), alarms, window, 0, (0, length))
        rejected["shift"] += result.p_shift <= level
        rejected["binomial"] += result.p_binomial <= level
    return {name: count / simulations for name, count in rejected.items()}


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for bursts in (False, True):
        shares = rejected_shares(count, seed=1, bursts=bursts)
        text = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        print(f"{count} simulations, {'bursts of three' if bursts else 'single events'}: rejected at 5 %: {text}")
