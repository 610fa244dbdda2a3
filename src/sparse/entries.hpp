// SPDX-License-Identifier: MIT
// What the formats have in common: entries, checks, and the product as a computation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/sparse/csr_matrix.hpp"
#include "treadle/sparse/sparse_matrix.hpp"

namespace treadle::sparse {

/// "3 x 4".
std::string text_of(const MatrixSize& size);
/// Throws InvalidArgument for sizes below 0.
void require_size(const MatrixSize& size);
/// Throws ShapeError and DTypeError for what are no elements.
void require_elements(const Array& data, int rank = 1);
/// Throws unless it is one axis of so many integers.
void require_integers(const char* name, const Array& x, std::int64_t length);
/// Throws IndexError for an index beyond `length`; looks at them, and waits.
void require_within(const char* name, const Array& x, std::int64_t length);
/// Throws InvalidArgument for offsets that are none of so many entries; waits.
void require_offsets(const Array& offsets, std::int64_t entries);

/// The array itself where it is dense, or will be.
Array packed(const Array& x);
/// int32 stays, since it is half of what a product reads beside the data.
Array as_columns(const Array& indices);
/// An integer that waits on the device, for which the host waits.
std::int64_t integer_of(const Array& number);
/// 0, 1, ... on the device of x, int64.
Array numbers(std::int64_t count, const Array& x);
/// The dtype of columns of such a matrix.
Scalar column_dtype(const MatrixSize& size);
/// Elements as numbers that are added: bfloat16 as float32, booleans as int32.
Array as_numbers(const Array& data);
/// Back in a dtype.
Array stored_as(const Array& numbers, const DType& dtype);

/// x at places, int64.
Array taken(const Array& x, const Array& places);
/// Rows of an array that has one for each row of a matrix, as many as an access of a GPU needs.
std::int64_t pitch_of(std::int64_t rows);

/// Entries one by one.
struct Entries {
  Array data, rows, columns;
};
/// Of compressed rows.
Entries entries_of(const CsrMatrix& a);
/// Those whose number in the list is chosen.
Entries chosen(const Entries& entries, const Array& numbers);
/// Diagonals that entries lie on.
struct Diagonals {
  Array offsets;  ///< int64, going up
  Array which;    ///< of each entry: which of them it is on
};
Diagonals diagonals_of(const Entries& entries, const MatrixSize& size);
/// Which entry of its row each entry is.
Array places_in_rows(const CsrMatrix& a, const Array& rows);
/// How many entries each row has, int64.
Array row_lengths(const CsrMatrix& a);
/// Where parts of these lengths, int64, begin one behind the other, and where the last one ends.
Array offsets_of(const Array& lengths);

/// The least length that few rows exceed, from how many rows have each length: less than a third of
/// all, or than 4096.
std::int64_t usual_length(const std::vector<std::int64_t>& counts, std::int64_t rows);

}  // namespace treadle::sparse
