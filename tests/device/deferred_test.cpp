// SPDX-License-Identifier: MIT
// Who puts work off hears of writes, marks and uses of memory before they are queued.
#include "treadle/device/deferred.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

/// Notes what it is told.
class Listener final : public DeferredWork {
 public:
  explicit Listener(Device& device) : device_(device) { device_.set_deferred(this); }
  ~Listener() { device_.set_deferred(nullptr); }
  void before_write(Location location, Stream* writer) override {
    written.push_back(location.handle);
    writers.push_back(writer);
  }
  void before_mark(Stream* stream) override { marked.push_back(stream); }
  void before_growth(std::size_t size_bytes) noexcept override { grown.push_back(size_bytes); }
  void reclaim() noexcept override { ++reclaimed; }

  std::vector<std::uint64_t> written;
  std::vector<Stream*> writers, marked;
  std::vector<std::size_t> grown;
  int reclaimed = 0;

 private:
  Device& device_;
};

struct WatchedBuffer final : WatchedMemory {
  explicit WatchedBuffer(Buffer memory) : buffer(std::move(memory)) {}
  Location location() const { return buffer.location(); }
  Device& device() const { return buffer.device(); }
  std::pair<Location, WatchedMemory*> for_launch() const {
    return {buffer, const_cast<WatchedBuffer*>(this)};
  }
  void before_use(Stream& stream, MemoryUse use) override { uses.emplace_back(&stream, use); }

  Buffer buffer;
  std::vector<std::pair<Stream*, MemoryUse>> uses;
};

class DeferredTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, DeferredTest, each_device(), device_test_name);

TEST_P(DeferredTest, EveryWriteIsAnnounced) {
  const std::array<std::byte, 4> pattern = {};
  Buffer a = buffer_of({1, 2}), b = buffer_of({3, 4});
  const std::uint64_t own = Location(a).handle;
  Listener listener(*device());
  stream().fill(a, pattern, 2);
  stream().copy(a, b, 8);
  stream().copy_in(a, pattern.data(), 4);
  stream().copy_from_peer(a, *device(), b, 8);
  stream().launch(kernel("set_all"), shape_for(2), a, 1, 2);
  EXPECT_EQ(listener.written, std::vector<std::uint64_t>(5, own));
  EXPECT_EQ(listener.writers, std::vector<Stream*>(5, &stream()));
  a.free();
  EXPECT_EQ(listener.written.size(), 6u);
  EXPECT_EQ(listener.writers.back(), nullptr);
}

TEST_P(DeferredTest, ReadsAndRefusedWorkAreNot) {
  const Buffer a = buffer_of({1, 2});
  Listener listener(*device());
  int value = 0;
  stream().copy_out(&value, a, sizeof value);
  EXPECT_THROW(stream().copy_in(a, &value, 100), InvalidArgument);
  EXPECT_THROW(stream().launch(kernel("set_all"), shape_for(2), a), InvalidArgument);
  EXPECT_TRUE(listener.written.empty() || !kernel("set_all").parameters_known());
}

TEST_P(DeferredTest, MarksAndWaitsAreAnnounced) {
  const auto event = device()->make_event();
  Listener listener(*device());
  stream().record(*event);
  stream().wait(*event);
  stream().synchronize();
  stream().queue_deferred();
  EXPECT_EQ(listener.marked, std::vector<Stream*>(4, &stream()));
}

TEST_P(DeferredTest, NothingIsAnnouncedWithinTheScope) {
  const Buffer a = buffer_of({1, 2});
  const std::array<std::byte, 4> pattern = {};
  Listener listener(*device());
  {
    const LeaveDeferred leave;
    EXPECT_TRUE(LeaveDeferred::is_active());
    stream().fill(a, pattern, 2);
    stream().synchronize();
  }
  EXPECT_FALSE(LeaveDeferred::is_active());
  EXPECT_TRUE(listener.written.empty() && listener.marked.empty());
}

TEST_P(DeferredTest, AnAddressThatWasAskedForIsAnnouncedOnce) {
  const Buffer a = buffer_of({1, 2});
  const Buffer part = a.slice(4, 4);
  Listener listener(*device());
  EXPECT_FALSE(a.has_escaped());
  (void)part.location();
  EXPECT_TRUE(a.has_escaped());
  (void)a.location();
  EXPECT_EQ(listener.written.size(), 1u);
}

TEST_P(DeferredTest, WatchedMemoryIsToldOfItsLaunches) {
  WatchedBuffer watched(buffer_of({1, 2}));
  stream().launch(kernel("set_all"), shape_for(2), watched, 1, 2);
  ASSERT_EQ(watched.uses.size(), 1u);
  EXPECT_EQ(watched.uses[0], std::make_pair(&stream(), MemoryUse::writes));
  EXPECT_FALSE(watched.buffer.has_escaped());
}

}  // namespace
}  // namespace treadle::device
