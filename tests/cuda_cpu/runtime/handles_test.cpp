// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/handles.hpp"

#include <gtest/gtest.h>

#include <set>

namespace treadle::cuda_cpu {
namespace {

struct Thing {
  int number;
};
struct RawThing;
using Registry = HandleRegistry<Thing, RawThing*, HandleKind::event>;
using OtherRegistry = HandleRegistry<Thing, RawThing*, HandleKind::stream>;

std::shared_ptr<Thing> make(int number) { return std::make_shared<Thing>(Thing{number}); }

TEST(HandlesTest, find_what_they_were_made_for) {
  Registry registry;
  auto* const first = registry.insert(make(1));
  auto* const second = registry.insert(make(2));
  EXPECT_EQ(registry.find(first)->number, 1);
  EXPECT_EQ(registry.find(second)->number, 2);
}

TEST(HandlesTest, are_refused_after_removal_even_when_the_slot_is_used_again) {
  Registry registry;
  std::set<RawThing*> seen;
  for (int i = 0; i < 1000; ++i) {
    auto* const handle = registry.insert(make(i));
    EXPECT_TRUE(seen.insert(handle).second);
    EXPECT_EQ(registry.remove(handle)->number, i);
    EXPECT_EQ(registry.remove(handle), nullptr);
    for (auto* stale : {handle, *seen.begin()}) EXPECT_EQ(registry.find(stale), nullptr);
  }
}

TEST(HandlesTest, are_refused_when_invented) {
  Registry registry;
  OtherRegistry others;
  auto* const other = others.insert(make(1));
  registry.insert(make(2));
  EXPECT_EQ(registry.find(other), nullptr);
  for (const std::uint64_t bits : {0ull, 1ull, 2ull, 0xdeadbeefull, ~0ull, 0x7ffff7dd5000ull})
    EXPECT_EQ(registry.find(reinterpret_cast<RawThing*>(bits)), nullptr) << bits;
}

TEST(HandlesTest, may_get_another_object_behind_them) {
  Registry registry;
  auto* const handle = registry.insert(make(1));
  registry.replace(handle, make(2));
  EXPECT_EQ(registry.find(handle)->number, 2);
}

TEST(HandlesTest, are_removed_by_owner) {
  Registry registry;
  auto* const odd = registry.insert(make(1));
  auto* const even = registry.insert(make(2));
  EXPECT_EQ(registry.remove_if([](const Thing& t) { return t.number % 2 == 1; }).size(), 1u);
  EXPECT_EQ(registry.find(odd), nullptr);
  EXPECT_NE(registry.find(even), nullptr);
}

}  // namespace
}  // namespace treadle::cuda_cpu
