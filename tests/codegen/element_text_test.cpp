// SPDX-License-Identifier: MIT
#include "treadle/codegen/element_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>

#include "codegen/both_dialects.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

template <class T>
std::string literal(Scalar dtype, T value, const Dialect& dialect = cuda) {
  return literal_text(dtype, std::as_bytes(std::span(&value, 1)), dialect);
}

TEST(ElementText, namesTheTypesInMemoryAndInVariables) {
  EXPECT_EQ(stored_type(Scalar::boolean, cuda), "unsigned char");
  EXPECT_EQ(value_type(Scalar::boolean, cuda), "int");
  EXPECT_EQ(stored_type(Scalar::float16, opencl), "ushort");
  EXPECT_EQ(value_type(Scalar::float16, opencl), "float");
  EXPECT_EQ(stored_type(Scalar::int64, cuda), "long long");
  EXPECT_EQ(value_type(Scalar::complex64, cuda), "float2");
  EXPECT_EQ(stored_type(Scalar::complex128, opencl), "double2");
  EXPECT_THROW(stored_type(Scalar::structure, cuda), DTypeError);
}

TEST(ElementText, literalsHaveTheirDtype) {
  EXPECT_EQ(literal(Scalar::boolean, std::uint8_t{7}), "1");
  EXPECT_EQ(literal(Scalar::int8, std::int8_t{-128}), "(signed char)-128");
  EXPECT_EQ(literal(Scalar::uint16, std::uint16_t{5}, opencl), "(ushort)5");
  EXPECT_EQ(literal(Scalar::int32, std::numeric_limits<std::int32_t>::min()), "(-2147483647 - 1)");
  EXPECT_EQ(literal(Scalar::uint32, 4294967295u), "4294967295u");
  EXPECT_EQ(literal(Scalar::int64, std::int64_t{5}), "5LL");
  EXPECT_EQ(literal(Scalar::int64, std::int64_t{-5}, opencl), "-5L");
  EXPECT_EQ(literal(Scalar::uint64, ~std::uint64_t{0}, opencl), "18446744073709551615UL");
}

TEST(ElementText, literalsOfFloatsAreTheShortestThatAreExact) {
  EXPECT_EQ(literal(Scalar::float32, 0.1f), "0.1f");
  EXPECT_EQ(literal(Scalar::float32, 2.0f), "2.0f");
  EXPECT_EQ(literal(Scalar::float32, -1e-45f), "-1e-45f");
  EXPECT_EQ(literal(Scalar::float64, 0.1), "0.1");
  EXPECT_EQ(literal(Scalar::float64, -0.0), "-0.0");
  EXPECT_EQ(literal(Scalar::float16, std::uint16_t{0x3555}), "0.33325195f");
  EXPECT_EQ(literal(Scalar::float32, -std::numeric_limits<float>::infinity(), opencl), "-INFINITY");
  EXPECT_EQ(literal(Scalar::float64, std::numeric_limits<double>::quiet_NaN(), opencl), "NAN");
  EXPECT_EQ(literal(Scalar::complex64, std::complex<float>(1, -2)), "make_float2(1.0f, -2.0f)");
  EXPECT_EQ(literal(Scalar::complex128, std::complex<double>(1, 0.5), opencl),
            "(double2)(1.0, 0.5)");
}

TEST(ElementText, literalsNeedAllTheirBytes) {
  EXPECT_THROW(literal(Scalar::float64, 1.0f), InvalidArgument);
  EXPECT_THROW(literal(Scalar::structure, 1.0f), DTypeError);
}

TEST(ElementText, loadsAndStoresConvertWhatIsStoredOtherwise) {
  EXPECT_EQ(load_text(Scalar::boolean, "x[i]", cuda), "x[i] != 0");
  EXPECT_EQ(load_text(Scalar::float16, "x[i]", cuda), "treadle_half_to_float(x[i])");
  EXPECT_EQ(load_text(Scalar::structure, "x[i]", cuda), "x[i]");
  EXPECT_EQ(store_text(Scalar::float16, "z[i]", "a", opencl), "z[i] = treadle_float_to_half(a)");
  EXPECT_EQ(write_text(Scalar::complex64, "z[i]", "a", cuda), "z[i] = a");
  EXPECT_EQ(write_text(Scalar::complex64, "z[i]", "a", opencl),
            "treadle_write_complex64(&z[i], a)");
  EXPECT_EQ(read_text(Scalar::complex64, "x[i]", opencl), "treadle_read_complex64(&x[i])");
  EXPECT_EQ(read_text(Scalar::complex64, "x[i]", cuda), "x[i]");
  EXPECT_EQ(read_text(Scalar::boolean, "x[i]", opencl), "x[i] != 0");
}

TEST(ElementText, vectorsHoldAtMost16Bytes) {
  EXPECT_EQ(vector_type(Scalar::float32, 4, cuda), "float4");
  EXPECT_EQ(vector_type(Scalar::int64, 2, cuda), "longlong2");
  EXPECT_EQ(vector_type(Scalar::int64, 2, opencl), "long2");
  EXPECT_EQ(vector_type(Scalar::boolean, 4, cuda), "uchar4");
  EXPECT_EQ(vector_type(Scalar::float16, 4, opencl), "ushort4");
  EXPECT_EQ(vector_type(Scalar::complex64, 2, cuda), "float4");
  EXPECT_EQ(vector_type(Scalar::float64, 4, cuda), "");
  EXPECT_EQ(vector_type(Scalar::complex128, 2, cuda), "");
  EXPECT_EQ(vector_type(Scalar::float32, 3, cuda), "");
}

TEST(ElementText, elementsOfVectorsAreReadAndSet) {
  EXPECT_EQ(vector_load_text(Scalar::int32, "v", 3, cuda), "v.w");
  EXPECT_EQ(vector_load_text(Scalar::boolean, "v", 0, cuda), "v.x != 0");
  EXPECT_EQ(vector_load_text(Scalar::complex64, "v", 1, opencl), "(float2)(v.z, v.w)");
  EXPECT_EQ(vector_store_text(Scalar::float16, "v", 1, "a", cuda),
            "v.y = treadle_float_to_half(a)");
  EXPECT_EQ(vector_store_text(Scalar::complex64, "v", 0, "a", cuda), "v.x = a.x; v.y = a.y");
}

}  // namespace
}  // namespace treadle::codegen
