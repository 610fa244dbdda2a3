# SPDX-License-Identifier: MIT
"""Measures columns of one row against each other: interleaved rounds, medians, spread, ratios."""

import dataclasses
import json
import math
import os
import pathlib
import select
import signal
import subprocess
import tempfile
import time

ANSWER_LIMIT_S = 120
EXIT_LIMIT_S = 20
REST_LIMIT_S = 1.0
REST_STEP_S = 0.004
REST_LOOKS = 3  # consecutive looks without a running thread: one may fall between two waits


class Unavailable(Exception):
    """A column cannot be measured here, for the reason in the text."""


class Worker:
    """A process that holds one back end (worker.py). Started on first use."""

    # Whether a case that fails ends the process, and the next case gets a new one: errors of a
    # device stick to the process that made them.
    restarts = False

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
        line = ""
        try:
            if self.process is None:
                self.start()
            self.process.stdin.write(request + "\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], ANSWER_LIMIT_S)[0]:
                self.end(f"no answer within {ANSWER_LIMIT_S} s")
            line = self.process.stdout.readline()
            if not line:
                self.end(f"the process ended with status {self.wait()}")
            answer = json.loads(line)
        except OSError as error:
            self.end(str(error))
        except ValueError:
            self.end(f"the process answered {line.strip()!r}")
        if "failed" in answer and self.restarts:
            self.end(answer["failed"], with_last_words=False)
        if "absent" in answer or "failed" in answer:
            raise Unavailable(answer.get("absent") or answer["failed"])
        return answer

    def start(self):
        self.log = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - read at its end
        self.process = subprocess.Popen(
            self.command,
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("BENCH_VERBOSE") else self.log,
            text=True,
        )

    def rest(self):
        """Waits until the process is idle, for at most REST_LIMIT_S.

        Threads of OpenBLAS look for work for 0.1 s before they sleep: who is measured next
        would have a core less. False where they did not come to rest.
        """
        end = time.monotonic() + REST_LIMIT_S
        quiet = 0
        while self.process is not None and self.process.poll() is None:
            quiet = 0 if has_running_thread(self.process.pid) else quiet + 1
            if quiet == REST_LOOKS:
                return True
            if time.monotonic() > end:
                return False
            time.sleep(REST_STEP_S)
        return True

    def wait(self):
        """The exit status; after EXIT_LIMIT_S the process is killed, which is not an error."""
        try:
            return self.process.wait(timeout=EXIT_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def end(self, reason, with_last_words=True):
        """Ends a process that does not answer any more; its last output is part of the reason."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        if with_last_words:
            reason += self.last_words()
        if self.restarts:
            self.process = None
        else:
            self.dead = reason
        raise Unavailable(reason)

    def last_words(self):
        if self.process is None or os.environ.get("BENCH_VERBOSE"):
            return ""
        self.log.seek(0)
        lines = self.log.read().strip().splitlines()
        return f"; its last line was: {lines[-1]}" if lines else ""

    def close(self):
        """Lets the process exit. One that does not is killed and reported; it has answered all
        requests, so no result is lost."""
        if self.process is None or self.dead is not None:
            return
        try:
            self.process.stdin.close()
        except OSError:
            pass  # it has ended already
        if self.wait() == -signal.SIGKILL:
            print(
                f"  {self.name} ({pathlib.Path(self.command[-1]).name}) did not exit within "
                f"{EXIT_LIMIT_S} s and was killed{self.last_words()}",
                flush=True,
            )
        self.log.close()
        self.process = None


def has_running_thread(pid):
    """Whether a thread of a process runs or waits for a core; False if the kernel does not tell.

    Its state and not its processor time, which a kernel counts by ticks: those do not come while
    the host takes the core away, and who spins would seem to rest.
    """
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            # The name before it, in brackets, may contain any characters.
            state = path.read_text(errors="replace").rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            continue  # a thread that has just ended
        if state == "R":
            return True
    return False


class LaidOut(Worker):
    """A worker whose command is made on first use: `lay_out()` -> (words, folder)."""

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
    """A command that is run again for every sample; its last line of output is {"seconds": [...]}.

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
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(str(error)) from None
        lines = result.stdout.strip().splitlines()
        if result.returncode or not lines:
            told = (result.stderr or result.stdout).strip().splitlines() or ["no output"]
            raise Unavailable(told[-1])
        return json.loads(lines[-1])["seconds"]


@dataclasses.dataclass
class Column:
    """One back end in one row. `case` is the back end's name for the measured case."""

    label: str
    source: object  # Worker or Fresh
    case: str
    rounds: list = dataclasses.field(default_factory=list)  # one median for each round, in seconds
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
                self.source.rest()
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
    """The target of a row: ours / `against` <= `at_most`, or ours - `against` <= `at_most_more`
    seconds, or ours <= `at_most_seconds`."""

    against: str = ""
    at_most: float = math.inf
    at_most_more: float = math.inf
    at_most_seconds: float = math.inf


@dataclasses.dataclass(frozen=True)
class Bar:
    """What a row must reach, and what it aims for: ours as part of the speed of `against`; without
    it, seconds at most. `work` is ours over that column's, where they differ."""

    floor: float
    goal: float
    against: str = ""
    work: float = 1


@dataclasses.dataclass
class Row:
    """One line of the table. The first column is ours. `targets` are Targets and Bars."""

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


def difference(ours, other):
    """How many seconds more ours takes, round by round."""
    return summary([a - b for a, b in zip(ours, other, strict=False)])


def ratio(ours, other):
    """Ratios round by round: drift of the machine cancels where the rounds are interleaved."""
    pairs = [a / b for a, b in zip(ours, other, strict=False) if b > 0]
    return summary(pairs)
