"""The child process of a worker: reads jobs from a pipe, and answers with an outcome, then scores."""

from __future__ import annotations

import faulthandler
import os
import pickle
import struct
import sys
from typing import Any

LENGTH = struct.Struct("<Q")


def main() -> None:
    jobs, answers, parent, memory = (int(text) for text in sys.argv[1:5])
    from rangewise.bench.processes import end_with_parent, limit_data

    end_with_parent(parent)
    faulthandler.enable()
    # Output of detectors goes to the parent, which keeps its end; standard input is empty.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    for descriptor in (jobs, answers):
        os.set_inheritable(descriptor, False)
    from rangewise.bench.work import judge, predict

    limit_data(memory)
    own = os.getpid()
    with os.fdopen(jobs, "rb") as source, os.fdopen(answers, "wb") as target:
        _send(target, None)
        while (head := source.read(LENGTH.size)) and len(head) == LENGTH.size:
            job = pickle.loads(source.read(LENGTH.unpack(head)[0]))
            prediction = job.kept
            if prediction is None:
                outcome = predict(job.run)
                if os.getpid() != own:
                    os._exit(0)  # a child that the detector forked and that returned: its parent answers
                prediction = outcome.prediction
                _send(target, outcome)
            if prediction is not None:
                _send(target, judge(job, prediction))


def _send(target: Any, value: object) -> None:
    content = pickle.dumps(value, protocol=5)
    target.write(LENGTH.pack(len(content)) + content)
    target.flush()


if __name__ == "__main__":
    main()
