// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/module_source.hpp"

#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "cuda_cpu/runtime/link.hpp"

namespace treadle::cuda_cpu {

std::optional<std::string> read_module_file(const char* path) {
  struct stat status{};
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::unique_ptr<LoadedCode> load_source(const void* source, std::optional<std::size_t> size,
                                        LoadFailure& failure, std::vector<char>* kept) {
  std::vector<char> linked;
  if (is_object(source, size)) {
    linked = link_object(source, size, failure);
    if (linked.empty()) return nullptr;
    source = linked.data();
    size = linked.size();
  }
  auto code = load_image(source, size, failure);
  if (code == nullptr || kept == nullptr) return code;
  ModuleHeader header;  // sound, and all bytes were read for their digest
  std::memcpy(&header, source, sizeof header);
  const auto* const bytes = static_cast<const char*>(source);
  kept->assign(bytes, bytes + header.header_size + static_cast<std::size_t>(header.payload_size));
  return code;
}

}  // namespace treadle::cuda_cpu
