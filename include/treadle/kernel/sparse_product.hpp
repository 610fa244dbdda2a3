// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "treadle/base/number.hpp"
#include "treadle/codegen/sparse_by_length.hpp"
#include "treadle/codegen/sparse_rows.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::kernel {

/// The rows of a CSR matrix in an order in which the longest come first, in classes.
struct RowClasses {
  std::array<std::uint64_t, codegen::row_classes> counts = {};  ///< rows of each class
  std::uint64_t pieces = 1;  ///< into which each row of the first class is cut
  bool operator==(const RowClasses&) const = default;
};
/// The product of a sparse matrix with a vector, or with the columns of a dense matrix.
struct SparseProduct {
  codegen::SparseForm form;             ///< the launch chooses `across`
  std::uint64_t rows = 0, columns = 0;  ///< of the matrix
  std::uint64_t entries = 0;            ///< stored entries, about
  std::int64_t pitch = 0;  ///< ELL and diagonals: elements from one column or diagonal to the next
  std::int64_t depth = 0;  ///< number of these columns or diagonals
  std::int64_t width = 0;  ///< columns of the dense matrix; 0: a vector
  /// CSR with a vector, where codegen::can_go_by_length(): each row is taken by work-items for its
  /// length. For rows of very different lengths.
  std::optional<RowClasses> classes = {};
  std::optional<Schedule> schedule = {};  ///< none: the device's
  bool operator==(const SparseProduct&) const = default;
};
/// Memory of the device, each array contiguous, as in codegen::generate_sparse_rows(); arrays that
/// the layout does not have are ignored.
struct SparseProductArguments {
  device::Argument data, columns, starts, x, result;  ///< in the order of the text
  device::Argument order = device::Location{};        ///< with classes: the rows (int32)
  /// With an epilogue, in the place of `result`: its outputs, and its leaves after the first.
  std::span<const device::Argument> beside = {};
  std::span<const ElementBytes> scalars = {};  ///< the epilogue's
};
/// Queues result[r] = the sum of the products of row r, added in an order that depends only on the
/// matrix. Throws DTypeError for a dtype that has no sum, and as ElementwiseKernel and
/// SegmentedFoldKernel. Returns a note of the kernel.
KernelNote launch_sparse_product(device::Stream& stream, const SparseProduct& product,
                                 const SparseProductArguments& arguments,
                                 const device::Order& order = {});
/// The note that launch_sparse_product() would return.
KernelNote described_sparse_product(device::Device& device, const SparseProduct& product);

}  // namespace treadle::kernel
