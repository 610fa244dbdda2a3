// SPDX-License-Identifier: MIT
#include "cuda/image_size.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace treadle::cuda {
namespace {

using Bytes = std::span<const std::byte>;

/// fatBinaryHeader of the CUDA toolkit; `size_bytes` is what follows it.
struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t size_bytes;
};
constexpr std::uint32_t fatbin_magic = 0xBA55ED50;

std::uint64_t end_of(std::uint64_t offset, std::uint64_t size) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return size > most - offset ? most : offset + size;
}

template <class T>
T value_at(Bytes bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool begins_with(Bytes image, const void* magic, std::size_t size) {
  return image.size() >= size && std::memcmp(image.data(), magic, size) == 0;
}

/// CUDA has types of its own, some of which only reserve memory: those are not counted.
bool has_bytes(std::uint32_t section_type) {
  return section_type != SHT_NULL && section_type != SHT_NOBITS && section_type < SHT_LOOS;
}

std::uint64_t elf_size(Bytes image) {
  if (image.size() < sizeof(Elf64_Ehdr)) return sizeof(Elf64_Ehdr);
  const auto header = value_at<Elf64_Ehdr>(image, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return 0;
  const std::uint64_t sections =
      end_of(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  const std::uint64_t segments =
      end_of(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  std::uint64_t end = std::max<std::uint64_t>({sizeof header, sections, segments});
  if (end > image.size()) return end;
  for (std::uint64_t index = 0; index < header.e_shnum; ++index) {
    const auto section = value_at<Elf64_Shdr>(image, header.e_shoff + index * sizeof(Elf64_Shdr));
    if (has_bytes(section.sh_type)) end = std::max(end, end_of(section.sh_offset, section.sh_size));
  }
  return end;
}

std::uint64_t fatbin_size(Bytes image) {
  if (image.size() < sizeof(FatbinHeader)) return sizeof(FatbinHeader);
  const auto header = value_at<FatbinHeader>(image, 0);
  return end_of(header.header_bytes, header.size_bytes);
}

}  // namespace

std::uint64_t stated_size(Bytes image) noexcept {
  if (begins_with(image, ELFMAG, SELFMAG)) return elf_size(image);
  if (begins_with(image, &fatbin_magic, sizeof fatbin_magic)) return fatbin_size(image);
  return 0;
}

}  // namespace treadle::cuda
