# SPDX-License-Identifier: MIT
"""tools/setup.sh and package managers: apt-get itself runs, on a system in a folder of its own."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess

import pytest

SETUP = pathlib.Path(__file__).resolve().parents[2] / "tools/setup.sh"
PACKAGE = "zlib1g-dev"  # the one that the tests report as missing

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("apt-get") is None, reason="needs apt-get, and root to run it"
)


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def system(tmp_path):
    """A folder with apt's files, no package sources, and a tree with a .venv that needs nothing."""
    shutil.copytree(SETUP.parent, tmp_path / "tree/tools")
    for name in ("pip", "python"):
        write_program(tmp_path / "tree/.venv/bin" / name, "exit 0")
    # To setup.sh one package is missing; to apt it is there, so there is nothing to download.
    write_program(
        tmp_path / "bin/dpkg-query",
        f'case "$*" in *{PACKAGE}) exit 1;; *) echo "install ok installed";; esac',
    )
    for folder in ("lists/partial", "cache/archives/partial", "dpkg/updates", "empty"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "dpkg/status").write_text(
        f"Package: {PACKAGE}\nStatus: install ok installed\nVersion: 1\nArchitecture: amd64\n"
        "Maintainer: nobody <nobody@example.org>\nDescription: none\n\n"
    )
    (tmp_path / "apt.conf").write_text(
        f'Dir::State::lists "{tmp_path}/lists";\nDir::State::status "{tmp_path}/dpkg/status";\n'
        f'Dir::Cache "{tmp_path}/cache";\nDir::Etc "{tmp_path}/empty";\n'
        'APT::Architecture "amd64";\n#clear APT::Update;\n#clear DPkg;\n'
    )
    return tmp_path


@contextlib.contextmanager
def setup_running(system, wait_s=60, what="build"):
    process = subprocess.Popen(
        [system / "tree/tools/setup.sh", what], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env={
            **os.environ,
            "APT_CONFIG": str(system / "apt.conf"),
            "PATH": f"{system / 'bin'}:{os.environ['PATH']}",
            "TREADLE_SETUP_LOCK_WAIT_S": str(wait_s),
        },
    )  # fmt: skip
    with process:
        yield process


@contextlib.contextmanager
def held(path):
    """A lock as apt and dpkg take them: POSIX, for the whole file."""
    with path.open("w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield


def test_packages_are_installed_where_nobody_holds_a_lock(system):
    with setup_running(system) as setup:
        output = setup.stdout.read()
    assert setup.returncode == 0, output
    assert "waiting" not in output
    assert (system / "tree/.venv/.ready-build").exists()


@pytest.mark.parametrize("lock", ["lists/lock", "dpkg/lock-frontend", "cache/archives/lock"])
def test_setup_waits_for_a_lock_that_another_package_manager_holds(system, lock):
    with contextlib.ExitStack() as lock_holder:
        lock_holder.enter_context(held(system / lock))
        with setup_running(system) as setup:
            first = setup.stdout.readline(), setup.stdout.readline()
            assert "waiting for another package manager" in first[-1], first
            assert str(system / lock) in first[-1]
            assert setup.poll() is None
            lock_holder.close()
            rest = setup.stdout.read()
    assert setup.returncode == 0, rest
    assert (system / "tree/.venv/.ready-build").exists()


def test_setup_gives_up_a_lock_that_is_never_released(system):
    with held(system / "lists/lock"), setup_running(system, wait_s=0) as setup:
        output = setup.stdout.read()
    assert setup.returncode == 1
    assert "Could not get lock" in output
    assert not (system / "tree/.venv/.ready-build").exists()


@pytest.mark.parametrize("what", ["demo", "test"])
def test_demo_and_tests_install_an_opencl_platform(system, what):
    write_program(
        system / "bin/dpkg-query",
        'case "$*" in *pocl-opencl-icd) exit 1;; *) echo "install ok installed";; esac',
    )
    with setup_running(system) as setup:
        assert "installing" not in setup.stdout.read()
    with setup_running(system, what=what) as setup:
        output = setup.stdout.read()
    assert "setup: installing pocl-opencl-icd\n" in output
    assert "Unable to locate package pocl-opencl-icd" in output  # this system has no sources


def test_another_failure_is_not_repeated(system):
    (system / "dpkg/status").write_text("")  # apt knows no such package
    with setup_running(system) as setup:
        output = setup.stdout.read()
    assert setup.returncode == 1
    assert f"Unable to locate package {PACKAGE}" in output
    assert "waiting" not in output
