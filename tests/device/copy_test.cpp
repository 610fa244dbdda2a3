// SPDX-License-Identifier: MIT
#include "treadle/device/copy.hpp"

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class CopyTest : public OnEachDevice {
 protected:
  /// One side of a copy, on the host.
  struct Side {
    std::vector<std::uint8_t> bytes;
    std::size_t offset;
    Pitch pitch;
    std::size_t at(std::size_t x, std::size_t y, std::size_t z) const {
      return offset + z * pitch.slice_bytes + y * pitch.row_bytes + x;
    }
  };
  /// What a strided copy should do, byte by byte.
  static std::vector<std::uint8_t> expected(Side to, const Side& from, const Box& box) {
    for (std::size_t z = 0; z < box.slices; ++z)
      for (std::size_t y = 0; y < box.rows; ++y)
        for (std::size_t x = 0; x < box.row_bytes; ++x)
          to.bytes[to.at(x, y, z)] = from.bytes[from.at(x, y, z)];
    return to.bytes;
  }
  static std::vector<std::uint8_t> bytes(std::size_t count, unsigned first) {
    std::vector<std::uint8_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(first + 3 * i);
    return values;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, CopyTest, each_device(), device_test_name);

struct Case {
  const char* name;
  Box box;
  Pitch a, b;
};
const Case cases[] = {
    {"rows", {.row_bytes = 12, .rows = 5}, {.row_bytes = 40}, {.row_bytes = 12}},
    {"slices of whole rows", {12, 3, 4}, {16, 64}, {20, 100}},
    {"slices of no whole rows", {12, 3, 4}, {16, 70}, {20, 61}},
    {"slices of one row", {8, 1, 6}, {0, 24}, {0, 9}},
    {"one row", {30, 1, 1}, {}, {}},
};

TEST_P(CopyTest, StridedCopiesMoveTheirBoxAndNothingElse) {
  for (const auto& [name, box, a, b] : cases) {
    const auto values = bytes(512, 1), before = bytes(512, 100);
    const Buffer first(device(), values), second(device(), before);
    stream().copy(second.location() + 8, b, first.location() + 4, a, box);
    std::vector<std::uint8_t> seen(512);
    second.copy_to(seen, stream());
    stream().synchronize();
    const auto moved = expected({before, 8, b}, {values, 4, a}, box);
    EXPECT_EQ(seen, moved) << name << " on the device";

    stream().copy_in(second.location() + 4, a, values.data() + 8, b, box);
    second.copy_to(seen, stream());
    stream().synchronize();
    EXPECT_EQ(seen, expected({moved, 4, a}, {values, 8, b}, box)) << name << " in";

    seen = before;
    stream().copy_out(seen.data() + 8, b, first.location() + 4, a, box);
    stream().synchronize();
    EXPECT_EQ(seen, moved) << name << " out";
  }
}

TEST_P(CopyTest, PitchesThatOverlapAreRefused) {
  const Buffer a(device(), 512), b(device(), 512);
  const auto copy = [&](const Pitch& pitch, const Box& box) {
    stream().copy(a.location(), {64, 256}, b.location(), pitch, box);
  };
  expect_error<InvalidArgument>([&] { copy({11, 256}, {12, 3, 1}); },
                                {"source", "row_bytes", "11", "12"});
  expect_error<InvalidArgument>([&] { copy({16, 43}, {12, 3, 2}); },
                                {"source", "slice_bytes", "43", "44"});
  EXPECT_THROW(copy({16, 600}, {12, 3, 2}), InvalidArgument);
  EXPECT_THROW(copy({~std::uint64_t{0}, 1}, {12, 3, 1}), InvalidArgument);
  EXPECT_THROW(copy({1, 1}, {1, ~std::size_t{0}, 1}), InvalidArgument);
  copy({0, 0}, {12, 0, 5});  // of nothing
}

TEST_P(CopyTest, CopiesBetweenDevicesArrive) {
  const auto values = count_up(100000);
  const Buffer own(device(), values), far(foreign(), values.size() * sizeof(int));
  stream().copy_to_peer(*foreign(), far.location() + 40, own.location(), 4000);
  stream().synchronize();
  EXPECT_EQ(contents(far.slice(40, 4000)), count_up(1000));
  const Buffer back(device(), 4000);
  stream().copy_from_peer(back.location(), *foreign(), far.location() + 80, 2000);
  stream().synchronize();
  EXPECT_EQ(contents(back.slice(0, 2000)), count_up(500, 10));
}

// The next device of the run-time where there are two GPUs, else the same one in a user's context.
TEST_P(CopyTest, NeighboursCopyInTheOrderOfEvents) {
  const auto native = find_device(plain_id(GetParam()));
  std::shared_ptr<Device> neighbour;
  for (const auto& other : devices())
    if (other != native && other->event_domain() == native->event_domain()) neighbour = other;
  std::optional<UserContext> user;
  if (!neighbour) neighbour = user.emplace(*native).device();
  const auto there = neighbour->make_stream();
  const auto filled = neighbour->make_event(), copied = device()->make_event();
  const Buffer far(neighbour, 400'000), own(device(), 400'000);
  const int value = 7;
  const Event *const after_fill[] = {filled.get()}, *const after_copy[] = {copied.get()};
  there->fill(far.location(), std::as_bytes(std::span(&value, 1)), 100'000, {.done = filled.get()});
  stream().copy_from_peer(own.location(), *neighbour, far.location(), 400'000,
                          {.after = after_fill, .done = copied.get()});
  const Buffer back(neighbour, 400'000);
  there->copy_from_peer(back.location(), *device(), own.location(), 400'000, {.after = after_copy});
  there->synchronize();
  EXPECT_EQ(contents(own), std::vector<int>(100'000, 7));
  EXPECT_EQ(contents(back), std::vector<int>(100'000, 7));
  stream().copy_to_peer(*neighbour, back.location() + 4, own.location(), 8);
  stream().synchronize();
  EXPECT_THROW(stream().copy_to_peer(*neighbour, own.location(), own.location(), 8), InvalidState);
}

TEST_P(CopyTest, CopiesBetweenContextsOfOneDeviceArrive) {
  const auto native = find_device(plain_id(GetParam()));
  const UserContext user(*native);
  const Buffer own(device(), count_up(1000)), far(user.device(), 4000);
  stream().copy_to_peer(*user.device(), far.location(), own.location(), 4000);
  stream().synchronize();
  EXPECT_EQ(contents(far), count_up(1000));
  const Buffer back(device(), 4000);
  stream().copy_from_peer(back.location(), *user.device(), far.location(), 4000);
  stream().synchronize();
  EXPECT_EQ(contents(back), count_up(1000));
  EXPECT_THROW(stream().copy_from_peer(back.location(), *user.device(), own.location(), 8),
               InvalidState);
  EXPECT_THROW(stream().copy_to_peer(*user.device(), far.location(), own.location(), 5000),
               InvalidArgument);
}

}  // namespace
}  // namespace treadle::device
