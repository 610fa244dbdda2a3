// SPDX-License-Identifier: MIT
#include "treadle/kernel/sparse_product.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "declared_kernel.hpp"
#include "matrix_arguments.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/sparse_merge.hpp"
#include "treadle/kernel/associative.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/segmented_fold_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// The kernels of one method; they do not keep the device alive.
struct SparseProductPlan {
  std::vector<DeclaredKernel> merged;
  std::unique_ptr<SegmentedFoldKernel> fold;
  std::unique_ptr<ElementwiseKernel> rows;
};

using codegen::SparseForm;
using codegen::SparseLayout;

std::string matrix_key(const SparseForm& form) {
  std::string key = "sparse product";
  for (const auto part :
       {static_cast<unsigned>(form.layout), static_cast<unsigned>(form.stored),
        static_cast<unsigned>(form.is_bfloat16), static_cast<unsigned>(form.column_dtype),
        static_cast<unsigned>(form.dtype), form.across, form.side, form.side_across,
        form.shift_count, static_cast<unsigned>(form.has_bits)})
    key.append(" ").append(std::to_string(part));
  for (const std::int64_t shift : form.shifts) key.append(",").append(std::to_string(shift));
  key.append(reinterpret_cast<const char*>(form.values.data()), form.values.size());
  return key;
}

std::vector<UserArgument> matrix_arguments(const SparseForm& form,
                                           const SparseProductArguments& arguments) {
  std::vector<UserArgument> all;
  const SparseLayout layout = form.layout;
  const bool is_stencil = layout == SparseLayout::stencil;
  if (!is_stencil) all.emplace_back(arguments.data);
  if (!is_stencil || form.has_bits) all.emplace_back(arguments.columns);
  if (layout == SparseLayout::rows || layout == SparseLayout::sliced ||
      layout == SparseLayout::blocks)
    all.emplace_back(arguments.starts);
  return all;
}

namespace {

/// CSR with a vector: several work-items may share a row.
bool is_fold(const SparseForm& form) {
  return form.layout == SparseLayout::rows && form.across == 0 && form.dtype != Scalar::float16;
}

std::vector<std::pair<std::string, DType>> complex_names(const codegen::Dialect& dialect) {
  return {{codegen::stored_type(Scalar::complex64, dialect), Scalar::complex64},
          {codegen::stored_type(Scalar::complex128, dialect), Scalar::complex128}};
}

std::unique_ptr<SegmentedFoldKernel> make_fold(device::Device& device, const SparseForm& form) {
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  const DType dtype(form.dtype);
  AssociativeText sum = associative_text({.op = Op::add}, dtype, dialect);
  const codegen::OperandText operands[] = {
      {codegen::sparse_element_text(form, "data[i]", form.dtype, dialect), form.dtype},
      {"x[columns[i]]", form.dtype}};
  const std::string times = codegen::op_text(Op::multiply, operands, dialect);
  std::string preamble =
      dialect.exact_preamble +
      codegen::device_functions(times + " " + sum.combine + sum.neutral, dialect);
  const std::string column = codegen::TypeNames(dialect).name_of(form.column_dtype);
  const std::string item = "const " + sum.item,
                    stored = "const " + codegen::stored_type(form.stored, dialect);
  auto made = std::make_unique<SegmentedFoldKernel>(
      device.shared_from_this(), sum.dtype,
      SegmentedFoldTexts{
          .arguments = stored + " *data, const " + column + " *columns, " + item + " *x",
          .map = times,
          .reduce = sum.combine,
          .neutral = sum.neutral},
      SegmentedFoldOptions{.name = "sparse_product_" + dtype.name(),
                           .preamble = std::move(preamble),
                           .flags = sum.flags,
                           .types = complex_names(dialect)});
  made->let_go_of_device();
  return made;
}

std::unique_ptr<ElementwiseKernel> make_rows(device::Device& device, const SparseForm& form) {
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  codegen::SparseRowsText text = codegen::generate_sparse_rows(form, dialect);
  auto made = std::make_unique<ElementwiseKernel>(
      device.shared_from_this(), text.arguments, std::move(text.operation),
      ElementwiseOptions{.name = text.name,
                         .preamble = std::move(text.preamble),
                         .flags = dialect.exact_flags,
                         .types = complex_names(dialect)});
  made->let_go_of_device();
  return made;
}

const SparseProductPlan& plan_of(device::Device& device, const SparseForm& form) {
  std::string key = matrix_key(form);
  append_key(key, tiling_of(device));
  return plans<SparseProductPlan>(device).find(key, [&] {
    auto made = std::make_shared<SparseProductPlan>();
    if (is_fold(form))
      made->fold = make_fold(device, form);
    else
      made->rows = make_rows(device, form);
    return made;
  });
}

const SparseProductPlan& merged_plan(device::Device& device, const SparseForm& form,
                                     const codegen::Tiling& tiling) {
  std::string key = "merged " + matrix_key(form);
  append_key(key, tiling);
  return plans<SparseProductPlan>(device).find(key, [&] {
    auto made = std::make_shared<SparseProductPlan>();
    made->merged = declared_kernels(
        device,
        codegen::generate_sparse_merge(form, tiling, codegen::dialect_of(device.info().language)));
    return made;
  });
}

void launch_merged(device::Stream& stream, const SparseProduct& product,
                   const SparseProductArguments& arguments, const codegen::Tiling& tiling,
                   const device::Order& order) {
  const SparseProductPlan& plan = merged_plan(stream.device(), product.form, tiling);
  const std::uint64_t tile = codegen::merged_items(tiling),
                      groups = (product.rows + product.entries + tile - 1) / tile,
                      size = DType(product.form.dtype).size_bytes();
  const memory::Buffer left = scratch_on(stream, groups * (sizeof(std::int64_t) + size));
  const device::Argument rows(left.location()),
      sums(left.location() + groups * sizeof(std::int64_t));
  const auto row_count = static_cast<std::int64_t>(product.rows),
             entries = static_cast<std::int64_t>(product.entries),
             group_count = static_cast<std::int64_t>(groups);
  LaunchesInTurn launches(stream, order);
  launches.then([&](const device::Order& own) {
    const UserArgument all[] = {arguments.data, arguments.columns, arguments.starts,
                                arguments.x,    arguments.result,  rows,
                                sums,           row_count,         entries};
    plan.merged[0].launch(stream, all, groups, tiling.group_size, own);
  });
  launches.then(
      [&](const device::Order& own) {
        const UserArgument all[] = {rows, sums, arguments.result, row_count, group_count};
        plan.merged[1].launch(stream, all, (groups + tiling.group_size - 1) / tiling.group_size,
                              tiling.group_size, own);
      },
      LaunchesInTurn::Place::last);
}

/// How many columns a work-item computes: a vector of columns on a processor; one on a GPU, where
/// neighbouring work-items compute the adjacent columns.
unsigned across_of(const SparseProduct& product, const codegen::Tiling& tiling) {
  if (product.width == 0) return 0;
  unsigned across = 1;
  while (across < tiling.vector_lanes && across < product.width) across *= 2;
  return across;
}

}  // namespace

void launch_sparse_product(device::Stream& stream, const SparseProduct& product,
                           const SparseProductArguments& arguments, const device::Order& order) {
  device::Device& device = stream.device();
  SparseForm form = product.form;
  form.across = across_of(product, tiling_of(device));
  const codegen::Tiling& tiling = tiling_of(device, product.schedule);
  if (product.is_merged && codegen::can_merge(form, tiling))
    return launch_merged(stream, product, arguments, tiling, order);
  const SparseProductPlan& plan = plan_of(device, form);
  if (plan.fold) {
    const UserArgument starts = arguments.starts;
    const UserArgument all[] = {
        arguments.data,
        arguments.columns,
        arguments.x,
        starts,
        UserArgument(device::Argument(starts.location() + sizeof(std::int64_t))),
        arguments.result};
    return plan.fold->launch_arguments(stream, {.count = product.rows, .indices = product.entries},
                                       all, order);
  }
  std::vector<UserArgument> all = matrix_arguments(form, arguments);
  all.emplace_back(arguments.x);
  all.emplace_back(arguments.result);
  const MatrixNumbers numbers(product);
  numbers.append_to(all);
  const std::uint64_t pieces =
      form.across == 0
          ? 1
          : (static_cast<std::uint64_t>(product.width) + form.across - 1) / form.across;
  plan.rows->launch_arguments(stream, product.rows * pieces, all, order);
}

}  // namespace treadle::kernel
