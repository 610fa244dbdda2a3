// SPDX-License-Identifier: MIT
#include "treadle/sparse/csr_matrix.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "treadle/array/computation.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/scan.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/kernel/associative.hpp"
#include "treadle/kernel/sparse_product.hpp"

namespace treadle::sparse {
namespace {

std::string text_of(const MatrixSize& size) {
  return std::to_string(size.rows) + " x " + std::to_string(size.columns);
}

void require_size(const MatrixSize& size) {
  if (size.rows < 0 || size.columns < 0)
    throw InvalidArgument("a matrix of " + text_of(size), "pass sizes of 0 or more");
}

/// One axis of so many integers.
void require_integers(const char* name, const Array& x, std::int64_t length) {
  if (x.rank() != 1 || x.size() != length)
    throw ShapeError(std::string(name) + " of shape " + shape_text(x.shape()) +
                         ", wanted: one axis of " + std::to_string(length),
                     "pass one for each entry, and offsets for each row and one more");
  if (!x.dtype().is_integer())
    throw DTypeError(std::string(name) + " of " + x.dtype().name(),
                     "pass integers: int32 or int64");
}

void require_data(const Array& data) {
  if (data.rank() != 1)
    throw ShapeError("data with " + std::to_string(data.rank()) + " axes", "pass one axis");
  const ScalarKind kind = data.dtype().kind();
  if (data.dtype() == Scalar::float16 || kind == ScalarKind::boolean ||
      kind == ScalarKind::structure)
    throw DTypeError("a sparse matrix of " + data.dtype().name(),
                     "cast its elements: float32, float64, complex numbers and integers are taken");
}

/// The array itself where it is dense, or will be.
Array packed(const Array& x) {
  const bool is_dense = x.is_pending() || x.layout().is_contiguous(x.dtype().size_bytes());
  return is_dense ? x : array::dense_copy(x);
}

/// int32 stays, since it is half of what a product reads beside the data.
Array as_columns(const Array& indices) {
  return packed(indices.dtype() == Scalar::int32 ? indices : in_dtype(indices, Scalar::int64));
}

/// An integer that waits on the device, for which the host waits.
std::int64_t integer_of(const Array& number) {
  return in_dtype(number, Scalar::int64).as<std::int64_t>().front();
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
  const Array from = offsets.at({Index{.stop = -1}}), to = offsets.at({Index{.start = 1}});
  const std::int64_t first = integer_of(offsets.at({Index::at(0)})),
                     last = integer_of(offsets.at({Index::at(-1)}));
  const bool goes_down = from.size() > 0 && integer_of(array::min(to - from)) < 0;
  if (first != 0 || last != entries || goes_down)
    throw InvalidArgument("offsets from " + std::to_string(first) + " to " + std::to_string(last) +
                              (goes_down ? " that go down" : "") + ", for " +
                              std::to_string(entries) + " entries",
                          "offsets begin with 0, never go down and end with the entries");
}

/// A matrix by a vector; the inputs are data, columns, offsets and the vector.
class Product final : public array::Computation {
 public:
  Product(Scalar dtype, Scalar column_dtype) : dtype_(dtype), column_dtype_(column_dtype) {}
  std::string_view name() const override { return "sparse product"; }
  bool equals(const Computation& other) const noexcept override {
    const auto* const same = dynamic_cast<const Product*>(&other);
    return same != nullptr && same->dtype_ == dtype_ && same->column_dtype_ == column_dtype_;
  }
  kernel::KernelNote run(device::Stream& stream,
                         const array::ComputationLaunch& launch) const override {
    const auto result = launch.result(0);
    if (!result || result->shape.front() == 0) return {};
    const array::ArrayPlace data = launch.input(0), offsets = launch.input(2);
    kernel::launch_sparse_product(stream,
                                  {.dtype = dtype_,
                                   .column_dtype = column_dtype_,
                                   .rows = static_cast<std::uint64_t>(result->shape.front()),
                                   .entries = static_cast<std::uint64_t>(data.shape.front())},
                                  {.data = data.location,
                                   .columns = launch.input(1).location,
                                   .starts = offsets.location,
                                   .ends = offsets.location + sizeof(std::int64_t),
                                   .x = launch.input(3).location,
                                   .result = result->location});
    return {};
  }

 private:
  Scalar dtype_, column_dtype_;
};

}  // namespace

CsrMatrix::CsrMatrix(Checked, Array data, Array indices, Array offsets, const MatrixSize& size)
    : data_(std::move(data)),
      indices_(std::move(indices)),
      offsets_(std::move(offsets)),
      size_(size) {}

CsrMatrix::CsrMatrix(const Array& data, const Array& indices, const Array& offsets,
                     const MatrixSize& size)
    : size_(size) {
  require_size(size);
  require_data(data);
  require_integers("indices", indices, data.size());
  require_integers("offsets", offsets, size.rows + 1);
  data_ = packed(data);
  indices_ = as_columns(indices);
  offsets_ = packed(in_dtype(offsets, Scalar::int64));
  require_offsets(offsets_, data.size());
  require_within("column", indices_, size.columns);
}

CsrMatrix CsrMatrix::from_entries(const Array& data, const Array& rows, const Array& columns,
                                  const MatrixSize& size) {
  require_size(size);
  require_data(data);
  require_integers("rows", rows, data.size());
  require_integers("columns", columns, data.size());
  require_within("row", rows, size.rows);
  require_within("column", columns, size.columns);
  const std::int64_t width = std::max<std::int64_t>(size.columns, 1);
  if (size.rows > std::numeric_limits<std::int64_t>::max() / width)
    throw InvalidArgument("a matrix of " + text_of(size) + " has more places than int64 counts",
                          "pass rows that are in order, as offsets, to the constructor");
  const array::Placement here{.stream = data.stream()};
  const Array place = in_dtype(rows, Scalar::int64) * width + in_dtype(columns, Scalar::int64);
  const Array order = array::argsort(place);
  const array::IndexArray chosen(order);
  const array::KeyedValues found =
      array::reduce_by_key(array::take(place, chosen), array::take(data, chosen));
  const Array begins = array::arange(0, size.rows + 1, 1, Scalar::int64, here) * width;
  const Array offsets = array::searchsorted(found.keys, begins);
  const bool is_small = size.columns <= std::numeric_limits<std::int32_t>::max();
  const Array indices =
      in_dtype(remainder(found.keys, width), is_small ? Scalar::int32 : Scalar::int64);
  return CsrMatrix(Checked{}, packed(found.values), packed(indices), packed(offsets), size);
}

CsrMatrix CsrMatrix::from_dense(const Array& x) {
  if (x.rank() != 2)
    throw ShapeError("an array with " + std::to_string(x.rank()) + " axes as a matrix",
                     "pass one with two axes");
  const std::vector<Array> places = array::nonzero(x);
  return from_entries(array::selected(x, not_equal(x, 0)), places[0], places[1],
                      {x.shape()[0], x.shape()[1]});
}

Array CsrMatrix::rows() const {
  const Array each = array::arange(0, size_.rows, 1, Scalar::int64, {.stream = data_.stream()});
  return array::run_length_decode(
      each, offsets_.at({Index{.start = 1}}) - offsets_.at({Index{.stop = -1}}));
}

Array CsrMatrix::multiply(const Array& x) const {
  if (x.rank() < 1 || x.rank() > 2 || x.shape()[0] != size_.columns)
    throw ShapeError(
        "a matrix of " + text_of(size_) + " by an array of shape " + shape_text(x.shape()),
        "pass a vector, or a matrix with as many rows as this one has columns");
  if (x.rank() == 2) {
    std::vector<Array> columns;
    for (std::int64_t k = 0; k < x.shape()[1]; ++k)
      columns.push_back(multiply(x.at({Index::all(), Index::at(k)})));
    if (columns.empty())
      return array::zeros(
          {size_.rows, 0},
          promote(OperandType(data_.dtype().scalar()), OperandType(x.dtype().scalar())),
          {.stream = data_.stream()});
    return array::stack(columns, 1);
  }
  const Scalar dtype =
      promote(OperandType(data_.dtype().scalar()), OperandType(x.dtype().scalar()));
  const Array inputs[] = {in_dtype(data_, dtype), indices_, offsets_, packed(in_dtype(x, dtype))};
  const array::ResultSpec result[] = {{{size_.rows}, dtype}};
  return array::pending_results(std::make_shared<const Product>(dtype, indices_.dtype().scalar()),
                                inputs, result)
      .front();
}

CsrMatrix CsrMatrix::transposed() const {
  return from_entries(data_, indices_, rows(), {size_.columns, size_.rows});
}

Array CsrMatrix::dense() const {
  const Array made =
      array::zeros({size_.rows, size_.columns}, data_.dtype().scalar(), {.stream = data_.stream()});
  if (data_.size() > 0)
    array::combine_at(made, rows() * size_.columns + in_dtype(indices_, Scalar::int64), data_);
  return made;
}

Array CsrMatrix::diagonal() const {
  const std::int64_t length = std::min(size_.rows, size_.columns);
  const Array on_it = where(equal(rows(), in_dtype(indices_, Scalar::int64)), data_, 0);
  return array::segmented_reduce(on_it, offsets_).at({Index{.stop = length}});
}

Array CsrMatrix::sum(std::optional<int> axis) const {
  if (!axis) return array::sum(data_);
  if (*axis == 1 || *axis == -1) return array::segmented_reduce(data_, offsets_);
  if (*axis != 0 && *axis != -2)
    throw IndexError("axis " + std::to_string(*axis) + " of a matrix", "pass 0, 1 or none");
  const Array made =
      array::zeros({size_.columns}, data_.dtype().scalar(), {.stream = data_.stream()});
  if (data_.size() > 0) array::combine_at(made, in_dtype(indices_, Scalar::int64), data_);
  return made;
}

CsrMatrix CsrMatrix::with_data(const Array& data) const {
  require_data(data);
  if (data.size() != data_.size())
    throw ShapeError(
        std::to_string(data.size()) + " elements for " + std::to_string(data_.size()) + " entries",
        "pass one for each entry");
  return CsrMatrix(Checked{}, packed(data), indices_, offsets_, size_);
}

CsrMatrix CsrMatrix::plus(const CsrMatrix& other) const {
  if (size_ != other.size_)
    throw ShapeError("matrices of " + text_of(size_) + " and " + text_of(other.size_) + " added",
                     "pass matrices of one size");
  const Array data[] = {data_, other.data_}, rows[] = {this->rows(), other.rows()},
              columns[] = {in_dtype(indices_, Scalar::int64),
                           in_dtype(other.indices_, Scalar::int64)};
  return from_entries(array::concatenate(data), array::concatenate(rows),
                      array::concatenate(columns), size_);
}

CsrMatrix CsrMatrix::rows_between(std::int64_t first, std::int64_t last) const {
  if (first < 0 || last > size_.rows || first > last)
    throw IndexError("rows " + std::to_string(first) + " to " + std::to_string(last) + " of " +
                         std::to_string(size_.rows),
                     "pass 0 <= first <= last <= rows");
  const Array part = offsets_.at({Index{.start = first, .stop = last + 1}});
  const std::int64_t begin = integer_of(part.at({Index::at(0)})),
                     end = integer_of(part.at({Index::at(-1)}));
  const Index entries{.start = begin, .stop = end};
  return CsrMatrix(Checked{}, packed(data_.at({entries})), packed(indices_.at({entries})),
                   packed(part - begin), {last - first, size_.columns});
}

}  // namespace treadle::sparse
