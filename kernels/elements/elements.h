// SPDX-License-Identifier: MIT
// Functions that operations on elements call, for both languages and all dtypes. The files beside
// this one are not compiled: treadle/codegen/device_functions.hpp picks the functions that a text
// calls and writes them for one dtype in one language.
//
//   floats.h               float32, float64
//   complex_arithmetic.h, complex_math.h, complex_inverse.h, complex_extended.h   complex64, complex128
//   signed_integers.h      int8 to int64
//   unsigned_integers.h    uint8 to uint64
//   integers.h             both
//   halves.h               float16, whose elements are computed with as float
//   random.h               random words, and the numbers made of them
//   distributions.h        random numbers that take as many words as chance asks for
//   own_math.h             float32: what takes the place of a run-time's functions
//
// A function begins with TREADLE_FUNCTION and ends with a brace at the start of a line; the comment
// above belongs to it. The words of treadle/dialect.h may be used. These words stand for others:
//
//   TYPE, _DTYPE      the type and, in a name, the dtype: int, treadle_gcd_int32
//   UNSIGNED, _UNSIGNED   the unsigned type that numbers wrap around in, of 32 or 64 bits
//   WIDTH             the bits of a number
//   REAL, _REAL       the type and the dtype of a complex number's parts
//   INT32 UINT32 INT64 UINT64   the types of these dtypes
//
// A constant with a point has the precision of the function.
