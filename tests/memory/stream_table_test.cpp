// SPDX-License-Identifier: MIT
#include "treadle/memory/stream_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace treadle::memory {
namespace {

using Stream = std::shared_ptr<std::string>;

TEST(StreamTable, GivesOneStreamOneNumber) {
  StreamTable<Stream> table;
  const auto a = std::make_shared<std::string>("a"), b = std::make_shared<std::string>("b");
  const auto first = table.acquire(a);
  EXPECT_EQ(table.acquire(a), first);
  const auto second = table.acquire(b);
  EXPECT_NE(second, first);
  EXPECT_TRUE(table.is(first, a));
  EXPECT_FALSE(table.is(first, b));
  EXPECT_EQ(table.at(second), b);
}

TEST(StreamTable, KeepsAStreamOnceAndUntilItsLastUse) {
  StreamTable<Stream> table;
  const auto a = std::make_shared<std::string>("a");
  const auto number = table.acquire(a);
  table.acquire(a);
  EXPECT_EQ(a.use_count(), 2);
  EXPECT_FALSE(table.release(number).has_value());
  EXPECT_EQ(a.use_count(), 2);
  EXPECT_EQ(table.release(number), a);  // handed out, to end where the caller likes
  EXPECT_EQ(a.use_count(), 1);
}

TEST(StreamTable, UsesNumbersAgain) {
  StreamTable<Stream> table;
  const auto a = std::make_shared<std::string>("a"), b = std::make_shared<std::string>("b");
  const auto first = table.acquire(a);
  EXPECT_TRUE(table.release(first).has_value());
  EXPECT_EQ(table.acquire(b), first);
}

TEST(StreamTable, WithoutOrderThereIsOneStream) {
  StreamTable<Unordered> table;
  EXPECT_EQ(table.acquire({}), table.acquire({}));
  EXPECT_TRUE(table.is(0, {}));
  EXPECT_EQ(table.at(0), Unordered{});
  EXPECT_FALSE(table.release(0).has_value());
}

}  // namespace
}  // namespace treadle::memory
