// SPDX-License-Identifier: MIT
#include "treadle/codegen/ordered_key.hpp"

#include <limits>

#include "program.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// The bits of infinity, as a float of this number of bits.
std::string_view infinity_of(unsigned bits) {
  return bits == 16 ? "0x7c00u" : bits == 32 ? "0x7f800000u" : "0x7ff0000000000000ul";
}

/// An expression for the highest bit of a key.
std::string sign_of(Scalar dtype, std::string_view key) {
  return joined({"((", key, ")1 << ", number(element_bits(dtype) - 1), ")"});
}

void open_conversion(tree::BlockBuilder& code, std::string_view name, std::string_view key,
                     std::string_view parameter) {
  code.open_function(inlined_function(key, name, {tree::value(key, parameter)}));
}

}  // namespace

Scalar unsigned_of(std::size_t size_bytes) {
  switch (size_bytes) {
    case 1:
      return Scalar::uint8;
    case 2:
      return Scalar::uint16;
    case 4:
      return Scalar::uint32;
    default:
      return Scalar::uint64;
  }
}

Scalar key_of(Scalar dtype) { return element_bits(dtype) == 64 ? Scalar::uint64 : Scalar::uint32; }

unsigned element_bits(Scalar dtype) { return static_cast<unsigned>(8 * DType(dtype).size_bytes()); }

std::uint64_t all_key_bits(Scalar dtype) {
  return std::numeric_limits<std::uint64_t>::max() >> (64 - element_bits(dtype));
}

void write_key_function(tree::BlockBuilder& code, Scalar dtype, std::string_view key) {
  const std::string sign = sign_of(dtype, key);
  open_conversion(code, "treadle_ordered", key, "bits");
  switch (DType(dtype).kind()) {
    case ScalarKind::boolean:
      code.return_value("bits != 0");
      break;
    case ScalarKind::signed_integer:
      code.return_value({"bits ^ ", sign});
      break;
    case ScalarKind::floating:
      // No branches, so that every compiler can vectorise it.
      code.declare({"const ", key}, "all", {sign, " | (", sign, " - 1)"});
      code.declare({"const ", key}, "size", {"bits & (", sign, " - 1)"});
      code.declare({"const ", key}, "turned", {"bits & ", sign, " ? bits ^ all : bits | ", sign});
      code.return_value({"size > ", infinity_of(element_bits(dtype)), " ? all : size == 0 ? ", sign,
                         " : turned"});
      break;
    default:
      code.return_value("bits");
      break;
  }
  code.close();
}

std::string key_function(Scalar dtype, const Dialect& dialect, std::string_view key) {
  tree::BlockBuilder code;
  write_key_function(code, dtype, key);
  return printed(code.take(), dialect);
}

void write_element_function(tree::BlockBuilder& code, Scalar dtype, std::string_view key) {
  const std::string sign = sign_of(dtype, key);
  open_conversion(code, "treadle_element", key, "whole");
  switch (DType(dtype).kind()) {
    case ScalarKind::signed_integer:
      code.return_value({"whole ^ ", sign});
      break;
    case ScalarKind::floating:
      code.return_value({"whole & ", sign, " ? whole ^ ", sign, " : ~whole"});
      break;
    default:
      code.return_value("whole");
      break;
  }
  code.close();
}

}  // namespace treadle::codegen
