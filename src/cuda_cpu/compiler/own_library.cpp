// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/own_library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace treadle::cuda_cpu {
namespace {

struct Search {
  ElfW(Addr) address;  ///< a place inside the wanted object
  std::array<std::uint8_t, 20> build_id{};
};

/// Copies the build id out of one segment of notes; a note is header, name and value, each padded
/// to 4 bytes.
bool read_build_id(const char* note, std::size_t size, std::array<std::uint8_t, 20>& build_id) {
  const auto padded = [](std::size_t length) { return (length + 3) & ~std::size_t{3}; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, note, sizeof(header));
    const std::size_t length = sizeof(header) + padded(header.n_namesz) + padded(header.n_descsz);
    if (length > size) return false;
    const char* name = note + sizeof(header);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0) {
      const std::size_t count = std::min<std::size_t>(header.n_descsz, build_id.size());
      std::memcpy(build_id.data(), name + padded(header.n_namesz), count);
      return true;
    }
    note += length;
    size -= length;
  }
  return false;
}

int visit_object(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const auto* begin = object->dlpi_phdr;
  const auto* end = begin + object->dlpi_phnum;
  const bool ours = std::any_of(begin, end, [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD &&
           search.address - (object->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
  });
  if (!ours) return 0;
  for (const auto* segment = begin; segment != end; ++segment) {
    if (segment->p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment->p_vaddr);
    if (read_build_id(notes, segment->p_memsz, search.build_id)) break;
  }
  return 1;
}

OwnLibrary look_up() {
  OwnLibrary library;
  const auto* inside = reinterpret_cast<const void*>(&look_up);
  Dl_info found{};
  if (dladdr(inside, &found) != 0 && found.dli_fname != nullptr) {
    const std::string path = found.dli_fname;
    const std::size_t slash = path.rfind('/');
    library.folder = slash == std::string::npos ? "." : path.substr(0, slash);
  }
  Search search{reinterpret_cast<ElfW(Addr)>(inside), {}};
  dl_iterate_phdr(&visit_object, &search);
  library.build_id = search.build_id;
  return library;
}

}  // namespace

const OwnLibrary& own_library() {
  static const OwnLibrary library = look_up();
  return library;
}

}  // namespace treadle::cuda_cpu
