// SPDX-License-Identifier: MIT
// Length-framed fields: how keys and payloads become bytes. Every text is preceded by its length,
// so no two different lists of fields give the same bytes. Integers are little-endian, whatever the
// host is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace treadle::compile {

class FieldWriter {
 public:
  void number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8)
      bytes_ += static_cast<char>((value >> shift) & 0xff);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  template <class Texts>
  void texts(const Texts& values) {
    number(values.size());
    for (const auto& value : values) text(value);
  }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  const std::string& bytes() const& noexcept { return bytes_; }
  std::string bytes() && noexcept { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what FieldWriter wrote. The bytes are not trusted: a read beyond their end, or of a count
/// larger than the bytes that are left could hold, makes `failed()` true and yields empty values
/// from then on.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number() {
    if (failed_ || left_.size() < 8) return fail(), 0;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(left_[i])} << (8 * i);
    left_.remove_prefix(8);
    return value;
  }
  std::string_view text() {
    const std::uint64_t size = number();
    if (failed_ || size > left_.size()) return fail(), std::string_view{};
    const std::string_view value = left_.substr(0, size);
    left_.remove_prefix(size);
    return value;
  }
  /// The number of items that follow, each of at least `item_bytes`.
  std::uint64_t count(std::uint64_t item_bytes) {
    const std::uint64_t items = number();
    if (failed_ || items > left_.size() / item_bytes) return fail(), 0;
    return items;
  }
  bool failed() const noexcept { return failed_; }
  /// All bytes were read and none was missing.
  bool finished() const noexcept { return !failed_ && left_.empty(); }

 private:
  void fail() {
    failed_ = true;
    left_ = {};
  }
  std::string_view left_;
  bool failed_ = false;
};

}  // namespace treadle::compile
