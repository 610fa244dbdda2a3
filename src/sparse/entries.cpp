// SPDX-License-Identifier: MIT
#include "sparse/entries.hpp"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "linalg/product_epilogue.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::sparse {

std::string text_of(const MatrixSize& size) {
  return std::to_string(size.rows) + " x " + std::to_string(size.columns);
}

void require_size(const MatrixSize& size) {
  if (size.rows < 0 || size.columns < 0)
    throw InvalidArgument("a matrix of " + text_of(size), "pass sizes of 0 or more");
}

void require_elements(const Array& data, int rank) {
  if (data.rank() != rank)
    throw ShapeError("data with " + std::to_string(data.rank()) + " axes",
                     rank == 1 ? "pass one axis" : "pass " + std::to_string(rank) + " axes");
  const ScalarKind kind = data.dtype().kind();
  if (kind == ScalarKind::structure && !is_bfloat16(data.dtype()))
    throw DTypeError("a sparse matrix of " + data.dtype().name(),
                     "cast its elements: booleans, integers, floats and complex numbers are taken");
}

void require_integers(const char* name, const Array& x, std::int64_t length) {
  if (x.rank() != 1 || x.size() != length)
    throw ShapeError(std::string(name) + " of shape " + shape_text(x.shape()) +
                         ", wanted: one axis of " + std::to_string(length),
                     "pass one for each entry, and offsets for each row and one more");
  if (!x.dtype().is_integer())
    throw DTypeError(std::string(name) + " of " + x.dtype().name(),
                     "pass integers: int32 or int64");
}

void require_within(const char* name, const Array& x, std::int64_t length) {
  if (x.size() == 0) return;
  const Array least = array::min(x), largest = array::max(x);
  array::evaluate({least, largest});  // one kernel
  const std::int64_t low = integer_of(least), high = integer_of(largest);
  if (low < 0 || high >= length)
    throw IndexError(std::string(name) + ": " + std::to_string(low < 0 ? low : high) +
                         " of a matrix with " + std::to_string(length),
                     "count from 0 to before the size of the matrix");
}

void require_offsets(const Array& offsets, std::int64_t entries) {
  const Array steps = array::diff(offsets);
  const std::int64_t first = integer_of(offsets.at({Index::at(0)})),
                     last = integer_of(offsets.at({Index::at(-1)}));
  const bool goes_down = steps.size() > 0 && integer_of(array::min(steps)) < 0;
  if (first != 0 || last != entries || goes_down)
    throw InvalidArgument("offsets from " + std::to_string(first) + " to " + std::to_string(last) +
                              (goes_down ? " that go down" : "") + ", for " +
                              std::to_string(entries) + " entries",
                          "offsets begin with 0, never go down and end with the entries");
}

Array packed(const Array& x) {
  const bool is_dense = x.is_pending() || x.layout().is_contiguous(x.dtype().size_bytes());
  return is_dense ? x : array::dense_copy(x);
}

Array as_columns(const Array& indices) {
  return packed(indices.dtype() == Scalar::int32 ? indices : in_dtype(indices, Scalar::int64));
}

std::int64_t integer_of(const Array& number) {
  return in_dtype(number, Scalar::int64).as<std::int64_t>().front();
}

Array numbers(std::int64_t count, const Array& x) {
  return array::arange(0, count, 1, Scalar::int64, {.stream = x.stream()});
}

Scalar column_dtype(const MatrixSize& size) {
  const bool is_small = size.columns <= std::numeric_limits<std::int32_t>::max();
  return is_small ? Scalar::int32 : Scalar::int64;
}

Array as_numbers(const Array& data) {
  if (is_bfloat16(data.dtype())) return array::cast(data, Scalar::float32);
  return data.dtype() == Scalar::boolean ? array::cast(data, Scalar::int32) : data;
}

Array stored_as(const Array& numbers, const DType& dtype) {
  return packed(in_dtype(numbers, dtype));
}

Array taken(const Array& x, const Array& places) {
  return array::take(x, array::IndexArray(places));
}

std::int64_t pitch_of(std::int64_t rows) { return (rows + 31) / 32 * 32; }

Entries entries_of(const CsrMatrix& a) {
  return {as_numbers(a.data()), a.rows(), in_dtype(a.indices(), Scalar::int64)};
}

Entries chosen(const Entries& entries, const Array& numbers) {
  return {taken(entries.data, numbers), taken(entries.rows, numbers),
          taken(entries.columns, numbers)};
}

Diagonals diagonals_of(const Entries& entries, const MatrixSize& size) {
  // By a mark for each diagonal that there may be: a sort of all entries would take longer.
  const std::int64_t count = size.rows + size.columns;
  const Array place = entries.columns - entries.rows + size.rows;
  const Array marks = array::zeros({count + 1}, Scalar::int32, {.stream = entries.data.stream()});
  if (entries.data.size() > 0) array::put(marks, array::IndexArray(place), 1);
  return {array::flatnonzero(marks) - size.rows,
          in_dtype(taken(array::cumulative_sum(marks), place), Scalar::int64) - 1};
}

Array offsets_of(const Array& lengths) {
  const Array parts[] = {array::zeros({1}, Scalar::int64, {.stream = lengths.stream()}),
                         array::cumulative_sum(lengths)};
  return array::concatenate(parts);
}

Array places_in_rows(const CsrMatrix& a, const Array& rows) {
  return numbers(a.entries(), a.data()) - taken(a.offsets(), rows);
}

Array row_lengths(const CsrMatrix& a) { return array::diff(a.offsets()); }

namespace {

/// A matrix by a vector or a matrix; the inputs are those arrays that there are, x at the end.
class Product final : public array::Computation {
 public:
  explicit Product(const ProductParts& parts)
      : product_(parts.product),
        has_data_(parts.data.has_value()),
        has_columns_(parts.columns.has_value()),
        has_starts_(parts.starts.has_value()) {}
  std::string_view name() const override {
    switch (product_.form.layout) {
      case codegen::SparseLayout::rows:
        return "sparse product, csr";
      case codegen::SparseLayout::columned:
        return "sparse product, ell";
      case codegen::SparseLayout::sliced:
        return "sparse product, sell";
      case codegen::SparseLayout::diagonals:
        return "sparse product, dia";
      case codegen::SparseLayout::blocks:
        return "sparse product, bsr";
      case codegen::SparseLayout::stencil:
        break;
    }
    return "sparse product, stencil";
  }
  bool equals(const Computation& other) const noexcept override {
    const auto* const same = dynamic_cast<const Product*>(&other);
    return same != nullptr && same->product_ == product_;
  }
  bool takes_epilogue() const noexcept override { return true; }
  kernel::KernelNote run(device::Stream& stream,
                         const array::ComputationLaunch& launch) const override {
    return run_on(stream.device(), &stream, launch);
  }
  kernel::KernelNote described(device::Device& device,
                               const array::ComputationLaunch& launch) const override {
    return run_on(device, nullptr, launch);
  }

 private:
  /// Without a stream nothing runs.
  kernel::KernelNote run_on(device::Device& device, device::Stream* stream,
                            const array::ComputationLaunch& launch) const {
    const kernel::ElementwiseLaunch& epilogue = launch.epilogue;
    kernel::SparseProductArguments arguments = arguments_of(launch);
    const auto multiply = [&](const kernel::SparseProduct& product) {
      return stream != nullptr ? kernel::launch_sparse_product(*stream, product, arguments)
                               : kernel::described_sparse_product(device, product);
    };
    if (const auto place = linalg::plain_result(epilogue, product_.form.dtype)) {
      arguments.result = *place;
      return multiply(product_);
    }
    if (const auto arrays = arrays_for_kernel(epilogue)) {
      kernel::SparseProduct product = product_;
      product.form.epilogue = {epilogue.expression, {}};
      std::vector<device::Argument> beside;
      for (const linalg::GatheredArray& array : *arrays) {
        if (beside.size() >= epilogue.expression.outputs.size())
          product.form.epilogue->is_one.push_back(array.operand.row == 0);
        beside.emplace_back(array.operand.location);
      }
      arguments.beside = beside;
      arguments.scalars = epilogue.scalars;
      return multiply(product);
    }
    const linalg::RawProduct raw(epilogue, product_.form.dtype, stream);
    arguments.result = raw.place();
    const kernel::KernelNote first = multiply(product_);
    if (!raw.has_others()) return first;
    const kernel::ElementwiseLaunch others = raw.others();
    if (stream != nullptr)
      return linalg::joined_notes(device, first, kernel::launch_elementwise(*stream, others));
    const auto prepared = kernel::prepare_elementwise(device, others);
    return linalg::joined_notes(device, first,
                                prepared != nullptr ? prepared->note : kernel::KernelNote{});
  }
  /// The matrix's arrays and x; the result is missing.
  kernel::SparseProductArguments arguments_of(const array::ComputationLaunch& launch) const {
    unsigned next = 0;
    const auto input = [&](bool is_there) {
      return is_there ? launch.input(next++).location : device::Location{};
    };
    const device::Location data = input(has_data_), columns = input(has_columns_),
                           starts = input(has_starts_), order = input(product_.classes.has_value()),
                           x = input(true);
    return {
        .data = data, .columns = columns, .starts = starts, .x = x, .result = x, .order = order};
  }
  /// Where the arrays of an epilogue are, one element for each row or one for all, if the kernel of
  /// the product can take it.
  std::optional<std::vector<linalg::GatheredArray>> arrays_for_kernel(
      const kernel::ElementwiseLaunch& epilogue) const {
    const auto is_plain = [](Scalar dtype) {
      return dtype != Scalar::float16 && dtype != Scalar::boolean && DType(dtype).size_bytes() >= 4;
    };
    const codegen::Expression& expression = epilogue.expression;
    if (product_.width != 0 || !is_plain(product_.form.dtype)) return std::nullopt;
    for (const Scalar scalar : expression.scalars)
      if (!is_plain(scalar) || DType(scalar).kind() == ScalarKind::complex) return std::nullopt;
    const std::int64_t lengths[] = {static_cast<std::int64_t>(product_.rows), 1};
    auto arrays = linalg::epilogue_arrays(epilogue, lengths);
    if (!arrays) return arrays;
    for (std::size_t i = 0; i < arrays->size(); ++i) {
      const std::int64_t step = (*arrays)[i].operand.row;
      const bool is_output = i < expression.outputs.size();
      if (!is_plain(kernel::array_dtype(expression, i).scalar()) ||
          (step != 1 && (is_output || step != 0)))
        return std::nullopt;
    }
    return arrays;
  }

  kernel::SparseProduct product_;
  bool has_data_, has_columns_, has_starts_;
};

}  // namespace

std::optional<ProductParts> SparseMatrix::product_parts(Scalar dtype) const {
  std::optional<ProductParts> made = parts(dtype);
  if (!made) return made;
  kernel::SparseProduct& product = made->product;
  product.form.dtype = dtype;
  product.rows = static_cast<std::uint64_t>(size_.rows);
  product.columns = static_cast<std::uint64_t>(size_.columns);
  if (made->data.has_value()) {
    product.form.is_bfloat16 = is_bfloat16(made->data.dtype());
    product.form.stored = product.form.is_bfloat16 ? Scalar::uint16 : made->data.dtype().scalar();
  }
  if (made->columns.has_value()) product.form.column_dtype = made->columns.dtype().scalar();
  return made;
}

Array SparseMatrix::product(const Array& x, Scalar dtype) const {
  array::Shape shape{size_.rows};
  if (x.rank() == 2) shape.push_back(x.shape()[1]);
  if (size_.rows == 0) return array::zeros(shape, dtype, {.stream = x.stream()});
  ProductParts parts = *product_parts(dtype);
  parts.product.width = x.rank() == 2 ? x.shape()[1] : 0;
  std::vector<Array> inputs;
  for (const Array& array : {parts.data, parts.columns, parts.starts, parts.order})
    if (array.has_value()) inputs.push_back(array);
  inputs.push_back(x);
  const array::ResultSpec result[] = {{shape, dtype}};
  return array::pending_results(std::make_shared<const Product>(parts), inputs, result).front();
}

SparseMatrix::SparseMatrix(const MatrixSize& size, const DType& dtype,
                           std::shared_ptr<device::Stream> stream)
    : size_(size), dtype_(dtype), stream_(std::move(stream)) {}

Array SparseMatrix::multiply(const Array& x) const {
  if (x.rank() < 1 || x.rank() > 2 || x.shape()[0] != size_.columns)
    throw ShapeError(
        "a matrix of " + text_of(size_) + " by an array of shape " + shape_text(x.shape()),
        "pass a vector, or a matrix with as many rows as this one has columns");
  if (x.dtype().kind() == ScalarKind::structure && !is_bfloat16(x.dtype()))
    throw DTypeError("a sparse matrix by " + x.dtype().name(), "pass one of its fields");
  const Array other = x.dtype() == Scalar::boolean ? x : as_numbers(x);
  const Scalar own = is_bfloat16(dtype_) ? Scalar::float32 : dtype_.scalar();
  const Scalar dtype = promote(OperandType(own), OperandType(other.dtype().scalar()));
  if (dtype == Scalar::boolean)  // whether one of the products is true
    return in_dtype(multiply(array::cast(x, Scalar::int32)), dtype);
  if (x.rank() == 2 && x.shape()[1] == 0)
    return array::zeros({size_.rows, 0}, dtype, {.stream = stream_});
  if (x.rank() == 2 && x.shape()[1] == 1)
    return array::reshape(multiply(array::ravel(x)), {size_.rows, 1});
  return product(packed(in_dtype(other, dtype)), dtype);
}

}  // namespace treadle::sparse
