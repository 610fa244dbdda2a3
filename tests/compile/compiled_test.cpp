// SPDX-License-Identifier: MIT
#include "compile/compiled.hpp"

#include <gtest/gtest.h>

namespace treadle::compile {
namespace {

ModuleImage sample() {
  ModuleImage image;
  image.code = {std::byte{1}, std::byte{0}, std::byte{255}};
  image.lowered_names = {{"k<int>", "_Z1kIiEvv"}, {"k<float>", "_Z1kIfEvv"}};
  return image;
}

TEST(Compiled, payload_comes_back) {
  ModuleImage image;
  std::string log;
  ASSERT_TRUE(unpack_payload(pack_payload(sample(), "warning"), image, log));
  EXPECT_EQ(image.code, sample().code);
  EXPECT_EQ(image.lowered_names, sample().lowered_names);
  EXPECT_EQ(log, "warning");
}

TEST(Compiled, P4_payloads_are_bounded_by_their_bytes) {
  const std::string whole = pack_payload(sample(), "warning");
  ModuleImage image;
  std::string log;
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(unpack_payload(std::string_view(whole).substr(0, size), image, log)) << size;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bent = whole;
    bent[at] = '\xff';
    unpack_payload(bent, image, log);  // no length, however large, is believed
  }
  EXPECT_FALSE(unpack_payload(whole + 'x', image, log));
}

TEST(Compiled, P16_same_result_same_bytes) {
  EXPECT_EQ(pack_payload(sample(), "log"), pack_payload(sample(), "log"));
}

}  // namespace
}  // namespace treadle::compile
