// SPDX-License-Identifier: MIT
// A cubin is a 64-bit ELF file. Section ".nv.info.<kernel>" is a row of records, each
//   u8 format, u8 attribute, u16 value or size[, payload of `size` bytes if format is 4]
// and a parameter is a record with one of two attributes and a payload of 12 bytes:
//   u32 index, u16 ordinal, u16 offset, u32 bits      0x17: size = bits >> 18
//   u32 index, u16 ordinal, u16 offset, u32 size      0x45: for parameters that do not fit there;
//   its top byte holds flags
// Example: 04 17 0c 00 | 00 00 00 00 | 03 00 | 28 00 | 00 f0 11 00 is parameter 3: 4 bytes at 0x28.
#include "cuda/cubin_parameters.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace treadle::cuda {
namespace {

using Bytes = std::span<const std::byte>;

/// The part of `bytes` at `offset`; none if it is not all there.
std::optional<Bytes> part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

template <class T>
std::optional<T> read(Bytes bytes, std::uint64_t offset) {
  const auto found = part(bytes, offset, sizeof(T));
  if (!found) return std::nullopt;
  T value;
  std::memcpy(&value, found->data(), sizeof value);
  return value;
}

bool has_name(Bytes strings, std::uint64_t offset, std::string_view name) {
  const auto found = part(strings, offset, name.size() + 1);
  return found && std::memcmp(found->data(), name.data(), name.size()) == 0 &&
         found->back() == std::byte{0};
}

std::optional<Bytes> find_section(Bytes image, const std::string& name) {
  const auto header = read<Elf64_Ehdr>(image, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  const auto section = [&](std::uint64_t index) {
    // Only the offset of the table itself can be large: indices and sizes have 16 bits.
    return header->e_shoff > image.size()
               ? std::nullopt
               : read<Elf64_Shdr>(image, header->e_shoff + index * header->e_shentsize);
  };
  const auto names = section(header->e_shstrndx);
  const auto strings = names ? part(image, names->sh_offset, names->sh_size) : std::nullopt;
  if (!strings) return std::nullopt;
  for (std::uint64_t index = 0; index < header->e_shnum; ++index) {
    const auto candidate = section(index);
    if (candidate && has_name(*strings, candidate->sh_name, name))
      return part(image, candidate->sh_offset, candidate->sh_size);
  }
  return std::nullopt;
}

constexpr std::uint8_t format_sized = 4, attribute_parameter = 0x17,
                       attribute_large_parameter = 0x45;

struct Noted {
  std::uint16_t ordinal;
  KernelParameter parameter;
};

/// The parameters noted in one section, in the order of their offsets; none if a record is cut off.
std::optional<std::vector<Noted>> noted_parameters(Bytes section) {
  std::vector<Noted> noted;
  for (std::uint64_t at = 0; at < section.size();) {
    const auto format = read<std::uint8_t>(section, at),
               attribute = read<std::uint8_t>(section, at + 1);
    const auto size = read<std::uint16_t>(section, at + 2);
    if (!format || !attribute || !size) return std::nullopt;
    at += 4;
    if (*format != format_sized) continue;
    const auto payload = part(section, at, *size);
    if (!payload) return std::nullopt;
    at += *size;
    if (*attribute != attribute_parameter && *attribute != attribute_large_parameter) continue;
    const auto ordinal = read<std::uint16_t>(*payload, 4),
               offset = read<std::uint16_t>(*payload, 6);
    const auto bits = read<std::uint32_t>(*payload, 8);
    if (!bits) return std::nullopt;
    const std::size_t bytes = *attribute == attribute_parameter ? *bits >> 18 : *bits & 0xffffff;
    noted.push_back({*ordinal, {*offset, bytes}});
  }
  std::ranges::sort(noted, {}, &Noted::ordinal);
  return noted;
}

}  // namespace

ParameterLayout cubin_parameters(Bytes image, std::string_view symbol) {
  ParameterLayout layout;
  const auto section = find_section(image, ".nv.info." + std::string(symbol));
  const auto noted = section ? noted_parameters(*section) : std::nullopt;
  if (!noted) return layout;
  for (const Noted& entry : *noted) {
    if (entry.ordinal != layout.parameters.size()) return {};
    layout.parameters.push_back(entry.parameter);
    layout.buffer_bytes = entry.parameter.offset + entry.parameter.size;
  }
  layout.known = true;
  return layout;
}

}  // namespace treadle::cuda
