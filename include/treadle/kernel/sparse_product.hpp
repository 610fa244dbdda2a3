// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "treadle/base/number.hpp"
#include "treadle/codegen/sparse_rows.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::kernel {

/// The product of a sparse matrix with a vector, or with the columns of a dense matrix.
struct SparseProduct {
  codegen::SparseForm form;             ///< the launch chooses `across`
  std::uint64_t rows = 0, columns = 0;  ///< of the matrix
  std::uint64_t entries = 0;            ///< stored entries, about
  std::int64_t pitch = 0;  ///< ELL and diagonals: elements from one column or diagonal to the next
  std::int64_t depth = 0;  ///< number of these columns or diagonals
  std::int64_t width = 0;  ///< columns of the dense matrix; 0: a vector
  /// CSR with a vector: whether entries and ends of rows are divided evenly among work-items, if
  /// codegen::can_merge(); for rows of very different lengths.
  bool is_merged = false;
  std::optional<Schedule> schedule = {};  ///< none: the device's
  bool operator==(const SparseProduct&) const = default;
};
/// Memory of the device, each array contiguous, as in codegen::generate_sparse_rows(); arrays that
/// the layout does not have are ignored.
struct SparseProductArguments {
  device::Argument data, columns, starts, x, result;  ///< in the order of the text
  /// With an epilogue, in the place of `result`: its outputs, and its leaves after the first.
  std::span<const device::Argument> beside = {};
  std::span<const ElementBytes> scalars = {};  ///< the epilogue's
};
/// Queues result[r] = the sum of the products of row r, added in an order that depends only on the
/// matrix. Throws DTypeError for a dtype that has no sum, and as ElementwiseKernel and
/// SegmentedFoldKernel. With an epilogue is_merged is ignored. Returns a note of the kernel.
KernelNote launch_sparse_product(device::Stream& stream, const SparseProduct& product,
                                 const SparseProductArguments& arguments,
                                 const device::Order& order = {});
/// The note that launch_sparse_product() would return.
KernelNote described_sparse_product(device::Device& device, const SparseProduct& product);

}  // namespace treadle::kernel
