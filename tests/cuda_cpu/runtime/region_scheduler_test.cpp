// SPDX-License-Identifier: MIT
#include <sys/mman.h>

#include <algorithm>
#include <numeric>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

/// By regions, and the same on fibers: both schedulers have the same rules.
class BarrierTest : public RuntimeTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    run_on_fibers(GetParam() ? 1 : 0);
  }
  void TearDown() override {
    run_on_fibers(0);
    RuntimeTest::TearDown();
  }
  static void run_on_fibers(unsigned wanted) {
    ASSERT_CU(entry_point_as<CUresult(unsigned)>("treadle_cpu_run_on_fibers")(wanted));
  }
};
INSTANTIATE_TEST_SUITE_P(Schedulers, BarrierTest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Fibers" : "Regions"; });

/// For as long as it lives the process may have some hundred mappings more: for malloc, not for the
/// stacks of a thousand fibers.
class FewMoreMappings {
 public:
  FewMoreMappings() {
    pages_ =
        mmap(nullptr, count * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (std::size_t i = 1; i < count && !reached_; i += 2) reached_ = !allow(i, PROT_READ);
    for (std::size_t i = 1; i < 600; i += 2) allow(i, PROT_NONE);
  }
  FewMoreMappings(const FewMoreMappings&) = delete;
  FewMoreMappings& operator=(const FewMoreMappings&) = delete;
  ~FewMoreMappings() { munmap(pages_, count * page); }
  bool reached() const { return reached_; }

 private:
  bool allow(std::size_t number, int access) const {
    return mprotect(static_cast<std::byte*>(pages_) + number * page, page, access) == 0;
  }
  static constexpr std::size_t count = 1 << 17, page = 4096;
  void* pages_ = MAP_FAILED;
  bool reached_ = false;
};

TEST_P(BarrierTest, fibers_whose_stacks_cannot_be_guarded_are_an_error) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers need mappings of their own";
#endif
  int* out = allocate_array<int>(1024);
  ASSERT_CU(launch("early_return", 1, 32, nullptr, 32, out));  // what else is made once
  ASSERT_CU(CU(cuCtxSynchronize)());
  CUresult result = CUDA_SUCCESS;
  {
    const FewMoreMappings now;
    if (!now.reached()) GTEST_SKIP() << "this kernel has no limit, or a high one";
    result = launch("early_return", 1, 1024, nullptr, 1024, out);
    if (result == CUDA_SUCCESS) result = CU(cuCtxSynchronize)();
  }
  EXPECT_CU(GetParam() ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS, result);
}

TEST_P(BarrierTest, runs_regions_together_while_all_threads_agree) {
  int* in = allocate_array<int>(1000);
  int* out = allocate_array<int>(1000);
  std::iota(in, in + 1000, 0);
  ASSERT_CU(launch("reverse", 1, 1000, nullptr, in, out));
  ASSERT_CU(CU(cuCtxSynchronize)());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(out[i], 999 - i);
}

TEST_P(BarrierTest, counts_exited_threads_as_arrived) {
  for (const int n : {1, 5, 32, 33, 255, 256}) {
    int* out = allocate_array<int>(256);
    ASSERT_CU(launch("early_return", 3, 256, nullptr, n, out));
    ASSERT_CU(CU(cuCtxSynchronize)());
    for (int i = 0; i < 256; ++i) EXPECT_EQ(out[i], i < n ? n : 0) << i << " of " << n;
  }
}

TEST_P(BarrierTest, lets_a_warp_pass_its_barriers_before_the_block_meets) {
  int* log = allocate_array<int>(64);
  ASSERT_CU(launch("warps", 1, 64, nullptr, log));
  ASSERT_CU(CU(cuCtxSynchronize)());
  std::vector<int> events(log + 1, log + 1 + log[0]);
  ASSERT_EQ(events.size(), 5u);
  std::sort(events.begin() + 3, events.end());  // which thread goes on first is nobody's promise
  EXPECT_EQ(events, (std::vector<int>{2, 3, 4, 100, 132}));
}

TEST_P(BarrierTest, lets_threads_at_scheduling_barriers_go_first) {
  int* rounds = allocate_array<int>(2);
  ASSERT_CU(launch("yield", 1, 40, nullptr, rounds));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(rounds[0], 3);
  EXPECT_EQ(rounds[1], 3);  // thread 0 saw all rounds done when it passed the block barrier
}

TEST_P(BarrierTest, lanes_wait_for_those_they_name_and_no_others) {
  int* log = allocate_array<int>(64);
  ASSERT_CU(launch("halves", 1, 32, nullptr, log));
  ASSERT_CU(CU(cuCtxSynchronize)());
  const std::vector<int> events(log + 1, log + 1 + log[0]);
  EXPECT_EQ(events, (std::vector<int>{0xffff, -1, -1})) << "the first barrier, then both halves";
}

TEST_P(BarrierTest, threads_of_a_tile_wait_for_those_of_theirs_that_are_left) {
  int* log = allocate_array<int>(64);
  ASSERT_CU(launch("tiles", 1, 128, nullptr, log));
  ASSERT_CU(CU(cuCtxSynchronize)());
  const std::vector<int> events(log + 1, log + 1 + log[0]);
  EXPECT_EQ(events, (std::vector<int>{64, 128, 128})) << "the half, then both";
}

TEST_P(BarrierTest, goes_on_without_lanes_that_never_come) {
  int* log = allocate_array<int>(64);
  ASSERT_CU(launch("stray", 1, 64, nullptr, log));
  ASSERT_CU(CU(cuCtxSynchronize)());
  const std::vector<int> events(log + 1, log + 1 + log[0]);
  EXPECT_EQ(events, (std::vector<int>{0xffff, 2}));
}

TEST_P(BarrierTest, lanes_converge_behind_a_detour) {
  int* log = allocate_array<int>(64);
  ASSERT_CU(launch("detour", 1, 32, nullptr, log));
  ASSERT_CU(CU(cuCtxSynchronize)());
  const std::vector<int> events(log + 1, log + 1 + log[0]);
  EXPECT_EQ(events, (std::vector<int>{0xff, -1}));
}

TEST_P(BarrierTest, a_grid_barrier_of_an_ordinary_launch_is_an_error) {
  int* cells = allocate_array<int>(64);
  ASSERT_CU(launch("grid", 4, 32, nullptr, cells, cells));
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, CU(cuCtxSynchronize)());
}

TEST_P(BarrierTest, blocks_of_all_workers_run_at_once) {
  int* out = allocate_array<int>(256);
  for (int repeat = 0; repeat < 5; ++repeat)
    ASSERT_CU(launch("early_return", 50, 256, nullptr, 200, out));
  ASSERT_CU(CU(cuCtxSynchronize)());
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[i], i < 200 ? 200 : 0) << i;
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
