// SPDX-License-Identifier: MIT
#include "treadle/library/stream_handle.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/library/cusolver.hpp"

namespace treadle::library {
namespace {

int handles_made = 0, handles_open = 0;

std::shared_ptr<const Cusolver> counting_library(int answer) {
  static int given = 0;
  given = answer;
  handles_made = handles_open = 0;
  CusolverTable table;
  table.create = [](void** handle) {
    *handle = &handles_made;
    if (given == 0) ++handles_open, ++handles_made;
    return given;
  };
  table.destroy = [](void*) { return --handles_open, 0; };
  table.set_stream = [](void*, void*) { return 0; };
  return std::make_shared<const Cusolver>(table);
}

TEST(StreamHandle, ends_what_it_made) {
  const auto context = cuda::Context::primary(cuda::Driver::cpu().device(0));
  {
    CusolverHandle handle(counting_library(0), context);
    EXPECT_EQ(handle.context(), context);
    EXPECT_EQ(handles_open, 1);
    EXPECT_THROW(handle.on_stream(0, {}, [](void*) { throw InvalidState("no"); }), InvalidState);
    int calls = 0;  // and threads come one after the other
    std::thread other([&] { handle.on_stream(0, {}, [&](void*) { ++calls; }); });
    handle.on_stream(1, {}, [&](void*) { ++calls; });
    other.join();
    EXPECT_EQ(calls, 2);
  }
  EXPECT_EQ(handles_open, 0);
}

TEST(StreamHandle, an_error_after_no_failure_is_the_librarys) {
  CusolverHandle handle(counting_library(0), cuda::Context::primary(cuda::Driver::cpu().device(0)));
  try {
    handle.on_stream(0, {}, [](void*) { Cusolver::check(6, "cusolverDnXpotrf"); });
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CUSOLVER_STATUS_EXECUTION_FAILED");
  }
}

TEST(StreamHandle, outlives_its_context) {
  const auto context = cuda::Context::create(cuda::Driver::cpu().device(0));
  const auto handle = std::make_unique<CusolverHandle>(counting_library(0), context);
  context.detach();
  EXPECT_THROW(handle->on_stream(0, {}, [](void*) {}), InvalidState);
}

TEST(StreamHandle, a_refusal_is_an_error) {
  const auto context = cuda::Context::primary(cuda::Driver::cpu().device(0));
  EXPECT_THROW(CusolverHandle(counting_library(1), context), DeviceError);
  EXPECT_EQ(handles_made, 0);
}

}  // namespace
}  // namespace treadle::library
