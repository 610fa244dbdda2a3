// SPDX-License-Identifier: MIT
#include "treadle/sparse/dia_matrix.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sparse/entries.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/scan.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/array/sets.hpp"
#include "treadle/base/error.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::sparse {
namespace {

/// Bits of a stencil's row.
constexpr std::int64_t most_in_stencil = 32;

}  // namespace

DiaMatrix::DiaMatrix(const Array& data, const Array& offsets, const MatrixSize& size)
    : SparseMatrix(size, data.dtype(), data.stream()), pitch_(pitch_of(size.rows)) {
  require_size(size);
  require_elements(data, 2);
  require_integers("offsets", offsets, data.shape()[0]);
  const Array order = array::argsort(offsets);
  offsets_ = packed(in_dtype(taken(offsets, order), Scalar::int64));
  if (array::unique(offsets_).values.size() != offsets_.size())
    throw InvalidArgument("offsets with one that comes twice", "add both diagonals");
  const std::int64_t count = offsets_.size(), given = data.shape()[1];
  const Array values = as_numbers(data);
  if (count == 0 || pitch_ == 0 || given == 0) {
    data_ =
        stored_as(array::zeros({count, pitch_}, values.dtype().scalar(), {.stream = data.stream()}),
                  data.dtype());
    return;
  }
  // By rows: the element in column row + offset.
  const Array rows = array::reshape(numbers(pitch_, data), {1, pitch_});
  const Array column = rows + array::reshape(offsets_, {count, 1});
  const Array is_there =
      logical_and(greater_equal(column, 0), less(column, std::min(given, size.columns)));
  const Array place =
      array::reshape(order, {count, 1}) * given + minimum(maximum(column, 0), given - 1);
  data_ = stored_as(
      where(logical_and(is_there, less(rows, size.rows)), taken(array::ravel(values), place), 0),
      data.dtype());
}

DiaMatrix::DiaMatrix(const CsrMatrix& canonical)
    : SparseMatrix(canonical.size(), canonical.dtype(), canonical.stream()),
      pitch_(pitch_of(canonical.size().rows)) {
  const Entries all = entries_of(canonical);
  const Diagonals diagonals = diagonals_of(all, canonical.size());
  offsets_ = packed(diagonals.offsets);
  const Array made = array::zeros({offsets_.size() * pitch_}, all.data.dtype().scalar(),
                                  {.stream = canonical.stream()});
  if (all.data.size() > 0)
    array::put(made, array::IndexArray(diagonals.which * pitch_ + all.rows), all.data);
  data_ = stored_as(array::reshape(made, {offsets_.size(), pitch_}), canonical.dtype());
}

DiaMatrix DiaMatrix::of(const SparseMatrix& a) { return DiaMatrix(a.to_csr().canonical()); }

std::int64_t DiaMatrix::entries() const {
  return data_.size() == 0 ? 0 : integer_of(array::count_nonzero(as_numbers(data_)));
}
std::int64_t DiaMatrix::size_bytes() const { return data_.size_bytes() + offsets_.size_bytes(); }

CsrMatrix DiaMatrix::to_csr() const {
  // Row by row, so that nothing has to be sorted.
  const Array values = array::ravel(array::transpose(as_numbers(data_)));
  const Array there = array::flatnonzero(not_equal(values, 0));
  const std::int64_t count = std::max<std::int64_t>(offsets_.size(), 1);
  const Array rows = floor_divide(there, count);
  return CsrMatrix::of_ordered(stored_as(taken(values, there), dtype()), rows,
                               rows + taken(offsets_, remainder(there, count)), size());
}

Array DiaMatrix::data() const {
  const std::int64_t count = offsets_.size(), columns = size().columns;
  if (count == 0 || columns == 0 || pitch_ == 0)
    return stored_as(
        array::zeros({count, columns}, as_numbers(data_).dtype().scalar(), {.stream = stream()}),
        dtype());
  const Array row =
      array::reshape(numbers(columns, data_), {1, columns}) - array::reshape(offsets_, {count, 1});
  const Array first = array::reshape(numbers(count, data_), {count, 1}) * pitch_;
  const Array is_there = logical_and(greater_equal(row, 0), less(row, size().rows));
  return stored_as(
      where(is_there,
            taken(array::ravel(as_numbers(data_)), first + minimum(maximum(row, 0), pitch_ - 1)),
            0),
      dtype());
}

std::optional<ProductParts> DiaMatrix::parts(Scalar) const {
  const std::int64_t count = offsets_.size(),
                     most = kernel::tiling_of(data_.device()).sparse_diagonals;
  return ProductParts{
      .product = {.form = {.layout = codegen::SparseLayout::diagonals,
                           .shift_count = count <= most ? static_cast<unsigned>(count) : 0},
                  .entries = static_cast<std::uint64_t>(data_.size()),
                  .pitch = pitch_,
                  .depth = count},
      .data = data_,
      .columns = offsets_};
}

struct StencilMatrix::Parts {
  std::vector<std::int64_t> offsets;
  std::vector<Number> values;
  Array elements, bits;
  std::string reason;  // why it is no stencil; empty: it is one
};

StencilMatrix::StencilMatrix(const CsrMatrix& a, Parts parts)
    : SparseMatrix(a.size(), a.dtype(), a.stream()),
      offsets_(std::move(parts.offsets)),
      values_(std::move(parts.values)),
      elements_(std::move(parts.elements)),
      bits_(std::move(parts.bits)),
      entries_(a.entries()) {}

StencilMatrix::Parts StencilMatrix::parts_of(const CsrMatrix& canonical) {
  Parts parts;
  const Entries all = entries_of(canonical);
  parts.elements = array::zeros({0}, all.data.dtype().scalar(), {.stream = canonical.stream()});
  if (canonical.entries() == 0) return parts;
  const auto [offsets, which] = diagonals_of(all, canonical.size());
  if (offsets.size() > most_in_stencil) {
    parts.reason = std::to_string(offsets.size()) + " diagonals";
    return parts;
  }
  // One element of each diagonal, whichever comes last: are the others equal to it?
  const Array values =
      array::zeros({offsets.size()}, all.data.dtype().scalar(), {.stream = canonical.stream()});
  array::put(values, array::IndexArray(which), all.data);
  if (!array::all(equal(taken(values, which), all.data)).as<bool>().front()) {
    parts.reason = "several numbers on a diagonal";
    return parts;
  }
  parts.elements = values;
  parts.offsets = offsets.as<std::int64_t>();
  std::vector<std::byte> bytes(static_cast<std::size_t>(values.size_bytes()));
  values.get(static_cast<void*>(bytes.data()));
  const std::size_t item = values.dtype().size_bytes();
  for (std::size_t k = 0; k < parts.offsets.size(); ++k)
    parts.values.push_back(Number::stored(values.dtype().scalar(), bytes.data() + k * item));
  // Wherever the matrix is: as many entries as its diagonals have places.
  const MatrixSize& size = canonical.size();
  std::int64_t places = 0;
  for (const std::int64_t offset : parts.offsets) {
    const std::int64_t first = std::max<std::int64_t>(-offset, 0);
    places += std::min(size.rows - first, size.columns - offset - first);
  }
  if (places == canonical.entries()) return parts;
  const Array bit = left_shift(array::ones_like(which), which);
  const Scalar dtype = offsets.size() <= 8    ? Scalar::uint8
                       : offsets.size() <= 16 ? Scalar::uint16
                                              : Scalar::uint32;
  parts.bits = packed(in_dtype(array::segmented_reduce(bit, canonical.offsets()), dtype));
  return parts;
}

bool StencilMatrix::fits(const SparseMatrix& a) {
  return parts_of(a.to_csr().canonical()).reason.empty();
}

StencilMatrix StencilMatrix::of(const SparseMatrix& a) {
  const CsrMatrix canonical = a.to_csr().canonical();
  Parts parts = parts_of(canonical);
  if (!parts.reason.empty())
    throw InvalidArgument(
        "a stencil of " + parts.reason,
        "a stencil has at most 32 diagonals of one number each: make a DiaMatrix");
  return StencilMatrix(canonical, std::move(parts));
}

CsrMatrix StencilMatrix::to_csr() const {
  const array::Placement here{.stream = stream()};
  if (entries_ == 0) {
    const Array none = array::zeros({0}, Scalar::int64, here);
    return CsrMatrix::assembled(array::cast(none, dtype()), none, none, size());
  }
  const auto count = static_cast<std::int64_t>(offsets_.size());
  const Array shifts = array::Array::from(offsets_, here);
  const std::int64_t rows = size().rows;
  const Array each = numbers(rows * count, elements_);
  const Array row = floor_divide(each, count), which = remainder(each, count),
              column = row + taken(shifts, which);
  Array there = logical_and(greater_equal(column, 0), less(column, size().columns));
  if (bits_.has_value())
    there = not_equal(right_shift(taken(in_dtype(bits_, Scalar::int64), row), which) & 1, 0);
  const Array places = array::flatnonzero(there);
  const Entries found = chosen({taken(elements_, which), row, column}, places);
  return CsrMatrix::of_ordered(stored_as(found.data, dtype()), found.rows, found.columns, size());
}

std::optional<ProductParts> StencilMatrix::parts(Scalar dtype) const {
  codegen::SparseForm form{
      .layout = codegen::SparseLayout::stencil, .shifts = offsets_, .has_bits = bits_.has_value()};
  const std::size_t item = DType(dtype).size_bytes();
  for (const Number& value : values_) {
    const auto bytes = value.as(dtype);
    form.values.insert(form.values.end(), bytes.begin(),
                       bytes.begin() + static_cast<std::ptrdiff_t>(item));
  }
  return ProductParts{
      .product = {.form = std::move(form), .entries = static_cast<std::uint64_t>(entries_)},
      .columns = bits_};
}

}  // namespace treadle::sparse
