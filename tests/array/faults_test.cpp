// SPDX-License-Identifier: MIT
// Every call to the device, and every allocation of the host, is made to fail once in each of some
// programs, while arrays end that nothing but the evaluation keeps. The outcome is an exception,
// the arrays are as before, and the next program runs: nobody waits for a lock of his own. In
// builds with sanitizers the allocations that fail are further and further apart, because most are
// those of a kernel's text. TREADLE_RANDOM_CASES and TREADLE_RANDOM_SEED say how many programs are
// drawn, and which.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "array/reversal.hpp"
#include "sanitized.hpp"
#include "treadle/array/array.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/random.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/user_kernel.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/null.hpp"
#include "treadle/process/warning.hpp"

namespace {
thread_local std::size_t host_allocations = 0, failing_allocation = 0;
}  // namespace

// For all tests of this program: on a thread that asks for it one of them fails. ThreadSanitizer
// has its own, which cannot be replaced.
#if !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t size) {
  void* const block =
      ++host_allocations == failing_allocation ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
// Those of arrays would call these, but for AddressSanitizer.
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
#endif

namespace treadle::array {
namespace {

/// A device with two streams, whose arrays are used on both: their order is settled by events.
struct World {
  World() {
    const device::StreamScope scope(other);
    for (Array* array : {&x, &y}) *array = copy(zeros({64}, Scalar::float32));
    evaluate({x, y});
  }
  std::shared_ptr<device::Device> device = device::make_null_device();
  std::shared_ptr<device::Stream> stream = device->make_stream(), other = device->make_stream();
  Array x, y;
};

struct Program {
  const char* name;
  std::function<void(World&)> run;
};
void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

const Program programs[] = {
    {"Elementwise", [](World& w) { evaluate({(w.x + 1) * w.y - sqrt(w.x * 2)}); }},
    {"Siblings",
     [](World& w) {
       const Array shared = w.x * w.y;
       evaluate({shared + 1, shared - copy(w.y * 3)});
     }},
    {"Reductions",
     [](World& w) {
       const Array total = sum((w.x + 1) * w.y);
       (void)(total / 3).item();
       (void)sum(reshape(w.x * 2, {8, 8}) / mean(w.y), {.axes = 0}).as<float>();
     }},
    {"OnTwoStreams",
     [](World& w) {
       Array z = w.x + w.y;
       const device::StreamScope scope(w.other);
       z = z * 2 + copy(w.x + 2);
       (void)z.as<float>();
     }},
    {"InPlace",
     [](World& w) {
       Array x = copy(w.x);
       const Array reader = x + w.y;
       x += sqrt(w.y) * 2;
       x.at({Index{.start = 1}}).assign(x.at({Index{.stop = 63}}) + 1);
       x.assign_where(w.y > 1, w.x * 2);
       (void)reader.as<float>();
     }},
    {"Indexed",
     [](World& w) {
       Array x = copy(w.x);
       const Array places = copy(arange(0, 32, 1, Scalar::int64));
       evaluate({take(x + 1, places) * w.y.at({Index{.stop = 32}})});
       put(x, places, w.y.at({Index{.stop = 32}}) * 2);
     }},
    {"Cumulative", [](World& w) { evaluate({cumulative_sum(w.x + w.y) * 2}); }},
    {"Computations",
     [](World& w) {
       const auto plain = std::make_shared<PlainReversal>();
       const ResultSpec specs[] = {{{64}, Scalar::float32}, {{1}, Scalar::float32}};
       const Array x = w.x + 1;
       const std::vector<Array> both = pending_results(plain, std::span(&x, 1), specs);
       evaluate({reversed(std::make_shared<FusedReversal>(), both[0] * 2) - w.y, both[1] + 1});
     }},
    {"Long",
     [](World& w) {
       Array s = w.x;
       for (int i = 0; i < 150; ++i) s = s + w.y * i;
       evaluate({s});
     }},
    {"Eager",
     [](World& w) {
       const bool was_lazy = set_lazy(false);
       try {
         const Array z = (w.x + w.y) * 2;
       } catch (...) {
         set_lazy(was_lazy);
         throw;
       }
       set_lazy(was_lazy);
     }},
};

/// False if the program ended well.
bool fails(const Program& program, World& world) {
  const device::StreamScope scope(world.stream);
  try {
    program.run(world);
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return true;
  } catch (const std::bad_alloc&) {
    return true;
  }
  return false;
}

class ArrayFaults : public testing::TestWithParam<Program> {
 protected:
  ~ArrayFaults() override { set_warning_handler({}); }
  bool fails(World& world) { return array::fails(GetParam(), world); }
};
INSTANTIATE_TEST_SUITE_P(Programs, ArrayFaults, testing::ValuesIn(programs),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(ArrayFaults, OfTheDeviceLeaveNoLockBehind) {
  std::size_t reported = 0;
  for (std::size_t call = 1;; ++call) {
    World world;
    device::fail_null_call(*world.device, call);
    const bool failed = fails(world);
    if (device::fail_null_call(*world.device, 0) < call) break;
    reported += failed ? 1 : 0;
    EXPECT_FALSE(fails(world)) << "after call " << call;
  }
  EXPECT_GT(reported, 1u);
}

TEST_P(ArrayFaults, OfTheHostLeaveNoLockBehind) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer's operator new is not replaced";
#endif
  const auto step = [](std::size_t allocation) { return is_sanitized ? 1 + allocation / 50 : 1; };
  for (std::size_t allocation = 1;; allocation += step(allocation)) {
    World world;
    host_allocations = 0;
    failing_allocation = allocation;
    const bool failed = fails(world);
    const bool was_last = host_allocations < allocation;
    failing_allocation = 0;
    if (was_last) {
      EXPECT_FALSE(failed);
      break;
    }
    EXPECT_FALSE(fails(world)) << "after allocation " << allocation;
  }
}

TEST_P(ArrayFaults, FreedMemoryIsRefusedEachTime) {
  World world;
  const Array kept = world.x + 1;
  world.y.buffer().free();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(fails(world));
  EXPECT_EQ(kept.as<float>().size(), 64u);
}

/// Steps on six arrays, whose nodes end when others take their place.
void run_drawn(World& w, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](std::size_t below) { return random() % below; };
  std::array<Array, 6> arrays = {w.x, w.y, copy(w.x), w.x + w.y, sqrt(w.y), w.x * 2};
  const std::array<std::shared_ptr<device::Stream>, 2> streams = {w.stream, w.other};
  for (int step = 0; step < 14; ++step) {
    const device::StreamScope scope(streams[draw(4) / 3]);
    const Array a = arrays[draw(6)];
    const Array b = arrays[draw(6)];
    Array& into = arrays[2 + draw(4)];  // those of the world stay as they are
    switch (draw(11)) {
      case 0:
        into = a * b + 1;
        break;
      case 1:
        into = copy(a) - sum(b);
        break;
      case 2:
        into = flip(a) / (mean(b) + 1);
        break;
      case 3:
        into = cumulative_sum(a);
        break;
      case 4:
        into = take(a, copy(arange(63, -1, -1, Scalar::int64)));
        break;
      case 5:
        into = copy(into);
        into += b;
        break;
      case 6:
        into = copy(into);
        into.at({Index{.start = 1}}).assign(into.at({Index{.stop = 63}}) + 1);
        break;
      case 7:
        into = copy(into);
        into.assign_where(a > b, b);
        break;
      case 8:
        evaluate({a, b, into});
        break;
      case 9:
        (void)sum(a).item();
        break;
      default:
        (void)into.as<float>();
        break;
    }
  }
  evaluate({arrays[2], arrays[5]});
}

TEST(ArrayDrawnFaults, OfRandomProgramsLeaveNoLockBehind) {
  const char* const wanted = std::getenv("TREADLE_RANDOM_CASES");
  const char* const given_seed = std::getenv("TREADLE_RANDOM_SEED");
  const unsigned cases = wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : 3;
  const unsigned first = given_seed != nullptr ? static_cast<unsigned>(std::atoi(given_seed)) : 1;
  for (unsigned seed = first; seed != first + cases; ++seed) {
    SCOPED_TRACE("TREADLE_RANDOM_CASES=1 TREADLE_RANDOM_SEED=" + std::to_string(seed));
    const Program drawn{"Drawn", [seed](World& w) { run_drawn(w, seed); }};
    std::size_t calls = 1;
    for (std::size_t call = 1; call <= calls; ++call) {
      World world;
      device::fail_null_call(*world.device, call);
      fails(drawn, world);
      calls = std::max(calls, device::fail_null_call(*world.device, 0));
      ASSERT_FALSE(fails(drawn, world)) << "after call " << call;
    }
    EXPECT_GT(calls, 1u);
#if !defined(__SANITIZE_THREAD__)
    std::mt19937 random(seed);
    std::size_t allocations = 1;
    for (int fault = 0; fault < 40; ++fault) {
      World world;
      const std::size_t failing = 1 + random() % allocations;
      host_allocations = 0;
      failing_allocation = failing;
      fails(drawn, world);
      failing_allocation = 0;
      allocations = std::max(allocations, host_allocations + 1);
      ASSERT_FALSE(fails(drawn, world)) << "after allocation " << failing;
    }
#endif
  }
}

}  // namespace
}  // namespace treadle::array
