// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/written_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

namespace treadle::cuda_cpu {
namespace {

TEST(WrittenBytes, NothingIsWrittenAtFirst) {
  const WrittenBytes bytes(200);
  EXPECT_EQ(bytes.written(0, 200), Share::none);
  EXPECT_EQ(bytes.written(199, 1), Share::none);
  EXPECT_EQ(bytes.written(7, 0), Share::all);
}

TEST(WrittenBytes, APartIsToldFromTheWhole) {
  WrittenBytes bytes(200);
  bytes.note(60, 10);  // over the end of a word
  EXPECT_EQ(bytes.written(60, 10), Share::all);
  EXPECT_EQ(bytes.written(59, 2), Share::some);
  EXPECT_EQ(bytes.written(69, 2), Share::some);
  EXPECT_EQ(bytes.written(0, 60), Share::none);
  EXPECT_EQ(bytes.written(70, 130), Share::none);
  bytes.note(0, 200);
  EXPECT_EQ(bytes.written(0, 200), Share::all);
}

/// Against arrays of bools.
TEST(WrittenBytes, CopiesAreAsWrittenAsTheirSource) {
  constexpr std::size_t size = 300;
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (int round = 0; round < 200; ++round) {
    WrittenBytes from(size), to(size);
    std::vector<bool> expected_from(size), expected(size);
    const auto note = [&](WrittenBytes& bytes, std::vector<bool>& written) {
      const std::size_t first = below(size), count = below(size - first + 1);
      bytes.note(first, count);
      for (std::size_t i = first; i < first + count; ++i) written[i] = true;
    };
    for (int i = 0; i < 3; ++i) note(from, expected_from);
    note(to, expected);
    const std::size_t source = below(size), target = below(size);
    const std::size_t count = below(size - std::max(source, target) + 1);
    to.note_copy(target, count, from, source);
    for (std::size_t i = 0; i < count; ++i) expected[target + i] = expected_from[source + i];
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(to.written(i, 1), expected[i] ? Share::all : Share::none)
          << "byte " << i << " of round " << round;
  }
}

TEST(WrittenBytes, ThreadsMayWriteNeighbouringBytes) {
  constexpr std::size_t size = 10'000;
  WrittenBytes bytes(size);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&bytes, t] {
      for (std::size_t i = t; i < size; i += 4) bytes.note(i, 1);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bytes.written(0, size), Share::all);
}

}  // namespace
}  // namespace treadle::cuda_cpu
