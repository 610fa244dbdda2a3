// SPDX-License-Identifier: MIT
#include "treadle/device/c_parameters.hpp"

#include <gtest/gtest.h>

namespace treadle::device {
namespace {

using enum ParameterKind;

struct TypeCase {
  const char* type;
  ParameterKind kind;
  std::size_t size_bytes;
};
class CType : public testing::TestWithParam<TypeCase> {};
INSTANTIATE_TEST_SUITE_P(
    Types, CType,
    testing::Values(TypeCase{"int", integer, 4}, TypeCase{"unsigned", integer, 4},
                    TypeCase{"unsigned int", integer, 4}, TypeCase{"long long", integer, 8},
                    TypeCase{"unsigned long long int", integer, 8}, TypeCase{"long", integer, 8},
                    TypeCase{"short int", integer, 2}, TypeCase{"const uchar", integer, 1},
                    TypeCase{"std::size_t", integer, 8}, TypeCase{"bool", integer, 1},
                    TypeCase{"float", floating, 4}, TypeCase{"const double", floating, 8},
                    TypeCase{"half", floating, 2}, TypeCase{"float4", structure, 16},
                    TypeCase{"uchar16", structure, 16}, TypeCase{"double2", structure, 16},
                    TypeCase{"float3", unknown, 0}, TypeCase{"my_type", unknown, 0},
                    TypeCase{"float*", memory, 8}, TypeCase{"const int *", memory, 8},
                    TypeCase{"int[]", memory, 8}));

TEST_P(CType, HasKindAndSize) {
  const Parameter parameter = c_parameter(GetParam().type, "x");
  EXPECT_EQ(parameter.kind, GetParam().kind);
  EXPECT_EQ(parameter.size_bytes, GetParam().size_bytes);
  EXPECT_EQ(parameter.name, "x");
}

TEST(CParameter, PointersToLocalMemoryHaveNoSize) {
  const Parameter parameter = c_parameter("float*", "tile", true);
  EXPECT_EQ(parameter.kind, local);
  EXPECT_EQ(parameter.size_bytes, 0u);
}

TEST(KernelsIn, FindsKernelsOfBothLanguages) {
  const auto kernels = kernels_in(R"(
    // __global__ void commented_out(int a) {}
    extern "C" __global__ void __launch_bounds__(256) twice(float* __restrict__ a, const int n) {}
    /* kernel */ __kernel __attribute__((reqd_work_group_size(8, 1, 1)))
    void turn(__global const float4 *a, __local float *tile, uint n) { }
    kernel void nothing(void) {}
    TREADLE_KERNEL both(TREADLE_GLOBAL float *a, TREADLE_LOCAL_POINTER int *t) {}
    __global__ void declared(int);
    void kernel_like(int kernel) {}
  )");
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_EQ(kernels[3].name, "both");
  ASSERT_EQ(kernels[3].parameters.size(), 2u);
  EXPECT_EQ(kernels[3].parameters[1].kind, local);
  EXPECT_EQ(kernels[0].name, "twice");
  ASSERT_EQ(kernels[0].parameters.size(), 2u);
  EXPECT_EQ(kernels[0].parameters[0].name, "a");
  EXPECT_EQ(kernels[0].parameters[0].kind, memory);
  EXPECT_EQ(kernels[0].parameters[1].kind, integer);
  EXPECT_EQ(kernels[1].name, "turn");
  ASSERT_EQ(kernels[1].parameters.size(), 3u);
  EXPECT_EQ(kernels[1].parameters[1].kind, local);
  EXPECT_EQ(kernels[1].parameters[2].type, "uint");
  EXPECT_EQ(kernels[2].name, "nothing");
  EXPECT_TRUE(kernels[2].parameters.empty());
}

TEST(KernelsIn, MacrosDeclareNone) {
  const auto kernels = kernels_in(R"(
#define TREADLE_KERNEL __kernel void
# define twice(x) \
    (2 * (x))
inline float helper(__global float *pointer) { return *pointer; }
TREADLE_KERNEL k(TREADLE_GLOBAL float *a) { a[0] = helper(a); }
)");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "k");
}

TEST(KernelInstanceIn, PutsArgumentsIntoTheTypes) {
  constexpr const char* text = R"(
    template <typename T> T twice(T x) { return 2 * x; }
    namespace user {
    template <typename T, class U = float, int N = 4>
    __global__ void __launch_bounds__(256) scale(T *y, const U *x, Pair<T, U> p, unsigned int n) {}
    }
    template <class T> struct Box { T t; };
    __global__ void plain(int T) {}
  )";
  const auto types = [&](const char* name) {
    std::string list;
    if (const auto kernel = kernel_instance_in(text, name))
      for (const Parameter& each : kernel->parameters) list += each.type + "; ";
    return list;
  };
  EXPECT_EQ(types("user::scale<double>"),
            "double*; const float*; Pair<double, float>; unsigned int; ");
  EXPECT_EQ(types("scale<unsigned char, int, 8>"),
            "unsigned char*; const int*; Pair<unsigned char, int>; unsigned int; ");
  EXPECT_EQ(kernel_instance_in(text, "user::scale<double>")->name, "user::scale<double>");
  for (const char* name : {"scale<>", "scale<int, int, 1, 2>", "plain<int>", "twice<int>", "<"})
    EXPECT_FALSE(kernel_instance_in(text, name)) << name;
}

TEST(KernelsIn, BrokenTextGivesNoKernels) {
  for (const char* text : {"", "kernel", "__kernel void", "__kernel void a(", "__kernel ) {",
                           "__kernel {", "/* kernel void a() {", "kernel void (int a) {"})
    EXPECT_TRUE(kernels_in(text).empty()) << text;
}

}  // namespace
}  // namespace treadle::device
