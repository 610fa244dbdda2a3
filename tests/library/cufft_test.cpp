// SPDX-License-Identifier: MIT
#include "treadle/library/cufft.hpp"

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

std::vector<std::string> cufft_calls;
int cufft_answer = 0;

int cufft_noted(const std::string& call) {
  cufft_calls.push_back(call);
  return cufft_answer;
}
std::string words(std::initializer_list<long long> all) {
  std::string text;
  for (const long long value : all) text += " " + std::to_string(value);
  return text;
}

std::shared_ptr<const Cufft> noting_cufft() {
  CufftTable table;
  table.create = [](int* plan) { return *plan = 5, cufft_noted("create"); };
  table.destroy = [](int plan) { return cufft_noted("destroy" + words({plan})); };
  table.set_auto_allocation = [](int, int allocates) {
    return cufft_noted("allocates" + words({allocates}));
  };
  table.make_plan = [](int, int rank, long long* lengths, long long* input, long long stride,
                       long long input_distance, long long* output, long long,
                       long long output_distance, int type, long long count, std::size_t* bytes) {
    *bytes = 96;
    return cufft_noted("plan" + words({rank, lengths[rank - 1], input[rank - 1], output[rank - 1],
                                       stride, input_distance, output_distance, type, count}));
  };
  table.set_stream = [](int, void* stream) {
    return cufft_noted("stream" +
                       words({static_cast<long long>(reinterpret_cast<std::uintptr_t>(stream))}));
  };
  table.set_work_area = [](int, void* work) {
    return cufft_noted("work" +
                       words({static_cast<long long>(reinterpret_cast<std::uintptr_t>(work))}));
  };
  table.complex64 = [](int, void*, void*, int way) {
    return cufft_noted("complex64" + words({way}));
  };
  table.complex128 = [](int, void*, void*, int way) {
    return cufft_noted("complex128" + words({way}));
  };
  table.from_float32 = [](int, void*, void*) { return cufft_noted("from_float32"); };
  table.to_float64 = [](int, void*, void*) { return cufft_noted("to_float64"); };
  cufft_calls.clear();
  cufft_answer = 0;
  return std::make_shared<const Cufft>(table);
}

cuda::Context of_the_processor() { return cuda::Context::primary(cuda::Driver::cpu().device(0)); }

TEST(Cufft, a_plan_is_made_once_and_runs_on_streams) {
  {
    CufftPlan plan(noting_cufft(), of_the_processor(),
                   {.is_forward = false,
                    .lengths = {6, 8},
                    .stride = 2,
                    .input_distance = 1,
                    .output_distance = 1,
                    .count = 2});
    EXPECT_EQ(plan.work_bytes(), 96u);
    plan.run(3, {.address = 64, .size_bytes = 96}, 256, 512);
    plan.run(3, {.address = 64, .size_bytes = 96}, 512, 256);  // set to both already
    plan.run(4, {.address = 64, .size_bytes = 96}, 256, 512);
  }
  EXPECT_THAT(cufft_calls, ElementsAre("create", "allocates 0", "plan 2 8 8 8 2 1 1 41 2",
                                       "stream 3", "work 64", "complex64 1", "complex64 1",
                                       "stream 4", "work 64", "complex64 1", "destroy 5"));
}

TEST(Cufft, half_spectra_are_shorter) {
  const auto library = noting_cufft();
  using Kind = CufftShape::Kind;
  CufftPlan(
      library, of_the_processor(),
      {.kind = Kind::real_to_complex, .lengths = {9}, .input_distance = 9, .output_distance = 5})
      .run(0, {}, 8, 16);
  CufftPlan(library, of_the_processor(),
            {.kind = Kind::complex_to_real,
             .is_double = true,
             .lengths = {8},
             .input_distance = 5,
             .output_distance = 8,
             .count = 3})
      .run(0, {}, 8, 16);
  EXPECT_THAT(cufft_calls, testing::IsSupersetOf({"plan 1 9 9 5 1 9 5 42 1", "from_float32",
                                                  "plan 1 8 5 8 1 5 8 108 3", "to_float64"}));
}

TEST(Cufft, what_is_refused_is_an_error_in_words) {
  const auto library = noting_cufft();
  CufftPlan plan(library, of_the_processor(), {.lengths = {8}});
  cufft_answer = 8;
  EXPECT_THROW(CufftPlan(library, of_the_processor(), {.lengths = {8}}), DeviceError);
  EXPECT_EQ(cufft_calls.back(), "create");
  try {
    Cufft::check(8, "cufftMakePlanMany64", [] { return std::string("1 transforms of 8"); });
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CUFFT_INVALID_SIZE");
    EXPECT_THAT(error.what(), HasSubstr("1 transforms of 8"));
  }
  EXPECT_THROW(Cufft::check(2, "cufftMakePlanMany64"), OutOfMemory);
  cufft_answer = 0;
}

TEST(Cufft, a_plan_outlives_its_context) {
  const auto context = cuda::Context::create(cuda::Driver::cpu().device(0));
  CufftPlan plan(noting_cufft(), context, {.lengths = {8}});
  context.detach();
}

TEST(Cufft, the_processor_has_none) { EXPECT_EQ(Cufft::find(of_the_processor()), nullptr); }

TEST(Cufft, a_library_without_its_entry_points_is_refused) {
  const std::array candidates = {std::string("libm.so.6")};
  try {
    Cufft(SharedLibrary("libm", candidates, ""));
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.tried().size(), 13u);
  }
}

TEST(Cufft, that_of_this_machine_has_every_entry_point) {
  try {
    const auto library = Cufft::load(0);
    EXPECT_THAT(library->version(), testing::ContainsRegex("^1[0-9]\\.[0-9]+\\.[0-9]+$"));
  } catch (const LibraryNotFound& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace treadle::library
