// SPDX-License-Identifier: MIT
#include "base/cpu_module_header.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace treadle {

using cuda_cpu::ModuleHeader;

void set_module_note(std::vector<std::byte>& image, std::string_view note) {
  ModuleHeader header;
  if (image.size() < sizeof header) return;
  std::memcpy(&header, image.data(), sizeof header);
  if (std::memcmp(header.magic, cuda_cpu::module_magic, sizeof header.magic) != 0 ||
      header.abi_version != cuda_cpu::module_abi_version ||
      (header.flags & cuda_cpu::module_has_deferred_kernels) == 0 ||
      header.header_size < sizeof header || header.header_size > image.size())
    return;
  std::vector<std::byte> bytes;
  if (!note.empty() && note.size() < cuda_cpu::longest_note) {
    bytes.resize((note.size() / 8 + 1) * 8);  // at least one NUL
    std::memcpy(bytes.data(), note.data(), note.size());
  }
  const auto begin = image.begin() + sizeof header;
  const auto payload = image.erase(begin, image.begin() + header.header_size);
  image.insert(payload, bytes.begin(), bytes.end());
  header.header_size = static_cast<std::uint32_t>(sizeof header + bytes.size());
  std::memcpy(image.data(), &header, sizeof header);
}

std::string_view module_note(const void* image) {
  ModuleHeader header;
  std::memcpy(&header, image, sizeof header);
  const auto* const text = static_cast<const char*>(image) + sizeof header;
  return {text, strnlen(text, header.header_size - sizeof header)};
}

}  // namespace treadle
