// SPDX-License-Identifier: MIT
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {
namespace {

// `long` has 64 bits in both languages on the systems we run on; CUDA C has other systems, where
// it has 32, so `long long` is what we write.
constexpr TypeName cuda_names[] = {
    {"bool", Scalar::boolean},
    {"signed char", Scalar::int8},
    {"char", Scalar::int8},
    {"int8_t", Scalar::int8},
    {"unsigned char", Scalar::uint8},
    {"uchar", Scalar::uint8},
    {"uint8_t", Scalar::uint8},
    {"short", Scalar::int16},
    {"int16_t", Scalar::int16},
    {"unsigned short", Scalar::uint16},
    {"ushort", Scalar::uint16},
    {"uint16_t", Scalar::uint16},
    {"int", Scalar::int32},
    {"int32_t", Scalar::int32},
    {"unsigned int", Scalar::uint32},
    {"uint", Scalar::uint32},
    {"uint32_t", Scalar::uint32},
    {"long long", Scalar::int64},
    {"long", Scalar::int64},
    {"int64_t", Scalar::int64},
    {"ptrdiff_t", Scalar::int64},
    {"unsigned long long", Scalar::uint64},
    {"unsigned long", Scalar::uint64},
    {"ulong", Scalar::uint64},
    {"uint64_t", Scalar::uint64},
    {"size_t", Scalar::uint64},
    {"__half", Scalar::float16},
    {"half", Scalar::float16},
    {"float", Scalar::float32},
    {"double", Scalar::float64},
};

// No bool and no size_t: OpenCL C forbids them as kernel arguments.
constexpr TypeName opencl_names[] = {
    {"char", Scalar::int8},
    {"signed char", Scalar::int8},
    {"uchar", Scalar::uint8},
    {"unsigned char", Scalar::uint8},
    {"short", Scalar::int16},
    {"ushort", Scalar::uint16},
    {"unsigned short", Scalar::uint16},
    {"int", Scalar::int32},
    {"uint", Scalar::uint32},
    {"unsigned int", Scalar::uint32},
    {"long", Scalar::int64},
    {"ulong", Scalar::uint64},
    {"unsigned long", Scalar::uint64},
    {"half", Scalar::float16},
    {"float", Scalar::float32},
    {"double", Scalar::float64},
};

constexpr Dialect cuda_dialect = {
    .global = "",
    .offset_type = "long long",
    .type_names = cuda_names,
};
constexpr Dialect opencl_dialect = {
    .global = "__global ",
    .offset_type = "long",
    .type_names = opencl_names,
};

}  // namespace

const Dialect& dialect_of(Language language) noexcept {
  return language == Language::cuda_c ? cuda_dialect : opencl_dialect;
}

}  // namespace treadle::codegen
