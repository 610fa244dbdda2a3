// SPDX-License-Identifier: MIT
// Products of matrices by generated kernels, on every device.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/base/dtype.hpp"
#include "treadle/base/schedule.hpp"
#include "treadle/device/copy.hpp"
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

/// z[b] = x[b] @ y[b] for outer * inner matrices. z is dense, in C's order, and shares memory with
/// neither; of k = 0 it is zeros.
struct Product {
  Scalar dtype;                           ///< of all three
  std::uint64_t m, n, k;                  ///< x is m x k, y is k x n
  ProductOperand x, y;                    ///< what is multiplied
  device::Location z;                     ///< of the first element
  std::uint64_t outer = 1, inner = 1;     ///< how many matrices
  std::optional<Schedule> schedule = {};  ///< none: the device's
};

/// Queues the product, as one launch, and returns what it was. float16 is added up in float32, and
/// integers wrap around. Throws DTypeError for records, NotSupported for float64 where the device
/// has none, InvalidArgument for more than 2^31 blocks, and as Stream::launch().
KernelNote launch_product(device::Stream& stream, const Product& product,
                          const device::Order& order = {});

}  // namespace treadle::kernel
