// SPDX-License-Identifier: MIT
// What the tests of devices on OpenCL share.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/device/registry.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/opencl/context.hpp"
#include "treadle/opencl/event.hpp"

namespace treadle::device::opencl_test {

using memory::Buffer;

/// Of page-locked memory.
inline int* ints_of(const Buffer& buffer) { return reinterpret_cast<int*>(buffer.host_data()); }
inline std::vector<int> contents(const Buffer& buffer) {
  std::vector<int> values(buffer.size_bytes() / sizeof(int));
  buffer.copy_to(values);
  return values;
}

inline std::vector<int> count_up(std::size_t count, int first = 0) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

class OpenclDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = find_device("opencl");
    } catch (const InvalidArgument& error) {
      GTEST_SKIP() << error.message();
    }
  }
  std::shared_ptr<Device> device_;
};

inline constexpr const char* slow_text = R"(
__kernel void wait_then_set(__global int* a, int rounds, int value) {
  uint state = 1;
  for (int i = 0; i < rounds; ++i) state = state * 1664525u + 1013904223u;
  a[0] = state == 0 ? 0 : value;
})";

/// A user's event that work waits for. Ended in any case: what waits for it would wait for ever.
class Gate {
 public:
  explicit Gate(const opencl::Context& context) : event_(context) {}
  ~Gate() { open(); }
  const opencl::Event& event() const { return event_; }
  void open() {
    if (!event_.is_done()) event_.set_status(0);
  }

 private:
  opencl::UserEvent event_;
};

/// A strided copy, in ints.
struct Strided {
  Box box;
  Pitch source, destination;
  std::uint64_t from, to;  // where the box begins on each side
};

inline constexpr std::size_t room = 2000;  // ints on each side

inline Box in_bytes(Box box) { return {4 * box.row_bytes, box.rows, box.slices}; }
inline Pitch in_bytes(Pitch pitch) { return {4 * pitch.row_bytes, 4 * pitch.slice_bytes}; }

inline std::vector<int> expected(const Strided& c, const std::vector<int>& source,
                                 std::vector<int> to) {
  for (std::size_t z = 0; z < c.box.slices; ++z)
    for (std::size_t y = 0; y < c.box.rows; ++y)
      for (std::size_t x = 0; x < c.box.row_bytes; ++x)
        to[c.to + z * c.destination.slice_bytes + y * c.destination.row_bytes + x] =
            source[c.from + z * c.source.slice_bytes + y * c.source.row_bytes + x];
  return to;
}

}  // namespace treadle::device::opencl_test
