# SPDX-License-Identifier: MIT
"""The main loop of a worker process: one back end, which takes requests for cases on stdin.

Requests, one a line:  `prepare NAME`, `measure REPEATS NAME`, `release NAME`.
Answers, one JSON line each:  {"ready": true, "check": bool | null}, {"seconds": [...]},
{"absent": reason} or {"failed": text}.
"""

import json
import os
import sys
import threading
import time
import traceback


class Absent(Exception):
    """This back end, or this case on it, is not available here, for the reason in the text."""


class Case:
    """One measurement. Subclasses override what they need."""

    def prepare(self):
        """Sets up and warms up; returns whether the result is right, or None for no check."""

    def measure(self, repeats):
        """Returns `repeats` times in seconds."""
        return [timed(self.run) for _ in range(repeats)]

    def run(self):
        raise Absent("the case measures nothing")


def unseen(text):
    """CUDA C that was never compiled before. Changing a comment is not enough: NVRTC 12.9 and later
    have a cache (~/.nv/ComputeCache) whose key is the program, not its text."""
    return f'{text}\nextern "C" __global__ void unseen_{time.time_ns():x}() {{}}\n'


def timed(action):
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


class KernelRun(Case):
    """A case of kernel_cases.py on a device."""

    def __init__(self, device, kernel_case):
        self.device = device
        self.kernel_case = kernel_case

    def prepare(self):
        from kernel_cases import PreparedCase

        self.prepared = PreparedCase(self.kernel_case, self.device)
        correct = self.prepared.check()
        self.prepared.run()
        return correct

    def run(self):
        self.prepared.run()


class LoopTiming(Case):
    """An operation so short that `inner` of them are timed together.

    `loop(count)` does it once for each of `count`: written out, so that what is timed is the call
    and not a function around it. `begin` and `finish` are not timed; `finish` always follows.
    """

    def __init__(self, loop, inner, finish=lambda: None, begin=lambda: None):
        self.loop = loop
        self.inner = inner
        self.finish = finish
        self.begin = begin

    def prepare(self):
        self.measure(1)

    def measure(self, repeats):
        return [self.once() for _ in range(repeats)]

    def once(self):
        loop, count = self.loop, range(self.inner)
        self.begin()
        try:
            began = time.perf_counter()
            loop(count)
            return (time.perf_counter() - began) / self.inner
        finally:
            self.finish()


def repeated(action):
    """A loop for LoopTiming around a function without arguments."""

    def loop(count):
        for _ in count:
            action()

    return loop


class CompileInThreads(Case):
    """Eight new sources compiled by `threads` threads, without loading; seconds for all eight."""

    def __init__(self, compile_text, text, threads):
        self.compile_text = compile_text
        self.text = text
        self.threads = threads

    def prepare(self):
        self.compile_text(unseen(self.text))

    def run(self):
        def work(texts):
            for text in texts:
                self.compile_text(text)

        texts = [unseen(self.text) for _ in range(8)]
        shares = [texts[i :: self.threads] for i in range(self.threads)]
        threads = [threading.Thread(target=work, args=(share,)) for share in shares]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def serve(make_cases):
    """Answers requests until stdin ends. `make_cases()` returns {name: Case factory}, or raises."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # output of a back end goes to stderr, not between the answers

    def answer(**fields):
        answers.write(json.dumps(fields) + "\n")

    try:
        factories = make_cases()
    except Exception as error:  # any failure to start means that this peer is absent
        factories = None
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
    cases = {}
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        tell(line.strip())
        try:
            if factories is None:
                raise Absent(reason)
            if verb == "prepare":
                if rest not in factories:
                    raise Absent("no such case here")
                cases[rest] = factories[rest]()
                answer(ready=True, check=cases[rest].prepare())
            elif verb == "measure":
                repeats, _, name = rest.partition(" ")
                answer(seconds=cases[name].measure(int(repeats)))
            elif verb == "release":
                cases.pop(rest, None)
                answer(ready=True)
        except Absent as error:
            answer(absent=str(error))
        except Exception:
            traceback.print_exc()
            answer(failed=traceback.format_exc().strip().splitlines()[-1])
    tell("stdin ended: dropping the cases")
    cases.clear()
    factories = None
    tell("leaving the interpreter")


def tell(text):
    """Prints the next step to stderr: the last such line tells where a process hangs."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
