// SPDX-License-Identifier: MIT
#include "treadle/kernel/cumulative.hpp"

#include <memory>
#include <string>

#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// The scan's kernel. It does not keep the device alive.
struct CumulativePlan {
  std::unique_ptr<ScanKernel> scan;
};

namespace {

/// What both languages call a dtype, complex numbers as pairs.
std::string element_type(Scalar dtype, const codegen::TypeNames& types) {
  if (dtype == Scalar::complex64) return "float2";
  if (dtype == Scalar::complex128) return "double2";
  return types.name_of(dtype);
}

/// The text of a and b together.
std::string combination(Cumulation cumulation, Scalar dtype) {
  if (cumulation == Cumulation::sum) return "a + b";
  if (DType(dtype).kind() != ScalarKind::complex) return "a * b";
  return "treadle_make_" + std::string(dtype == Scalar::complex64 ? "float2" : "double2") +
         "(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)";
}

CumulativePlan make_plan(device::Device& device, const CumulativeRows& rows) {
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  const DType dtype(rows.dtype);
  const std::string type = element_type(rows.dtype, codegen::TypeNames(dialect));
  ScanTexts texts = scan_of_array(type, combination(rows.cumulation, rows.dtype));
  ScanOptions options{
      .name = "cumulative_" +
              std::string(rows.cumulation == Cumulation::sum ? "sum_" : "product_") + dtype.name(),
      .preamble = dialect.exact_preamble,
      .flags = dialect.exact_flags};
  if (dtype.kind() == ScalarKind::complex) {
    options.types = {{type, dtype}};
    options.preamble += "#include \"treadle/dialect.h\"\n";
  }
  if (rows.rows > 1) {
    options.name += "_rows";
    texts.arguments += ", long length";
    texts.segment_start = "i % length == 0";
    texts.scan = "across_seg_boundary ? b : (" + texts.scan + ")";
  }
  auto scan = std::make_unique<ScanKernel>(device.shared_from_this(), dtype, std::move(texts),
                                           std::move(options));
  scan->let_go_of_device();
  return {std::move(scan)};
}

}  // namespace

void launch_cumulative(device::Stream& stream, const CumulativeRows& rows,
                       const device::Argument& elements, const device::Argument& results,
                       const device::Order& order) {
  const DType dtype(rows.dtype);
  if (rows.dtype == Scalar::boolean || rows.dtype == Scalar::float16 ||
      rows.dtype == Scalar::structure)
    throw DTypeError("a cumulative sum or product in " + dtype.name(), "choose a wider number");
  device::Device& device = stream.device();
  const bool is_sum = rows.cumulation == Cumulation::sum;
  std::string key = dtype.name() + (is_sum ? " sum" : " product") + (rows.rows > 1 ? " rows" : "");
  append_key(key, tiling_of(device));
  const CumulativePlan& plan = plans<CumulativePlan>(device).find(
      key, [&] { return std::make_shared<CumulativePlan>(make_plan(device, rows)); });
  const auto length = static_cast<std::int64_t>(rows.length);
  const UserArgument all[] = {elements, results, length};
  plan.scan->launch_arguments(stream, rows.rows * rows.length,
                              std::span(all).first(rows.rows > 1 ? 3 : 2), order);
}

}  // namespace treadle::kernel
