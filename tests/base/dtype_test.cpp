// SPDX-License-Identifier: MIT
#include "treadle/base/dtype.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

using Members = std::vector<std::pair<std::string, DType>>;

TEST(DType, NumpySpellingsOfOneTypeAreEqual) {
  for (const char* spelling : {"f", "<f4", "f4", "=f", "float32", "single"})
    EXPECT_EQ(DType::parse(spelling), DType(Scalar::float32)) << spelling;
  for (const char* spelling : {"l", "q", "i8", "int64", "intp", "p"})
    EXPECT_EQ(DType::parse(spelling), DType(Scalar::int64)) << spelling;
  EXPECT_EQ(DType::parse("?"), DType(Scalar::boolean));
  EXPECT_EQ(DType::parse("c16"), DType(Scalar::complex128));
}

TEST(DType, EveryScalarComesBackFromItsOwnSpellings) {
  for (int i = 0; i < static_cast<int>(Scalar::structure); ++i) {
    const DType type = static_cast<Scalar>(i);
    EXPECT_EQ(DType::parse(type.name()), type);
    EXPECT_EQ(DType::parse(std::string(1, type.numpy_char())), type);
    EXPECT_EQ(type.size_bytes() % type.alignment(), 0u);
    EXPECT_TRUE(type.fields().empty());
  }
}

TEST(DType, AnUnknownSpellingIsNamed) {
  for (const char* spelling : {"", "x", "f3", "float80", ">f4", "O"}) {
    try {
      DType::parse(spelling);
      FAIL() << spelling;
    } catch (const DTypeError& error) {
      EXPECT_NE(error.message().find("\"" + std::string(spelling) + "\""), std::string::npos);
      EXPECT_FALSE(error.hint().empty());
    }
  }
}

TEST(DType, CppTypesHaveTheirDType) {
  EXPECT_EQ(dtype_of<float>(), Scalar::float32);
  EXPECT_EQ(dtype_of<std::uint16_t>(), Scalar::uint16);
  EXPECT_EQ(dtype_of<bool>(), Scalar::boolean);
}

TEST(DType, ARecordIsLaidOutAsCDoes) {
  struct Like {
    char tag;
    double value;
    short count;
  };
  const Members members = {
      {"tag", Scalar::int8}, {"value", Scalar::float64}, {"count", Scalar::int16}};
  const DType type = DType::c_structure("Like", members);
  EXPECT_EQ(type.name(), "Like");
  EXPECT_EQ(type.kind(), ScalarKind::structure);
  EXPECT_EQ(type.numpy_char(), 'V');
  EXPECT_EQ(type.size_bytes(), sizeof(Like));
  EXPECT_EQ(type.alignment(), alignof(Like));
  ASSERT_EQ(type.fields().size(), 3u);
  EXPECT_EQ(type.fields()[1].offset, offsetof(Like, value));
  EXPECT_EQ(type.fields()[2].offset, offsetof(Like, count));
  EXPECT_EQ(type, DType::c_structure("Like", members));
  EXPECT_NE(type, DType::c_structure("Other", members));
  EXPECT_NE(type, DType(Scalar::int8));
}

TEST(DType, RecordsNest) {
  const Members inner_members = {{"x", Scalar::float32}, {"y", Scalar::float64}};
  const DType inner = DType::c_structure("Inner", inner_members);
  const Members outer_members = {{"flag", Scalar::boolean}, {"inner", inner}};
  const DType outer = DType::c_structure("Outer", outer_members);
  EXPECT_EQ(outer.fields()[1].offset, 8u);
  EXPECT_EQ(outer.size_bytes(), 24u);
}

TEST(DType, AWrongRecordIsRefusedByFieldName) {
  const auto refused = [](std::vector<Field> fields, std::size_t size, std::size_t alignment) {
    try {
      DType::structure("R", std::move(fields), size, alignment);
    } catch (const DTypeError& error) {
      return error.message();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused({{"a", Scalar::int32, 0}, {"b", Scalar::int32, 2}}, 8, 4),
            "record \"R\": field \"b\" overlaps \"a\"");
  EXPECT_EQ(refused({{"a", Scalar::int32, 0}, {"a", Scalar::int32, 4}}, 8, 4),
            "record \"R\": field \"a\" is there twice");
  EXPECT_EQ(refused({{"a", Scalar::int32, 0, {3}}}, 8, 4),
            "record \"R\": field \"a\" ends at byte 12 of a record of 8");
  EXPECT_EQ(refused({{"a", Scalar::int32, 0, {-1}}}, 8, 4),
            "record \"R\": field \"a\" has an axis of negative length");
  EXPECT_EQ(refused({{"", Scalar::int32, 0}}, 8, 4), "record \"R\": field \"\" has no name");
  EXPECT_EQ(refused({}, 8, 3), "record \"R\": alignment 3 is not a power of two");
}

TEST(DType, RealTypeOfComplexIsItsPart) {
  EXPECT_EQ(DType(Scalar::complex64).real_type(), DType(Scalar::float32));
  EXPECT_EQ(DType(Scalar::int8).real_type(), DType(Scalar::int8));
}

TEST(DType, StructureWithoutARecordHasANameForMessages) {
  const DType none = Scalar::structure;
  EXPECT_EQ(none.name(), "structure");
  EXPECT_EQ(none.kind(), ScalarKind::structure);
  EXPECT_EQ(none.size_bytes(), 0u);
  EXPECT_THROW(DType::parse("structure"), DTypeError);
}

}  // namespace
}  // namespace treadle
