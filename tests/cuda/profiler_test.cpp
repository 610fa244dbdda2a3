// SPDX-License-Identifier: MIT
#include "treadle/cuda/profiler.hpp"

#include <gtest/gtest.h>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

class Profiler : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Cuda, Profiler, each_provider, provider_name);

TEST_P(Profiler, CanBeSwitchedThoughNoneIsAttached) {
  start_profiler();
  start_profiler();  // again is no error
  stop_profiler();
  stop_profiler();
  const ProfilerRange range;
  EXPECT_NO_THROW(context().synchronize());
}

TEST_P(Profiler, InsideTheDriverIsGone) {
  try {
    initialize_profiler("in", "out", ProfilerOutput::csv);
    FAIL();
  } catch (const Error& error) {  // absent, or refused by name
    EXPECT_NE(error.message().find("cuProfilerInitialize"), std::string::npos) << error.message();
  }
}

TEST(ProfilerSwitches, NeedAContext) {
  EXPECT_THROW(start_profiler(), DeviceError);
  EXPECT_THROW(stop_profiler(), DeviceError);
  EXPECT_THROW(initialize_profiler("", "", ProfilerOutput::csv), DeviceError);
}

int switched = 0;  // what the profiler of the fake driver counts

TEST(ProfilerSwitches, ARangeRecordsWhatIsInIt) {
  auto table = std::make_shared<Table>(fake::driver().table());
  table->cuProfilerStart = []() -> CUresult { return ++switched, CUDA_SUCCESS; };
  table->cuProfilerStop = []() -> CUresult { return --switched, CUDA_SUCCESS; };
  const auto guard = Context::make_current(Device(Driver(table), 0));
  {
    const ProfilerRange range;
    EXPECT_EQ(switched, 1);
  }
  EXPECT_EQ(switched, 0);
}

}  // namespace
}  // namespace treadle::cuda
