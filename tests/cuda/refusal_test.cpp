// SPDX-License-Identifier: MIT
// P17, a row each: what no driver should ever see. Every public entry point that takes a size, an
// address or an object refuses negative, null, freed and foreign ones with a typed error, and has
// asked the driver for nothing but what is current.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/occupancy.hpp"
#include "treadle/cuda/wait.hpp"

namespace treadle::cuda {
namespace {

constexpr auto minus_five = static_cast<std::size_t>(-5);

/// What is right about a call that is wrong in one place.
struct Things {
  Things() { moved_to = std::move(moved); }

  std::vector<std::byte> host = std::vector<std::byte>(64);
  Context context = Context::current();
  Context none, detached = detach(Context::create(context.device()));
  Stream stream, gone;
  Event event, moved, moved_to;
  DeviceMemory memory{64}, freed = free(DeviceMemory(64));
  HostMemory locked{64}, freed_locked = free(HostMemory(64));
  ManagedMemory managed{64}, freed_managed = free(ManagedMemory(64));
  Module module{ModuleImage{std::vector<std::byte>(16), {}}};
  Function kernel = module.function("k(int)");

  /// A copy of one row between good sides.
  Copy2D plane() {
    return {.source = {.type = MemoryType::device, .device = memory.address(), .pitch_bytes = 16},
            .destination = {.type = MemoryType::host, .host = host.data(), .pitch_bytes = 16},
            .width_bytes = 16,
            .height = 1};
  }
  Copy3D box() {
    const Copy2D one = plane();
    return {one.source, one.destination, one.width_bytes, one.height, 1};
  }
  FillArea area() const { return {memory.address(), 16, 4, 1}; }
  const Stream& moved_stream() {
    const Stream elsewhere = std::move(gone);
    return gone;
  }

 private:
  static Context detach(Context context) {
    context.detach();
    return context;
  }
  template <class Memory>
  static Memory free(Memory memory) {
    memory.free();
    return memory;
  }
};

enum class Refused { argument, state, shape, not_supported, no_context };

struct Row {
  const char* what;
  Refused as;
  const char* message;  ///< a part of it
  std::function<void(Things&)> call;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.what; }

Refused kind_of(const Error& error) {
  if (dynamic_cast<const ShapeError*>(&error)) return Refused::shape;
  if (dynamic_cast<const InvalidArgument*>(&error)) return Refused::argument;
  if (dynamic_cast<const InvalidState*>(&error)) return Refused::state;
  if (dynamic_cast<const NotSupported*>(&error)) return Refused::not_supported;
  return Refused::no_context;
}

template <class Copy, class Change>
Copy changed(Copy copy, Change change) {
  change(copy);
  return copy;
}

const std::vector<Row> sizes = {
    {"device memory", Refused::argument, "size_bytes is -5",
     [](Things&) { DeviceMemory{minus_five}; }},
    {"pitched, width", Refused::argument, "width_bytes is -5",
     [](Things&) { DeviceMemory::pitched(minus_five, 4, 4); }},
    {"pitched, height", Refused::argument, "height is -5",
     [](Things&) { DeviceMemory::pitched(4, minus_five, 4); }},
    {"page-locked memory", Refused::argument, "size_bytes is -5",
     [](Things&) { HostMemory{minus_five}; }},
    {"managed memory", Refused::argument, "size_bytes is -5",
     [](Things&) { ManagedMemory{minus_five}; }},
    {"registered memory", Refused::argument, "size_bytes is -5",
     [](Things& t) { RegisteredMemory(t.host.data(), minus_five); }},
    {"to device", Refused::argument, "size_bytes is -5",
     [](Things& t) { copy_to_device(t.memory.address(), t.host.data(), minus_five); }},
    {"to device, async", Refused::argument, "size_bytes is -5",
     [](Things& t) {
       copy_to_device_async(t.memory.address(), t.host.data(), minus_five, t.stream);
     }},
    {"to host", Refused::argument, "size_bytes is -5",
     [](Things& t) { copy_to_host(t.host.data(), t.memory.address(), minus_five); }},
    {"to host, async", Refused::argument, "size_bytes is -5",
     [](Things& t) {
       copy_to_host_async(t.host.data(), t.memory.address(), minus_five, t.stream);
     }},
    {"on device", Refused::argument, "size_bytes is -5",
     [](Things& t) { copy_on_device(t.memory.address(), t.managed.address(), minus_five); }},
    {"on device, async", Refused::argument, "size_bytes is -5",
     [](Things& t) {
       copy_on_device_async(t.memory.address(), t.managed.address(), minus_five, t.stream);
     }},
    {"either side", Refused::argument, "size_bytes is -5",
     [](Things& t) { copy(t.memory.address(), t.managed.address(), minus_five); }},
    {"peers", Refused::argument, "size_bytes is -5",
     [](Things& t) { copy_peer({t.memory.address(), {}}, {t.memory.address(), {}}, minus_five); }},
    {"peers, async", Refused::argument, "size_bytes is -5",
     [](Things& t) {
       copy_peer_async({t.memory.address(), {}}, {t.memory.address(), {}}, minus_five, t.stream);
     }},
    {"fill8", Refused::argument, "count is -5",
     [](Things& t) { fill8(t.memory.address(), 1, minus_five); }},
    {"fill16", Refused::argument, "count is -5",
     [](Things& t) { fill16(t.memory.address(), 1, minus_five); }},
    {"fill32", Refused::argument, "count is -5",
     [](Things& t) { fill32(t.memory.address(), 1, minus_five); }},
    {"fill8, async", Refused::argument, "count is -5",
     [](Things& t) { fill8_async(t.memory.address(), 1, minus_five, t.stream); }},
    {"fill16, async", Refused::argument, "count is -5",
     [](Things& t) { fill16_async(t.memory.address(), 1, minus_five, t.stream); }},
    {"fill32, async", Refused::argument, "count is -5",
     [](Things& t) { fill32_async(t.memory.address(), 1, minus_five, t.stream); }},
    {"area, width", Refused::argument, "width is -5",
     [](Things& t) { fill_2d8(changed(t.area(), [](FillArea& a) { a.width = minus_five; }), 1); }},
    {"area, height", Refused::argument, "height is -5",
     [](Things& t) {
       fill_2d16(changed(t.area(), [](FillArea& a) { a.height = minus_five; }), 1);
     }},
    {"area, pitch", Refused::argument, "pitch_bytes is -5",
     [](Things& t) {
       fill_2d32(changed(t.area(), [](FillArea& a) { a.pitch_bytes = minus_five; }), 1);
     }},
    {"area, async", Refused::argument, "width is -5",
     [](Things& t) {
       const FillArea area = changed(t.area(), [](FillArea& a) { a.width = minus_five; });
       fill_2d8_async(area, 1, t.stream);
     }},
    {"plane, width", Refused::argument, "width_bytes is -5",
     [](Things& t) { copy_2d(changed(t.plane(), [](Copy2D& c) { c.width_bytes = minus_five; })); }},
    {"plane, height", Refused::argument, "height is -5",
     [](Things& t) {
       copy_2d_unaligned(changed(t.plane(), [](Copy2D& c) { c.height = minus_five; }));
     }},
    {"plane, x", Refused::argument, "x_bytes is -5",
     [](Things& t) {
       copy_2d_async(changed(t.plane(), [](Copy2D& c) { c.source.x_bytes = minus_five; }),
                     t.stream);
     }},
    {"plane, pitch", Refused::argument, "pitch_bytes is -5",
     [](Things& t) {
       copy_2d(changed(t.plane(), [](Copy2D& c) { c.destination.pitch_bytes = minus_five; }));
     }},
    {"box, depth", Refused::argument, "depth is -5",
     [](Things& t) { copy_3d(changed(t.box(), [](Copy3D& c) { c.depth = minus_five; })); }},
    {"box, z", Refused::argument, "z is -5",
     [](Things& t) {
       copy_3d_async(changed(t.box(), [](Copy3D& c) { c.source.z = minus_five; }), t.stream);
     }},
    {"box of peers", Refused::argument, "height is -5",
     [](Things& t) { copy_3d_peer(changed(t.box(), [](Copy3D& c) { c.height = minus_five; })); }},
    {"host range larger than the memory", Refused::shape, "65 bytes, the device memory only 64",
     [](Things& t) { t.memory.copy_from(std::vector<std::byte>(65)); }},
    {"host range larger than the memory, back", Refused::shape, "65 bytes",
     [](Things& t) { t.memory.copy_to(std::vector<std::byte>(65)); }},
    {"host range larger than the memory, async", Refused::shape, "65 bytes",
     [](Things& t) { t.memory.copy_from_async(std::vector<std::byte>(65), t.stream); }},
    {"block of no threads", Refused::argument, "threads = 0",
     [](Things&) { occupancy({}, {.threads = 0}); }},
    {"multiprocessor without warps", Refused::argument, "warp_threads = 0",
     [](Things&) { occupancy({.warp_threads = 0}, {.threads = 32}); }},
    {"multiprocessor of no warps", Refused::argument, "warps = 0",
     [](Things&) { occupancy({.warps = 0}, {.threads = 32}); }},
};

const std::vector<Row> nulls = {
    {"driver without a table", Refused::argument, "needs a table",
     [](Things&) { Driver{std::shared_ptr<const Table>()}; }},
    {"to device, destination", Refused::argument, "destination is null",
     [](Things& t) { copy_to_device(0, t.host.data(), 64); }},
    {"to device, source", Refused::argument, "source is null",
     [](Things& t) { copy_to_device(t.memory.address(), nullptr, 64); }},
    {"to device, async, source", Refused::argument, "source is null",
     [](Things& t) { copy_to_device_async(t.memory.address(), nullptr, 64, t.stream); }},
    {"to host, destination", Refused::argument, "destination is null",
     [](Things& t) { copy_to_host(nullptr, t.memory.address(), 64); }},
    {"to host, source", Refused::argument, "source is null",
     [](Things& t) { copy_to_host(t.host.data(), 0, 64); }},
    {"to host, async", Refused::argument, "destination is null",
     [](Things& t) { copy_to_host_async(nullptr, t.memory.address(), 64, t.stream); }},
    {"on device", Refused::argument, "source is null",
     [](Things& t) { copy_on_device(t.memory.address(), 0, 64); }},
    {"either side", Refused::argument, "destination is null",
     [](Things& t) { copy(0, t.memory.address(), 64); }},
    {"peers", Refused::argument, "destination is null",
     [](Things& t) { copy_peer({0, {}}, {t.memory.address(), {}}, 64); }},
    {"peers, async", Refused::argument, "source is null",
     [](Things& t) { copy_peer_async({t.memory.address(), {}}, {0, {}}, 64, t.stream); }},
    {"fill", Refused::argument, "destination is null", [](Things&) { fill8(0, 1, 64); }},
    {"fill, async", Refused::argument, "destination is null",
     [](Things& t) { fill32_async(0, 1, 64, t.stream); }},
    {"area", Refused::argument, "destination is null",
     [](Things&) { fill_2d32({0, 16, 4, 4}, 1); }},
    {"plane, host", Refused::argument, "destination is null",
     [](Things& t) {
       copy_2d(changed(t.plane(), [](Copy2D& c) { c.destination.host = nullptr; }));
     }},
    {"plane, device", Refused::argument, "source is null",
     [](Things& t) { copy_2d(changed(t.plane(), [](Copy2D& c) { c.source.device = 0; })); }},
    {"plane, array", Refused::argument, "the source was not set",
     [](Things& t) {
       copy_2d(changed(t.plane(), [](Copy2D& c) { c.source.type = MemoryType::array; }));
     }},
    {"plane, no side", Refused::argument, "the source was not set",
     [](Things& t) { copy_2d(changed(t.plane(), [](Copy2D& c) { c.source = {}; })); }},
    {"box, no side", Refused::argument, "the destination was not set",
     [](Things& t) { copy_3d(changed(t.box(), [](Copy3D& c) { c.destination = {}; })); }},
    {"registered memory", Refused::argument, "data is null",
     [](Things&) { RegisteredMemory(nullptr, 64); }},
    {"address range", Refused::argument, "address is null", [](Things&) { address_range(0); }},
    {"module", Refused::argument, "module to load is empty",
     [](Things&) { Module{std::span<const std::byte>()}; }},
    {"launch without arguments", Refused::argument, "0 arguments for 1 parameter",
     [](Things& t) { t.kernel.launch_unchecked({.block = {2}}, nullptr); }},
    {"launch of a null buffer", Refused::argument, "packed is null",
     [](Things& t) { t.kernel.launch_buffer({.block = {2}}, nullptr, 4); }},
    {"wait without a question", Refused::argument, "needs a question",
     [](Things& t) { (void)wait(t.stream, nullptr); }},
    {"wait for a context without a question", Refused::argument, "needs a question",
     [](Things& t) { (void)wait(t.context, nullptr); }},
};

WaitAnswer never_leave() { return WaitAnswer::go_on; }

const std::vector<Row> gone = {
    {"no context: push", Refused::state, "holds no context", [](Things& t) { t.none.push(); }},
    {"no context: detach", Refused::state, "holds no context", [](Things& t) { t.none.detach(); }},
    {"no context: device", Refused::state, "holds no context", [](Things& t) { t.none.device(); }},
    {"no context: wait", Refused::state, "holds no context",
     [](Things& t) { (void)wait(t.none, never_leave); }},
    {"no context: end work", Refused::state, "holds no context",
     [](Things& t) { end_work(t.none); }},
    {"no context: memory", Refused::state, "holds no context",
     [](Things& t) { DeviceMemory(t.none, 64); }},
    {"no context: stream", Refused::state, "holds no context", [](Things& t) { Stream{t.none}; }},
    {"no context: event", Refused::state, "holds no context", [](Things& t) { Event{t.none}; }},
    {"no context: peer", Refused::state, "holds no context",
     [](Things& t) { t.context.enable_peer_access(t.none); }},
    {"detached: push", Refused::state, "was detached", [](Things& t) { t.detached.push(); }},
    {"detached: again", Refused::state, "detach", [](Things& t) { t.detached.detach(); }},
    {"detached: synchronize", Refused::state, "was detached",
     [](Things& t) { t.detached.synchronize(); }},
    {"detached: limit", Refused::state, "was detached",
     [](Things& t) { t.detached.limit(Limit::stack_size); }},
    {"detached: memory", Refused::state, "was detached",
     [](Things& t) { DeviceMemory(t.detached, 64); }},
    {"detached: stream", Refused::state, "was detached", [](Things& t) { Stream{t.detached}; }},
    {"detached: wait", Refused::state, "was detached",
     [](Things& t) { (void)wait(t.detached, never_leave); }},
    {"detached: end work", Refused::state, "was detached", [](Things& t) { end_work(t.detached); }},
    {"freed: again", Refused::state, "was freed", [](Things& t) { t.freed.free(); }},
    {"freed: address", Refused::state, "was freed", [](Things& t) { t.freed.address(); }},
    {"freed: copied to", Refused::state, "was freed", [](Things& t) { t.freed.copy_from(t.host); }},
    {"freed: copied from", Refused::state, "was freed", [](Things& t) { t.freed.copy_to(t.host); }},
    {"freed: page-locked", Refused::state, "was freed", [](Things& t) { t.freed_locked.data(); }},
    {"freed: page-locked again", Refused::state, "was freed",
     [](Things& t) { t.freed_locked.free(); }},
    {"freed: page-locked flags", Refused::state, "was freed",
     [](Things& t) { t.freed_locked.flags(); }},
    {"freed: managed", Refused::state, "was freed", [](Things& t) { t.freed_managed.data(); }},
    {"freed: managed, attached", Refused::state, "was freed",
     [](Things& t) { t.freed_managed.attach(AttachFlags::host); }},
    {"freed: launched with", Refused::state, "was freed",
     [](Things& t) { t.kernel.launch({.block = {2}}, t.freed); }},
    {"moved stream: synchronize", Refused::state, "holds no context",
     [](Things& t) { t.moved_stream().synchronize(); }},
    {"moved stream: copied on", Refused::state, "stream was moved from",
     [](Things& t) {
       copy_to_device_async(t.memory.address(), t.host.data(), 64, t.moved_stream());
     }},
    {"moved stream: launched on", Refused::state, "stream was moved from",
     [](Things& t) { t.kernel.launch({.block = {2}, .stream = t.moved_stream()}, 5); }},
    {"moved event: record", Refused::state, "holds no context",
     [](Things& t) { t.moved.record(); }},
    {"moved event: waited for by a stream", Refused::state, "event was moved from",
     [](Things& t) { t.stream.wait(t.moved); }},
    {"moved event: time since", Refused::state, "event was moved from",
     [](Things& t) { t.event.milliseconds_since(t.moved); }},
};

const std::vector<Row> foreign = {
    {"count of arguments", Refused::argument, "2 arguments for 1 parameter",
     [](Things& t) { t.kernel.launch({.block = {2}}, 5, 6); }},
    {"size of an argument", Refused::argument, "argument 0 has 8 bytes, parameter 0 takes 4",
     [](Things& t) { t.kernel.launch({.block = {2}}, 5.0); }},
    {"size of a buffer", Refused::argument, "have 64 bytes, the parameters take 4",
     [](Things& t) { t.kernel.launch_buffer({.block = {2}}, t.host.data(), 64); }},
    {"block beyond a multiprocessor", Refused::argument, "too many threads",
     [](Things&) { occupancy({}, {.threads = 1025}); }},
    {"shared memory beyond it", Refused::argument, "too much shared memory",
     [](Things&) { occupancy({}, {.threads = 32, .shared_bytes = 1u << 20}); }},
};

class Refusal : public testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    fake::reset();
    fake::state().kernels = {{"_Z1ki", {{0, 4}}}};
    set_default_driver(fake::driver(), "a test");
  }
  void TearDown() override { fake::reset(); }
};

bool asks_what_is_current(const std::string& call) {
  return call.starts_with("cuCtxGetCurrent") || call.starts_with("cuCtxPush") ||
         call.starts_with("cuCtxPop");
}

TEST_P(Refusal, ComesBeforeTheDriver) {
  const Row& row = GetParam();
  const CurrentContext current = Context::make_current(fake::device());
  Things things;
  (void)things.context.state();
  fake::state().calls.clear();
  try {
    row.call(things);
    ADD_FAILURE() << row.what << " was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(kind_of(error), row.as) << error.what();
    EXPECT_NE(error.message().find(row.message), std::string::npos) << error.what();
  }
  for (const std::string& call : fake::state().calls)
    EXPECT_TRUE(asks_what_is_current(call) || call.starts_with("cuStreamDestroy")) << call;
}

std::string test_name(const testing::TestParamInfo<Row>& info) {
  std::string name;
  for (const char c : std::string(info.param.what))
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(NegativeSizes, Refusal, testing::ValuesIn(sizes), test_name);
INSTANTIATE_TEST_SUITE_P(Null, Refusal, testing::ValuesIn(nulls), test_name);
INSTANTIATE_TEST_SUITE_P(Gone, Refusal, testing::ValuesIn(gone), test_name);
INSTANTIATE_TEST_SUITE_P(Foreign, Refusal, testing::ValuesIn(foreign), test_name);

TEST(Refusals, NothingIsNotRefused) {
  fake::reset();
  set_default_driver(fake::driver(), "a test");
  const CurrentContext current = Context::make_current(fake::device());
  // Empty ranges have no address, and are no mistake.
  EXPECT_NO_THROW(copy_to_device(0, nullptr, 0));
  EXPECT_NO_THROW(copy_to_host(nullptr, 0, 0));
}

TEST(Refusals, CheapValuesKeepWhatTheyStoodFor) {
  fake::reset();
  fake::state().kernels = {{"_Z1ki", {{0, 4}}}};
  Driver driver = fake::driver();
  set_default_driver(driver, "a test");
  const CurrentContext current = Context::make_current(fake::device());
  Module module{ModuleImage{std::vector<std::byte>(16), {}}};
  Function kernel = module.function("k(int)");
  const Driver other_driver = std::move(driver);
  const Module other_module = std::move(module);
  const Function other_kernel = std::move(kernel);
  EXPECT_EQ(driver, other_driver);
  EXPECT_EQ(module.raw(), other_module.raw());
  EXPECT_EQ(kernel.name(), other_kernel.name());
  EXPECT_NO_THROW(kernel.launch({.block = {2}}, 5));
}

}  // namespace
}  // namespace treadle::cuda
