# SPDX-License-Identifier: MIT
"""scikit-cuda's functions are all there, as its documentation has them, and NVIDIA's as headers
have them."""

import importlib
import itertools
import re
from pathlib import Path

import pytest

import treadle.compat  # noqa: F401 - the tests import skcuda
from treadle.skcuda import _routines

# [a b]c is ac bc, and T is S, D, C and Z.
NAMES = {
    "cublas": """
cublas[CheckStatus Create Destroy GetVersion SetStream GetStream GetPointerMode SetPointerMode]
cublasI[s d c z][amax amin] cublas[S D Sc Dz][asum nrm2] cublasT[axpy copy swap rotg]
cublas[S D C Cs Z Zd][scal rot] cublas[S D][dot rotm rotmg] cublas[C Z][dotu dotc]
cublasT[gbmv gemv symv syr syr2 tbmv tbsv tpmv tpsv trmv trsv] cublas[S D][ger sbmv spmv spr spr2]
cublas[C Z][geru gerc hemv hbmv hpmv her her2 hpr hpr2]
cublasT[gemm symm syrk syr2k trmm trsm] cublas[C Z][hemm herk her2k]
cublasT[geam dgmm gemmBatched gemmStridedBatched getrfBatched getriBatched getrsBatched gelsBatched]
cublas[S D]trsmBatched
""",
    "cusolver": """
cusolverCheckStatus cusolverDn[Create Destroy SetStream GetStream]
cusolverDn[CreateSyevjInfo DestroySyevjInfo]
cusolverDnXsyevj[SetTolerance SetMaxSweeps SetSortEig GetResidual GetSweeps]
cusolverDnT[potrf getrf gesvd geqrf][_ _bufferSize] cusolverDnT[potrs getrs]
cusolverDn[S D][orgqr syevd syevj syevjBatched][_ _bufferSize]
cusolverDn[C Z][ungqr heevd heevj heevjBatched][_ _bufferSize]
""",
    "cufft": """
cufft[CheckStatus Create Destroy SetStream GetVersion SetCompatibilityMode SetAutoAllocation]
cufft[SetWorkArea GetSize] cufft[Plan MakePlan Estimate GetSize][1d 2d 3d Many]
cufftExec[C2C Z2Z R2C C2R D2Z Z2D]
""",
}
COUNTS = {"cublas": 198, "cusolver": 84, "cufft": 31}


def spelled(text):
    for word in re.findall(r"(?:\[[^\]]*\]|[^\s\[])+", text):
        word = re.sub(r"(?<=cublas)T(?=\[)|(?<=cusolverDn)T(?=\[)", "[S D C Z]", word)
        parts = re.findall(r"\[([^\]]*)\]|([^\[]+)", word)
        choices = [choice.split() if choice else [plain] for choice, plain in parts]
        for made in itertools.product(*choices):
            yield "".join("" if part == "_" else part for part in made)


@pytest.mark.parametrize("module", NAMES)
def test_every_function_is_there(module):
    found = importlib.import_module(f"skcuda.{module}")
    names = list(spelled(NAMES[module]))
    assert len(names) == len(set(names)) == COUNTS[module]
    assert [name for name in names if not callable(getattr(found, name, None))] == []
    assert [name for name in names if not getattr(found, name).__doc__] == []


# Names that tests put together, and what stands in the tests for them.
PARTS = [
    (r"cufftExec(\w+)", r"CUFFT_\1"),
    (r"cufft((?:Make)?Plan)(?:\dd|Many)", r'"\1"'),
    (r"cufft(Estimate|GetSize)(?:\dd|Many)", r"cufft\1{name}"),
    (r"cublasXt[SDCZ](\w+)", r"cublasXt{letter}\1"),
    (r"cusolverDn[SDCZ]([a-z]+)(?:_bufferSize)?", r"\1"),
]


MODULES = "cublas cublasxt cudart cufft cusolver fft integrate linalg misc rlinalg special"


@pytest.mark.parametrize("module", MODULES.split())
def test_every_function_has_a_test(module):
    """skcuda_cublas_test.py calls all functions that have a routine."""
    found = importlib.import_module(f"skcuda.{module}")
    files = set(Path(__file__).parent.glob("skcuda_*test.py")) - {Path(__file__)}
    text = "".join(file.read_text() for file in files)
    own = [n for n, f in vars(found).items() if getattr(f, "__module__", "") == found.__name__]
    names = spelled(NAMES[module]) if module in NAMES else getattr(found, "__all__", own)
    functions = {name: getattr(found, name) for name in names if name[0] != "_"}
    functions.pop("ordered", None)  # ours, for skcuda.linalg
    assert functions
    untested = []
    for name, function in functions.items():
        if isinstance(function, type) or not callable(function) or hasattr(function, "routine"):
            continue
        made = [re.sub(part, to, name) for part, to in PARTS if re.fullmatch(part, name)]
        words = "|".join(re.escape(word) for word in [name, *made])
        if not re.search(rf"(?<!\w)(?:{words})(?!\w)", text):
            untested.append(name)
    assert untested == []


@pytest.mark.parametrize(
    ("module", "header"), [("cublas", "cublas_api"), ("cusolver", "cusolverDn")]
)
def test_functions_are_declared_as_in_the_header(module, header):
    path = Path(f"/usr/local/cuda/include/{header}.h")
    if not path.exists():
        pytest.skip(f"needs {path}")
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    declared = dict(re.findall(r"Status_t\s+(?:\w+)\s+(\w+)\s*\(([^;]*?)\);", text))
    types = {"S": "float", "D": "double", "C": "cuComplex", "Z": "cuDoubleComplex"}
    others = {"l": "long long", "I": "int", "i": "int", "c": ""}
    found = importlib.import_module(f"skcuda.{module}")
    routines = [
        getattr(found, name).routine
        for name in found.__all__
        if hasattr(getattr(found, name), "routine")
    ]
    assert routines
    for routine in routines:
        theirs = (declared.get(f"{routine.name}_v2") or declared[routine.name]).split(",")[1:]
        ours = list(routine.parameters)
        results = [None for kind in (routine.result or "").split() if kind[0] != "="]
        names = [p.name for p in ours]
        before = names.index(routine.result_before) if routine.result_before else len(ours)
        ours[before:before] = results
        for p, declaration in zip(ours, theirs, strict=True):
            is_pointer = "*" in declaration or "Info_t" in declaration
            if p is None:
                assert is_pointer, (routine.name, declaration)
                continue
            assert is_pointer == (p.kind in ("T", "R", *_routines.POINTERS)), (routine.name, p)
            letter = {"T": routine.element.letter, "R": routine.element.real.letter}
            wanted = types.get(letter.get(p.kind[0]), others.get(p.kind[0], ""))
            assert wanted in declaration or p.name == "itype", (routine.name, p, declaration)
