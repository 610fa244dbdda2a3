// SPDX-License-Identifier: MIT
// Cumulative sums and products of rows in dense memory. Kernels are made at the first launch and
// kept for as long as the device lives.
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// The operation that combines each element with all elements before it.
enum class Cumulation : std::uint8_t { sum, product };

/// Rows of equal length, one behind the other.
struct CumulativeRows {
  Cumulation cumulation;
  Scalar dtype;  ///< of the elements and results: any number but bool and float16
  std::uint64_t rows, length;
};

/// Queues results[r, i] = the sum or product of elements[r, 0] to elements[r, i]; both may be the
/// same memory. Integers wrap around. Equal launches give equal bits. Throws DTypeError, and as
/// ScanKernel.
void launch_cumulative(device::Stream& stream, const CumulativeRows& rows,
                       const device::Argument& elements, const device::Argument& results,
                       const device::Order& order = {});

}  // namespace treadle::kernel
