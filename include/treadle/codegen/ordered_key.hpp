// SPDX-License-Identifier: MIT
// Maps elements to unsigned integers that have the same order. A key is the element's bits with the
// sign bit inverted; for a negative float all other bits are inverted, too.
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

/// The unsigned integer type with this number of bytes.
Scalar unsigned_of(std::size_t size_bytes);
/// The unsigned integer type of an element's key: 32 or 64 bits.
Scalar key_of(Scalar dtype);
/// The number of bits of an element.
unsigned element_bits(Scalar dtype);
/// The mask that inverts all bits of a key, so that the largest element gets the smallest key.
std::uint64_t all_key_bits(Scalar dtype);

/// Adds a function `treadle_ordered` that maps the bits of an element to its key; the low bits of
/// the key count, as many as the element has. `key` is the key's type, an unsigned integer of 32 or
/// 64 bits.
void write_key_function(tree::BlockBuilder& code, Scalar dtype, std::string_view key);
/// Like write_key_function(), but returns the text.
std::string key_function(Scalar dtype, const Dialect& dialect, std::string_view key);

/// Adds a function `treadle_element` that maps such a key back to the bits of an element. -0 and 0
/// have one key, which gives 0; all NaNs have one key, which gives one NaN.
void write_element_function(tree::BlockBuilder& code, Scalar dtype, std::string_view key);

}  // namespace treadle::codegen
