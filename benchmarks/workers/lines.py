# SPDX-License-Identifier: MIT
"""Everyday lines by Treadle and by a peer, in one process and in turn: NumPy with one thread, or
CuPy where Treadle's device is a GPU."""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import line_cases
import numpy as np
from worker import Case, serve

IS_GPU = os.environ.get("TREADLE_DEVICE", "").startswith("cuda")
BATCH_S = 0.004 if IS_GPU else 0.01  # runs timed together take about as long
LOG2 = int(os.environ.get("BENCH_LOG2", "22"))


class Numpy:
    name = "NumPy"
    xp = np

    def wait(self, results):
        pass

    def put(self, values):
        return values

    def get(self, result):
        return result


class CuPy:
    name = "CuPy"

    def __init__(self):
        import cupy

        self.xp = cupy

    def put(self, values):
        return self.xp.asarray(values)

    def get(self, result):
        return self.xp.asnumpy(result)

    def wait(self, results):
        self.xp.cuda.runtime.deviceSynchronize()


class Treadle:
    name = "Treadle"

    def __init__(self):
        import treadle
        import treadle.numpy

        self.xp = treadle.numpy
        self.evaluate = treadle.numpy.evaluate
        self.stream = treadle.current_stream()

    def put(self, values):
        return self.xp.asarray(values)

    def get(self, result):
        return self.xp.asnumpy(result)

    def wait(self, results):
        for result in results:
            if isinstance(result, self.xp.ndarray):
                self.evaluate(result)
        self.stream.synchronize()


class Side:
    """A line of one library."""

    def __init__(self, library, line, host):
        self.library = library
        arrays = {name: library.put(values.copy()) for name, values in used(line, host).items()}
        self.run = line_cases.compiled(line, arrays | {"xp": library.xp, "n": 1 << LOG2})

    def result(self):
        made = self.run()
        self.library.wait([made])
        return self.library.get(made)

    def timed(self, count):
        """Seconds of the clock, and of all cores, for one run of `count`."""
        run, library = self.run, self.library
        began, worked = time.perf_counter(), time.process_time()
        if library.name == "Treadle":
            for _ in range(count):
                library.wait([run()])
        else:
            for _ in range(count):
                run()
            library.wait([])
        seconds, work = time.perf_counter() - began, time.process_time() - worked
        return [seconds / count, work / count]

    def queued(self, count):
        """The same on a GPU, where runs are queued and waited for together."""
        run, library = self.run, self.library
        evaluate = getattr(library, "evaluate", None)
        began = time.perf_counter()
        for _ in range(count):
            made = run()
            if evaluate is not None and isinstance(made, library.xp.ndarray):
                evaluate(made)
        library.wait([])
        return [(time.perf_counter() - began) / count] * 2


def used(line, host):
    words = "".join(c if c.isalnum() or c == "_" else " " for c in line).split()
    return {word: host[word] for word in words if word in host}


class Line(Case):
    def __init__(self, ours, peer, line, host):
        self.ours, self.peer, self.line, self.host = ours, peer, line, host

    def prepare(self):
        self.sides = [Side(library, self.line, self.host) for library in (self.ours, self.peer)]
        with np.errstate(all="ignore"):
            results = [side.result() for side in self.sides]
        right = line_cases.is_close(self.line, *results)
        del results
        self.counts = []
        for side in self.sides:
            self.once(side, 1)
            taken = self.once(side, 2)[0]
            self.counts.append(min(max(round(BATCH_S / taken), 1), 200))
        return right

    def once(self, side, count):
        with np.errstate(all="ignore"):
            return side.queued(count) if IS_GPU else side.timed(count)

    def measure(self, repeats):
        """[ours, our processor time, theirs, theirs], by rounds."""
        return [
            sum((self.once(*each) for each in zip(self.sides, self.counts, strict=True)), [])
            for _ in range(repeats)
        ]


def make_cases():
    ours = Treadle()
    peer = CuPy() if IS_GPU else Numpy()
    host = line_cases.inputs(LOG2)
    return {line: lambda line=line: Line(ours, peer, line, host) for _, line in line_cases.lines()}


serve(make_cases)
