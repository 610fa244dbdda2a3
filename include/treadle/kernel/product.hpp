// SPDX-License-Identifier: MIT
// Products of matrices by generated kernels, on every device.
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

/// A matrix in memory, one of outer * inner; strides in elements, any sign, 0 where it is
/// broadcast.
struct ProductOperand {
  device::Location location;          ///< of the first element of the first matrix
  std::int64_t row, column;           ///< from row to row, from column to column
  std::int64_t outer = 0, inner = 0;  ///< from matrix to matrix along both axes of the batch
};

/// The dtype of an array of an epilogue: of its outputs, then of its leaves but the first.
DType array_dtype(const codegen::Expression& epilogue, std::size_t which);

/// What is stored in the place of a product: results of its elements and those of other arrays.
struct ProductEpilogue {
  /// As that of codegen::ProductEpilogue: its first leaf is the product's element.
  const codegen::Expression& expression;
  /// Its outputs, then its other leaves. Outputs share memory with nothing.
  std::span<const ProductOperand> arrays;
  std::span<const ElementBytes> scalars = {};  ///< as many as the expression has
};

/// z[b] = x[b] @ y[b] for outer * inner matrices. z is dense, in C's order, and shares memory with
/// neither; of k = 0 it is zeros.
struct Product {
  Scalar dtype;                           ///< of all three
  std::uint64_t m, n, k;                  ///< x is m x k, y is k x n
  ProductOperand x, y;                    ///< what is multiplied
  device::Location z;                     ///< of the first element
  std::uint64_t outer = 1, inner = 1;     ///< how many matrices
  std::optional<Schedule> schedule = {};  ///< none: the device's
  /// Nothing is stored in z then. Null: the product itself is stored.
  const ProductEpilogue* epilogue = nullptr;
};

/// Queues the product, as one launch, and returns what it was. float16 is added up in float32, and
/// integers wrap around. Throws DTypeError for records, NotSupported for float64 where the device
/// has none, InvalidArgument for more than 2^31 blocks, and as Stream::launch().
KernelNote launch_product(device::Stream& stream, const Product& product,
                          const device::Order& order = {});
/// The note of its kernel, without a launch; the kernel is compiled. Throws as launch_product().
KernelNote described_product(device::Device& device, const Product& product);

}  // namespace treadle::kernel
