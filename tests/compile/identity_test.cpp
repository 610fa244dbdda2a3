// SPDX-License-Identifier: MIT
#include "compile/identity.hpp"

#include <gmock/gmock.h>

#include "scratch.hpp"

namespace treadle::compile {
namespace {

using testing::StartsWith;

std::string own_program() { return file_bytes("/proc/self/exe"); }

TEST(Identity, P3_a_linked_file_is_known_by_its_build_id) {
  const auto id = elf_build_id(own_program());
  ASSERT_TRUE(id) << "the linker wrote no build id";
  EXPECT_GE(id->size(), 16u);
  const ScratchFolder dir;
  const auto file = dir.write("lib.so", own_program());
  EXPECT_EQ(file_identity(file), "build-id:" + *id);
}

TEST(Identity, P3_any_other_file_is_known_by_its_contents) {
  const ScratchFolder dir;
  const auto file = dir.write("nvcc", "#!/bin/sh\n");
  const std::string first = file_identity(file);
  EXPECT_THAT(first, StartsWith("content:"));
  EXPECT_EQ(file_identity(dir.write("copy", "#!/bin/sh\n")), first);
  overwrite(file, "#!/bin/sh\n# another\n");
  EXPECT_NE(file_identity(file), first);
  EXPECT_EQ(file_identity(dir / "none"), "missing");
}

TEST(Identity, P4_no_bytes_are_trusted) {
  const std::string whole = own_program().substr(0, 4096);
  for (std::size_t size = 0; size < 1024; ++size)
    elf_build_id(std::string_view(whole).substr(0, size));
  for (std::size_t at = 0; at < 1024; ++at) {
    for (const char value : {'\0', '\xff', '\x7f'}) {
      std::string bent = whole;
      bent[at] = value;
      elf_build_id(bent);
    }
  }
  EXPECT_FALSE(
      elf_build_id("\x7f"
                   "ELF"));
}

}  // namespace
}  // namespace treadle::compile
