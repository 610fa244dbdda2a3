// SPDX-License-Identifier: MIT
#include "treadle/base/error.hpp"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Error, WhatIsTheMessageAndThenTheHint) {
  EXPECT_STREQ(Error("it broke").what(), "it broke");
  EXPECT_STREQ(Error("it broke", "mend it").what(), "it broke\n  try: mend it");
}

TEST(Error, DeviceErrorSaysCallReasonAndDetail) {
  const OutOfMemory error(
      DeviceFailure{2, "OUT_OF_MEMORY", "allocate", "out of memory", "allocating 8 bytes on X"});
  EXPECT_EQ(error.message(), "allocate failed: out of memory - allocating 8 bytes on X");
  EXPECT_EQ(error.code(), 2);
  EXPECT_EQ(error.code_name(), "OUT_OF_MEMORY");
  EXPECT_EQ(error.driver_text(), "out of memory");
  EXPECT_EQ(DeviceError(DeviceFailure{1, "X", "f", "bad"}).message(), "f failed: bad");
}

TEST(Error, LibraryNotFoundListsEveryPlace) {
  const LibraryNotFound error("libx.so", {"/a/libx.so: no such file", "/b: not a file"}, "buy one");
  EXPECT_STREQ(error.what(),
               "libx.so was not found; tried:\n    /a/libx.so: no such file\n    /b: not a file"
               "\n  try: buy one");
  EXPECT_EQ(error.tried().size(), 2u);
}

TEST(Error, CompileErrorCarriesLogSourceAndOptions) {
  const CompileError error("no", "k.cu:1:2: error", "source", {"-a", "-b"});
  EXPECT_EQ(error.message(), "no\nk.cu:1:2: error");
  EXPECT_EQ(error.source(), "source");
  EXPECT_EQ(error.options().size(), 2u);
}

TEST(Error, FileErrorNamesThePath) {
  const FileError error(13, "/x", "opening /x: permission denied");
  EXPECT_EQ(error.error_number(), 13);
  EXPECT_EQ(error.path(), "/x");
}

TEST(Error, ShapeAndDTypeErrorsAreInvalidArguments) {
  EXPECT_THROW(throw ShapeError("s"), InvalidArgument);
  EXPECT_THROW(throw DTypeError("d"), InvalidArgument);
  EXPECT_THROW(throw OverflowError("o"), InvalidArgument);
  EXPECT_THROW(throw IndexError("i"), InvalidArgument);
  EXPECT_THROW(throw InvalidState("s"), Error);
  EXPECT_THROW(throw NotSupported("n"), Error);
}

}  // namespace
}  // namespace treadle
