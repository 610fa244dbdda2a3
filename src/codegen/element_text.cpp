// SPDX-License-Identifier: MIT
#include "treadle/codegen/element_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

std::string name_in(std::span<const TypeName> names, Scalar dtype) {
  const auto found = std::ranges::find(names, dtype, &TypeName::scalar);
  return found == names.end() ? "" : std::string(found->name);
}

/// The scalar type in memory; for complex numbers the type of each part.
Scalar stored_scalar(Scalar dtype) {
  switch (dtype) {
    case Scalar::boolean:
      return Scalar::uint8;
    case Scalar::float16:
      return Scalar::uint16;
    default:
      return DType(dtype).real_type().scalar();
  }
}

bool is_pair(Scalar dtype) { return DType(dtype).kind() == ScalarKind::complex; }

std::string require_name(std::string name, Scalar dtype) {
  if (name.empty())
    throw DTypeError("'" + DType(dtype).name() + "' has no type of its own in device code",
                     "name the type of a record in the program that defines it");
  return name;
}

template <class T>
T read(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T))
    throw InvalidArgument("literal_text: " + std::to_string(bytes.size()) +
                          " bytes for a number of " + std::to_string(sizeof(T)));
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

std::string call(const Dialect& dialect, const std::string& word, const std::string& argument) {
  return expand_words(joined({word, "(", argument, ")"}), dialect);
}

/// A literal with its own type, because the type selects an overload: min(a, (short)5).
template <class T>
std::string integer(T value, const Dialect& dialect) {
  const std::string digits = std::to_string(value);
  if (sizeof(T) < 4)
    return joined({"(", stored_type(dtype_of<T>().scalar(), dialect), ")", digits});
  // The smallest number has no literal, because a minus sign is not part of a literal.
  if (std::is_signed_v<T> && value == std::numeric_limits<T>::min())
    return joined({"(", integer(static_cast<T>(value + 1), dialect), " - 1)"});
  if (sizeof(T) == 4) return std::is_signed_v<T> ? digits : digits + "u";
  const char* word = std::is_signed_v<T> ? "treadle_int64_literal" : "treadle_uint64_literal";
  return call(dialect, word, digits);
}

/// The fewest digits that compilers read as the same number.
template <class T>
std::string floating(T value, const Dialect& dialect) {
  if (!std::isfinite(value)) {
    const std::string word = std::isnan(value) ? "TREADLE_NAN" : "TREADLE_INFINITY";
    return joined({value < 0 ? "-" : "", expand_words(word, dialect)});
  }
  std::array<char, 32> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return sizeof(T) == sizeof(float) ? text + "f" : text;
}

/// A half of IEEE 754 as a float: every half is m * 2^e.
float half_number(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, digits = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31)
    return digits != 0 ? std::numeric_limits<float>::quiet_NaN()
                       : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(digits), -24);
  return sign * std::ldexp(static_cast<float>(digits + 1024), exponent - 25);
}

template <class T>
std::string complex_number(std::span<const std::byte> bytes, Scalar dtype, const Dialect& dialect) {
  const auto parts = read<std::array<T, 2>>(bytes);
  return joined({call(dialect, "treadle_make_vector", stored_type(dtype, dialect)), "(",
                 floating(parts[0], dialect), ", ", floating(parts[1], dialect), ")"});
}

std::string element(const std::string& vector, unsigned index) {
  return vector + "." + "xyzw"[index];
}

}  // namespace

std::string stored_type(Scalar dtype, const Dialect& dialect) {
  if (is_pair(dtype)) return vector_type(DType(dtype).real_type().scalar(), 2, dialect);
  return require_name(name_in(dialect.type_names, stored_scalar(dtype)), dtype);
}

std::string value_type(Scalar dtype, const Dialect& dialect) {
  if (dtype == Scalar::boolean) return stored_type(Scalar::int32, dialect);
  return stored_type(dtype == Scalar::float16 ? Scalar::float32 : dtype, dialect);
}

std::string literal_text(Scalar dtype, std::span<const std::byte> bytes, const Dialect& dialect) {
  switch (dtype) {
    case Scalar::boolean:
      return read<std::uint8_t>(bytes) != 0 ? "1" : "0";
    case Scalar::int8:
      return integer(read<std::int8_t>(bytes), dialect);
    case Scalar::int16:
      return integer(read<std::int16_t>(bytes), dialect);
    case Scalar::int32:
      return integer(read<std::int32_t>(bytes), dialect);
    case Scalar::int64:
      return integer(read<std::int64_t>(bytes), dialect);
    case Scalar::uint8:
      return integer(read<std::uint8_t>(bytes), dialect);
    case Scalar::uint16:
      return integer(read<std::uint16_t>(bytes), dialect);
    case Scalar::uint32:
      return integer(read<std::uint32_t>(bytes), dialect);
    case Scalar::uint64:
      return integer(read<std::uint64_t>(bytes), dialect);
    case Scalar::float16:
      return floating(half_number(read<std::uint16_t>(bytes)), dialect);
    case Scalar::float32:
      return floating(read<float>(bytes), dialect);
    case Scalar::float64:
      return floating(read<double>(bytes), dialect);
    case Scalar::complex64:
      return complex_number<float>(bytes, dtype, dialect);
    case Scalar::complex128:
      return complex_number<double>(bytes, dtype, dialect);
    case Scalar::structure:
      break;
  }
  return require_name("", dtype);
}

std::string load_text(Scalar dtype, const std::string& place, const Dialect&) {
  if (dtype == Scalar::boolean) return place + " != 0";
  if (dtype == Scalar::float16) return joined({"treadle_half_to_float(", place, ")"});
  return place;
}

std::string read_text(Scalar dtype, const std::string& place, const Dialect& dialect) {
  if (!is_pair(dtype) || !dialect.moves_pairs_by_function) return load_text(dtype, place, dialect);
  return joined({"treadle_read_", DType(dtype).name(), "(&", place, ")"});
}

std::string write_text(Scalar dtype, const std::string& place, const std::string& value,
                       const Dialect& dialect) {
  if (!is_pair(dtype) || !dialect.moves_pairs_by_function)
    return store_text(dtype, place, value, dialect);
  return joined({"treadle_write_", DType(dtype).name(), "(&", place, ", ", value, ")"});
}

std::string store_text(Scalar dtype, const std::string& place, const std::string& value,
                       const Dialect&) {
  if (dtype == Scalar::float16) return joined({place, " = treadle_float_to_half(", value, ")"});
  return place + " = " + value;
}

std::string vector_type(Scalar dtype, unsigned width, const Dialect& dialect) {
  const unsigned scalars = is_pair(dtype) ? 2 * width : width;
  const std::string name = name_in(dialect.vector_names, stored_scalar(dtype));
  if (name.empty() || (scalars != 2 && scalars != 4) || DType(dtype).size_bytes() * width > 16)
    return "";
  return name + std::to_string(scalars);
}

std::string vector_load_text(Scalar dtype, const std::string& vector, unsigned index,
                             const Dialect& dialect) {
  if (!is_pair(dtype)) return load_text(dtype, element(vector, index), dialect);
  return joined({call(dialect, "treadle_make_vector", stored_type(dtype, dialect)), "(",
                 element(vector, 2 * index), ", ", element(vector, 2 * index + 1), ")"});
}

std::string vector_store_text(Scalar dtype, const std::string& vector, unsigned index,
                              const std::string& value, const Dialect& dialect) {
  if (!is_pair(dtype)) return store_text(dtype, element(vector, index), value, dialect);
  return joined({element(vector, 2 * index), " = ", value, ".x; ", element(vector, 2 * index + 1),
                 " = ", value, ".y"});
}

}  // namespace treadle::codegen
