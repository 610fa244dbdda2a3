#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs what building, the demo, the tests or the documentation need: setup.sh build|demo|test|docs
#   system packages (on Debian, as root; otherwise it prints what to install), .venv, Python packages.
#   While another package manager holds its locks, waits for TREADLE_SETUP_LOCK_WAIT_S seconds at most (900).
# At the end it touches .venv/.ready-<what>, a stamp file for the Makefile.
set -euo pipefail
what=$1
lock_wait_s=${TREADLE_SETUP_LOCK_WAIT_S:-900}
cd "$(dirname "$0")/.."

build_packages=(g++ cmake ninja-build python3 python3-venv python3-dev
  llvm-19-dev libclang-19-dev liblld-19-dev zlib1g-dev libzstd-dev libxxhash-dev libb2-dev libfmt-dev libsqlite3-dev
  opencl-c-headers)
demo_packages=(ocl-icd-libopencl1 pocl-opencl-icd)
test_packages=("${demo_packages[@]}" libgtest-dev libgmock-dev clang-19 libclang-rt-19-dev gdb ccache)

packages=("${build_packages[@]}")
case $what in
  demo) packages+=("${demo_packages[@]}") ;;
  test) packages+=("${test_packages[@]}") ;;
esac

install_system_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not Debian; install the equivalents of these Debian packages: ${packages[*]}" >&2
    return
  fi
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local install=(apt-get install -y -qq --no-install-recommends "${missing[@]}")
  if [ "$(id -u)" != 0 ]; then
    echo "setup: missing system packages; as root:" >&2
    echo "  apt-get update && ${install[*]}" >&2
    exit 1
  fi
  echo "setup: installing ${missing[*]}"
  run_when_free apt-get update -qq
  run_when_free "${install[@]}"
}

# Another apt or dpkg may be at work. DPkg::Lock::Timeout would wait for dpkg's lock only, not for those on the
# package lists and the downloads, so the command is repeated as long as its error is that a lock is held.
run_when_free() {
  local log waiting=
  local -r lock_held='Could not get lock|Unable to (lock|acquire)|lock was locked by another process'
  log=$(mktemp)
  until LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; do
    if ! grep -qE "$lock_held" "$log" || [ "$SECONDS" -ge "$lock_wait_s" ]; then
      tail -n 40 "$log" >&2
      rm -f "$log"
      echo "setup: $1 failed" >&2
      exit 1
    fi
    [ -n "$waiting" ] || echo "setup: waiting for another package manager: $(grep -m 1 -E "$lock_held" "$log")"
    waiting=yes
    sleep 1
  done
  rm -f "$log"
}

# Prefer Debian's own Python, whose headers python3-dev installs.
make_environment() {
  if [ ! -x .venv/bin/pip ]; then
    local python=/usr/bin/python3
    [ -x "$python" ] || python=python3
    "$python" -m venv .venv
  fi
  local requirements=(-r tools/requirements-build.txt)
  if [ "$what" != build ] && [ -e "tools/requirements-$what.txt" ]; then requirements+=(-r "tools/requirements-$what.txt"); fi
  # NVRTC compiles CUDA C for a GPU; the tests also use it on machines without one.
  if [ -e /dev/nvidiactl ] || [ "$what" = test ]; then requirements+=("nvidia-cuda-nvrtc==13.0.*"); fi
  .venv/bin/python -m pip install -q --disable-pip-version-check "${requirements[@]}"
}

install_system_packages
make_environment
touch ".venv/.ready-$what"
if [ "$what" != build ]; then touch .venv/.ready-build; fi
if [ "$what" = test ]; then touch .venv/.ready-demo; fi
