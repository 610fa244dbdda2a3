// SPDX-License-Identifier: MIT
// Matrix products by generated kernels, on every device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "treadle/base/dtype.hpp"
#include "treadle/base/number.hpp"
#include "treadle/base/schedule.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::kernel {

/// The matrices of an operand, outer * inner of them. Strides are in elements, of any sign; 0 for a
/// broadcast axis.
struct ProductOperand {
  device::Location location;  ///< of the first element of the first matrix
  std::int64_t row, column;   ///< strides from row to row and from column to column
  /// Strides from matrix to matrix along both axes of the batch.
  std::int64_t outer = 0, inner = 0;
};

/// The dtype of the epilogue's array number `which`: first its outputs, then its leaves after the
/// first.
DType array_dtype(const codegen::Expression& epilogue, std::size_t which);

/// Computes the stored results from the elements of the product and of other arrays.
struct ProductEpilogue {
  /// See codegen::ProductEpilogue: the first leaf is the element of the product.
  const codegen::Expression& expression;
  /// The epilogue's outputs, then its leaves after the first. An output must not overlap anything.
  std::span<const ProductOperand> arrays;
  std::span<const ElementBytes> scalars = {};  ///< as many as the expression has
};

/// z[b] = x[b] @ y[b] for outer * inner matrices. z is contiguous in C order and overlaps neither x
/// nor y; if k is 0, z becomes zeros.
struct Product {
  Scalar dtype;                           ///< dtype of x, y and z
  std::uint64_t m, n, k;                  ///< x is m x k, y is k x n
  ProductOperand x, y;                    ///< the factors
  device::Location z;                     ///< of the first element
  std::uint64_t outer = 1, inner = 1;     ///< number of matrices
  std::optional<Schedule> schedule = {};  ///< none: the device's
  /// If set, its outputs are stored and z is not. Null: z is stored.
  const ProductEpilogue* epilogue = nullptr;
};

/// Queues the product as one launch and returns its note. float16 is summed in float32, and
/// integers wrap around. Throws DTypeError for records, NotSupported for float64 on a device
/// without it, InvalidArgument for more than 2^31 blocks, and as Stream::launch().
KernelNote launch_product(device::Stream& stream, const Product& product,
                          const device::Order& order = {});
/// The note of launch_product(), without a launch; compiles the kernel. Throws as launch_product().
KernelNote described_product(device::Device& device, const Product& product);

}  // namespace treadle::kernel
