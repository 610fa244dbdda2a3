// SPDX-License-Identifier: MIT
// What stands in front of the code of a CPU module, for those who write, load and hand out images:
//
//   ModuleHeader | note, to `header_size` | payload
//
// The note is a text, with NULs behind it: the folder in which kernels are kept that the run-time
// compiles later, "-" for none; no note: the default folder. It is no part of what was compiled:
// whoever hands an image out knows which cache its reader wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace treadle {
namespace cuda_cpu {

inline constexpr char module_magic[8] = {'T', 'R', 'D', 'L', 'C', 'P', 'U', '1'};
/// The corpus of tests/fuzz has it too: first word of `descriptor` (the second is its size), third
/// of `header`.
inline constexpr std::uint32_t module_abi_version = 12;

/// First bytes of a module image. The digest is checked before anything of the payload is loaded.
struct ModuleHeader {
  char magic[8];
  std::uint32_t abi_version;
  std::uint32_t header_size;      ///< of header and note: where the payload begins
  std::uint64_t payload_size;     ///< bytes of ELF that follow, to the end of the image
  std::uint64_t digest[2];        ///< XXH3-128 of the payload: low64, high64
  std::uint64_t cpu_features[4];  ///< bit set of features.hpp: what the code may use; refused where
                                  ///< the host lacks one
  std::uint32_t flags;            ///< ModuleFlags
  std::uint32_t reserved;
};
enum ModuleFlags : std::uint32_t {
  module_has_deferred_kernels = 1  ///< some are compiled when they are asked for
};
inline constexpr std::uint32_t longest_note = 8192;  ///< bytes
inline constexpr std::string_view kept_nowhere = "-";

}  // namespace cuda_cpu

/// Replaces the note of a CPU module that has deferred kernels; all else stays as it is. A note
/// that is too long is left out.
void set_module_note(std::vector<std::byte>& image, std::string_view note);
/// The note of a sound image.
std::string_view module_note(const void* image);

}  // namespace treadle
