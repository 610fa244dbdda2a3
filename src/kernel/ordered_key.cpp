// SPDX-License-Identifier: MIT
#include "ordered_key.hpp"

#include <limits>

namespace treadle::kernel {
namespace {

/// The bits of a float of so many bits: those of infinity.
std::string infinity_of(unsigned bits) {
  return bits == 16 ? "0x7c00u" : bits == 32 ? "0x7f800000u" : "0x7ff0000000000000ul";
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

unsigned element_bits(Scalar dtype) { return static_cast<unsigned>(8 * DType(dtype).size_bytes()); }

std::uint64_t all_key_bits(Scalar dtype) {
  return std::numeric_limits<std::uint64_t>::max() >> (64 - element_bits(dtype));
}

std::string key_function(Scalar dtype, const codegen::Dialect& dialect, const std::string& key) {
  const unsigned bits = element_bits(dtype);
  const std::string sign = "((" + key + ")1 << " + std::to_string(bits - 1) + ")";
  std::string body;
  switch (DType(dtype).kind()) {
    case ScalarKind::boolean:
      body = "  return bits != 0;\n";
      break;
    case ScalarKind::signed_integer:
      body = "  return bits ^ " + sign + ";\n";
      break;
    case ScalarKind::floating:
      // Without branches, so that compilers make vector code of it everywhere.
      body = "  const " + key + " all = " + sign + " | (" + sign + " - 1);\n  const " + key +
             " size = bits & (" + sign + " - 1);\n  const " + key + " turned = bits & " + sign +
             " ? bits ^ all : bits | " + sign + ";\n  return size > " + infinity_of(bits) +
             " ? all : size == 0 ? " + sign + " : turned;\n";
      break;
    default:
      body = "  return bits;\n";
      break;
  }
  return dialect.always_inline + " " + key + " treadle_ordered(" + key + " bits)\n{\n" + body +
         "}\n";
}

std::string element_function(Scalar dtype, const codegen::Dialect& dialect,
                             const std::string& key) {
  const std::string sign = "((" + key + ")1 << " + std::to_string(element_bits(dtype) - 1) + ")";
  const ScalarKind kind = DType(dtype).kind();
  const std::string bits = kind == ScalarKind::signed_integer ? "whole ^ " + sign
                           : kind == ScalarKind::floating
                               ? "whole & " + sign + " ? whole ^ " + sign + " : ~whole"
                               : "whole";
  return dialect.always_inline + " " + key + " treadle_element(" + key + " whole)\n{\n  return " +
         bits + ";\n}\n";
}

}  // namespace treadle::kernel
