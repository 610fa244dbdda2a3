// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/codegen/sparse_rows.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// A sparse matrix by a vector, or by the columns of a dense matrix.
struct SparseProduct {
  codegen::SparseForm form;             ///< `across` is chosen by the launch
  std::uint64_t rows = 0, columns = 0;  ///< of the matrix
  std::uint64_t entries = 0;            ///< stored, about
  std::int64_t pitch = 0;               ///< of ELL and diagonals: from one to the next
  std::int64_t depth = 0;               ///< how many of these there are
  std::int64_t width = 0;               ///< columns of what is multiplied; 0: a vector
  /// Of rows by a vector: whether entries and ends of rows are dealt evenly, where that is possible
  /// (codegen::can_merge()); for rows of very different lengths.
  bool is_merged = false;
  std::optional<Schedule> schedule = {};  ///< none: the device's
  bool operator==(const SparseProduct&) const = default;
};
/// Memory of the device, each dense, as codegen::generate_sparse_rows() has it; what the layout
/// does not have is not looked at.
struct SparseProductArguments {
  device::Argument data, columns, starts, x, result;  ///< in the order of the text
};
/// Queues result[r] = the sum of the products of row r, which are added in an order that depends on
/// nothing but the matrix. Throws DTypeError for a dtype that has no sum, and as ElementwiseKernel
/// and SegmentedFoldKernel.
void launch_sparse_product(device::Stream& stream, const SparseProduct& product,
                           const SparseProductArguments& arguments,
                           const device::Order& order = {});

}  // namespace treadle::kernel
