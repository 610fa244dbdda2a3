// SPDX-License-Identifier: MIT
#include "treadle/kernel/sparse_product.hpp"

#include <algorithm>
#include <cstddef>
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
#include "treadle/codegen/sparse_by_length.hpp"
#include "treadle/kernel/associative.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/segmented_fold_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// The kernels of one method; they do not keep the device alive.
struct SparseProductPlan {
  std::string name, text;  ///< of the first of them
  std::vector<DeclaredKernel> by_length;
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
  if (form.epilogue) {
    for (const bool is_one : form.epilogue->is_one) key += is_one ? '1' : 'n';
    form.epilogue->expression.append_key(key);
  }
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

void make_fold(device::Device& device, const SparseForm& form, std::uint64_t mean_length,
               SparseProductPlan& plan) {
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  const DType dtype(form.dtype);
  AssociativeText sum = associative_text({.op = Op::add}, dtype, dialect);
  const codegen::OperandText operands[] = {
      {codegen::sparse_element_text(form, "data[i]", form.dtype, dialect), form.dtype},
      {"x[columns[i]]", form.dtype}};
  const std::string times = codegen::op_text(Op::multiply, operands, dialect);
  std::string store, beside;
  if (form.epilogue) {
    store = codegen::sparse_epilogue_text(*form.epilogue, dialect);
    beside = ", " + codegen::sparse_epilogue_parameters(*form.epilogue, dialect);
  }
  std::string preamble =
      dialect.exact_preamble +
      codegen::device_functions(times + " " + sum.combine + sum.neutral + " " + store, dialect);
  const std::string column = codegen::TypeNames(dialect).name_of(form.column_dtype);
  const std::string item = "const " + sum.item,
                    stored = "const " + codegen::stored_type(form.stored, dialect);
  plan.name = "sparse_product_" + dtype.name() +
              (form.epilogue ? "_" + codegen::sparse_epilogue_name(*form.epilogue) : "");
  plan.fold = std::make_unique<SegmentedFoldKernel>(
      device.shared_from_this(), sum.dtype,
      SegmentedFoldTexts{
          .arguments = stored + " *data, const " + column + " *columns, " + item + " *x" + beside,
          .map = times,
          .reduce = sum.combine,
          .neutral = sum.neutral,
          .store = std::move(store),
          .can_repeat = true},
      SegmentedFoldOptions{.name = plan.name,
                           .preamble = std::move(preamble),
                           .flags = sum.flags,
                           .types = complex_names(dialect)});
  plan.fold->let_go_of_device();
  plan.text = plan.fold->text(mean_length);
}

void make_rows(device::Device& device, const SparseForm& form, SparseProductPlan& plan) {
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  codegen::SparseRowsText text = codegen::generate_sparse_rows(form, dialect);
  plan.name = text.name;
  plan.rows = std::make_unique<ElementwiseKernel>(
      device.shared_from_this(), text.arguments, std::move(text.operation),
      ElementwiseOptions{.name = text.name,
                         .preamble = std::move(text.preamble),
                         .flags = dialect.exact_flags,
                         .types = complex_names(dialect)});
  plan.rows->let_go_of_device();
  plan.text = plan.rows->text();
}

const SparseProductPlan& plan_of(device::Device& device, const SparseForm& form,
                                 std::uint64_t mean_length) {
  std::string key = matrix_key(form);
  const codegen::Tiling& tiling = tiling_of(device);
  append_key(key, tiling);
  if (is_fold(form)) key += std::to_string(codegen::segment_lanes(mean_length, tiling));
  return plans<SparseProductPlan>(device).find(key, [&] {
    auto made = std::make_shared<SparseProductPlan>();
    if (is_fold(form))
      make_fold(device, form, mean_length, *made);
    else
      make_rows(device, form, *made);
    return made;
  });
}

const SparseProductPlan& plan_by_length(device::Device& device, const SparseForm& form,
                                        const codegen::Tiling& tiling) {
  std::string key = "by length " + matrix_key(form);
  append_key(key, tiling);
  return plans<SparseProductPlan>(device).find(key, [&] {
    auto made = std::make_shared<SparseProductPlan>();
    codegen::FamilyText text = codegen::generate_sparse_by_length(
        form, tiling, codegen::dialect_of(device.info().language));
    made->name = text.name;
    made->text = text.text;
    made->by_length = declared_kernels(device, std::move(text));
    return made;
  });
}

/// How many columns a work-item computes: a vector of columns on a processor; one on a GPU, where
/// neighbouring work-items compute the adjacent columns.
unsigned across_of(const SparseProduct& product, const codegen::Tiling& tiling) {
  if (product.width == 0) return 0;
  unsigned across = 1;
  while (across < tiling.vector_lanes && across < product.width) across *= 2;
  return across;
}

/// The result, or the arrays and numbers of the epilogue.
void append_results(const SparseForm& form, const SparseProductArguments& arguments,
                    std::vector<UserArgument>& all) {
  if (!form.epilogue) {
    all.emplace_back(arguments.result);
    return;
  }
  for (const device::Argument& array : arguments.beside) all.emplace_back(array);
  for (std::size_t i = 0; i < arguments.scalars.size(); ++i)
    all.emplace_back(
        scalar_argument(form.epilogue->expression.scalars[i], arguments.scalars[i].data()));
}

/// How one product runs.
struct SparseRun {
  SparseForm form;
  const codegen::Tiling& tiling;
  bool is_by_length;
  const SparseProductPlan& plan;
};
SparseRun run_of(device::Device& device, const SparseProduct& product) {
  SparseForm form = product.form;
  form.across = across_of(product, tiling_of(device));
  const codegen::Tiling& tiling = tiling_of(device, product.schedule);
  const bool is_by_length = product.classes && codegen::can_go_by_length(form, tiling);
  const std::uint64_t mean = product.entries / std::max<std::uint64_t>(product.rows, 1);
  const SparseProductPlan& plan =
      is_by_length ? plan_by_length(device, form, tiling) : plan_of(device, form, mean);
  return {std::move(form), tiling, is_by_length, plan};
}

void launch_by_length(device::Stream& stream, const SparseRun& run, const SparseProduct& product,
                      const SparseProductArguments& arguments, const device::Order& order) {
  const auto& [form, tiling, is_by_length, plan] = run;
  const RowClasses& classes = *product.classes;
  const auto lanes = codegen::row_lanes(tiling);
  std::uint64_t groups = 0;
  std::int64_t counts[codegen::row_classes];
  for (std::size_t k = 0; k < codegen::row_classes; ++k) {
    const std::uint64_t each = tiling.group_size / lanes[k],
                        rows = classes.counts[k] * (k == 0 ? classes.pieces : 1);
    groups += (rows + each - 1) / each;
    counts[k] = static_cast<std::int64_t>(classes.counts[k]);
  }
  const std::uint64_t parts = classes.counts[0] * classes.pieces;
  const memory::Buffer room =
      scratch_on(stream, std::max<std::uint64_t>(parts, 1) * DType(form.dtype).size_bytes());
  const auto pieces = static_cast<std::int64_t>(classes.pieces);
  std::vector<UserArgument> all = matrix_arguments(form, arguments);
  all.emplace_back(arguments.x);
  append_results(form, arguments, all);
  all.emplace_back(arguments.order);
  all.emplace_back(room);
  all.emplace_back(pieces);
  for (const std::int64_t& count : counts) all.emplace_back(count);
  if (parts == 0) return plan.by_length[0].launch(stream, all, groups, tiling.group_size, order);
  LaunchesInTurn launches(stream, order);
  launches.then([&](const device::Order& own) {
    plan.by_length[0].launch(stream, all, groups, tiling.group_size, own);
  });
  launches.then(
      [&](const device::Order& own) {
        plan.by_length[1].launch(stream, all,
                                 (classes.counts[0] + tiling.group_size - 1) / tiling.group_size,
                                 tiling.group_size, own);
      },
      LaunchesInTurn::Place::last);
}

KernelNote note_of(const SparseProductPlan& plan, const SparseProduct& product) {
  const SparseForm& form = product.form;
  const auto bytes = [](Scalar dtype) { return std::uint64_t{DType(dtype).size_bytes()}; };
  const bool is_stencil = form.layout == SparseLayout::stencil;
  const std::uint64_t vectors = product.width == 0 ? 1 : static_cast<std::uint64_t>(product.width);
  const bool has_columns = !is_stencil && form.layout != SparseLayout::diagonals;
  KernelNote note{.name = &plan.name,
                  .text = &plan.text,
                  .bytes_read = (is_stencil ? 0 : product.entries * bytes(form.stored)) +
                                (has_columns ? product.entries * bytes(form.column_dtype) : 0) +
                                product.columns * vectors * bytes(form.dtype),
                  .bytes_written = 0,
                  .instructions = 2 * product.entries * vectors};
  if (!form.epilogue) {
    note.bytes_written = product.rows * vectors * bytes(form.dtype);
    return note;
  }
  const codegen::Expression& expression = form.epilogue->expression;
  for (const codegen::Value output : expression.outputs)
    note.bytes_written += product.rows * expression.dtype_of(output).size_bytes();
  for (std::size_t i = 1; i < expression.leaves.size(); ++i)
    note.bytes_read +=
        (form.epilogue->is_one[i - 1] ? 1 : product.rows) * expression.leaves[i].dtype.size_bytes();
  note.instructions += product.rows * expression.cost();
  return note;
}

}  // namespace

KernelNote described_sparse_product(device::Device& device, const SparseProduct& product) {
  return note_of(run_of(device, product).plan, product);
}

KernelNote launch_sparse_product(device::Stream& stream, const SparseProduct& product,
                                 const SparseProductArguments& arguments,
                                 const device::Order& order) {
  const SparseRun run = run_of(stream.device(), product);
  const auto& [form, tiling, is_by_length, plan] = run;
  const KernelNote note = note_of(plan, product);
  if (is_by_length) {
    launch_by_length(stream, run, product, arguments, order);
    return note;
  }
  if (plan.fold) {
    const UserArgument starts = arguments.starts;
    std::vector<UserArgument> all{arguments.data, arguments.columns, arguments.x};
    if (form.epilogue) append_results(form, arguments, all);
    all.emplace_back(starts);
    all.emplace_back(device::Argument(starts.location() + sizeof(std::int64_t)));
    all.emplace_back(form.epilogue ? arguments.beside.front() : arguments.result);
    plan.fold->launch_arguments(stream, {.count = product.rows, .indices = product.entries}, all,
                                order);
    return note;
  }
  std::vector<UserArgument> all = matrix_arguments(form, arguments);
  all.emplace_back(arguments.x);
  append_results(form, arguments, all);
  const MatrixNumbers numbers(product);
  numbers.append_to(all);
  const std::uint64_t pieces =
      form.across == 0
          ? 1
          : (static_cast<std::uint64_t>(product.width) + form.across - 1) / form.across;
  plan.rows->launch_arguments(stream, product.rows * pieces, all, order);
  return note;
}

}  // namespace treadle::kernel
