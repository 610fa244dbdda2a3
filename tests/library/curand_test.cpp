// SPDX-License-Identifier: MIT
#include "treadle/library/curand.hpp"

#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/cuda/memory.hpp"

namespace treadle::library {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> curand_calls;
int curand_answer = 0;

int curand_noted(const std::string& name, std::initializer_list<double> arguments = {}) {
  std::string text = name;
  for (const double value : arguments) text += " " + std::to_string(static_cast<int>(value));
  curand_calls.push_back(text);
  return curand_answer;
}
double place_of(const void* pointer) {
  return static_cast<double>(reinterpret_cast<std::uintptr_t>(pointer));
}

std::shared_ptr<const Curand> noting_curand() {
  CurandTable table;
  table.create = [](void** raw, int kind) {
    *raw = &curand_calls;
    return curand_noted("create", {static_cast<double>(kind)});
  };
  table.destroy = [](void*) { return curand_noted("destroy"); };
  table.set_stream = [](void*, void* stream) { return curand_noted("stream", {place_of(stream)}); };
  table.set_seed = [](void*, unsigned long long seed) {
    return curand_noted("seed", {static_cast<double>(seed)});
  };
  table.set_offset = [](void*, unsigned long long offset) {
    return curand_noted("offset", {static_cast<double>(offset)});
  };
  table.bits = [](void*, unsigned* numbers, std::size_t count) {
    return curand_noted("bits", {place_of(numbers), static_cast<double>(count)});
  };
  table.uniform_float32 = [](void*, float* numbers, std::size_t count) {
    return curand_noted("uniform32", {place_of(numbers), static_cast<double>(count)});
  };
  table.uniform_float64 = [](void*, double* numbers, std::size_t count) {
    return curand_noted("uniform64", {place_of(numbers), static_cast<double>(count)});
  };
  table.normal_float32 = [](void*, float* numbers, std::size_t count, float mean, float deviation) {
    return curand_noted("normal32",
                        {place_of(numbers), static_cast<double>(count), mean, deviation});
  };
  table.normal_float64 = [](void*, double* numbers, std::size_t count, double mean,
                            double deviation) {
    return curand_noted("normal64",
                        {place_of(numbers), static_cast<double>(count), mean, deviation});
  };
  curand_calls.clear();
  curand_answer = 0;
  return std::make_shared<const Curand>(table);
}

cuda::Context context_without_gpu() {
  return cuda::Context::primary(cuda::Driver::cpu().device(0));
}

TEST(Curand, a_generator_fills_memory_on_streams) {
  {
    CurandGenerator generator(noting_curand(), context_without_gpu(), CurandKind::philox, 42, 8);
    generator.bits(3, 64, 5);
    generator.uniform(3, 64, 6, false);
    generator.uniform(4, 64, 7, true);
    generator.normal(4, 64, 8, false, 2, 3);
    generator.normal(4, 64, 10, true);
  }
  EXPECT_THAT(curand_calls,
              ElementsAre("create 161", "seed 42", "offset 8", "stream 3", "bits 64 5", "stream 3",
                          "uniform32 64 6", "stream 4", "uniform64 64 7", "stream 4",
                          "normal32 64 8 2 3", "stream 4", "normal64 64 10 0 1", "destroy"));
}

TEST(Curand, what_is_refused_is_an_error_in_words) {
  const auto library = noting_curand();
  CurandGenerator generator(library, context_without_gpu(), CurandKind::xorwow, 1);
  curand_answer = 105;
  try {
    Curand::check(105, "curandGenerateNormal", [] { return std::string("3 numbers"); });
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CURAND_STATUS_LENGTH_NOT_MULTIPLE");
    EXPECT_THAT(error.what(), HasSubstr("3 numbers"));
  }
  EXPECT_THROW(generator.bits(0, 64, 3), DeviceError);
  EXPECT_THROW(Curand::check(102, "curandCreateGenerator"), OutOfMemory);
}

/// On a GPU with cuRAND.
class CurandOnDevice : public cuda::OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, CurandOnDevice, cuda::each_provider, cuda::provider_name);

TEST_P(CurandOnDevice, EqualSeedsGiveEqualNumbers) {
  const auto library = Curand::find(context());
  if (library == nullptr) GTEST_SKIP() << "no cuRAND for this device";
  constexpr std::size_t count = 64;
  const auto numbers = [&](CurandGenerator& generator, bool is_uniform) {
    cuda::DeviceMemory memory(context(), count * sizeof(float));
    std::array<std::uint32_t, count> made{};
    if (is_uniform)
      generator.uniform(0, memory.address(), count, false);
    else
      generator.bits(0, memory.address(), count);
    memory.copy_to(made);
    return made;
  };
  CurandGenerator one(library, context(), CurandKind::philox, 42),
      again(library, context(), CurandKind::philox, 42);
  const auto first = numbers(one, false);
  EXPECT_EQ(first, numbers(again, false));
  EXPECT_NE(first, numbers(one, false));
  for (const std::uint32_t bits : numbers(one, true)) {
    EXPECT_GT(std::bit_cast<float>(bits), 0.0f);
    EXPECT_LE(std::bit_cast<float>(bits), 1.0f);
  }
}

TEST(Curand, the_processor_has_none) { EXPECT_EQ(Curand::find(context_without_gpu()), nullptr); }

TEST(Curand, a_library_without_its_entry_points_is_refused) {
  const std::array candidates = {std::string("libm.so.6")};
  try {
    Curand(SharedLibrary("libm", candidates, ""));
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.tried().size(), 11u);
    EXPECT_THAT(error.hint(), HasSubstr("pip install nvidia-curand"));
  }
}

TEST(Curand, that_of_this_machine_has_every_entry_point) {
  try {
    const auto library = Curand::load(0);
    EXPECT_THAT(library->version(), testing::ContainsRegex("^1[0-9]\\.[0-9]+\\.[0-9]+$"));
  } catch (const LibraryNotFound& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace treadle::library
