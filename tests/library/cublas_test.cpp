// SPDX-License-Identifier: MIT
#include "treadle/library/cublas.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::library {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What the library was asked, and what it answers.
std::vector<std::string> cublas_calls;
int cublas_answer = 0;

int cublas_noted(const std::string& call) {
  cublas_calls.push_back(call);
  return cublas_answer;
}
std::string number(const void* value) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(value));
}

std::shared_ptr<const Cublas> noting_cublas() {
  CublasTable table;
  table.create = [](void** handle) {
    *handle = reinterpret_cast<void*>(std::uintptr_t{7});
    return cublas_noted("create");
  };
  table.destroy = [](void* handle) { return cublas_noted("destroy " + number(handle)); };
  table.set_math_mode = [](void*, int mode) {
    return cublas_noted("math " + std::to_string(mode));
  };
  table.set_stream = [](void*, void* stream) { return cublas_noted("stream " + number(stream)); };
  table.set_workspace = [](void*, void* workspace, std::size_t size_bytes) {
    return cublas_noted("workspace " + number(workspace) + ", " + std::to_string(size_bytes));
  };
  cublas_calls.clear();
  cublas_answer = 0;
  return std::make_shared<const Cublas>(table);
}

TEST(Cublas, a_handle_has_a_stream_and_its_workspace) {
  const auto library = noting_cublas();
  const auto context = cuda::Context::primary(cuda::Driver::cpu().device(0));
  {
    CublasHandle handle(library, context);
    const auto queue = [](void* raw) { cublas_noted("queue " + number(raw)); };
    handle.on_stream(0, {64, 10}, queue);
    handle.on_stream(0, {64, 10}, queue);
    handle.on_stream(5, {64, 10}, queue);
    handle.on_stream(5, {128, 10}, queue);
  }
  EXPECT_THAT(cublas_calls,
              ElementsAre("create", "math 16", "stream 0", "workspace 64, 10", "queue 7", "queue 7",
                          "stream 5", "workspace 64, 10", "queue 7", "stream 5",
                          "workspace 128, 10", "queue 7", "destroy 7"));
}

TEST(Cublas, a_stream_that_was_refused_is_set_again) {
  const auto library = noting_cublas();
  CublasHandle handle(library, cuda::Context::primary(cuda::Driver::cpu().device(0)));
  const auto queue = [](void*) {};
  handle.on_stream(5, {}, queue);
  cublas_answer = 1;
  EXPECT_THROW(handle.on_stream(6, {}, queue), DeviceError);
  cublas_answer = 0;
  cublas_calls.clear();
  handle.on_stream(5, {}, queue);
  EXPECT_THAT(cublas_calls, ElementsAre("stream 5", "workspace 0, 0"));
}

TEST(Cublas, a_status_is_an_error_in_words) {
  Cublas::check(0, "cublasGemmEx");
  try {
    Cublas::check(13, "cublasGemmEx", [] { return std::string("3 x 4 by 4 x 5"); });
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), 13);
    EXPECT_EQ(error.code_name(), "CUBLAS_STATUS_EXECUTION_FAILED");
    EXPECT_THAT(error.what(), HasSubstr("cublasGemmEx failed: the kernel could not be started "
                                        "(CUBLAS_STATUS_EXECUTION_FAILED) - 3 x 4 by 4 x 5\n"
                                        "  try: "));
  }
  EXPECT_THROW(Cublas::check(3, "cublasCreate"), OutOfMemory);
  try {
    Cublas::check(99, "cublasCreate");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cublasCreate failed: status 99"));
  }
}

TEST(Cublas, what_it_multiplies) {
  EXPECT_EQ(cublas_type(Scalar::float16)->stored, 2);
  EXPECT_EQ(*static_cast<const float*>(cublas_type(Scalar::float16)->one), 1.0f);
  EXPECT_EQ(cublas_type(Scalar::complex128)->stored, 5);
  EXPECT_FALSE(cublas_type(Scalar::int32));
  EXPECT_FALSE(cublas_type(Scalar::boolean));
}

TEST(Cublas, the_processor_has_none) {
  EXPECT_EQ(CublasHandle::open(cuda::Context::primary(cuda::Driver::cpu().device(0))), nullptr);
}

TEST(Cublas, a_library_without_its_entry_points_is_refused) {
  const std::array candidates = {std::string("libm.so.6")};
  try {
    Cublas(SharedLibrary("libm", candidates, ""));
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.tried().size(), 8u);
    EXPECT_THAT(error.tried().front(), HasSubstr("does not export cublasCreate_v2"));
    EXPECT_THAT(error.hint(), HasSubstr("pip install"));
  }
}

TEST(Cublas, that_of_this_machine_has_every_entry_point) {
  try {
    const auto library = Cublas::load(0);
    EXPECT_THAT(library->version(), testing::ContainsRegex("^1[0-9]\\.[0-9]+\\.[0-9]+$"));
    EXPECT_EQ(Cublas::load(0), library);
  } catch (const LibraryNotFound& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace treadle::library
