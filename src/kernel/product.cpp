// SPDX-License-Identifier: MIT
#include "treadle/kernel/product.hpp"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/product.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// A kernel that was made for a form on one device.
struct ProductPlan {
  device::Kernel kernel;  ///< does not keep the device alive
  codegen::ProductText made;
};

namespace {

const ProductPlan& plan_for(device::Device& device, const codegen::ProductForm& form,
                            const codegen::Tiling& tiling) {
  std::string key{static_cast<char>(form.dtype), static_cast<char>(form.side),
                  static_cast<char>(form.x_along_k), static_cast<char>(form.y_along_k)};
  append_key(key, tiling);
  return plans<ProductPlan>(device).find(key, [&] {
    codegen::ProductText made =
        codegen::generate_product(form, tiling, codegen::dialect_of(device.info().language));
    const LoadedText loaded = load_text(device, made.text, made.name, 0);
    return std::make_shared<const ProductPlan>(ProductPlan{loaded.kernel, std::move(made)});
  });
}

std::int64_t magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

}  // namespace

KernelNote launch_product(device::Stream& stream, const Product& product,
                          const device::Order& order) {
  device::Device& device = stream.device();
  const DType dtype(product.dtype);
  if ((product.dtype == Scalar::float64 || product.dtype == Scalar::complex128) &&
      !device.info().traits.fp64)
    throw NotSupported(device.info().id + " has no float64", "multiply float32");
  const std::uint64_t matrices = product.outer * product.inner;
  if (product.m == 0 || product.n == 0 || matrices == 0) return {};
  const codegen::Tiling& tiling = tiling_of(device, product.schedule);
  const std::uint64_t units = std::max(device.info().performance.compute_units, 1u);
  const ProductOperand &x = product.x, &y = product.y;
  const bool is_wide = tiling.schedule == Schedule::wide;
  const codegen::ProductForm form{
      .dtype = product.dtype,
      .side = codegen::product_side(product.dtype, tiling, product.m, product.n,
                                    (units + matrices - 1) / matrices),
      .x_along_k = is_wide && magnitude(x.column) < magnitude(x.row),
      .y_along_k = is_wide && magnitude(y.row) < magnitude(y.column)};
  const ProductPlan& plan = plan_for(device, form, tiling);
  const std::uint64_t groups = (product.m + plan.made.rows - 1) / plan.made.rows *
                               ((product.n + plan.made.columns - 1) / plan.made.columns) * matrices;
  if (groups > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument("a product of " + std::to_string(groups) + " blocks",
                          "multiply fewer matrices at a time");
  std::vector<device::Argument> arguments;
  const bool has_addresses = codegen::dialect_of(device.info().language).has_addresses;
  // Arguments of the kernel point to these.
  std::uint64_t offsets[3] = {};
  unsigned which = 0;
  for (const device::Location& place : {x.location, y.location, product.z}) {
    if (has_addresses) {
      arguments.emplace_back(place);
      continue;
    }
    offsets[which] = element_offset(place, dtype);
    arguments.emplace_back(device::Location{place.handle, 0});
    arguments.emplace_back(offsets[which++]);
  }
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const std::int64_t numbers[] = {
      number(product.m), number(product.n),     number(product.k), x.row,   x.column, y.row,
      y.column,          number(product.inner), x.outer,           x.inner, y.outer,  y.inner};
  for (const std::int64_t& value : numbers) arguments.emplace_back(value);
  stream.launch_arguments(
      plan.kernel, {.groups = static_cast<unsigned>(groups), .group_size = plan.made.group_size},
      arguments, order);
  const std::uint64_t size = dtype.size_bytes();
  return {.name = &plan.made.name,
          .text = &plan.made.text,
          .bytes_read = matrices * (product.m + product.n) * product.k * size,
          .bytes_written = matrices * product.m * product.n * size,
          .instructions = 2 * matrices * product.m * product.n * product.k};
}

}  // namespace treadle::kernel
