// SPDX-License-Identifier: MIT
#include "treadle/opencl/handle.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"
#include "treadle/opencl/table.hpp"
#include "treadle/process/census.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::opencl {
namespace {

int references = 0;
int answer = CL_SUCCESS;

/// Counts references to the one event there is.
std::shared_ptr<const Table> counting_table() {
  auto table = std::make_shared<Table>();
  table->clRetainEvent = [](cl_event) -> cl_int {
    if (answer == CL_SUCCESS) ++references;
    return answer;
  };
  table->clReleaseEvent = [](cl_event) -> cl_int {
    --references;
    return answer;
  };
  references = 1;
  answer = CL_SUCCESS;
  return table;
}
const RawEvent the_event = reinterpret_cast<RawEvent>(16);

TEST(OpenCLHandle, AdoptsOrRetains) {
  const auto table = counting_table();
  {
    const Handle<RawEvent> retained(table, the_event, Ownership::retain);
  }
  EXPECT_EQ(references, 1);
  {
    const Handle<RawEvent> adopted(table, the_event, Ownership::adopt);
  }
  EXPECT_EQ(references, 0);
}

TEST(OpenCLHandle, CopiesShareAndMovesTake) {
  const auto table = counting_table();
  {
    Handle<RawEvent> first(table, the_event, Ownership::adopt);
    Handle<RawEvent> second = first;
    EXPECT_EQ(references, 2);
    EXPECT_TRUE(first == second);
    const Handle<RawEvent> third = std::move(first);
    EXPECT_EQ(references, 2);
    EXPECT_FALSE(first);
    second = third;
    EXPECT_EQ(references, 2);
  }
  EXPECT_EQ(references, 0);
}

TEST(OpenCLHandle, AssignedToItselfKeepsItsObject) {
  Handle<RawEvent> handle(counting_table(), the_event, Ownership::adopt);
  Handle<RawEvent>& same = handle;
  handle = same;
  EXPECT_EQ(references, 1);
  EXPECT_EQ(handle.raw(), the_event);
}

TEST(OpenCLHandle, AFailedRetainLeavesNothingToRelease) {
  const auto table = counting_table();
  answer = CL_OUT_OF_HOST_MEMORY;
  EXPECT_THROW(Handle<RawEvent>(table, the_event, Ownership::retain), OutOfMemory);
  EXPECT_EQ(references, 1);
}

TEST(OpenCLHandle, AFailedReleaseIsAWarning) {
  int warnings = 0;
  const auto before = set_warning_handler([&](std::string_view) { ++warnings; });
  {
    const Handle<RawEvent> handle(counting_table(), the_event, Ownership::adopt);
    answer = CL_INVALID_EVENT;
  }
  set_warning_handler(before);
  EXPECT_EQ(warnings, 1);
}

TEST(OpenCLHandle, AnEmptyOneSaysSo) {
  const Handle<RawEvent> empty;
  EXPECT_THROW(empty.raw(), InvalidState);
  EXPECT_THROW(empty.table(), InvalidState);
}

TEST(OpenCLHandle, KeepsItsTable) {
  std::weak_ptr<const Table> watched;
  {
    Handle<RawEvent> handle;
    {
      const auto table = counting_table();
      watched = table;
      handle = Handle<RawEvent>(table, the_event, Ownership::adopt);
    }
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(OpenCLHandle, P14_EachReferenceIsCountedByKind) {
  const auto counted = [] { return live_objects()["opencl event"]; };
  const long before = counted();
  Handle<RawEvent> first(counting_table(), the_event, Ownership::adopt);
  EXPECT_EQ(counted(), before + 1);
  {
    const Handle<RawEvent> copy = first;
    EXPECT_EQ(counted(), before + 2);
    const Handle<RawEvent> moved = std::move(first);
    EXPECT_EQ(counted(), before + 2);
    first = moved;
    EXPECT_EQ(counted(), before + 3);
  }
  EXPECT_EQ(counted(), before + 1);
  first.detach();
  EXPECT_EQ(counted(), before);
  const Handle<RawEvent> empty;
  EXPECT_EQ(counted(), before);
}

TEST(OpenCLHandle, P14_AFailedRetainIsNotCounted) {
  const auto table = counting_table();
  const Handle<RawEvent> event(table, the_event, Ownership::adopt);
  const long before = live_objects()["opencl event"];
  answer = CL_OUT_OF_HOST_MEMORY;
  EXPECT_THROW(Handle<RawEvent>{event}, OutOfMemory);
  EXPECT_EQ(live_objects()["opencl event"], before);
  answer = CL_SUCCESS;
}

TEST(OpenCLHandle, DevicesNeedNoReferenceCounts) {
  const auto table = std::make_shared<Table>();  // OpenCL 1.1 lacks clRetainDevice
  const Handle<RawDevice> device(table, reinterpret_cast<RawDevice>(16), Ownership::retain);
  EXPECT_TRUE(device);
}

}  // namespace
}  // namespace treadle::opencl
