// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// A sparse matrix in compressed rows by a vector.
struct SparseProduct {
  Scalar dtype;         ///< of matrix, vector and result
  Scalar column_dtype;  ///< int32 or int64
  std::uint64_t rows;
  std::uint64_t entries;  ///< elements stored
};
/// Memory of the device, each dense.
struct SparseProductArguments {
  device::Argument data, columns;  ///< of each entry
  device::Argument starts, ends;   ///< int64: where the entries of a row begin and end
  device::Argument x, result;
};
/// Queues result[r] = the sum of data[k] * x[columns[k]] over the entries k of row r, which are
/// added in an order that depends on nothing but their number. Throws DTypeError for a dtype that
/// has no sum, and as SegmentedFoldKernel.
void launch_sparse_product(device::Stream& stream, const SparseProduct& product,
                           const SparseProductArguments& arguments,
                           const device::Order& order = {});

}  // namespace treadle::kernel
