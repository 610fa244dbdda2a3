#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/cuda_cpu/device_functions/FAMILY.txt: the signature of every device function that
CUDA's public headers declare, one a line. Run by hand when the toolkit's version changes:

    tools/list_device_functions.py /usr/local/cuda-13.0/include
"""

import argparse
import re
from pathlib import Path

LISTS = Path(__file__).resolve().parent.parent / "tests/cuda_cpu/device_functions"
# Family: the headers, and what its names look like. In the header of C's functions, names that
# begin with `_` belong to its own workings.
FAMILIES = {
    "math": (["crt/math_functions.h"], r"[a-z]\w*"),
    "rounding": (
        ["crt/device_functions.h", "crt/device_double_functions.h", "sm_20_intrinsics.h"],
        r"__\w+_r[nduz]",
    ),
    "simd": (["crt/device_functions.h"], r"__v\w+"),
}
# C functions whose name C++ uses for single precision too: `float sin(float)` beside `sinf`.
OVERLOADED = """acos asin atan atan2 ceil cos cosh exp fabs floor fmod frexp ldexp log log10 modf
    pow sin sinh sqrt tan tanh""".split()
DECLARATION = re.compile(
    r"^[^\n;{}#]*?(?:__device_builtin__|__MATH_FUNCTIONS_(?:DEVICE_)?DECL__"
    r"|__DEVICE_HOST_FUNCTIONS_STATIC_DECL__)"
    r"([^;{}()]*?)\b(\w+) ?\(([^;{}()]*)\)[^;{}()]*;",
    re.MULTILINE,
)
DECORATION = re.compile(
    r"\b(__\w*(CRTIMP|CRTDECL|cdecl|builtin__|DECL__)|extern|static|inline|const)\b"
)


def plain_type(text):
    """A type without what says nothing about calling it: `long int` is `long`."""
    words = DECORATION.sub(" ", text).replace("*", " * ").split()
    if "int" in words and {"long", "short"} & set(words):
        words.remove("int")
    return " ".join(words).replace(" *", "*")


def parameter_type(text):
    """The type of `int n`, or of `double const *p`; a pointer that is only read is `const`."""
    written = re.sub(r"\b\w+$", "", text.strip()) if re.search(r"[\w*]\s*\w+$", text) else text
    kind = plain_type(written) or plain_type(text)
    read_only = "*" in kind and re.search(r"\bconst\b[^*]*\*", text)
    return ("const " if read_only else "") + kind


def signatures(header, names):
    """The functions of a header whose names match."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
    for result, name, parameters in DECLARATION.findall(text):
        types = [parameter_type(each) for each in parameters.split(",")]
        if re.fullmatch(names, name) and "long double" not in result + parameters:
            yield f"{plain_type(result)} {name}({', '.join(types)})"
            if name in OVERLOADED and "double" in types:
                types = [each.replace("double", "float") for each in types]
                yield f"{plain_type(result).replace('double', 'float')} {name}({', '.join(types)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("headers", type=Path, help="folder include/ of the toolkit")
    folder = parser.parse_args().headers
    for family, (headers, names) in FAMILIES.items():
        lines = sorted({line for each in headers for line in signatures(folder / each, names)})
        (LISTS / f"{family}.txt").write_text("\n".join(lines) + "\n")
        print(f"{family}: {len(lines)} functions")


if __name__ == "__main__":
    main()
