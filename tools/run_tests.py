#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs everything that CI runs, part by part, and ends with a line of counts.

run_tests.py [--jobs N] [PART ...]
    PART: lint build ctest pytest sanitize fuzz races packaging (default: all of these),
          every_case (ctest and pytest with those cases that are left out otherwise) threads format

Without PART, of sanitize, fuzz and races a third is built and run each time
(tools/sanitizer_turns.py). A failing part does not stop the others, except those that need its
result. tools/slowest_tests.py tells what took longest.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time

import pytest_groups
import sanitizer_turns

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
ASAN = ROOT / "build-asan"
TSAN = ROOT / "build-tsan"
TOOLS = pathlib.Path(sys.executable).parent  # .venv/bin
TIMES = BUILD / "test-times"  # JUnit's XML of the last run of each part
# Many tests start a Python, which would compile the package each time where nobody may write
# bytecode beside it: 90 ms of the 220 that importing a face takes.
BYTECODE = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(BUILD / "bytecode")}
LEAK = "nanobind: leaked"
FUZZ_SECONDS = 20  # for all fuzz programs together, on every core
CHECKS = (
    "check_arrows.py",
    "check_imports.py",
    "check_style.py",
    "check_architecture.py",
    "check_documented.py",
    "check_proportions.py",
)


@dataclasses.dataclass
class Result:
    part: str
    ok: bool = True
    seconds: float = 0.0
    processor_seconds: float = 0.0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = dataclasses.field(default_factory=list)
    remark: str = ""


# The lines in which failing tests print their names and reasons. CI keeps only the last lines.
FAILURE = re.compile(
    r"^(?:\d+: )?(?:(?:FAILED|ERROR) .*|E  .*"  # pytest; the number is ctest's
    r"|\s+\d+ - \S+ \((?!Not Run|Skipped|Disabled)\w[^)]*\)"  # ctest
    r"|\[  FAILED  \] \S+$|\S+:\d+: Failure$(?:\n.+){0,4}"  # GoogleTest
    r"|\S+:\d+(?::\d+)?: (?:fatal )?error: .*)",  # compilers, linters
    re.M,
)
FAILURE_LINES, FAILURE_COLUMNS = 10, 200


class Runner:
    def __init__(self, jobs: int, turn: int = 0) -> None:
        self.jobs = jobs
        self.turn = turn  # of the sanitizers; 0: all of them
        self.result = Result("")

    def run(self, *command: object, env: dict[str, str] | None = None) -> str:
        """Runs a command, shows its output at once and returns it; records a failure."""
        words = [str(word) for word in command]
        print("$ " + " ".join(words).replace(f"{ROOT}/", "")[:200], flush=True)
        process = subprocess.Popen(
            words, cwd=ROOT, env={**os.environ, **(env or {})}, text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        lines = []
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
        output = "".join(lines)
        self.note_status(words[0], process.wait(), output)
        return output

    def run_at_once(self, *commands: tuple[object, ...]) -> None:
        """As `run`, as many at a time as there are jobs; each output is shown as a whole."""

        def capture(command: tuple[object, ...]) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [str(word) for word in command], cwd=ROOT, text=True, errors="replace",
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done in pool.map(capture, commands):
                print("$ " + " ".join(done.args).replace(f"{ROOT}/", "")[:200])
                print(done.stdout, end="", flush=True)
                self.note_status(done.args[0], done.returncode, done.stdout)

    def note_status(self, command: str, status: int, output: str) -> None:
        if status != 0:
            self.result.ok = False
            self.result.failures += failures(output)
            print(f"failed with status {status}: {command}", flush=True)

    def count_pytest(self, output: str) -> None:
        # The summary is pytest's own last line; reports of leaked objects at exit come after it.
        summaries = re.findall(
            r"^=* ?\d+ (?:passed|failed|error|skipped).* in [\d.]+s.*$", output, re.M
        )
        for count, word in re.findall(
            r"(\d+) (passed|failed|errors?|skipped)\b", "".join(summaries[-1:])
        ):
            field = "failed" if word.startswith("error") else word
            setattr(self.result, field, getattr(self.result, field) + int(count))
        if LEAK in output:
            print("failed: bound objects were leaked")
            self.result.ok = False
            self.result.failed += 1

    def count_ctest(self, output: str) -> None:
        """Of GoogleTest's programs the cases, whose counts they print; of others the program."""
        match = re.search(r"(\d+) tests failed out of (\d+)", output)
        if not match:
            return

        def cases(word: str) -> list[int]:
            counts = re.findall(rf"^\d+: \[  {word}\] (\d+) tests?\b", output, re.M)
            return [int(count) for count in counts]

        skipped = len(re.findall(r"\*\*\*Skipped", output))
        passed = cases("PASSED  ")
        others = int(match[2]) - int(match[1]) - skipped - len(passed)
        self.result.failed += max(int(match[1]), sum(cases("FAILED  ")))
        self.result.skipped += skipped + sum(cases("SKIPPED "))
        self.result.passed += sum(passed) + max(0, others)

    def count_gtest(self, output: str) -> None:
        def last(pattern: str) -> int:
            return int((re.findall(pattern, output, re.M) or ["0"])[-1])

        ran, passed = last(r"^\[=+\] (\d+) tests? from"), last(r"^\[  PASSED  \] (\d+) tests?")
        skipped = last(r"^\[  SKIPPED \] (\d+) tests?")
        self.result.passed += passed
        self.result.skipped += skipped
        self.result.failed += ran - passed - skipped

    # The parts.
    def lint(self) -> None:
        link_faces()
        sources = ("--dry-run", "-Werror", "--ferror-limit=1", *listed_sources())
        self.run_at_once(
            (TOOLS / "clang-format", *sources),
            (TOOLS / "mypy", "--no-error-summary"),
            (TOOLS / "ruff", "check", "-q", "."),
            (TOOLS / "ruff", "format", "-q", "--check", "."),
            (TOOLS / "typos", "--format", "brief"),
            *((sys.executable, ROOT / "tools" / check) for check in CHECKS),
            *self.generated_checks(),
        )

    def generated_checks(self) -> list[tuple[object, ...]]:
        """The lists of entry points are up to date with the headers they are generated from."""
        cuda, opencl = ROOT / ".cache/cuda-headers", "/usr/include/CL"
        if not (cuda / "cuda.h").exists():
            self.run(sys.executable, ROOT / "tools/fetch_cuda_headers.py", cuda)
        rooms, tools = ROOT / "include/treadle", ROOT / "tools"
        return [
            (sys.executable, tools / generator, "--check", *paths)
            for generator, *paths in (
                ("generate_symbols.py", cuda / "cuda.h", rooms / "cuda"),
                ("generate_opencl_symbols.py", opencl, rooms / "opencl"),
                ("generate_entry_points.py", cuda / "cuda.h"),
                ("generate_opencl_entry_points.py", opencl),
            )
        ]

    def format(self) -> None:
        self.run(TOOLS / "clang-format", "-i", *listed_sources())
        self.run(TOOLS / "ruff", "check", "-q", "--fix", ".")
        self.run(TOOLS / "ruff", "format", "-q", ".")

    def configure(self, preset: str, *options: str) -> None:
        common = (f"-DPython3_EXECUTABLE={sys.executable}", "-DTREADLE_BUILD_TESTS=ON")
        self.run("cmake", "--preset", preset, "--log-level=WARNING", *common, *options)

    def compile(self, folder: str, *targets: str) -> None:
        # -k 0: one broken room does not hide the errors of the next.
        chosen = targets or ("all",)
        self.run("cmake", "--build", folder, "--target", *chosen, "-j", self.jobs, "--", "-k", "0")

    def configure_build(self) -> None:
        python = (f"-DPython_EXECUTABLE={sys.executable}", "-DTREADLE_BUILD_PYTHON=ON")
        # That each header compiles by itself takes a tenth of the build.
        headers = "OFF" if sanitizer_turns.programs(self.turn, "headers") is None else "ON"
        # From scratch, unity builds of the tests take a third of the time.
        checks = (f"-DTREADLE_CHECK_HEADERS={headers}", "-DTREADLE_CTEST_CASES=OFF")
        self.configure("release", "-DTREADLE_UNITY=ON", *checks, *python)
        (BUILD / ".configured").touch()

    def build(self) -> None:
        self.configure_build()
        self.compile("build")
        self.run(sys.executable, ROOT / "tools/link_package.py", BUILD / "python")

    def ctest(self, preset: str = "release", samples: bool = True) -> None:
        # Of arrays and generated kernels on PoCL, which compiles slowly, one in six cases.
        left_out = ("-E", r"\.opencl\.[1-9]$") if samples else ()
        command = ("ctest", "--preset", preset, "-j", self.jobs, "--no-tests=error", *left_out)
        command += ("--verbose", "--output-junit", times_file(self.result.part, "ctest"))
        self.count_ctest(self.run(*command, env={**nvrtc_path(), "GTEST_BRIEF": "1"}))

    def pytest(self, samples: bool = True) -> None:
        """Runs several groups of tests at a time; shows each as it ends."""
        # One more than there are jobs: each waits a tenth of its time, for processes and timers.
        with concurrent.futures.ThreadPoolExecutor(self.jobs + 1) as pool:
            names = pytest_groups.GROUPS
            part = self.result.part
            running = [pool.submit(run_pytest_group, name, part, samples) for name in names]
            for done in concurrent.futures.as_completed(running):
                name, status, output = done.result()
                print(f"$ pytest, group {name}\n{output}", end="", flush=True)
                self.count_pytest(output)
                self.note_status(f"pytest, group {name}", status, output)

    def every_case(self) -> None:
        # Each case of the C++ tests in a process of its own: none may need another before it.
        self.run("cmake", "--log-level=WARNING", "-DTREADLE_CTEST_CASES=ON", "build")
        self.ctest(samples=False)
        self.pytest(samples=False)

    def whole_programs(self, folder: pathlib.Path, names: tuple[str, ...] = ()) -> None:
        """Runs these test programs of a build, or all, as many at a time as there are jobs.

        One process for each program, several for the longest: starting one for each case would take
        longer than the cases.
        """
        environment = {
            **nvrtc_path(),
            "TREADLE_SOURCE_DIR": str(ROOT),
            "TREADLE_LIBRARY_DIR": str(folder / "lib"),
            "TREADLE_CACHE_DIR": str(folder / "tests/cache"),
            "UBSAN_OPTIONS": "print_stacktrace=1",
        }
        part = self.result.part

        def run(share: tuple[pathlib.Path, int, int]) -> subprocess.CompletedProcess[str]:
            program, number, count = share
            times = f"--gtest_output=xml:{times_file(part, f'{program.name}.{number}')}"
            shards = {"GTEST_TOTAL_SHARDS": str(count), "GTEST_SHARD_INDEX": str(number)}
            return subprocess.run(
                [program, "--gtest_brief=1", times], cwd=ROOT, text=True, errors="replace",
                env={**os.environ, **environment, **(shards if count > 1 else {})},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            # Large programs tend to be slow, and a slow one should not be the last.
            built = (folder / "tests/bin").glob("*_test")
            chosen = [path for path in built if not names or path.name in names]
            programs = sorted(chosen, key=lambda path: -path.stat().st_size)
            shares = [
                (program, number, count)
                for program in programs
                for count in [self.jobs if program.name in sanitizer_turns.SHARED else 1]
                for number in range(count)
            ]
            for done in pool.map(run, shares):
                print(f"$ {done.args[0]}\n{done.stdout}", end="", flush=True)
                self.count_gtest(done.stdout)
                self.note_status(str(done.args[0]), done.returncode, done.stdout)

    def sanitize(self) -> None:
        names = sanitizer_turns.programs(self.turn, "sanitize")
        if names is None:
            return
        self.configure("asan")
        self.compile("build-asan", *names)
        if self.result.ok:
            self.whole_programs(ASAN, names)

    def races(self) -> None:
        """ThreadSanitizer on the tests that start threads."""
        if sanitizer_turns.programs(self.turn, "races") is None:
            return
        self.build_threads("ON")
        if self.result.ok:
            self.whole_programs(TSAN)

    def threads(self) -> None:
        """ThreadSanitizer on every test."""
        self.build_threads("OFF")
        if self.result.ok:
            self.ctest("tsan")

    def build_threads(self, only_threaded: str) -> None:
        self.configure("tsan", f"-DTREADLE_ONLY_THREADED_TESTS={only_threaded}")
        shutil.rmtree(TSAN / "tests/bin", ignore_errors=True)  # programs of the other configuration
        self.compile("build-tsan")

    def fuzz(self) -> None:
        if sanitizer_turns.programs(self.turn, "fuzz") is None:
            return
        # They are part of the sanitized build and share its libraries.
        self.configure("asan")
        self.compile("build-asan", "fuzzers")
        programs = sorted((ASAN / "tests/fuzz").glob("fuzz_*"))
        if not programs:
            self.result.ok = False
            print("failed: no fuzz programs were built")
            return
        seconds = max(1, FUZZ_SECONDS * self.jobs // len(programs))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for ok in pool.map(lambda program: fuzz_program(program, seconds), programs):
                self.result.passed += ok
                self.result.failed += not ok
        self.result.ok = self.result.ok and self.result.failed == 0

    def packaging(self) -> None:
        self.count_pytest(
            self.run(sys.executable, "-m", "pytest", "-q", "-m", "packaging", "tests/packaging")
        )


def nvrtc_path() -> dict[str, str]:
    """C++ programs do not search site-packages: the loader's path needs NVRTC's wheel."""
    wheel = sysconfig.get_path("platlib") + "/nvidia/cu13/lib"
    path = ":".join(filter(None, (wheel, os.environ.get("LD_LIBRARY_PATH"))))
    return {"LD_LIBRARY_PATH": path}


def environment_of_tests() -> dict[str, str]:
    """The environment of test programs that are not started by ctest."""
    return {
        **nvrtc_path(),
        "TREADLE_SOURCE_DIR": str(ROOT),
        "TREADLE_LIBRARY_DIR": str(BUILD / "lib"),
        "TREADLE_CACHE_DIR": str(BUILD / "tests/cache"),
    }


def failures(output: str) -> list[str]:
    """The lines that name failing tests, and the first lines with reasons."""
    found = "\n".join(match[0] for match in FAILURE.finditer(output)).splitlines()
    names = [line for line in found if not line.startswith("E  ")]
    reasons = [line for line in found if line.startswith("E  ")]
    kept = [*reasons[:FAILURE_LINES], *names[:FAILURE_LINES]]
    return [line[:FAILURE_COLUMNS] for line in kept]


def times_file(part: str, name: str) -> pathlib.Path:
    """Where the times of a part's tests go: tools/slowest_tests.py reads them."""
    TIMES.mkdir(parents=True, exist_ok=True)
    return TIMES / f"{part}.{name}.xml"


def run_pytest_group(name: str, part: str, samples: bool = True) -> tuple[str, int, str]:
    """(name, exit status, output) of one group; it has a cache folder of its own."""
    settings = {**BYTECODE, **({"TREADLE_SAMPLE_CASES": "1"} if samples else {})}
    if samples and name in pytest_groups.HOLDING:
        settings["TREADLE_TEST_HOLD_DEVICES"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not packaging"]
    # Without pytest's cache: the groups would write to the same files.
    command += ["-p", "no:cacheprovider", f"--junitxml={times_file(part, name)}"]
    command += pytest_groups.GROUPS[name]
    with tempfile.TemporaryDirectory(prefix="treadle-tests-") as cache:
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **settings, "TREADLE_CACHE_DIR": cache},
            text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    return name, done.returncode, done.stdout


def fuzz_program(program: pathlib.Path, seconds: int) -> bool:
    """Runs one libFuzzer program from its corpus; an input that makes it fail is kept and named."""
    name = program.name.removeprefix("fuzz_")
    crashes = ASAN / "crashes"
    crashes.mkdir(exist_ok=True)
    # The same seed each time, so that failures do not depend on chance. New inputs go to `found`;
    # the corpus in the tree is not changed.
    options = ["-seed=1", f"-max_total_time={seconds}", "-timeout=30", "-rss_limit_mb=2048"]
    options.append(f"-artifact_prefix={crashes}/{name}-")
    with tempfile.TemporaryDirectory() as found:
        done = subprocess.run(
            [program, *options, found, ROOT / "tests/fuzz/corpus" / name],
            text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    runs = re.findall(r"^Done (\d+) runs", done.stdout, re.M)
    if done.returncode == 0:
        print(f"{name}: {runs[-1] if runs else '?'} runs in {seconds} s", flush=True)
    else:
        print(f"{name}: failed\n{done.stdout}", flush=True)
    return done.returncode == 0


def link_faces() -> None:
    """Lets the type checker resolve `import pycuda`, as treadle.compat does at run time."""
    folder = ROOT / ".cache/typing"
    folder.mkdir(parents=True, exist_ok=True)
    for face in (ROOT / "python/treadle").glob("py*/__init__.py"):
        link = folder / face.parent.name
        if not link.is_symlink():
            link.symlink_to(face.parent, target_is_directory=True)


def listed_sources() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files", "*.cpp", "*.hpp", "*.h"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        n for n in listing.stdout.split() if not n.startswith("kernels/") and (ROOT / n).exists()
    ]


NEEDS = {"ctest": "build", "pytest": "build", "every_case": "build", "packaging": "build"}
ALL = ("lint", "build", "ctest", "pytest", "sanitize", "fuzz", "races", "packaging")
ON_REQUEST = ("every_case", "threads", "format")


def processor_seconds() -> float:
    """Seconds that ended child processes computed, which other load changes less than the clock."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_parts(parts: list[str], jobs: int, turn: int = 0) -> list[Result]:
    """turn: which third of the sanitizers; 0 for all of them."""
    runner, results = Runner(jobs, turn), []
    broken: set[str] = set()
    for part in parts:
        runner.result = Result(part)
        start, used = time.monotonic(), processor_seconds()
        if NEEDS.get(part) in broken:
            print(f"== {part}: not run, {NEEDS[part]} failed")
            runner.result.ok = False
        else:
            print(f"\n== {part}", flush=True)
            for old in TIMES.glob(f"{part}.*"):
                old.unlink()
            runner.result.remark = sanitizer_turns.remark(turn, part)
            getattr(runner, part)()
        runner.result.seconds = time.monotonic() - start
        runner.result.processor_seconds = processor_seconds() - used
        if not runner.result.ok:
            broken.add(part)
        results.append(runner.result)
    return results


def summarise(results: list[Result], seconds: float) -> int:
    for r in results:
        for line in r.failures:
            print(f"{r.part}: {line}")
    print()
    for r in results:
        tests = f"{r.passed} passed, {r.failed} failed, {r.skipped} skipped"
        tests = tests if r.passed + r.failed else ""
        times = f"{r.seconds:7.1f} s ({r.processor_seconds:7.1f} s of processors)"
        verdict = "ok    " if r.ok else "FAILED"
        print(f"{verdict} {r.part:10} {times}  {'; '.join(filter(None, (tests, r.remark)))}")
    # A part that fails without a failing test (a lint finding, a broken build) counts as one.
    failed = sum(max(r.failed, 0 if r.ok else 1) for r in results)
    passed = sum(r.passed for r in results)
    skipped = sum(r.skipped for r in results)
    counts = ([f"{failed} failed"] if failed else []) + [f"{passed} passed", f"{skipped} skipped"]
    print(f"===== {', '.join(counts)} in {seconds:.2f}s =====")
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(ALL + ON_REQUEST))
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - {*ALL, *ON_REQUEST}:
        parser.error(
            f"no part called {', '.join(sorted(unknown))}; there are {', '.join(ALL + ON_REQUEST)}"
        )
    start = time.monotonic()
    turn = 0 if arguments.parts else sanitizer_turns.current_turn(ROOT)
    results = run_parts(arguments.parts or list(ALL), arguments.jobs, turn)
    return summarise(results, time.monotonic() - start)


if __name__ == "__main__":
    sys.exit(main())
