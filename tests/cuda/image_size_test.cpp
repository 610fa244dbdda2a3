// SPDX-License-Identifier: MIT
#include "cuda/image_size.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {
namespace {

using Image = std::vector<std::byte>;

/// A cubin of one section of 40 bytes, which lies last.
struct Cubin {
  Elf64_Ehdr header{};
  Elf64_Shdr section{};
  std::byte text[40] = {};

  Cubin() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shoff = sizeof header;
    header.e_shnum = 1;
    header.e_shentsize = sizeof section;
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = sizeof header + sizeof section;
    section.sh_size = sizeof text;
  }
  Image bytes() const {
    const auto* begin = reinterpret_cast<const std::byte*>(this);
    return {begin, begin + sizeof *this};
  }
};

Image fatbin(std::uint64_t size_bytes) {
  Image image(16 + 32);
  const std::uint32_t magic = 0xBA55ED50;
  const std::uint16_t numbers[] = {1, 16};
  std::memcpy(image.data(), &magic, sizeof magic);
  std::memcpy(image.data() + 4, numbers, sizeof numbers);
  std::memcpy(image.data() + 8, &size_bytes, sizeof size_bytes);
  return image;
}

Image text(const std::string& characters) {
  const auto* begin = reinterpret_cast<const std::byte*>(characters.data());
  return {begin, begin + characters.size()};
}

TEST(ImageSize, ACubinEndsWithItsLastSection) {
  EXPECT_EQ(stated_size(Cubin().bytes()), sizeof(Cubin));
}

TEST(ImageSize, ASectionWithoutBytesInTheFileHasNone) {
  constexpr std::uint32_t cuda_global = 0x70000007;  // __device__ variables that begin as zero
  for (const std::uint32_t type : {std::uint32_t{SHT_NOBITS}, cuda_global}) {
    Cubin cubin;
    cubin.section.sh_type = type;
    cubin.section.sh_size = 1 << 20;
    EXPECT_EQ(stated_size(cubin.bytes()), sizeof cubin.header + sizeof cubin.section);
  }
}

TEST(ImageSize, AFatbinSaysItsLength) { EXPECT_EQ(stated_size(fatbin(32)), 48u); }

TEST(ImageSize, WhatSaysNothingHasNone) {
  EXPECT_EQ(stated_size({}), 0u);
  EXPECT_EQ(stated_size(text(".version 8.0\n.target sm_90\n")), 0u);
  EXPECT_EQ(stated_size(text("\x7f"
                             "EL")),
            0u);
}

TEST(ImageSize, NumbersThatAreTooLargeDoNotWrap) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(stated_size(fatbin(most)), most);
  Cubin cubin;
  cubin.section.sh_offset = most - 8;
  EXPECT_EQ(stated_size(cubin.bytes()), most);
  cubin.header.e_shoff = most;
  EXPECT_EQ(stated_size(cubin.bytes()), most);
}

TEST(ImageSize, CutOffAnywhereItIsLessThanItSays) {
  const Image whole = Cubin().bytes(), other = fatbin(32);
  for (std::size_t size = SELFMAG; size < whole.size(); ++size)
    EXPECT_GT(stated_size(std::span(whole).first(size)), size);
  for (std::size_t size = 4; size < other.size(); ++size)
    EXPECT_GT(stated_size(std::span(other).first(size)), size);
}

TEST(ImageSize, P12_TheDriverNeverSeesAnImageThatIsCutOff) {
  fake::reset();
  set_default_driver(fake::driver(), "a test");
  const CurrentContext current = Context::make_current(fake::device());
  EXPECT_NO_THROW(Module{std::span<const std::byte>(Cubin().bytes())});
  const Image whole = Cubin().bytes();
  fake::state().calls.clear();
  try {
    Module{std::span<const std::byte>(whole).first(100)};
    ADD_FAILURE() << "a cubin of 100 bytes was loaded";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_NE(error.message().find("cut off: 128 bytes by its own headers, 100 are there"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(fake::state().count("cuModuleLoadDataEx"), 0);
}

}  // namespace
}  // namespace treadle::cuda
