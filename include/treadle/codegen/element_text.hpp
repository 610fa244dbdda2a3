// SPDX-License-Identifier: MIT
// How an element of an array is written: its type in memory, the type of a variable, literals,
// loads and stores, alone and as part of a vector.
//
// A float16 is stored as 16 bits and computed in float, because not every OpenCL device computes in
// half; a float16 variable holds only values that 16 bits can hold. A bool is stored as an unsigned
// char, where any value but 0 is true, and computed as an int that is 0 or 1. Complex numbers are
// vectors of two.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The type of an element in memory: "unsigned short" for float16. Throws DTypeError for records,
/// because programs name the types of records themselves.
std::string stored_type(Scalar dtype, const Dialect& dialect);
/// The type of a variable that holds an element: "float" for float16. Throws DTypeError for
/// records.
std::string value_type(Scalar dtype, const Dialect& dialect);
/// A literal for the number with these bytes, as many as the dtype has. Compilers read it as the
/// same number to the last bit; every NaN gives a NaN. Throws DTypeError for records.
std::string literal_text(Scalar dtype, std::span<const std::byte> bytes, const Dialect& dialect);

/// The value of the element at `place`, such as "x[i]"; a record is read unchanged.
std::string load_text(Scalar dtype, const std::string& place, const Dialect& dialect);
/// Like load_text(), for an element in global memory, in the form that the run-time's compiler
/// turns into vector loads.
std::string read_text(Scalar dtype, const std::string& place, const Dialect& dialect);
/// The statement that stores `value` in `place`, without a semicolon.
std::string store_text(Scalar dtype, const std::string& place, const std::string& value,
                       const Dialect& dialect);
/// Like store_text(), for an element in global memory, in the form of read_text().
std::string write_text(Scalar dtype, const std::string& place, const std::string& value,
                       const Dialect& dialect);

/// The type of `width` adjacent elements, at most 16 bytes, aligned to its whole size. Empty if the
/// language has none.
std::string vector_type(Scalar dtype, unsigned width, const Dialect& dialect);
/// The value of element `index` of a variable of vector_type().
std::string vector_load_text(Scalar dtype, const std::string& vector, unsigned index,
                             const Dialect& dialect);
/// The statement that sets element `index`, without a final semicolon; two statements for complex
/// numbers.
std::string vector_store_text(Scalar dtype, const std::string& vector, unsigned index,
                              const std::string& value, const Dialect& dialect);

}  // namespace treadle::codegen
