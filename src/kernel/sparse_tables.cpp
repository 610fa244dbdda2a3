// SPDX-License-Identifier: MIT
#include "treadle/kernel/sparse_tables.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "declared_kernel.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// Kernels that do not keep the device alive.
struct SparseTablePlan {
  std::vector<DeclaredKernel> kernels;
};

namespace {

using codegen::SparseTableForm;

const std::vector<DeclaredKernel>& table_kernels(
    device::Device& device, std::string key,
    const std::function<codegen::FamilyText(const codegen::Dialect&)>& generate) {
  return plans<SparseTablePlan>(device)
      .find(key,
            [&] {
              auto made = std::make_shared<SparseTablePlan>();
              made->kernels =
                  declared_kernels(device, generate(codegen::dialect_of(device.info().language)));
              return made;
            })
      .kernels;
}

std::string table_key(const char* what, const SparseTableForm& form) {
  return std::string(what) + " " + std::to_string(static_cast<unsigned>(form.stored)) + " " +
         std::to_string(static_cast<unsigned>(form.column_dtype));
}

Intervals interval_rows(device::Stream& stream, std::uint64_t rows) {
  device::Device& device = stream.device();
  const codegen::Tiling& tiling = tiling_of(device);
  return intervals_of(rows, tiling.interval_length, tiling, device.info());
}

/// Sums up lengths behind the first of the starts.
void sum_starts(device::Stream& stream, const device::Argument& starts, std::uint64_t rows) {
  const auto count = static_cast<std::int64_t>(rows);
  const UserArgument all[] = {starts, count};
  table_kernels(stream.device(), "sparse starts", codegen::generate_sparse_starts)
      .front()
      .launch(stream, all, 1, 1, {});
}

/// The kernels of a product, `which` of them; the second one has a row of elements beside marks.
void launch_product_kernel(device::Stream& stream, const SparseTables& what, std::size_t which,
                           std::vector<UserArgument> arguments) {
  const Intervals intervals = interval_rows(stream, what.rows);
  const auto count = static_cast<std::size_t>(intervals.count);
  memory::Buffer sums;
  if (which != 0) {
    sums = scratch_on(stream, count * what.columns * DType(what.form.stored).size_bytes());
    arguments.emplace_back(device::Argument(sums.location()));
  }
  const memory::Buffer marks =
      scratch_on(stream, count * codegen::mark_words(what.columns) * sizeof(std::uint32_t));
  const auto rows = static_cast<std::int64_t>(what.rows),
             columns = static_cast<std::int64_t>(what.columns);
  arguments.emplace_back(device::Argument(marks.location()));
  for (const std::int64_t* number : {&rows, &columns, &intervals.length})
    arguments.emplace_back(*number);
  table_kernels(stream.device(), table_key("sparse product tables", what.form),
                [&](const codegen::Dialect& dialect) {
                  return codegen::generate_sparse_product_tables(what.form, dialect);
                })[which]
      .launch(stream, arguments, static_cast<std::uint64_t>(intervals.count), 1, {});
}

}  // namespace

bool has_sparse_tables(device::Device& device) {
  return tiling_of(device).schedule == Schedule::narrow;
}

void launch_sparse_transposition(device::Stream& stream, const SparseTables& what,
                                 const SparseArrays& matrix, const SparseArrays& result) {
  const std::vector<DeclaredKernel>& kernels =
      table_kernels(stream.device(), table_key("sparse transposition", what.form),
                    [&](const codegen::Dialect& dialect) {
                      return codegen::generate_sparse_transposition(what.form, dialect);
                    });
  const Intervals by_row = interval_rows(stream, what.rows),
                  by_column = interval_rows(stream, what.columns);
  const memory::Buffer memory = scratch_on(
      stream, static_cast<std::size_t>(by_row.count) * what.columns * sizeof(std::uint32_t));
  const device::Argument table(memory.location());
  const auto rows = static_cast<std::int64_t>(what.rows),
             columns = static_cast<std::int64_t>(what.columns);
  const UserArgument counted[] = {matrix.columns, matrix.starts, table,
                                  rows,           columns,       by_row.length};
  kernels[0].launch(stream, counted, static_cast<std::uint64_t>(by_row.count), 1, {});
  const UserArgument placed[] = {table, result.starts, columns, by_row.count, by_column.length};
  kernels[1].launch(stream, placed, static_cast<std::uint64_t>(by_column.count), 1, {});
  sum_starts(stream, result.starts, what.columns);
  const UserArgument scattered[] = {matrix.data, matrix.columns, matrix.starts, result.columns,
                                    result.data, result.starts,  table,         rows,
                                    columns,     by_row.length};
  kernels[2].launch(stream, scattered, static_cast<std::uint64_t>(by_row.count), 1, {});
}

void launch_sparse_lengths(device::Stream& stream, const SparseTables& what,
                           const SparseArrays& matrix, const SparseArrays& other,
                           const device::Argument& result_starts) {
  launch_product_kernel(
      stream, what, 0, {matrix.columns, matrix.starts, other.columns, other.starts, result_starts});
  sum_starts(stream, result_starts, what.rows);
}

void launch_sparse_sums(device::Stream& stream, const SparseTables& what,
                        const SparseArrays& matrix, const SparseArrays& other,
                        const SparseArrays& result) {
  launch_product_kernel(stream, what, 1,
                        {matrix.columns, matrix.starts, other.columns, other.starts, matrix.data,
                         other.data, result.columns, result.data, result.starts});
}

}  // namespace treadle::kernel
