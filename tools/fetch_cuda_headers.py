#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unpacks headers from pinned NVIDIA wheels: fetch_cuda_headers.py DESTINATION"""

import fnmatch
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HEADERS = "nvidia/cu13/include/"
# Wheel: patterns of the wanted files. Treadle is built with the driver API alone; tests
# pass the others to NVRTC. cooperative_groups.h needs headers of CCCL.
WHEELS = {
    "nvidia-cuda-runtime==13.0.96": (
        *("cuda.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h*", "cooperative_groups.h"),
        *("cooperative_groups/*", "cuda_pipeline*", "cuda_awbarrier*"),
        *("mma.h", "cuda_fp6.h*", "cuda_fp4.h*"),
    ),
    "nvidia-cuda-crt==13.0.88": ("crt/mma.h*",),
    "nvidia-cuda-cccl==13.0.85": ("cccl/cub/*", "cccl/cuda/*", "cccl/nv/*", "cccl/thrust/*"),
}


def unpack(wheel: pathlib.Path, wanted: tuple[str, ...], destination: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = member.removeprefix(HEADERS)
            if not any(fnmatch.fnmatch(name, pattern) for pattern in wanted):
                continue
            target = destination / name
            target.parent.mkdir(parents=True, exist_ok=True)
            # Other processes may be reading the existing file.
            partial = target.with_name(target.name + ".partial")
            partial.write_bytes(archive.read(member))
            partial.rename(target)


def main() -> int:
    destination = pathlib.Path(sys.argv[1])
    destination.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # The interpreter CMake found may be a bare one (Debian's has no pip without python3-pip);
        # a throw-away environment has pip wherever venv works.
        python = sys.executable
        if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode:
            subprocess.run([python, "-m", "venv", f"{folder}/venv"], check=True)
            python = f"{folder}/venv/bin/python"
        subprocess.run(
            [
                *(python, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"),
                *("--platform=manylinux2014_x86_64", "-d", folder, *WHEELS),
            ],
            check=True,
        )
        for pin, wanted in WHEELS.items():
            name = pin.partition("==")[0].replace("-", "_")
            unpack(next(pathlib.Path(folder).glob(f"{name}-*.whl")), wanted, destination)
    print(f"{', '.join(WHEELS)} -> {destination}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
