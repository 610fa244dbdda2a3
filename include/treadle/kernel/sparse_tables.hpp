// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "treadle/codegen/sparse_tables.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// A matrix in compressed rows whose entries are put into tables of columns.
struct SparseTables {
  codegen::SparseTableForm form;  ///< dtypes
  std::uint64_t rows;             ///< of the first matrix
  std::uint64_t columns;          ///< that tables have a place for, at least 1
};
/// Memory of the device, dense; starts of int64.
struct SparseArrays {
  device::Argument data, columns, starts;  ///< elements, their columns, where rows begin
};
/// Whether a device has threads that go through a table each: a processor.
bool has_sparse_tables(device::Device& device);

/// Queues the transposition; entries of a row of the result are in order.
void launch_sparse_transposition(device::Stream& stream, const SparseTables& what,
                                 const SparseArrays& matrix, const SparseArrays& result);
/// Queues finding the starts of the product of two matrices, the last of which is how many entries
/// it has; data are not looked at.
void launch_sparse_lengths(device::Stream& stream, const SparseTables& what,
                           const SparseArrays& matrix, const SparseArrays& other,
                           const device::Argument& result_starts);
/// Queues making its entries, those of a row in order, of data that have one dtype.
void launch_sparse_sums(device::Stream& stream, const SparseTables& what,
                        const SparseArrays& matrix, const SparseArrays& other,
                        const SparseArrays& result);

}  // namespace treadle::kernel
