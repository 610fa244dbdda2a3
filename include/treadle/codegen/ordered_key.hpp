// SPDX-License-Identifier: MIT
// Unsigned integers in the order of elements: an element's bits with the sign turned round, and all
// others of a negative float.
//
//   int8     -2 -> fe    -1 -> ff    0 -> 00    5 -> 05       keys: 7e 7f 80 85
//   float16  -1 -> bc00  -0 -> 8000  0 -> 0000  1 -> 3c00     keys: 43ff 8000 8000 bc00, NaN ffff
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The unsigned integer of so many bytes.
Scalar unsigned_of(std::size_t size_bytes);
/// The unsigned integer of an element's key: of 32 bits, or 64.
Scalar key_of(Scalar dtype);
/// Of an element.
unsigned element_bits(Scalar dtype);
/// What a key is turned round by, so that the largest element has the least key and the reverse.
std::uint64_t all_key_bits(Scalar dtype);

/// Adds a function `treadle_ordered` from the bits of an element to its key, of which as many low
/// bits count; `key` is its type, an unsigned integer of 32 or 64 bits.
void write_key_function(tree::BlockBuilder& code, Scalar dtype, std::string_view key);
/// The same as text.
std::string key_function(Scalar dtype, const Dialect& dialect, std::string_view key);

/// Adds a function `treadle_element` from such a key back to the bits of an element: of those with
/// one key, -0 and all NaNs, 0 and one NaN.
void write_element_function(tree::BlockBuilder& code, Scalar dtype, std::string_view key);

}  // namespace treadle::codegen
