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
  if (form.epilogue) {
    for (const bool is_dense : form.epilogue->is_dense) key += is_dense ? 'd' : 's';
    form.epilogue->expression.append_key(key);
  }
  return plans<ProductPlan>(device).find(key, [&] {
    codegen::ProductText made =
        codegen::generate_product(form, tiling, codegen::dialect_of(device.info().language));
    const LoadedText loaded = load_text(device, made.text, made.name, 0);
    return std::make_shared<const ProductPlan>(ProductPlan{loaded.kernel, std::move(made)});
  });
}

std::int64_t magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

/// The plan of a product with at least one element.
const ProductPlan& plan_for(device::Device& device, const Product& product) {
  if ((product.dtype == Scalar::float64 || product.dtype == Scalar::complex128) &&
      !device.info().traits.fp64)
    throw NotSupported(device.info().id + " has no float64", "multiply float32");
  const std::uint64_t matrices = product.outer * product.inner;
  const codegen::Tiling& tiling = tiling_of(device, product.schedule);
  const std::uint64_t units = std::max(device.info().performance.compute_units, 1u);
  const ProductOperand &x = product.x, &y = product.y;
  const bool is_wide = tiling.schedule == Schedule::wide;
  codegen::ProductForm form{
      .dtype = product.dtype,
      .side = codegen::product_side(product.dtype, tiling, product.m, product.n,
                                    (units + matrices - 1) / matrices),
      .x_along_k = is_wide && magnitude(x.column) < magnitude(x.row),
      .y_along_k = is_wide && magnitude(y.row) < magnitude(y.column)};
  if (product.epilogue != nullptr) {
    form.epilogue = {product.epilogue->expression, {}};
    for (const ProductOperand& array : product.epilogue->arrays)
      form.epilogue->is_dense.push_back(array.column == 1 || product.n == 1);
  }
  return plan_for(device, form, tiling);
}

/// The arguments of a launch, in the order of the kernel's signature.
class ProductArguments {
 public:
  ProductArguments(const device::Device& device, const Product& product)
      : has_addresses_(codegen::dialect_of(device.info().language).has_addresses) {
    const ProductEpilogue* const epilogue = product.epilogue;
    const std::size_t others = epilogue != nullptr ? epilogue->arrays.size() : 1;
    numbers_.reserve(12 + 5 * (others + 2));  // arguments point into the vector
    const DType dtype(product.dtype);
    add_place(product.x.location, dtype);
    add_place(product.y.location, dtype);
    if (epilogue == nullptr) add_place(product.z, dtype);
    for (std::size_t i = 0; epilogue != nullptr && i < others; ++i)
      add_place(epilogue->arrays[i].location, array_dtype(epilogue->expression, i));
    const ProductOperand &x = product.x, &y = product.y;
    for (const std::uint64_t length : {product.m, product.n, product.k})
      add(static_cast<std::int64_t>(length));
    for (const std::int64_t stride : {x.row, x.column, y.row, y.column}) add(stride);
    add(static_cast<std::int64_t>(product.inner));
    for (const std::int64_t stride : {x.outer, x.inner, y.outer, y.inner}) add(stride);
    if (epilogue == nullptr) return;
    for (const ProductOperand& array : epilogue->arrays) {
      for (const std::int64_t stride : {array.outer, array.inner, array.row}) add(stride);
      if (array.column != 1 && product.n != 1) add(array.column);
    }
    for (std::size_t i = 0; i < epilogue->scalars.size(); ++i)
      all_.push_back(scalar_argument(epilogue->expression.scalars[i], epilogue->scalars[i].data()));
  }
  std::span<const device::Argument> all() const noexcept { return all_; }

 private:
  void add(std::int64_t value) { all_.emplace_back(numbers_.emplace_back(value)); }
  void add_place(const device::Location& place, const DType& dtype) {
    if (has_addresses_) {
      all_.emplace_back(place);
      return;
    }
    all_.emplace_back(device::Location{place.handle, 0});
    add(static_cast<std::int64_t>(element_offset(place, dtype)));
  }

  const bool has_addresses_;
  std::vector<std::int64_t> numbers_;
  std::vector<device::Argument> all_;
};

KernelNote note_of(const ProductPlan& plan, const Product& product) {
  const std::uint64_t size = DType(product.dtype).size_bytes();
  const std::uint64_t matrices = product.outer * product.inner;
  const std::uint64_t elements = matrices * product.m * product.n;
  KernelNote note{.name = &plan.made.name,
                  .text = &plan.made.text,
                  .bytes_read = matrices * (product.m + product.n) * product.k * size,
                  .bytes_written = elements * size,
                  .instructions = 2 * elements * product.k};
  if (product.epilogue == nullptr) return note;
  const codegen::Expression& expression = product.epilogue->expression;
  note.bytes_written = 0;
  for (const codegen::Value output : expression.outputs)
    note.bytes_written += elements * expression.dtype_of(output).size_bytes();
  for (std::size_t i = 1; i < expression.leaves.size(); ++i) {
    const ProductOperand& array = product.epilogue->arrays[expression.outputs.size() + i - 1];
    // A broadcast element counts once.
    const std::uint64_t distinct =
        (array.column != 0 ? product.n : 1) * (array.row != 0 ? product.m : 1) *
        (array.inner != 0 ? product.inner : 1) * (array.outer != 0 ? product.outer : 1);
    note.bytes_read += distinct * expression.leaves[i].dtype.size_bytes();
  }
  note.instructions += elements * expression.cost();
  return note;
}

bool has_elements(const Product& product) {
  return product.m != 0 && product.n != 0 && product.outer != 0 && product.inner != 0;
}

}  // namespace

DType array_dtype(const codegen::Expression& epilogue, std::size_t which) {
  const std::size_t outputs = epilogue.outputs.size();
  return which < outputs ? epilogue.dtype_of(epilogue.outputs[which])
                         : epilogue.leaves[which - outputs + 1].dtype;
}

KernelNote launch_product(device::Stream& stream, const Product& product,
                          const device::Order& order) {
  device::Device& device = stream.device();
  if (!has_elements(product)) return {};
  const ProductPlan& plan = plan_for(device, product);
  const std::uint64_t matrices = product.outer * product.inner;
  const std::uint64_t groups = (product.m + plan.made.rows - 1) / plan.made.rows *
                               ((product.n + plan.made.columns - 1) / plan.made.columns) * matrices;
  if (groups > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument("a product of " + std::to_string(groups) + " blocks",
                          "multiply fewer matrices at a time");
  const ProductArguments arguments(device, product);
  stream.launch_arguments(
      plan.kernel, {.groups = static_cast<unsigned>(groups), .group_size = plan.made.group_size},
      arguments.all(), order);
  return note_of(plan, product);
}

KernelNote described_product(device::Device& device, const Product& product) {
  if (!has_elements(product)) return {};
  return note_of(plan_for(device, product), product);
}

}  // namespace treadle::kernel
