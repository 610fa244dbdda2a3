// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/module_header.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>

#define FMT_HEADER_ONLY
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cuda_cpu/module_abi.h"
#include "treadle/base/cpu_features.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::uint64_t largest_payload = 1u << 30;

/// The bytes of an image, each asked for by itself: where the size is not known, an image shorter
/// than the pattern differs before its end is passed.
class Image {
 public:
  Image(const void* bytes, std::optional<std::size_t> size)
      : bytes_(static_cast<const char*>(bytes)), size_(size) {}
  /// Zero behind the end.
  char at(std::size_t place) const { return size_ && place >= *size_ ? '\0' : bytes_[place]; }
  bool has(std::string_view pattern, std::size_t place = 0) const {
    for (const char expected : pattern)
      if (at(place++) != expected) return false;
    return true;
  }

 private:
  const char* bytes_;
  std::optional<std::size_t> size_;
};

/// Names what the image is when it is not ours. Code for NVIDIA GPUs is a good image for the wrong
/// device.
LoadFailure foreign_image(const Image& image) {
  constexpr std::string_view fatbin("\x50\xed\x55\xba", 4), wrapped_fatbin("\xb1\x43\x62\x46", 4);
  constexpr std::string_view elf(
      "\x7f"
      "ELF\x02",
      5);
  if (image.has(fatbin) || image.has(wrapped_fatbin))
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "a fat binary for NVIDIA GPUs; this is the CPU device"};
  constexpr unsigned machine_at = 18, cuda_machine = 190;
  if (image.has(elf) && static_cast<unsigned char>(image.at(machine_at)) == cuda_machine)
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "a cubin for NVIDIA GPUs; this is the CPU device"};
  std::size_t text = 0;
  while (image.at(text) != '\0' && std::strchr(" \t\n\r", image.at(text)) != nullptr) ++text;
  if (image.has("//", text) || image.has(".version", text))
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "PTX for NVIDIA GPUs; this is the CPU device"};
  return {CUDA_ERROR_INVALID_IMAGE, "neither a Treadle CPU module nor any known device image"};
}

std::string missing_features(const CpuFeatures& needed) {
  std::string names;
  for (unsigned bit = 0; bit < 64 * needed.bits.size(); ++bit) {
    if (!needed.has(bit) || host_cpu_features().has(bit)) continue;
    const auto known = cpu_feature_names();
    names += bit < known.size() ? fmt::format(" {}", known[bit]) : fmt::format(" bit {}", bit);
  }
  return names;
}

}  // namespace

LoadFailure header_defect(const void* image, std::optional<std::size_t> size) {
  if (size && *size < sizeof(ModuleHeader)) {
    // Too short for our header; other formats are not looked for in so few bytes.
    return {CUDA_ERROR_INVALID_IMAGE, "shorter than a module header"};
  }
  const Image bytes(image, size);
  if (!bytes.has({module_magic, sizeof module_magic})) return foreign_image(bytes);
  ModuleHeader header;
  std::memcpy(&header, image, sizeof header);
  if (header.abi_version != module_abi_version || header.header_size < sizeof header ||
      header.header_size > sizeof header + longest_note)
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "a module of another version of Treadle"};
  if (header.payload_size == 0 || header.payload_size > largest_payload ||
      (size && (*size < header.header_size || *size - header.header_size < header.payload_size)))
    return {CUDA_ERROR_INVALID_IMAGE, "the payload is cut off or its size is wrong"};
  const XXH128_hash_t digest = XXH3_128bits(static_cast<const char*>(image) + header.header_size,
                                            static_cast<std::size_t>(header.payload_size));
  if (digest.low64 != header.digest[0] || digest.high64 != header.digest[1])
    return {CUDA_ERROR_INVALID_IMAGE, "the payload does not match its digest"};
  CpuFeatures needed;
  std::memcpy(needed.bits.data(), header.cpu_features, sizeof header.cpu_features);
  if (!host_cpu_features().covers(needed))
    return {CUDA_ERROR_NO_BINARY_FOR_GPU,
            "needs processor features that are absent here:" + missing_features(needed)};
  return {};
}

}  // namespace treadle::cuda_cpu
