// SPDX-License-Identifier: MIT
#include "linalg/matrix_product.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "treadle/array/computation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::linalg {
namespace {

using kernel::Product;

/// An axis of matrices that are multiplied one by one: how many, and their distances in elements.
struct BatchAxis {
  std::int64_t length, x, y;
};

/// The axes before the last two, neighbours that are one axis in both operands merged.
std::vector<BatchAxis> batch_axes(const array::ArrayPlace& x, const array::ArrayPlace& y,
                                  std::int64_t size_bytes) {
  std::vector<BatchAxis> axes;
  for (std::size_t i = 0; i + 2 < x.shape.size(); ++i) {
    const BatchAxis axis{x.shape[i], x.strides[i] / size_bytes, y.strides[i] / size_bytes};
    if (axis.length == 1) continue;
    if (!axes.empty() && axes.back().x == axis.length * axis.x &&
        axes.back().y == axis.length * axis.y)
      axes.back() = {axes.back().length * axis.length, axis.x, axis.y};
    else
      axes.push_back(axis);
  }
  return axes;
}

/// Many matrices with one factor on the right are one long matrix, if they lie one below the other.
void make_long(Product& product, std::vector<BatchAxis>& axes) {
  while (!axes.empty() && axes.back().y == 0 &&
         axes.back().x == static_cast<std::int64_t>(product.m) * product.x.row) {
    product.m *= static_cast<std::uint64_t>(axes.back().length);
    axes.pop_back();
  }
}

/// The product of arrays of matrices.
class MatrixProduct final : public array::Computation {
 public:
  explicit MatrixProduct(Scalar dtype) : dtype_(dtype) {}
  std::string_view name() const override { return "matmul"; }
  bool equals(const Computation& other) const noexcept override {
    const auto* product = dynamic_cast<const MatrixProduct*>(&other);
    return product != nullptr && product->dtype_ == dtype_;
  }

  kernel::KernelNote run(device::Stream& stream,
                         const array::ComputationLaunch& launch) const override {
    const array::ArrayPlace x = launch.input(0), y = launch.input(1);
    const std::size_t rank = x.shape.size();
    const auto size = static_cast<std::int64_t>(DType(dtype_).size_bytes());
    const auto extent = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const auto operand = [&](const array::ArrayPlace& place) {
      return kernel::ProductOperand{place.location, place.strides[rank - 2] / size,
                                    place.strides[rank - 1] / size};
    };
    Product product{.dtype = dtype_,
                    .m = extent(x.shape[rank - 2]),
                    .n = extent(y.shape[rank - 1]),
                    .k = extent(x.shape[rank - 1]),
                    .x = operand(x),
                    .y = operand(y),
                    .z = launch.result(0)->location};
    std::vector<BatchAxis> axes = batch_axes(x, y, size);
    if (product.m != 0 && product.k != 0) make_long(product, axes);
    return multiply_along(stream, product, axes);
  }

 private:
  /// A launch has two axes of matrices; those before them are a loop here.
  static kernel::KernelNote multiply_along(device::Stream& stream, Product product,
                                           std::span<const BatchAxis> axes) {
    if (axes.size() <= 2) {
      if (!axes.empty()) {
        const BatchAxis& inner = axes.back();
        product.inner = static_cast<std::uint64_t>(inner.length);
        product.x.inner = inner.x, product.y.inner = inner.y;
      }
      if (axes.size() == 2) {
        product.outer = static_cast<std::uint64_t>(axes[0].length);
        product.x.outer = axes[0].x, product.y.outer = axes[0].y;
      }
      return multiply(stream, product);
    }
    const std::int64_t size = static_cast<std::int64_t>(DType(product.dtype).size_bytes());
    std::int64_t step = static_cast<std::int64_t>(product.m * product.n) * size;
    for (const BatchAxis& axis : axes.subspan(1)) step *= axis.length;
    kernel::KernelNote all;
    for (std::int64_t i = 0; i < axes[0].length; ++i) {
      Product part = product;
      part.x.location = product.x.location + static_cast<std::uint64_t>(i * axes[0].x * size);
      part.y.location = product.y.location + static_cast<std::uint64_t>(i * axes[0].y * size);
      part.z = product.z + static_cast<std::uint64_t>(i * step);
      const kernel::KernelNote note = multiply_along(stream, part, axes.subspan(1));
      all.name = note.name, all.text = note.text;
      all.bytes_read += note.bytes_read;
      all.bytes_written += note.bytes_written;
      all.instructions += note.instructions;
    }
    return all;
  }
  static kernel::KernelNote multiply(device::Stream& stream, const Product& product) {
    if (product.m == 0 || product.n == 0 || product.outer == 0 || product.inner == 0) return {};
    if (const auto note = multiply_on_host(stream, product)) return *note;
    if (const auto note = multiply_on_gpu(stream, product)) return *note;
    return kernel::launch_product(stream, product);
  }

  Scalar dtype_;
};

/// The array itself, or a dense copy where distances are no multiples of elements.
Array in_elements(const Array& x) {
  const auto size = static_cast<std::int64_t>(x.dtype().size_bytes());
  const auto strides = x.strides();
  return std::ranges::all_of(strides, [&](std::int64_t s) { return s % size == 0; })
             ? x
             : array::dense_copy(x);
}

}  // namespace

Array matrix_product(const Array& x, const Array& y, const array::Shape& shape) {
  const Array inputs[] = {in_elements(x), in_elements(y)};
  const array::ResultSpec result[] = {{shape, x.dtype()}};
  return array::pending_results(std::make_shared<MatrixProduct>(x.dtype().scalar()), inputs, result)
      .front();
}

}  // namespace treadle::linalg
