"""Detectors that misbehave in different ways; the runner must record a row for each of them."""

import ctypes
import os
import signal
import subprocess
import sys
import time

import numpy as np


class Good:
    """Predicts the largest values. Draws from the global generator, as some detectors do."""

    def __init__(self, pause=0.0):
        self.pause = pause

    def fit(self, values):
        time.sleep(self.pause)
        return self

    def decision_function(self, values):
        return values[:, 0] + 1e-6 * np.random.random(len(values))

    def predict(self, values):
        return (values[:, 0] > np.quantile(values[:, 0], 0.95)).astype(int)


class Loops(Good):
    def fit(self, values):
        while True:
            pass


class LoopsInC(Good):
    """Holds the interpreter's lock in C and ignores SIGTERM."""

    def fit(self, values):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        ctypes.PyDLL(None).sleep(1000)


class Allocates(Good):
    def fit(self, values):
        blocks = []
        while True:
            blocks.append(np.ones(4_000_000))
            time.sleep(0.01)


class AsksForTooMuch(Good):
    def fit(self, values):
        self.held = np.zeros(10**13 // 8)


class Exits(Good):
    def fit(self, values):
        os._exit(3)


class LeavesPython(Good):
    def fit(self, values):
        sys.exit(5)


class Segfaults(Good):
    def fit(self, values):
        ctypes.string_at(0)


class Aborts(Good):
    def fit(self, values):
        os.abort()


class KillsItself(Good):
    def fit(self, values):
        os.kill(os.getpid(), signal.SIGKILL)


class Prints(Good):
    def fit(self, values):
        for _ in range(64):
            os.write(1, b"x" * (1 << 20))
        print("and more")
        return self


class PrintsGigabyte(Good):
    def fit(self, values):
        for _ in range(1024):
            os.write(1, b"x" * (1 << 20))
        return self


class Forks(Good):
    """Leaves processes behind: one that sleeps, one in its own session, and one that returns from fork and continues normally."""

    def fit(self, values):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        if os.fork() == 0:
            if os.fork() == 0:
                os.setsid()
                time.sleep(600)
            os._exit(0)
        os.fork()
        return self


class ForksAndEats(Good):
    def fit(self, values):
        if os.fork() == 0:
            block = np.ones(100_000_000)
            time.sleep(600)
            print(block)
        time.sleep(600)


class Raises(Good):
    def fit(self, values):
        raise ZeroDivisionError("division of the\nworld by zero")


class WrongLength(Good):
    def decision_function(self, values):
        return np.zeros(3)


class MinusOne(Good):
    def predict(self, values):
        return np.full(len(values), -1)


class NoDetector:
    pass


class NoImport(Good):
    def __init__(self, size=1):
        raise ValueError(f"size is bad; got {size}")
