// SPDX-License-Identifier: MIT
// How one element of an array is written: its types in memory and in variables, its literals, how
// it is read and stored, alone and as part of a vector.
//
// float16 is stored as 16 bits and computed with as float, since not every OpenCL device has more;
// its variables hold numbers that have 16 bits. bool is stored as an unsigned char, of which any
// but 0 is true, and computed with as an int that is 0 or 1. Complex numbers are vectors of two.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The type of an element in memory: "unsigned short" for float16. Throws DTypeError for records,
/// whose types programs name themselves.
std::string stored_type(Scalar dtype, const Dialect& dialect);
/// The type of a variable that holds an element: "float" for float16. Throws DTypeError for
/// records.
std::string value_type(Scalar dtype, const Dialect& dialect);
/// The number whose bytes these are, as many as the dtype has; read again it is the same number to
/// the last bit, NaN for each NaN. Throws DTypeError for records.
std::string literal_text(Scalar dtype, std::span<const std::byte> bytes, const Dialect& dialect);

/// The value in `place`, which is an element in memory such as "x[i]"; records are read as they
/// are.
std::string load_text(Scalar dtype, const std::string& place, const Dialect& dialect);
/// The same of an element in global memory, read as the run-time's compiler makes vectors of it.
std::string read_text(Scalar dtype, const std::string& place, const Dialect& dialect);
/// The statement that stores `value` in `place`, without a semicolon.
std::string store_text(Scalar dtype, const std::string& place, const std::string& value,
                       const Dialect& dialect);
/// The same of an element in global memory, as read_text().
std::string write_text(Scalar dtype, const std::string& place, const std::string& value,
                       const Dialect& dialect);

/// The type whose values are `width` elements that lie side by side, of at most 16 bytes and
/// aligned to all of them. Empty where the language has none.
std::string vector_type(Scalar dtype, unsigned width, const Dialect& dialect);
/// The value of element `index` of a variable of such a type.
std::string vector_load_text(Scalar dtype, const std::string& vector, unsigned index,
                             const Dialect& dialect);
/// The statement that sets the element, without a semicolon; for complex numbers two statements
/// with one between them.
std::string vector_store_text(Scalar dtype, const std::string& vector, unsigned index,
                              const std::string& value, const Dialect& dialect);

}  // namespace treadle::codegen
