// SPDX-License-Identifier: MIT
#include "treadle/base/dtype.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <ostream>

#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"

namespace treadle {

struct DType::Record {
  std::string name;
  std::vector<Field> fields;
  std::size_t size_bytes, alignment;
  bool operator==(const Record&) const = default;
};

namespace {

struct ScalarInfo {
  std::string_view name;
  char numpy_char;
  std::string_view sized;  // NumPy's letter and number of bytes
  ScalarKind kind;
  std::size_t size_bytes, alignment;
};

// Indexed by Scalar.
constexpr std::array<ScalarInfo, 14> scalars = {{
    {"bool", '?', "b1", ScalarKind::boolean, 1, 1},
    {"int8", 'b', "i1", ScalarKind::signed_integer, 1, 1},
    {"int16", 'h', "i2", ScalarKind::signed_integer, 2, 2},
    {"int32", 'i', "i4", ScalarKind::signed_integer, 4, 4},
    {"int64", 'l', "i8", ScalarKind::signed_integer, 8, 8},
    {"uint8", 'B', "u1", ScalarKind::unsigned_integer, 1, 1},
    {"uint16", 'H', "u2", ScalarKind::unsigned_integer, 2, 2},
    {"uint32", 'I', "u4", ScalarKind::unsigned_integer, 4, 4},
    {"uint64", 'L', "u8", ScalarKind::unsigned_integer, 8, 8},
    {"float16", 'e', "f2", ScalarKind::floating, 2, 2},
    {"float32", 'f', "f4", ScalarKind::floating, 4, 4},
    {"float64", 'd', "f8", ScalarKind::floating, 8, 8},
    {"complex64", 'F', "c8", ScalarKind::complex, 8, 8},
    {"complex128", 'D', "c16", ScalarKind::complex, 16, 16},
}};

// Scalar::structure where no record says more, as in messages that refuse it.
constexpr ScalarInfo no_record = {"structure", 'V', "V", ScalarKind::structure, 0, 1};

const ScalarInfo& info_of(Scalar scalar) {
  return scalar == Scalar::structure ? no_record : scalars[static_cast<std::size_t>(scalar)];
}

// What NumPy calls the C types that are another name for one above, on 64-bit Linux.
constexpr std::pair<std::string_view, Scalar> aliases[] = {
    {"q", Scalar::int64},        {"Q", Scalar::uint64},       {"n", Scalar::int64},
    {"N", Scalar::uint64},       {"p", Scalar::int64},        {"P", Scalar::uint64},
    {"intp", Scalar::int64},     {"uintp", Scalar::uint64},   {"half", Scalar::float16},
    {"single", Scalar::float32}, {"double", Scalar::float64},
};

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::size_t end_of(const Field& field) {
  return field.offset + field.type.size_bytes() * field.count();
}

void check_fields(const std::string& name, const std::vector<Field>& fields,
                  std::size_t size_bytes) {
  const auto refuse = [&](const Field& field, const std::string& why) {
    throw DTypeError("record \"" + name + "\": field \"" + field.name + "\" " + why);
  };
  std::vector<const Field*> by_offset;
  for (const Field& field : fields) {
    if (field.name.empty()) refuse(field, "has no name");
    if (std::ranges::any_of(field.shape, [](std::int64_t length) { return length < 0; }))
      refuse(field, "has an axis of negative length");
    if (end_of(field) > size_bytes)
      refuse(field, "ends at byte " + std::to_string(end_of(field)) + " of a record of " +
                        std::to_string(size_bytes));
    for (const Field* other : by_offset)
      if (other->name == field.name) refuse(field, "is there twice");
    by_offset.push_back(&field);
  }
  std::ranges::sort(by_offset, {}, [](const Field* field) { return field->offset; });
  for (std::size_t i = 1; i < by_offset.size(); ++i)
    if (end_of(*by_offset[i - 1]) > by_offset[i]->offset)
      refuse(*by_offset[i], "overlaps \"" + by_offset[i - 1]->name + "\"");
}

}  // namespace

std::size_t Field::count() const noexcept {
  std::size_t count = 1;
  for (const std::int64_t length : shape) count *= static_cast<std::size_t>(length);
  return count;
}

DType::DType(std::shared_ptr<const Record> record)
    : scalar_(Scalar::structure), record_(std::move(record)) {}

DType DType::structure(std::string name, std::vector<Field> fields, std::size_t size_bytes,
                       std::size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0)
    throw DTypeError("record \"" + name + "\": alignment " + std::to_string(alignment) +
                     " is not a power of two");
  check_fields(name, fields, size_bytes);
  return DType(std::make_shared<const Record>(
      Record{std::move(name), std::move(fields), size_bytes, alignment}));
}

DType DType::c_structure(std::string name, std::span<const std::pair<std::string, DType>> members) {
  std::vector<Field> fields;
  std::size_t end = 0, alignment = 1;
  for (const auto& [member, type] : members) {
    const std::size_t offset = round_up(end, type.alignment());
    fields.push_back({member, type, offset});
    end = offset + type.size_bytes();
    alignment = std::max(alignment, type.alignment());
  }
  return structure(std::move(name), std::move(fields), round_up(end, alignment), alignment);
}

DType DType::parse(std::string_view text) {
  std::string_view spelling = text;
  if (!spelling.empty() &&
      std::string_view("<=|@").find(spelling.front()) != std::string_view::npos)
    spelling.remove_prefix(1);
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const ScalarInfo& info = scalars[i];
    const bool is_char = spelling.size() == 1 && spelling.front() == info.numpy_char;
    if (is_char || spelling == info.sized || spelling == info.name) return static_cast<Scalar>(i);
  }
  for (const auto& [alias, scalar] : aliases)
    if (spelling == alias) return scalar;
  if (spelling == "bfloat16") return bfloat16_dtype();
  throw DTypeError("\"" + std::string(text) + "\" is not an element type",
                   text.starts_with('>')
                       ? "device memory is little-endian: convert the data first"
                       : "bool, int8 to int64, uint8 to uint64, float16, float32, float64, "
                         "complex64 or complex128, or NumPy's character for one of them");
}

std::string DType::name() const {
  return record_ ? record_->name : std::string(info_of(scalar_).name);
}
ScalarKind DType::kind() const noexcept {
  return record_ ? ScalarKind::structure : info_of(scalar_).kind;
}
std::size_t DType::size_bytes() const noexcept {
  return record_ ? record_->size_bytes : info_of(scalar_).size_bytes;
}
std::size_t DType::alignment() const noexcept {
  return record_ ? record_->alignment : info_of(scalar_).alignment;
}
char DType::numpy_char() const noexcept { return record_ ? 'V' : info_of(scalar_).numpy_char; }
bool DType::is_integer() const noexcept {
  return kind() == ScalarKind::signed_integer || kind() == ScalarKind::unsigned_integer;
}
std::span<const Field> DType::fields() const noexcept {
  return record_ ? std::span<const Field>(record_->fields) : std::span<const Field>{};
}
DType DType::real_type() const noexcept {
  if (scalar_ == Scalar::complex64) return Scalar::float32;
  if (scalar_ == Scalar::complex128) return Scalar::float64;
  return *this;
}

bool DType::operator==(const DType& other) const noexcept {
  if (scalar_ != other.scalar_) return false;
  return record_ == other.record_ || (record_ && other.record_ && *record_ == *other.record_);
}

std::ostream& operator<<(std::ostream& out, const DType& dtype) { return out << dtype.name(); }

}  // namespace treadle
