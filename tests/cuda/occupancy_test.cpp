// SPDX-License-Identifier: MIT
#include "treadle/cuda/occupancy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"

namespace treadle::cuda {
namespace {

struct Case {
  BlockNeeds needs;
  unsigned blocks, warps;
  OccupancyLimit by;
};

// On a multiprocessor of 64 warps, 32 blocks, 65536 registers and 48 KiB.
class Planned : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Occupancy, Planned,
    testing::Values(
        Case{{.threads = 32}, 32, 32, OccupancyLimit::blocks},
        Case{{.threads = 1}, 32, 32, OccupancyLimit::blocks},
        Case{{.threads = 64}, 32, 64, OccupancyLimit::blocks},  // a tie with warps
        Case{{.threads = 256}, 8, 64, OccupancyLimit::warps},
        Case{{.threads = 257}, 7, 63, OccupancyLimit::warps},
        Case{{.threads = 1024}, 2, 64, OccupancyLimit::warps},
        Case{{.threads = 256, .registers_per_thread = 64}, 4, 32, OccupancyLimit::registers},
        // 33 registers of 32 threads are 1056, given as 1280.
        Case{{.threads = 256, .registers_per_thread = 33}, 6, 48, OccupancyLimit::registers},
        Case{{.threads = 128, .shared_bytes = 16384}, 3, 12, OccupancyLimit::shared_memory},
        Case{{.threads = 128, .shared_bytes = 1}, 16, 64, OccupancyLimit::warps}));

TEST_P(Planned, TheScarcestThingLimits) {
  const Occupancy answer = occupancy(Multiprocessor{}, GetParam().needs);
  EXPECT_EQ(answer.blocks, GetParam().blocks);
  EXPECT_EQ(answer.warps, GetParam().warps);
  EXPECT_EQ(answer.limited_by, GetParam().by);
  EXPECT_DOUBLE_EQ(answer.fraction, GetParam().warps / 64.0);
}

TEST(Occupancy, ListsALimitForEachThingThatIsNeeded) {
  EXPECT_EQ(occupancy(Multiprocessor{}, {.threads = 32}).limits.size(), 2u);
  const BlockNeeds all = {.threads = 32, .shared_bytes = 1, .registers_per_thread = 1};
  EXPECT_EQ(occupancy(Multiprocessor{}, all).limits.size(), 4u);
}

struct Excess {
  BlockNeeds needs;
  const char* message;
};
class RefusedBlock : public testing::TestWithParam<Excess> {};
INSTANTIATE_TEST_SUITE_P(
    Occupancy, RefusedBlock,
    testing::Values(Excess{{.threads = 0}, "threads = 0"},
                    Excess{{.threads = 1025}, "too many threads: a block needs 1025"},
                    Excess{{.threads = 1024, .registers_per_thread = 65}, "too many registers"},
                    Excess{{.threads = 1, .shared_bytes = 49153}, "too much shared memory"}));

TEST_P(RefusedBlock, WithBothNumbers) {
  try {
    occupancy(Multiprocessor{}, GetParam().needs);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.message(), testing::HasSubstr(GetParam().message));
  }
}

TEST(Multiprocessor, KeepsItsDefaultsWhereTheDriverDoesNotTell) {
  const Multiprocessor asked = Multiprocessor::of(fake::device());
  EXPECT_EQ(asked.registers, Multiprocessor{}.registers);
}

class MultiprocessorOf : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, MultiprocessorOf, each_provider, provider_name);

TEST_P(MultiprocessorOf, HasRoomForTheLargestBlock) {
  const Multiprocessor asked = Multiprocessor::of(device());
  EXPECT_EQ(asked.warp_threads, 32u);
  EXPECT_GE(occupancy(asked, {.threads = asked.block_threads}).blocks, 1u);
}

}  // namespace
}  // namespace treadle::cuda
