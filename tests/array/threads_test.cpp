// SPDX-License-Identifier: MIT
// Arrays that several threads share: what two of them do to one comes in either order, each whole.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/device/null.hpp"

namespace treadle::array {
namespace {

constexpr int thread_count = 8;
constexpr std::int64_t length = 20'000;  // long enough for two kernels to run at the same time

constexpr int rounds = 20;
class ArrayThreadsTest : public OnEachArrayDevice {
 protected:
  /// Runs `work(i)` on as many threads at once, every second one with a stream of its own.
  template <class Work>
  void on_streams(Work work) {
    on_threads(thread_count, [&](int i) {
      const auto own = i % 2 == 0 ? shared_stream() : device()->make_stream();
      const device::StreamScope scope(own);
      work(i);
      own->synchronize();
    });
  }
  Array filled(float value) { return full({length}, value, Scalar::float32, here()); }
  /// That all elements are one number, from `low` to `high` by steps of `step`.
  void expect_one_value(const Array& array, float low, float high, float step) {
    const std::vector<float> values = array.as<float>();
    if (!runs_kernels()) return;
    const auto other = std::ranges::find_if(values, [&](float v) { return v != values.front(); });
    EXPECT_EQ(other, values.end())
        << values.front() << " and " << *other << " at " << other - values.begin();
    const float steps = (values.front() - low) / step;
    EXPECT_TRUE(values.front() >= low && values.front() <= high && steps == std::floor(steps))
        << values.front();
  }
};
/// PoCL compiles too slowly for all of these.
auto quick_devices() {
  std::vector<std::string> ids = device::device_ids();
  std::erase_if(ids, [](const std::string& id) { return id.starts_with("opencl"); });
  return testing::ValuesIn(ids);
}
INSTANTIATE_TEST_SUITE_P(Devices, ArrayThreadsTest, quick_devices(), device_test_name);

class ArrayStreamsTest : public ArrayThreadsTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayStreamsTest, device::each_native_device(), device_test_name);

TEST_P(ArrayThreadsTest, RecordersBesideAMutator) {
  const Array shared = filled(1);
  evaluate({shared});
  on_streams([&](int i) {
    Array x = shared;
    for (int round = 0; round < rounds; ++round) {
      if (i == 0)
        x += 1;
      else
        expect_one_value(x * 2 + x, 3, 3.f * static_cast<float>(rounds + 1), 3);
    }
  });
  expect(shared, std::vector<float>(length, static_cast<float>(rounds + 1)));
}

TEST_P(ArrayStreamsTest, NoChangeIsLost) {
  const Array shared = filled(0), one = filled(1);
  evaluate({shared, one});
  on_streams([&](int) {
    Array x = shared;
    for (int round = 0; round < rounds; ++round) x += one;
  });
  expect(shared, std::vector<float>(length, static_cast<float>(thread_count * rounds)));
}

/// While a thread compiles a kernel its work is not queued yet: others come after it all the same.
TEST_P(ArrayStreamsTest, ChangesWhileAKernelIsCompiled) {
  constexpr int changes = 20;
  const Array shared = full({1 << 20}, 0, Scalar::float32, here()), one = shared + 1;
  evaluate({shared, one});
  Array(shared) += one;  // this kernel is there
  on_threads(2, [&](int i) {
    const auto own = device()->make_stream();
    const device::StreamScope scope(own);
    Array x = shared;
    if (i == 0) {
      x += exp(one - 1) * 5 - 4;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (int k = 0; k < changes; ++k) x += one;
    }
    own->synchronize();
  });
  expect_one_value(shared, changes + 2, changes + 2, 1);
}

TEST_P(ArrayStreamsTest, WhatIsCompiledReadsElementsAsTheyWereRecorded) {
  Array x = filled(1);
  evaluate({x});
  x += 1;  // this kernel is there
  const Array sum = x + 1, later = exp(sum - 3) * 7;
  on_threads(2, [&](int i) {
    if (i == 0) return evaluate({later});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    evaluate({sum});  // x has no readers that wait, but for the kernel of the other thread
    Array(x) += 1;
  });
  expect_one_value(later, 7, 7, 1);
  expect_one_value(x, 3, 3, 1);
}

TEST_P(ArrayThreadsTest, AViewOfEachThread) {
  const Array shared = filled(0);
  evaluate({shared});
  on_streams([&](int i) {
    Array part = shared.at({Index{.start = i, .step = thread_count}});
    for (int round = 0; round < rounds; ++round) {
      part += 1;
      expect_one_value(part * 2, 2.f * static_cast<float>(round + 1),
                       2.f * static_cast<float>(round + 1), 1);
    }
  });
  expect(shared, std::vector<float>(length, static_cast<float>(rounds)));
}

TEST_P(ArrayThreadsTest, TheSameExpressionIsComputedOnce) {
  const Array x = full({1000}, 1, Scalar::float32, here()), y = x * 2;
  evaluate({x, y});
  for (int round = 0; round < rounds; ++round) {
    const Array both = x + y, twice = both * 2, total = sum(both);
    if (info().runtime == "null") device::clear_null_calls(*device());
    on_streams([&](int i) { evaluate({i % 3 == 0 ? both : i % 3 == 1 ? twice : total}); });
    EXPECT_FALSE(both.is_pending() || twice.is_pending() || total.is_pending());
    if (info().runtime == "null") {
      const std::vector<std::string> calls = device::null_calls(*device());
      EXPECT_EQ(
          std::ranges::count_if(calls, [](const auto& c) { return c.starts_with("launch "); }), 3);
    }
    expect_one_value(both, 3, 3, 1);
    expect_one_value(twice, 6, 6, 1);
    expect_one_value(total, 3000, 3000, 1);
  }
}

TEST_P(ArrayThreadsTest, ReductionsOfOneExpression) {
  const Array x = make(count_up(1000)), y = x * 2, total = sum(y);
  on_threads(thread_count, [&](int) { expect(reshape(total + max(y), {1}), {999'000 + 1998}); });
}

TEST_P(ArrayThreadsTest, AResultInTheMemoryOfWhatAnotherThreadReads) {
  for (int round = 0; round < rounds; ++round) {
    Array x = full({1 << 18}, 1, Scalar::float32, here());
    evaluate({x});
    const Array sum = x + 1, product = sum * 2;
    x = {};  // now the sum may take its memory, of which the product is made, too
    on_threads(2, [&](int i) { evaluate({i == 0 ? sum : product}); });
    expect_one_value(sum, 2, 2, 1);
    expect_one_value(product, 4, 4, 1);
  }
}

TEST_P(ArrayThreadsTest, DroppedWhileAnotherThreadFlushes) {
  const Array shared = full({1000}, 1, Scalar::float32, here());
  evaluate({shared});
  std::mutex mutex;
  std::vector<Array> passed_on;
  on_streams([&](int i) {
    for (int round = 0; round < rounds; ++round) {
      if (i % 4 == 3) {
        device()->default_stream()->synchronize();
        shared_stream()->synchronize();
        shared.at({Index{.stop = 8}}).assign(1);
        continue;
      }
      // Some are dropped here, some by another thread, some after they were computed.
      const Array sum = shared + 1, product = sum * sum, total = array::sum(product);
      std::vector<Array> dropped;
      const std::lock_guard lock(mutex);
      passed_on.push_back(round % 2 == 0 ? product : total);
      if (passed_on.size() > 4) dropped.swap(passed_on);
    }
  });
  expect_one_value(shared, 1, 1, 1);
}

TEST_P(ArrayThreadsTest, ReductionsGathersAndChangesOfTheirOwn) {
  const Array shared = arange(0, 1000, 1, Scalar::float32, here());
  evaluate({shared});
  on_streams([&](int i) {
    const auto own = static_cast<float>(i);
    for (int round = 0; round < rounds; ++round) {
      Array x = shared + own;
      const Array total = sum(x), mean_above = mean(x - own), chosen = take(x, {0, 999, 5}, 0);
      x *= 2;
      x.at({Index{.stop = 10}}).assign(own);
      expect(total, {499'500 + 1000 * own});
      expect(mean_above, {499.5});
      expect(chosen, {own, 999 + own, 5 + own});
      expect(x.at({Index{.start = 8, .stop = 12}}), {own, own, 20 + 2 * own, 22 + 2 * own});
    }
  });
}

}  // namespace
}  // namespace treadle::array
