// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace treadle {

/// The scalar types device code computes with, and `structure` for records of them.
enum class Scalar : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  complex64,
  complex128,
  structure,
};

/// What a scalar's bits mean.
enum class ScalarKind : std::uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,
  complex,
  structure
};

struct Field;

/// The type of one element: a scalar or a record of named fields. A small value; equal if it
/// describes the same bytes.
class DType {
 public:
  // Implicit: wherever a dtype is wanted, Scalar::float32 will do.
  /// The type of one number.
  DType(Scalar scalar) noexcept : scalar_(scalar) {}
  /// A record. Throws DTypeError if a field has no name, is named twice, overlaps another or ends
  /// past `size_bytes`, or if `alignment` is not a power of two.
  static DType structure(std::string name, std::vector<Field> fields, std::size_t size_bytes,
                         std::size_t alignment);
  /// Lays fields out in order as C does: each at its own alignment, the size rounded up to the
  /// largest.
  static DType c_structure(std::string name, std::span<const std::pair<std::string, DType>> fields);
  /// From a NumPy spelling: a type character with an optional native byte order ("f", "<f4", "u8",
  /// "c16", "?"), or a name ("float32", "complex128", "bool"). Throws DTypeError naming `text` and
  /// what is accepted.
  static DType parse(std::string_view text);

  /// "float32", or the name a record was given.
  std::string name() const;
  /// Scalar::structure for every record.
  Scalar scalar() const noexcept { return scalar_; }
  /// Of a complex type `complex`, not its parts' kind.
  ScalarKind kind() const noexcept;
  /// Of one element, with the padding at a record's end.
  std::size_t size_bytes() const noexcept;
  /// What a kernel parameter of this type is aligned to: complex64 to 8, as float2 is.
  std::size_t alignment() const noexcept;
  /// NumPy's type character: 'f', 'd', 'F', 'D', 'e', '?', 'b', 'h', 'i', 'l', ... and 'V' for
  /// records.
  char numpy_char() const noexcept;
  /// Signed or unsigned; bool is none.
  bool is_integer() const noexcept;
  /// Empty for scalars.
  std::span<const Field> fields() const noexcept;
  /// The type of the real part: float32 for complex64; every other type itself.
  DType real_type() const noexcept;

  bool operator==(const DType& other) const noexcept;

 private:
  struct Record;
  explicit DType(std::shared_ptr<const Record> record);
  Scalar scalar_;
  std::shared_ptr<const Record> record_;
};

/// DType::name().
std::ostream& operator<<(std::ostream& out, const DType& dtype);

/// A named part of a record.
struct Field {
  std::string name;    ///< unique in its record, not empty
  DType type;          ///< of one element, where the field is an array
  std::size_t offset;  ///< bytes from the start of the record
  /// Lengths of an array field's axes, in C order; none: it is one element.
  std::vector<std::int64_t> shape = {};
  /// How many elements it has.
  std::size_t count() const noexcept;
  bool operator==(const Field&) const = default;
};

template <class T>
struct DTypeOf;
/// The dtype of a C++ type: dtype_of<float>() == Scalar::float32.
template <class T>
DType dtype_of() {
  return DTypeOf<T>::value;
}
template <>
struct DTypeOf<bool> {
  static constexpr Scalar value = Scalar::boolean;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr Scalar value = Scalar::int8;
};
template <>
struct DTypeOf<std::int16_t> {
  static constexpr Scalar value = Scalar::int16;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr Scalar value = Scalar::int32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr Scalar value = Scalar::int64;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr Scalar value = Scalar::uint8;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr Scalar value = Scalar::uint16;
};
template <>
struct DTypeOf<std::uint32_t> {
  static constexpr Scalar value = Scalar::uint32;
};
template <>
struct DTypeOf<std::uint64_t> {
  static constexpr Scalar value = Scalar::uint64;
};
template <>
struct DTypeOf<float> {
  static constexpr Scalar value = Scalar::float32;
};
template <>
struct DTypeOf<double> {
  static constexpr Scalar value = Scalar::float64;
};

}  // namespace treadle
