// SPDX-License-Identifier: MIT
#include "cuda/cubin_parameters.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace treadle::cuda {
namespace {

void append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const std::size_t end = bytes.size();
  bytes.resize(end + size);
  if (size != 0) std::memcpy(bytes.data() + end, data, size);
}

std::vector<std::byte> record(std::uint8_t attribute, std::uint16_t ordinal, std::uint16_t offset,
                              std::uint32_t bits) {
  std::vector<std::byte> bytes;
  const std::uint8_t head[] = {4, attribute, 12, 0, 0, 0, 0, 0};
  append(bytes, head, sizeof head);
  append(bytes, &ordinal, 2);
  append(bytes, &offset, 2);
  append(bytes, &bits, 4);
  return bytes;
}

/// An ELF file with the one section ".nv.info.k" and the names of sections.
std::vector<std::byte> cubin_with(const std::vector<std::byte>& section) {
  const std::string names = std::string("\0", 1) + ".nv.info.k" + std::string("\0", 1);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 2;
  header.e_shstrndx = 0;
  header.e_shoff = sizeof header;
  Elf64_Shdr name_table{}, info{};
  name_table.sh_offset = sizeof header + 2 * sizeof(Elf64_Shdr);
  name_table.sh_size = names.size();
  info.sh_name = 1;
  info.sh_offset = name_table.sh_offset + names.size();
  info.sh_size = section.size();
  std::vector<std::byte> image;
  append(image, &header, sizeof header);
  append(image, &name_table, sizeof name_table);
  append(image, &info, sizeof info);
  append(image, names.data(), names.size());
  append(image, section.data(), section.size());
  return image;
}

std::vector<std::byte> example() {
  std::vector<std::byte> section;
  const std::uint8_t other[] = {3, 0x1b, 0xff, 0, 4, 0x37, 4, 0, 0x82, 0, 0, 0};
  append(section, other, sizeof other);
  // The compiler writes the last parameter first.
  for (const auto& bytes :
       {record(0x45, 2, 16, 5u << 24 | 5000), record(0x17, 1, 8, 1u << 18 | 0x1f000),
        record(0x17, 0, 0, 8u << 18 | 0x1f000)})
    append(section, bytes.data(), bytes.size());
  return cubin_with(section);
}

TEST(CubinParameters, AreReadInTheirOrder) {
  const ParameterLayout layout = cubin_parameters(example(), "k");
  ASSERT_TRUE(layout.known);
  ASSERT_EQ(layout.parameters.size(), 3u);
  EXPECT_EQ(layout.parameters[0].size, 8u);
  EXPECT_EQ(layout.parameters[1].offset, 8u);
  EXPECT_EQ(layout.parameters[1].size, 1u);
  EXPECT_EQ(layout.parameters[2].size, 5000u);
  EXPECT_EQ(layout.buffer_bytes, 5016u);
}

TEST(CubinParameters, AKernelWithoutAnyIsKnownToHaveNone) {
  const ParameterLayout layout = cubin_parameters(cubin_with({}), "k");
  EXPECT_TRUE(layout.known);
  EXPECT_TRUE(layout.parameters.empty());
}

TEST(CubinParameters, AnythingElseIsUnknown) {
  EXPECT_FALSE(cubin_parameters(example(), "other").known);
  const std::string ptx = ".version 8.0";
  EXPECT_FALSE(cubin_parameters(std::as_bytes(std::span(ptx)), "k").known);
  EXPECT_FALSE(cubin_parameters({}, "k").known);
  const std::vector<std::byte> gap = cubin_with(record(0x17, 1, 8, 8u << 18));
  EXPECT_FALSE(cubin_parameters(gap, "k").known);
}

TEST(CubinParameters, AFileCutOffAnywhereIsUnknown) {
  const std::vector<std::byte> whole = example();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    // A copy of just that length: a read past its end is seen by the sanitizers.
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(cubin_parameters(cut, "k").known) << length;
  }
}

TEST(CubinParameters, FlippedBitsNeverReadOutside) {
  const std::vector<std::byte> whole = example();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> damaged = whole;
      damaged[at] ^= std::byte{1} << bit;
      cubin_parameters(damaged, "k");
    }
  }
}

}  // namespace
}  // namespace treadle::cuda
