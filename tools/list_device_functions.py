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
INTRINSICS = ["crt/device_functions.h", "crt/device_double_functions.h", "sm_20_intrinsics.h"]
NEWER_INTRINSICS = ["sm_30_intrinsics.h", "sm_32_intrinsics.h", "sm_61_intrinsics.h"]
# Family: the headers, and what its names look like. In the header of C's functions, names that
# begin with `_` belong to its own workings.
FAMILIES = {
    "math": (["crt/math_functions.h"], r"[a-z]\w*"),
    "rounding": (INTRINSICS, r"__\w+_r[nduz]"),
    "simd": (["crt/device_functions.h"], r"__v\w+"),
    "integer": (
        INTRINSICS + NEWER_INTRINSICS,
        r"__(popc|clz|ffs|brev)(ll)?|__u?mul(24|hi|64hi)|__u?r?hadd|__u?sad|__byte_perm|__fns"
        r"|__funnelshift_\w+|__dp[24]a\w*",
    ),
    "conversion": (INTRINSICS, r"__\w+_as_\w+|__double2(hi|lo)int|__hiloint2double"),
    "fast": (
        INTRINSICS,
        r"__(sin|cos|tan|tanh|sincos|exp|exp10|log|log2|log10|pow|fdivide|saturate)f|fdividef?",
    ),
}
# Family: the header that declares a type of 16 bits with its pair, and the two types.
SHORT_FLOATS = {
    "half": ("cuda_fp16.h", "__half", "__half2"),
    "bfloat16": ("cuda_bf16.h", "__nv_bfloat16", "__nv_bfloat162"),
}
# C functions whose name C++ uses for single precision too: `float sin(float)` beside `sinf`.
OVERLOADED = """acos asin atan atan2 ceil cos cosh exp fabs floor fmod frexp ldexp log log10 modf
    pow sin sinh sqrt tan tanh""".split()
DECLARATION = re.compile(
    r"^[^\n;{}#]*?(?:__device_builtin__|__MATH_FUNCTIONS_(?:DEVICE_)?DECL__"
    r"|__DEVICE_HOST_FUNCTIONS_STATIC_DECL__|^__SM_\d+_INTRINSICS_DECL__)"
    r"([^;{}()]*?)\b(\w+) ?\(([^;{}()]*)\)[^;{}()]*(?:;|__DEF_IF_HOST)",
    re.MULTILINE,
)
SHORT_FLOAT_DECLARATION = re.compile(
    r"^\s*(?:explicit )?__CUDA_(?:HOSTDEVICE_)?\w*_DECL__ ([^;{}()]*?)\b(\w+) ?\(([^;{}()]*)\)",
    re.MULTILINE,
)
OPERATOR = r"operator ?(?:[-+*/=!<>]{1,2}|[a-z_][a-z0-9_ ]*)"
SHORT_FLOAT_MEMBER = re.compile(
    rf"^\s*(?:explicit )?__CUDA_HOSTDEVICE__ (?:__CUDA_\w+__ )?([^;{{}}()]*?)({OPERATOR}|\b__\w+) ?"
    r"\(([^;{}()]*)\)((?: const)?(?: volatile)?)",
    re.MULTILINE,
)
DECORATION = re.compile(
    r"\b(__\w*(CRTIMP|CRTDECL|cdecl|builtin__|DECL__)|extern|static|inline|const)\b"
)


def plain_type(text):
    """A type without what does not matter to callers: `long int` is `long`."""
    words = DECORATION.sub(" ", text).replace("*", " * ").replace("&", " & ").split()
    if "int" in words and {"long", "short"} & set(words):
        words.remove("int")
    if words == ["unsigned"]:
        words.append("int")
    return " ".join(words).replace(" *", "*").replace(" &", "&").replace("& &", "&&")


def parameter_type(text):
    """The type of `int n`, or of `double const *p`; a pointer that is only read is `const`, and a
    reference that is only read is a value."""
    text = re.sub(r"\* ?const\b", "*", text.strip())
    written = re.sub(r"\b\w+$", "", text) if re.search(r"[\w*&]\s*\w+$", text) else text
    kind = plain_type(written) or plain_type(text)
    read_only = re.search(r"\bconst\b", text)
    if kind.endswith("&&") or kind.endswith("&") and read_only and "volatile" not in kind:
        kind = kind.rstrip("&")
    return ("const " if "*" in kind and re.search(r"\bconst\b[^*]*\*", text) else "") + kind


def without_comments(header):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.DOTALL)


def signatures(header, names):
    """The functions of a header whose names match."""
    for result, name, parameters in DECLARATION.findall(without_comments(header)):
        types = [parameter_type(each) for each in parameters.split(",")]
        if re.fullmatch(names, name) and "long double" not in result + parameters:
            yield f"{plain_type(result)} {name}({', '.join(types)})"
            if name in OVERLOADED and "double" in types:
                types = [each.replace("double", "float") for each in types]
                yield f"{plain_type(result).replace('double', 'float')} {name}({', '.join(types)})"


def short_float_signatures(header, number, pair):
    """Functions, operators and members of a type of 16 bits and of its pair: a constructor as a
    function that returns the type, any other member with `TYPE::` before its name."""
    text = without_comments(header)
    for result, name, parameters in SHORT_FLOAT_DECLARATION.findall(text):
        if "DEPRECATED" not in result:
            yield signature(result, name, parameters)
    for kind in (number, pair):
        opening = re.search(rf"^struct __CUDA_ALIGN__\(\d\) {kind} {{", text, re.MULTILINE)
        assert opening is not None, f"{kind} is no struct of this header"
        body = text[opening.end() : text.index("\n};", opening.end())]
        for result, name, parameters, qualifiers in SHORT_FLOAT_MEMBER.findall(body):
            if name == kind and parameters.strip():
                yield signature(kind, name, parameters)
            elif name != kind:
                converted = result.strip() or name.removeprefix("operator ")
                volatile = " volatile" * ("volatile" in qualifiers)
                yield signature(converted, f"{kind}::{name}", parameters) + volatile
    for result, name, parameters, _ in SHORT_FLOAT_MEMBER.findall(text):
        if name.startswith("operator") and name != "operator=" and parameters.count(number):
            yield signature(result, name.replace(" ", ""), parameters)


def signature(result, name, parameters):
    types = [parameter_type(re.sub(r"=.*", "", each)) for each in parameters.split(",")]
    return f"{plain_type(result)} {name}({', '.join(filter(None, types))})"


def write(family, lines):
    lines = sorted(set(lines))
    (LISTS / f"{family}.txt").write_text("\n".join(lines) + "\n")
    print(f"{family}: {len(lines)} functions")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("headers", type=Path, help="folder include/ of the toolkit")
    folder = parser.parse_args().headers
    for family, (headers, names) in FAMILIES.items():
        write(family, (line for each in headers for line in signatures(folder / each, names)))
    for family, (header, *types) in SHORT_FLOATS.items():
        write(family, short_float_signatures(folder / header, *types))


if __name__ == "__main__":
    main()
