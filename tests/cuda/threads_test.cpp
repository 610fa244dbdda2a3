// SPDX-License-Identifier: MIT
// P11 under load: many threads, contexts and streams, and objects that end on other threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/memory.hpp"

namespace treadle::cuda {
namespace {

constexpr int threads = 24, rounds = 12;

/// Where threads leave objects for others to end.
class LeftObjects {
 public:
  void leave(std::shared_ptr<void> object) {
    const std::lock_guard lock(mutex_);
    objects_.push_back(std::move(object));
  }
  void end_one() {
    std::shared_ptr<void> object;
    const std::lock_guard lock(mutex_);
    if (objects_.empty()) return;
    object = std::move(objects_.back());
    objects_.pop_back();
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> objects_;
};

class OnThreads : public OnEachProvider {
 protected:
  // What one thread does in a round; true if every byte came back as it went.
  static bool round(const Context& context, unsigned number, LeftObjects& left) {
    const auto guard = Context::make_current(context);
    auto stream = std::make_shared<Stream>();
    auto memory = std::make_shared<DeviceMemory>(4 * 256);
    std::vector<std::uint32_t> values(256);
    fill32_async(memory->address(), number, 256, *stream);
    const Event done;
    done.record(*stream);
    const Stream second(StreamFlags::non_blocking);
    second.wait(done);
    memory->copy_to_async(values, second);
    second.synchronize();
    for (const std::uint32_t value : values)
      if (value != number) return false;
    left.leave(memory);
    left.leave(stream);
    left.end_one();
    return true;
  }
};

TEST_P(OnThreads, P11_AnyCallFromAnyThreadAndObjectsEndAnywhere) {
  LeftObjects left;
  std::atomic<int> wrong{0}, thrown{0};
  {
    const Context contexts[] = {context(), Context::create(device()), Context::create(device())};
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        try {
          for (unsigned j = 0; j < rounds; ++j)
            if (!round(contexts[(i + j) % 3], i * rounds + j, left)) ++wrong;
          EXPECT_EQ(Context::stack_depth(), 0u);
        } catch (const Error&) {
          ++thrown;
        }
      });
    for (std::thread& worker : workers) worker.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(thrown, 0);
}

TEST_P(OnThreads, P11_AContextThatEndsUnderItsObjectsTakesThemWithIt) {
  for (int i = 0; i < 8; ++i) {
    const Context context = Context::create(device());
    LeftObjects left;
    std::vector<std::thread> workers;
    for (unsigned j = 0; j < 4; ++j) workers.emplace_back([&, j] { round(context, j, left); });
    for (std::thread& worker : workers) worker.join();
    context.detach();
    EXPECT_THROW(Stream{context}, InvalidState);
  }
}

// Whoever forgets an ended context may meet its successor, and be the last to hold that one.
TEST_P(OnThreads, P11_TheLastReferenceToAPrimaryContextMayBeAnywhere) {
  leave_context();
  constexpr int takers = 4;
  const int turns =
      GetParam() == Provider::cpu ? 40'000 : 5;  // a GPU takes seconds beside other programs
  std::atomic<int> left{takers};
  std::vector<std::thread> workers;
  for (int i = 0; i < takers; ++i)
    workers.emplace_back([&] {
      for (int j = 0; j < turns; ++j) EXPECT_TRUE(Context::primary(device()).is_valid());
      --left;
    });
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (left > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (left > 0) {  // nothing that could be joined
    std::fprintf(stderr, "%d threads wait for each other\n", left.load());
    std::_Exit(1);
  }
  for (std::thread& worker : workers) worker.join();
}

INSTANTIATE_TEST_SUITE_P(Providers, OnThreads, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
