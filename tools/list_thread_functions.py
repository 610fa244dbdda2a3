#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the families of tests/cuda_cpu/device_functions in which threads and memory take part:
atomics, warp operations, loads and stores with a cache hint, barriers and address spaces. Run by
hand when the toolkit's version changes:

    tools/list_thread_functions.py /usr/local/cuda-13.0/include
"""

import argparse
import re
from pathlib import Path

from list_device_functions import LISTS, parameter_type, plain_type

# Family: the headers, and what its names look like.
FAMILIES = {
    "atomics": (
        [
            "device_atomic_functions.h",
            "sm_20_atomic_functions.h",
            "sm_32_atomic_functions.h",
            "sm_60_atomic_functions.h",
            "crt/sm_70_rt.h",
            "crt/sm_90_rt.h",
        ],
        r"atomic\w+",
    ),
    "warp": (
        ["sm_30_intrinsics.h", "crt/sm_70_rt.h", "crt/sm_80_rt.h"],
        r"__(shfl|all|any|uni|ballot|match|reduce)\w*_sync|__syncwarp|__activemask",
    ),
    "memory": (["sm_32_intrinsics.h"], r"__(ld|st)\w+"),
    "threads": (
        [
            "crt/device_functions.h",
            "crt/common_functions.h",
            "sm_20_intrinsics.h",
            "sm_30_intrinsics.h",
            "crt/sm_70_rt.h",
            "crt/sm_90_rt.h",
        ],
        r"_*syncthreads\w*|__threadfence\w*|__barrier_sync|__nanosleep|clock|clock64|__brkpt"
        r"|__prof_trigger|__is(Global|Shared|Constant|Local|GridConstant|CtaShared)|__cvta\w+",
    ),
}
# Templates, whose declarations do not list types: one instantiation of each.
TEMPLATES = {
    "atomics": [
        f"{kind} {name}{scope}({', '.join([kind + '*', *[kind] * values])})"
        for kind in ("longlong2",)
        for name, values in (("atomicCAS", 2), ("atomicExch", 1))
        for scope in ("", "_block", "_system")
    ]
}
DECLARATION = re.compile(
    r"(?:__\w+_DECL__|extern __device__ __device_builtin__|extern _CRTIMP __host__ __device__"
    r"|^__device_builtin__)\s+([^;{}()#]*?)\b(\w+) ?\(([^;{}()]*)\)",
    re.MULTILINE,
)


def signatures(header, names):
    """The functions of a header whose names match, without those that CUDA calls deprecated."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
    text = re.sub(r"\b(__device_builtin__|__cudart_builtin__|__cdecl)\s+(?=\S)", "", text)
    text = text.replace("extern __device__ ", "extern_DECL__ ").replace(
        "extern_DECL__", "__x_DECL__"
    )
    for result, name, parameters in DECLARATION.findall(text):
        if not re.fullmatch(names, name) or "DEPRECATED" in result:
            continue
        types = [parameter_type(each.split("=")[0].strip()) for each in parameters.split(",")]
        types = [each for each in types if each not in ("", "void")]
        yield f"{plain_type(result)} {name}({', '.join(types)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("headers", type=Path, help="folder include/ of the toolkit")
    folder = parser.parse_args().headers
    for family, (headers, names) in FAMILIES.items():
        found = {line for each in headers for line in signatures(folder / each, names)}
        lines = sorted(found | set(TEMPLATES.get(family, [])))
        (LISTS / f"{family}.txt").write_text("\n".join(lines) + "\n")
        print(f"{family}: {len(lines)} functions")


if __name__ == "__main__":
    main()
