// SPDX-License-Identifier: MIT
#include "linalg/matrix_product.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linalg/product_epilogue.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::linalg {
namespace {

using kernel::Product;
using kernel::ProductOperand;

/// An axis of matrices that are multiplied one by one: how many, and the distances in elements of
/// x, of y, and of the arrays of an epilogue.
struct BatchAxis {
  std::int64_t length;
  std::vector<std::int64_t> steps;
};

/// Neighbours that are one axis in all operands are merged.
void append_axis(std::vector<BatchAxis>& axes, BatchAxis axis) {
  if (axis.length == 1) return;
  const auto goes_on = [&](std::int64_t before, std::int64_t step) {
    return before == axis.length * step;
  };
  if (!axes.empty() && std::ranges::equal(axes.back().steps, axis.steps, goes_on)) {
    axes.back().length *= axis.length;
    axes.back().steps = std::move(axis.steps);
  } else {
    axes.push_back(std::move(axis));
  }
}

/// Many matrices with one factor on the right are one long matrix, if they lie one below the other.
void make_long(Product& product, std::span<const ProductOperand> arrays,
               std::vector<BatchAxis>& axes) {
  const auto is_below = [&](std::int64_t step, std::int64_t row) {
    return step == static_cast<std::int64_t>(product.m) * row;
  };
  while (!axes.empty()) {
    const std::vector<std::int64_t>& steps = axes.back().steps;
    if (steps[1] != 0 || !is_below(steps[0], product.x.row)) return;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (!is_below(steps[i + 2], arrays[i].row)) return;
    product.m *= static_cast<std::uint64_t>(axes.back().length);
    axes.pop_back();
  }
}

/// What runs a product, or says what would; times a number, if the host's library does it.
using Multiply = std::function<kernel::KernelNote(const Product&, const ElementBytes* factor)>;

/// Products of matrices along axes, of which a launch has two; those before them are a loop here.
class ProductLoop {
 public:
  /// What becomes of the product.
  struct Then {
    const codegen::Expression* expression = nullptr;  ///< of an epilogue; null: there is none
    std::span<const ElementBytes> scalars = {};       ///< the expression's
    const ElementBytes* factor = nullptr;             ///< for `multiply`
  };
  ProductLoop(const Then& then, const Multiply& multiply) : then_(then), multiply_(multiply) {}

  kernel::KernelNote run(Product product, std::vector<ProductOperand> arrays,
                         std::span<const BatchAxis> axes) const {
    if (axes.size() <= 2) {
      if (!axes.empty()) {
        product.inner = static_cast<std::uint64_t>(axes.back().length);
        each_operand(product, arrays, axes.back(),
                     [](ProductOperand& operand, std::int64_t step) { operand.inner = step; });
      }
      if (axes.size() == 2) {
        product.outer = static_cast<std::uint64_t>(axes[0].length);
        each_operand(product, arrays, axes[0],
                     [](ProductOperand& operand, std::int64_t step) { operand.outer = step; });
      }
      return run_one(product, arrays);
    }
    const std::size_t size = DType(product.dtype).size_bytes();
    std::uint64_t matrices = 1;
    for (const BatchAxis& axis : axes.subspan(1))
      matrices *= static_cast<std::uint64_t>(axis.length);
    const std::uint64_t step_bytes = matrices * product.m * product.n * size;
    kernel::KernelNote all;
    for (std::int64_t i = 0; i < axes[0].length; ++i) {
      Product part = product;
      std::vector<ProductOperand> own = arrays;
      std::size_t which = 0;
      each_operand(part, own, axes[0], [&](ProductOperand& operand, std::int64_t step) {
        const auto bytes = static_cast<std::int64_t>(element_bytes(product, which++));
        operand.location = operand.location + static_cast<std::uint64_t>(i * step * bytes);
      });
      part.z = product.z + static_cast<std::uint64_t>(i) * step_bytes;
      const kernel::KernelNote note = run(part, std::move(own), axes.subspan(1));
      all.name = note.name, all.text = note.text;
      all.bytes_read += note.bytes_read;
      all.bytes_written += note.bytes_written;
      all.instructions += note.instructions;
    }
    return all;
  }

 private:
  static void each_operand(Product& product, std::vector<ProductOperand>& arrays,
                           const BatchAxis& axis, const auto& use) {
    use(product.x, axis.steps[0]);
    use(product.y, axis.steps[1]);
    for (std::size_t i = 0; i < arrays.size(); ++i) use(arrays[i], axis.steps[i + 2]);
  }
  /// Of x, y and the arrays of the epilogue.
  std::size_t element_bytes(const Product& product, std::size_t which) const {
    return (which < 2 ? DType(product.dtype) : kernel::array_dtype(*then_.expression, which - 2))
        .size_bytes();
  }
  kernel::KernelNote run_one(Product& product, const std::vector<ProductOperand>& arrays) const {
    if (product.m == 0 || product.n == 0 || product.outer == 0 || product.inner == 0) return {};
    if (then_.expression == nullptr) return multiply_(product, then_.factor);
    const kernel::ProductEpilogue epilogue{*then_.expression, arrays, then_.scalars};
    product.epilogue = &epilogue;
    return multiply_(product, nullptr);
  }

  const Then& then_;
  const Multiply& multiply_;
};

/// The product of arrays of matrices. A kernel of ours stores what operations on elements make of
/// it; behind a library's they are a kernel of their own, in the memory of a result where they can.
class MatrixProduct final : public array::Computation {
 public:
  explicit MatrixProduct(Scalar dtype) : dtype_(dtype) {}
  std::string_view name() const override { return "matmul"; }
  bool takes_epilogue() const noexcept override { return true; }
  bool equals(const Computation& other) const noexcept override {
    const auto* product = dynamic_cast<const MatrixProduct*>(&other);
    return product != nullptr && product->dtype_ == dtype_;
  }

  kernel::KernelNote run(device::Stream& stream,
                         const array::ComputationLaunch& launch) const override {
    const auto multiply = [&](const Product& product, const ElementBytes* factor) {
      if (const auto note = multiply_on_host(stream, product, factor)) return *note;
      if (const auto note = multiply_on_gpu(stream, product)) return *note;
      if (const auto note = multiply_on_opencl(stream, product)) return *note;
      return kernel::launch_product(stream, product);
    };
    const auto map = [&](const kernel::ElementwiseLaunch& elements) {
      return kernel::launch_elementwise(stream, elements);
    };
    const auto join = [&](const Product& product) {
      return multiply_joined_on_gpu(stream, product);
    };
    return with_epilogue({stream.device(), launch, multiply, join, map, &stream});
  }
  kernel::KernelNote described(device::Device& device,
                               const array::ComputationLaunch& launch) const override {
    const auto multiply = [&](const Product& product, const ElementBytes*) {
      if (const auto note = note_of_host(device, product)) return *note;
      if (const auto note = note_of_gpu(device, product)) return *note;
      if (const auto note = note_of_opencl(device, product)) return *note;
      return kernel::described_product(device, product);
    };
    const auto map = [&](const kernel::ElementwiseLaunch& elements) {
      const auto prepared = kernel::prepare_elementwise(device, elements);
      return prepared != nullptr ? prepared->note : kernel::KernelNote{};
    };
    const auto join = [&](const Product& product) { return joined_note_of_gpu(device, product); };
    return with_epilogue({device, launch, multiply, join, map, nullptr});
  }

 private:
  /// One run, or what says what would run.
  struct Run {
    device::Device& device;
    const array::ComputationLaunch& launch;
    const Multiply& multiply;
    /// A product with its epilogue, if a library has that.
    const std::function<std::optional<kernel::KernelNote>(const Product&)>& join;
    const std::function<kernel::KernelNote(const kernel::ElementwiseLaunch&)>& map;
    device::Stream* stream;  ///< null: nothing runs
  };

  kernel::KernelNote with_epilogue(const Run& run) const {
    const array::ComputationLaunch& launch = run.launch;
    const kernel::ElementwiseLaunch& epilogue = launch.epilogue;
    if (std::ranges::find(epilogue.extents, 0) != epilogue.extents.end()) return {};
    Product product = product_of(launch);
    const auto multiplied = [&](const std::vector<GatheredArray>& arrays,
                                const ProductLoop::Then& then) {
      return along_batch(launch, product, arrays, ProductLoop(then, run.multiply));
    };
    if (const auto place = plain_result(epilogue, dtype_)) {
      product.z = *place;
      return multiplied({}, {});
    }
    const bool is_for_host = note_of_host(run.device, product).has_value();
    if (!is_for_host)
      if (const auto arrays = epilogue_arrays(epilogue, lengths_of(launch))) {
        const ProductLoop::Then then{&epilogue.expression, epilogue.scalars};
        if (!note_of_gpu(run.device, product)) return multiplied(*arrays, then);
        if (const auto note = joined(run, product, *arrays, then)) return *note;
      }
    const RawProduct raw(epilogue, dtype_, run.stream);
    product.z = raw.place();
    if (!raw.has_others()) return multiplied({}, {});
    if (const auto factor = is_for_host ? raw.factor() : std::nullopt)
      return multiplied({}, {.factor = &*factor});
    const kernel::KernelNote first = multiplied({}, {}), second = run.map(raw.others());
    return joined_notes(run.device, first, second);
  }

  /// All of it by one call of a library, if one can.
  std::optional<kernel::KernelNote> joined(const Run& run, const Product& product,
                                           const std::vector<GatheredArray>& arrays,
                                           const ProductLoop::Then& then) const {
    bool is_joined = true;
    const Multiply join = [&](const Product& one, const ElementBytes*) {
      const auto note = is_joined ? run.join(one) : std::nullopt;
      is_joined = note.has_value();
      return note.value_or(kernel::KernelNote{});
    };
    const kernel::KernelNote note =
        along_batch(run.launch, product, arrays, ProductLoop(then, join));
    return is_joined ? std::optional(note) : std::nullopt;
  }

  Product product_of(const array::ComputationLaunch& launch) const {
    const array::ArrayPlace x = launch.input(0), y = launch.input(1);
    const std::size_t rank = x.shape.size();
    const auto size = static_cast<std::int64_t>(DType(dtype_).size_bytes());
    const auto extent = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const auto operand = [&](const array::ArrayPlace& place) {
      return ProductOperand{place.location, place.strides[rank - 2] / size,
                            place.strides[rank - 1] / size};
    };
    return {.dtype = dtype_,
            .m = extent(x.shape[rank - 2]),
            .n = extent(y.shape[rank - 1]),
            .k = extent(x.shape[rank - 1]),
            .x = operand(x),
            .y = operand(y),
            .z = {}};
  }
  /// Of the axes of matrices, of rows and of columns.
  static std::vector<std::int64_t> lengths_of(const array::ComputationLaunch& launch) {
    const array::ArrayPlace x = launch.input(0), y = launch.input(1);
    std::vector<std::int64_t> lengths(x.shape.begin(), x.shape.end() - 1);
    lengths.push_back(y.shape.back());
    return lengths;
  }

  kernel::KernelNote along_batch(const array::ComputationLaunch& launch, Product product,
                                 const std::vector<GatheredArray>& gathered,
                                 const ProductLoop& loop) const {
    const array::ArrayPlace x = launch.input(0), y = launch.input(1);
    const auto size = static_cast<std::int64_t>(DType(dtype_).size_bytes());
    std::vector<BatchAxis> axes;
    for (std::size_t i = 0; i + 2 < x.shape.size(); ++i) {
      BatchAxis axis{x.shape[i], {x.strides[i] / size, y.strides[i] / size}};
      for (const GatheredArray& array : gathered) axis.steps.push_back(array.batch[i]);
      append_axis(axes, std::move(axis));
    }
    std::vector<ProductOperand> arrays;
    for (const GatheredArray& array : gathered) arrays.push_back(array.operand);
    if (product.m != 0 && product.k != 0) make_long(product, arrays, axes);
    return loop.run(product, std::move(arrays), axes);
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
