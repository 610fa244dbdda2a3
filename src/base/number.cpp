// SPDX-License-Identifier: MIT
#include "treadle/base/number.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "treadle/base/half.hpp"

namespace treadle {
namespace {

template <class T>
T read(const void* bytes) noexcept {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
ElementBytes bytes_of(T value) noexcept {
  ElementBytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string floating_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char digits[32];
  const auto [end, failure] = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end};
}

std::string complex_text(double real, double imag) {
  std::string text("(");
  text.append(floating_text(real));
  if (!(imag < 0)) text.append("+");
  return text.append(floating_text(imag)).append("j)");
}

}  // namespace

Number Number::stored(Scalar dtype, const void* bytes) noexcept {
  switch (dtype) {
    case Scalar::boolean:
      return read<std::uint8_t>(bytes) != 0;
    case Scalar::int8:
      return read<std::int8_t>(bytes);
    case Scalar::int16:
      return read<std::int16_t>(bytes);
    case Scalar::int32:
      return read<std::int32_t>(bytes);
    case Scalar::int64:
      return read<std::int64_t>(bytes);
    case Scalar::uint8:
      return read<std::uint8_t>(bytes);
    case Scalar::uint16:
      return read<std::uint16_t>(bytes);
    case Scalar::uint32:
      return read<std::uint32_t>(bytes);
    case Scalar::uint64:
      return read<std::uint64_t>(bytes);
    case Scalar::float16:
      return half_value(read<std::uint16_t>(bytes));
    case Scalar::float32:
      return read<float>(bytes);
    case Scalar::float64:
      return read<double>(bytes);
    case Scalar::complex64:
      return read<std::complex<float>>(bytes);
    case Scalar::complex128:
      return read<std::complex<double>>(bytes);
    case Scalar::structure:
      break;
  }
  return false;
}

bool Number::is_negative() const noexcept {
  if (kind_ == ScalarKind::signed_integer) return static_cast<std::int64_t>(bits_) < 0;
  return kind_ == ScalarKind::floating && real_ < 0;
}

double Number::as_double() const noexcept {
  if (kind_ == ScalarKind::signed_integer)
    return static_cast<double>(static_cast<std::int64_t>(bits_));
  if (kind_ == ScalarKind::unsigned_integer || kind_ == ScalarKind::boolean)
    return static_cast<double>(bits_);
  return real_;
}

std::int64_t Number::as_int64() const noexcept { return static_cast<std::int64_t>(*this); }

bool Number::as_bool() const noexcept { return bits_ != 0 || real_ != 0 || imag_ != 0; }

ElementBytes Number::as(Scalar dtype) const noexcept {
  switch (dtype) {
    case Scalar::boolean:
      return bytes_of(static_cast<std::uint8_t>(as_bool()));
    case Scalar::int8:  // narrow ones by way of int32, as kernels do
      return bytes_of(static_cast<std::int8_t>(static_cast<std::int32_t>(*this)));
    case Scalar::int16:
      return bytes_of(static_cast<std::int16_t>(static_cast<std::int32_t>(*this)));
    case Scalar::int32:
      return bytes_of(static_cast<std::int32_t>(*this));
    case Scalar::int64:
      return bytes_of(static_cast<std::int64_t>(*this));
    case Scalar::uint8:
      return bytes_of(static_cast<std::uint8_t>(static_cast<std::int32_t>(*this)));
    case Scalar::uint16:
      return bytes_of(static_cast<std::uint16_t>(static_cast<std::int32_t>(*this)));
    case Scalar::uint32:
      return bytes_of(static_cast<std::uint32_t>(*this));
    case Scalar::uint64:
      return bytes_of(static_cast<std::uint64_t>(*this));
    case Scalar::float16:
      return bytes_of(half_from(as_double()));
    case Scalar::float32:
      return bytes_of(static_cast<float>(as_double()));
    case Scalar::float64:
      return bytes_of(as_double());
    case Scalar::complex64:
      return bytes_of(std::complex<float>(as_complex()));
    case Scalar::complex128:
      return bytes_of(as_complex());
    case Scalar::structure:
      break;
  }
  return {};
}

std::string Number::text() const {
  switch (kind_) {
    case ScalarKind::boolean:
      return bits_ != 0 ? "True" : "False";
    case ScalarKind::signed_integer:
      return std::to_string(static_cast<std::int64_t>(bits_));
    case ScalarKind::unsigned_integer:
      return std::to_string(bits_);
    case ScalarKind::complex:
      return complex_text(real_, imag_);
    default:
      return floating_text(real_);
  }
}

}  // namespace treadle
