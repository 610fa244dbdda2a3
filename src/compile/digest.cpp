// SPDX-License-Identifier: MIT
#include "compile/digest.hpp"

#include <blake2.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace treadle::compile {

std::string Digest::hex() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Digest digest_of(std::string_view text) {
  Digest digest;
  blake2b(digest.bytes.data(), text.data(), nullptr, digest.bytes.size(), text.size(), 0);
  return digest;
}

Checksum checksum_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::uint64_t fast_hash(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace treadle::compile
