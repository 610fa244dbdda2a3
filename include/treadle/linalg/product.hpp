// SPDX-License-Identifier: MIT
// Products of matrices, with NumPy's rules for axes and dtypes. They are pending like all
// operations, and run as one call of a library or as one kernel:
//
//   CPU device       CBLAS of the host (treadle/library/host_blas.hpp), in the order of the stream
//   NVIDIA's GPUs    cuBLAS (treadle/library/cublas.hpp), where it is found
//   OpenCL           CLBlast (treadle/library/clblast.hpp), where it was measured to be faster
//   any other        a generated kernel (treadle/kernel/product.hpp), of every dtype
//
// What no library multiplies - integers, bool, float16 on the CPU device, and everything where
// there is no library - is the generated kernel's. explain() names who did it. Transposed and
// strided operands are read where they are.
//
// Arrays of bfloat16 (treadle/base/bfloat16.hpp) are multiplied as float32, to which they are cast
// before, and the result is rounded once; beside another dtype it is float32 or wider.
//
// All throw InvalidArgument for arrays of different devices, DTypeError for records, and ShapeError
// where lengths that have to be equal differ. NotSupported comes from a device without float64.
#pragma once

#include <cstdint>
#include <string_view>

#include "treadle/array/array.hpp"
#include "treadle/base/list.hpp"

namespace treadle::linalg {

/// The matrices in the last two axes multiplied; axes before them broadcast. One axis alone is a
/// row on the left and a column on the right, and is not in the result. In the common dtype; bool
/// gives bool, integers wrap around. Throws ShapeError for arrays without axes.
Array matmul(const Array& x, const Array& y);
/// The sum over the last axis of x and the last but one of y; x * y where one is a number or has no
/// axes. Of two arrays with one axis the sum of products, one kernel with what is pending of both.
Array dot(const array::Operand& x, const array::Operand& y);
/// The sum over the last axis of both; x * y where one is a number or has no axes.
Array inner(const array::Operand& x, const array::Operand& y);
/// Matrices times vectors, in the last axes; axes before them broadcast.
Array matvec(const Array& x, const Array& vectors);
/// Vectors, conjugated, times matrices.
Array vecmat(const Array& vectors, const Array& x);
/// The sum over pairs of axes: axes[i] of x with others[i] of y. What is left of x comes before
/// what is left of y. Throws IndexError for axes that are not there.
Array tensordot(const Array& x, const Array& y, List<int> axes, List<int> others);
/// Over the last `count` axes of x and the first of y.
Array tensordot(const Array& x, const Array& y, int count = 2);
/// Square matrices multiplied with themselves; for n < 0 their inverses, as inv() has them
/// (treadle/linalg/decomposition.hpp). Throws MatrixShapeError for others.
Array matrix_power(const Array& x, std::int64_t n);
/// The product of several matrices, in the order that takes the fewest multiplications. The first
/// and the last may have one axis. Throws ShapeError, and InvalidArgument for fewer than two.
Array multi_dot(List<Array> matrices);
/// Einstein's sum: einsum("ij,jk->ik", {x, y}). Letters that are not behind the arrow are summed
/// over; without an arrow, those that come twice are, and the others stand in the alphabet's order.
/// "..." stands for axes that broadcast. Pairs are contracted one after the other, the smallest
/// result first, each as a product of matrices. Throws InvalidArgument naming the subscripts, and
/// ShapeError.
Array einsum(std::string_view subscripts, List<Array> operands);

}  // namespace treadle::linalg

// NumPy has these beside sum() and sin(), and functions of arrays are found by their arguments.
namespace treadle::array {

using linalg::dot;
using linalg::einsum;
using linalg::inner;
using linalg::matmul;
using linalg::tensordot;

}  // namespace treadle::array
