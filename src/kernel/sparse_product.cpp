// SPDX-License-Identifier: MIT
#include "treadle/kernel/sparse_product.hpp"

#include <memory>
#include <string>

#include "plan_table.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/dialect_header.hpp"
#include "treadle/codegen/op_text.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/kernel/associative.hpp"
#include "treadle/kernel/segmented_fold_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// A kernel that does not keep the device alive.
struct SparseProductPlan {
  std::unique_ptr<SegmentedFoldKernel> fold;
};

namespace {

std::shared_ptr<SparseProductPlan> make_plan(device::Device& device, const SparseProduct& product) {
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  const DType dtype(product.dtype);
  AssociativeText sum = associative_text({.op = Op::add}, dtype, dialect);
  const codegen::OperandText operands[] = {{"data[i]", product.dtype},
                                           {"x[columns[i]]", product.dtype}};
  const std::string times = codegen::op_text(Op::multiply, operands, dialect);
  std::string preamble = std::string(codegen::include_of_dialect) + dialect.exact_preamble +
                         codegen::device_functions(times + sum.combine + sum.neutral, dialect);
  const std::string column = codegen::TypeNames(dialect).name_of(product.column_dtype);
  const std::string item = "const " + sum.item;
  auto made = std::make_shared<SparseProductPlan>();
  made->fold = std::make_unique<SegmentedFoldKernel>(
      device.shared_from_this(), sum.dtype,
      SegmentedFoldTexts{
          .arguments = item + " *data, const " + column + " *columns, " + item + " *x",
          .map = times,
          .reduce = sum.combine,
          .neutral = sum.neutral},
      SegmentedFoldOptions{.name = "sparse_product_" + dtype.name(),
                           .preamble = std::move(preamble),
                           .flags = sum.flags,
                           .types = sum.types});
  made->fold->let_go_of_device();
  return made;
}

}  // namespace

void launch_sparse_product(device::Stream& stream, const SparseProduct& product,
                           const SparseProductArguments& arguments, const device::Order& order) {
  device::Device& device = stream.device();
  std::string key =
      "sparse product " + DType(product.dtype).name() + " " + DType(product.column_dtype).name();
  append_key(key, tiling_of(device));
  const SparseProductPlan& plan =
      plans<SparseProductPlan>(device).find(key, [&] { return make_plan(device, product); });
  const UserArgument all[] = {arguments.data,   arguments.columns, arguments.x,
                              arguments.starts, arguments.ends,    arguments.result};
  plan.fold->launch_arguments(stream, {.count = product.rows, .indices = product.entries}, all,
                              order);
}

}  // namespace treadle::kernel
