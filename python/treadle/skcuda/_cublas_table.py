# SPDX-License-Identifier: MIT
"""cuBLAS's functions, a line for each family: its name, the types that it is for, its parameters as
_routines.py reads them, and what it does.

A type is a letter, or two where the scalars are of another type than the elements: Cs is complex64
scaled by float32, Sc float32 made of complex64.
"""

from __future__ import annotations

import dataclasses

ALL, REAL, COMPLEX = "S D C Z", "S D", "C Z"


@dataclasses.dataclass(frozen=True)
class Family:
    """One line."""

    name: str
    types: str
    parameters: str
    doc: str
    result: str | None = None


LEVEL_1 = (
    Family("amax", ALL, "n x[n] incx", "Where |re x| + |im x| is largest.", "index"),
    Family("amin", ALL, "n x[n] incx", "Where |re x| + |im x| is least.", "index"),
    Family("asum", "S D Sc Dz", "n x[n] incx", "The sum of |re x| + |im x|.", "R"),
    Family("nrm2", "S D Sc Dz", "n x[n] incx", "The Euclidean norm of x.", "R"),
    Family("axpy", ALL, "n alpha x[n] incx y[n] incy", "y += alpha x."),
    Family("copy", ALL, "n x[n] incx y[n] incy", "y = x."),
    Family("swap", ALL, "n x[n] incx y[n] incy", "x and y change places."),
    Family("scal", "S D C Cs Z Zd", "n alpha x[n] incx", "x *= alpha."),
    Family(
        "rot",
        "S D C Cs Z Zd",
        "n x[n] incx y[n] incy c:R s:T",
        "x, y = c x + s y, c y - conj(s) x.",
    ),
    Family("dot", REAL, "n x[n] incx y[n] incy", "The sum of x y.", "T"),
    Family("dotu", COMPLEX, "n x[n] incx y[n] incy", "The sum of x y.", "T"),
    Family("dotc", COMPLEX, "n x[n] incx y[n] incy", "The sum of conj(x) y.", "T"),
    Family(
        "rotg", ALL, "a:T b:T", "The rotation that takes (a, b) to (r, 0): (r, c, s).", "=a R T"
    ),
    Family(
        "rotm",
        REAL,
        "n x[n] incx y[n] incy sparam:host",
        "Applies the modified rotation that the five numbers of sparam, on the host, say.",
    ),
    Family(
        "rotmg",
        REAL,
        "d1:T d2:T x1:T y1:T",
        "The modified rotation that takes sqrt(d2) y1 to 0: five numbers of the host.",
        "five",
    ),
)

_BAND, _MATRIX, _PACKED = "A[k+1,n] lda", "A[n,n] lda", "AP[packed]"
_TRIANGULAR = "uplo trans diag n"

LEVEL_2 = (
    Family(
        "gbmv",
        ALL,
        "trans m n kl ku alpha A[kl+ku+1,n] lda x[n,m,trans] incx beta y[m,n,trans] incy",
        "y = alpha op(A) x + beta y of a band matrix with kl subdiagonals and ku superdiagonals.",
    ),
    Family(
        "gemv",
        ALL,
        "trans m n alpha A[m,n] lda x[n,m,trans] incx beta y[m,n,trans] incy",
        "y = alpha op(A) x + beta y.",
    ),
    Family("ger", REAL, "m n alpha x[m] incx y[n] incy A[m,n] lda", "A += alpha x y^T."),
    Family("geru", COMPLEX, "m n alpha x[m] incx y[n] incy A[m,n] lda", "A += alpha x y^T."),
    Family("gerc", COMPLEX, "m n alpha x[m] incx y[n] incy A[m,n] lda", "A += alpha x y^H."),
    *(
        Family(
            name,
            types,
            f"uplo n{k} alpha {a} x[n] incx beta y[n] incy",
            f"y = alpha A x + beta y of a {kind} matrix, of which the triangle uplo is read.",
        )
        for name, types, k, a, kind in (
            ("sbmv", REAL, " k", _BAND, "symmetric band"),
            ("spmv", REAL, "", _PACKED, "symmetric packed"),
            ("symv", ALL, "", _MATRIX, "symmetric"),
            ("hbmv", COMPLEX, " k", _BAND, "Hermitian band"),
            ("hpmv", COMPLEX, "", _PACKED, "Hermitian packed"),
            ("hemv", COMPLEX, "", _MATRIX, "Hermitian"),
        )
    ),
    *(
        Family(
            name, types, f"uplo n {alpha} x[n] incx {a}", f"A += alpha x {turned}, one triangle."
        )
        for name, types, alpha, a, turned in (
            ("spr", REAL, "alpha", _PACKED, "x^T"),
            ("syr", ALL, "alpha", _MATRIX, "x^T"),
            ("hpr", COMPLEX, "alpha:R", _PACKED, "x^H"),
            ("her", COMPLEX, "alpha:R", _MATRIX, "x^H"),
        )
    ),
    *(
        Family(name, types, f"uplo n alpha x[n] incx y[n] incy {a}", f"A += {sum_}, one triangle.")
        for name, types, a, sum_ in (
            ("spr2", REAL, _PACKED, "alpha (x y^T + y x^T)"),
            ("syr2", ALL, _MATRIX, "alpha (x y^T + y x^T)"),
            ("hpr2", COMPLEX, _PACKED, "alpha x y^H + conj(alpha) y x^H"),
            ("her2", COMPLEX, _MATRIX, "alpha x y^H + conj(alpha) y x^H"),
        )
    ),
    *(
        Family(
            name + ending, ALL, f"{_TRIANGULAR}{k} {a} x[n] incx", f"{verb} of a triangular {kind}."
        )
        for name, k, a, kind in (
            ("tb", " k", _BAND, "band matrix"),
            ("tp", "", _PACKED, "packed matrix"),
            ("tr", "", _MATRIX, "matrix"),
        )
        for ending, verb in (("mv", "x = op(A) x"), ("sv", "x = the solution of op(A) z = x"))
    ),
)

LEVEL_3 = (
    Family(
        "gemm",
        ALL,
        "transa transb m n k alpha A[m,k,transa] lda B[k,n,transb] ldb beta C[m,n] ldc",
        "C = alpha op(A) op(B) + beta C.",
    ),
    *(
        Family(
            name,
            types,
            "side uplo m n alpha A[side] lda B[m,n] ldb beta C[m,n] ldc",
            f"C = alpha A B + beta C, or alpha B A + beta C for side 'r', of a {kind} A.",
        )
        for name, types, kind in (("symm", ALL, "symmetric"), ("hemm", COMPLEX, "Hermitian"))
    ),
    Family(
        "syrk",
        ALL,
        "uplo trans n k alpha A[n,k,trans] lda beta C[n,n] ldc",
        "C = alpha op(A) op(A)^T + beta C, one triangle.",
    ),
    Family(
        "herk",
        COMPLEX,
        "uplo trans n k alpha:R A[n,k,trans] lda beta:R C[n,n] ldc",
        "C = alpha op(A) op(A)^H + beta C, one triangle.",
    ),
    Family(
        "syr2k",
        ALL,
        "uplo trans n k alpha A[n,k,trans] lda B[n,k,trans] ldb beta C[n,n] ldc",
        "C = alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C, one triangle.",
    ),
    Family(
        "her2k",
        COMPLEX,
        "uplo trans n k alpha A[n,k,trans] lda B[n,k,trans] ldb beta:R C[n,n] ldc",
        "C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C, one triangle.",
    ),
    Family(
        "trmm",
        ALL,
        "side uplo trans diag m n alpha A[side] lda B[m,n] ldb C[m,n] ldc",
        "C = alpha op(A) B, or alpha B op(A) for side 'r', of a triangular A; C may be B.",
    ),
    Family(
        "trsm",
        ALL,
        "side uplo trans diag m n alpha A[side] lda B[m,n] ldb",
        "B = the solution X of op(A) X = alpha B, or of X op(A) = alpha B, of a triangular A.",
    ),
)

EXTENSIONS = (
    Family(
        "geam",
        ALL,
        "transa transb m n alpha A[m,n,transa] lda beta B[m,n,transb] ldb C[m,n] ldc",
        "C = alpha op(A) + beta op(B).",
    ),
    Family(
        "dgmm",
        ALL,
        "side m n A[m,n] lda x[side] incx C[m,n] ldc",
        "C = diag(x) A, or A diag(x) for side 'r'.",
    ),
    Family(
        "gemmBatched",
        ALL,
        "transa transb m n k alpha A:P[m,k,transa] lda B:P[k,n,transb] ldb beta C:P[m,n] ldc "
        "batchCount",
        "gemm of many matrices, whose addresses are in three arrays of the device.",
    ),
    Family(
        "gemmStridedBatched",
        ALL,
        "transa transb m n k alpha A[m,k,transa] lda strideA B[k,n,transb] ldb strideB beta "
        "C[m,n] ldc strideC batchCount",
        "gemm of many matrices at equal distances, in elements.",
    ),
    Family(
        "trsmBatched",
        ALL,
        "side uplo trans diag m n alpha A:P[side] lda B:P[m,n] ldb batchCount",
        "trsm of many matrices.",
    ),
    Family(
        "getrfBatched",
        ALL,
        "n A:P[n,n] lda P:I info:I[batchSize] batchSize",
        "Factors of many matrices in their places, with n pivots of each from 1 on in P; without "
        "pivoting if P is 0. info: 0, or the first column that has no pivot.",
    ),
    Family(
        "getriBatched",
        ALL,
        "n A:P[n,n] lda P:I C:P[n,n] ldc info:I[batchSize] batchSize",
        "Inverses in C, of what getrfBatched made.",
    ),
    Family(
        "matinvBatched",
        ALL,
        "n A:P[n,n] lda Ainv:P[n,n] lda_inv:int info:I[batchSize] batchSize",
        "Inverses in Ainv of matrices of up to 32 rows, which stay as they are.",
    ),
    Family(
        "getrsBatched",
        ALL,
        "trans n nrhs Aarray:P[n,n] lda devIpiv:I Barray:P[n,nrhs] ldb info:host batchSize",
        "Solutions in B of op(A) X = B, of what getrfBatched made. info is of the host: 0.",
    ),
    Family(
        "gelsBatched",
        ALL,
        "trans m n nrhs Aarray:P[m,n] lda Carray:P[m,nrhs] ldc info:host devInfoArray:I batchSize",
        "Least squares solutions of A X = C, in the first n rows of C; m >= n, trans 'n'. The "
        "factors of QR are in A. info is of the host: 0.",
    ),
)
