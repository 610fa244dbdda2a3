# SPDX-License-Identifier: MIT
"""Measures columns of one row against each other: interleaved rounds, medians, spread, ratios."""

import dataclasses
import json
import math
import os
import select
import subprocess

ANSWER_LIMIT_S = 120


class Unavailable(Exception):
    """A column cannot be measured here; the text says why."""


class Worker:
    """A process that holds one back end (worker.py). Started at its first use."""

    def __init__(self, name, command, environment=None, folder=None):
        self.name = name
        self.command = [str(part) for part in command]
        self.environment = dict(os.environ, **(environment or {}))
        self.folder = folder
        self.process = None
        self.dead = None

    def ask(self, request):
        if self.dead:
            raise Unavailable(self.dead)
        try:
            if self.process is None:
                self.process = subprocess.Popen(
                    self.command,
                    env=self.environment,
                    cwd=self.folder,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=None if os.environ.get("BENCH_VERBOSE") else subprocess.DEVNULL,
                    text=True,
                )
            self.process.stdin.write(request + "\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], ANSWER_LIMIT_S)[0]:
                self.process.kill()
                self.dead = f"no answer within {ANSWER_LIMIT_S} s"
                raise Unavailable(self.dead)
            line = self.process.stdout.readline()
        except OSError as error:
            self.dead = str(error)
            raise Unavailable(self.dead) from None
        if not line:
            self.dead = f"the process ended with status {self.process.wait()}"
            raise Unavailable(self.dead)
        answer = json.loads(line)
        if "absent" in answer or "failed" in answer:
            raise Unavailable(answer.get("absent") or answer["failed"])
        return answer

    def close(self):
        if self.process is not None and self.dead is None:
            self.process.stdin.close()
            self.process.wait(timeout=60)
            self.process = None


class LaidOut(Worker):
    """A worker whose command is made when it is first asked: `lay_out()` -> (words, folder)."""

    def __init__(self, name, lay_out, environment):
        super().__init__(name, [], environment)
        self.lay_out = lay_out

    def ask(self, request):
        if not self.command and not self.dead:
            try:
                words, self.folder = self.lay_out()
                self.command = [str(word) for word in words]
            except Unavailable as reason:
                self.dead = str(reason)
        return super().ask(request)


class Fresh:
    """A command run anew for every sample; its last line of output is {"seconds": [...]}.

    `environment(case)` returns the variables of one sample.
    """

    def __init__(self, name, command, environment):
        self.name = name
        self.command = [str(part) for part in command]
        self.environment = environment

    def sample(self, case):
        try:
            result = subprocess.run(
                [*self.command, case],
                env=dict(os.environ, **self.environment(case)),
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
        except OSError as error:
            raise Unavailable(str(error)) from None
        lines = result.stdout.strip().splitlines()
        if result.returncode or not lines:
            told = (result.stderr or result.stdout).strip().splitlines() or ["no output"]
            raise Unavailable(told[-1])
        return json.loads(lines[-1])["seconds"]


@dataclasses.dataclass
class Column:
    """One back end in one row. `case` is how the back end calls what it measures."""

    label: str
    source: object  # Worker or Fresh
    case: str
    rounds: list = dataclasses.field(default_factory=list)  # one median a round, seconds
    absent: str = ""
    check: object = None

    def prepare(self):
        try:
            if isinstance(self.source, Worker):
                self.check = self.source.ask(f"prepare {self.case}").get("check")
                if self.check is False:
                    self.absent = "WRONG RESULT"
            else:
                self.source.sample(self.case)
        except Unavailable as reason:
            self.absent = str(reason)

    def measure(self, repeats):
        if self.absent:
            return
        try:
            if isinstance(self.source, Worker):
                seconds = self.source.ask(f"measure {repeats} {self.case}")["seconds"]
            else:
                seconds = self.source.sample(self.case)
            self.rounds.append(median(seconds))
        except Unavailable as reason:
            self.absent = str(reason)

    def release(self):
        if isinstance(self.source, Worker) and not self.source.dead and self.source.process:
            try:
                self.source.ask(f"release {self.case}")
            except Unavailable as reason:
                self.absent = self.absent or str(reason)


@dataclasses.dataclass(frozen=True)
class Target:
    """What the row promises: ours / `against` <= `at_most`, or ours <= `at_most_seconds`."""

    against: str = ""
    at_most: float = math.inf
    at_most_seconds: float = math.inf


@dataclasses.dataclass
class Row:
    """One line of the table. The first column is ours."""

    group: str
    name: str
    columns: list
    targets: tuple = ()
    rounds: int = 9
    repeats: int = 3
    work: tuple = ()  # (amount, unit, ceiling name), e.g. (2e9, "GFLOP/s", "multiply_add_f64")
    note: str = ""

    def measure(self, quick=False):
        for column in self.columns:
            column.prepare()
        for _ in range(3 if quick else self.rounds):
            for column in self.columns:
                column.measure(self.repeats)
        for column in self.columns:
            column.release()


def median(values):
    return quantile(values, 0.5)


def quantile(values, fraction):
    """Linear interpolation between order statistics; `values` not empty."""
    ordered = sorted(values)
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def summary(values):
    return {
        "median": median(values),
        "low": quantile(values, 0.05),
        "high": quantile(values, 0.95),
        "samples": len(values),
    }


def ratio(ours, other):
    """Ratios round by round: drift of the machine cancels where the rounds are interleaved."""
    pairs = [a / b for a, b in zip(ours, other, strict=False) if b > 0]
    return summary(pairs)
