// SPDX-License-Identifier: MIT
// The two digests of the cache: BLAKE2b-256 names things, XXH3-128 notices damage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace treadle::compile {

/// BLAKE2b-256: two different texts never share one. Names entries and stands for the contents of
/// headers.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};
  /// 64 lower-case hexadecimal digits.
  std::string hex() const;
  bool operator==(const Digest&) const = default;
};
Digest digest_of(std::string_view text);

/// XXH3-128, low half first: fast; detects accidents, resists no adversary.
struct Checksum {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Checksum&) const = default;
};
Checksum checksum_of(std::span<const std::byte> bytes);

/// 64 bits of XXH3, for hash tables in memory.
std::uint64_t fast_hash(std::string_view text);

}  // namespace treadle::compile
