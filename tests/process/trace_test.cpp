// SPDX-License-Identifier: MIT
#include "treadle/process/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "process/trace_timeline.hpp"
#include "treadle/base/error.hpp"

namespace treadle {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Traces : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/treadle-trace-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    ::unsetenv("TREADLE_TRACE");  // a recorder sets it for processes that this one starts
  }
  std::filesystem::path file(const std::string& name = "trace.json") const {
    return folder_ / name;
  }
  static std::string text_of(const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  /// Whether `work` has no failures in a process of its own: there is one trace for each.
  template <class Work>
  static bool in_child(Work&& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        work();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status == 0;
  }

 private:
  std::filesystem::path folder_;
};

const auto is_whole = AllOf(StartsWith("{\"displayTimeUnit\":\"ns\","), EndsWith("\n]}\n"),
                            Not(HasSubstr(",\n\n")), Not(HasSubstr("}\n{")));

TEST_F(Traces, AreWholeAfterEachWrite) {
  EXPECT_TRUE(in_child([&] {
    EXPECT_FALSE(std::filesystem::exists(file()));
    start_trace(file());
    EXPECT_TRUE(is_tracing());
    EXPECT_THAT(text_of(file()), is_whole);
    {
      const TraceRange range("assembly");
    }
    write_trace();
    EXPECT_THAT(text_of(file()),
                AllOf(is_whole, HasSubstr("\"name\":\"assembly\",\"cat\":\"range\"")));
    {
      const TraceRange range("solve");
    }
    EXPECT_THAT(text_of(file()), Not(HasSubstr("solve")));
    write_trace();
    write_trace();
    EXPECT_THAT(text_of(file()), AllOf(is_whole, HasSubstr("assembly"), HasSubstr("\"solve\"")));
  }));
}

TEST_F(Traces, AreOffUnlessAskedFor) {
  EXPECT_TRUE(in_child([&] {
    const TraceRange range("nowhere");
    EXPECT_FALSE(is_tracing());
    write_trace();
    // The question has been answered: what came before would be missing.
    EXPECT_THROW(start_trace(file()), InvalidState);
    EXPECT_FALSE(std::filesystem::exists(file()));
  }));
}

TEST_F(Traces, StartOnce) {
  EXPECT_TRUE(in_child([&] {
    start_trace(file());
    EXPECT_THROW(start_trace(file("other.json")), InvalidState);
    EXPECT_FALSE(std::filesystem::exists(file("other.json")));
  }));
}

TEST_F(Traces, RefuseNamesThatTheyCannotHave) {
  write(file("program.py"), "print('not to be lost')\n");
  write(file("cut.json"), "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"made_by\":\"Treadle\"},");
  EXPECT_TRUE(in_child([&] {
    EXPECT_THROW(start_trace(""), InvalidArgument);
    EXPECT_THROW(start_trace("+"), InvalidArgument);
    EXPECT_THROW(start_trace(file("program.py")), InvalidArgument);
    EXPECT_THROW(start_trace("+" + file("cut.json").string()), InvalidArgument);
    EXPECT_THROW(start_trace("/dev/null"), InvalidArgument);
    EXPECT_THROW(start_trace(file("no/such/folder.json")), FileError);
    EXPECT_THROW(start_trace(file("").parent_path()), FileError);
    start_trace(file());  // none of them counts
  }));
  EXPECT_EQ(text_of(file("program.py")), "print('not to be lost')\n");
}

TEST_F(Traces, AreReplacedUnlessAPlusSaysOtherwise) {
  const auto trace = [&](const std::string& name, const char* range) {
    return in_child([&] {
      start_trace(name);
      {
        const TraceRange named(range);
      }
      write_trace();
    });
  };
  EXPECT_TRUE(trace(file(), "first"));
  EXPECT_TRUE(trace("+" + file().string(), "second"));
  EXPECT_THAT(text_of(file()), AllOf(is_whole, HasSubstr("\"first\""), HasSubstr("\"second\"")));
  EXPECT_TRUE(trace(file(), "third"));
  EXPECT_THAT(text_of(file()),
              AllOf(is_whole, Not(HasSubstr("\"first\"")), HasSubstr("\"third\"")));
}

TEST_F(Traces, TakeTheEventsOfForkedChildrenAndOfProcessesTheyStart) {
  EXPECT_TRUE(in_child([&] {
    start_trace(file());
    EXPECT_EQ(std::getenv("TREADLE_TRACE"), "+" + file().string());
    const TraceRange open("of the parent");
    {
      const TraceRange range("before");
    }
    EXPECT_TRUE(in_child([&] {
      {
        const TraceRange range("of the child");
      }
      write_trace();
    }));
    write_trace();
    const std::string text = text_of(file());
    EXPECT_THAT(text, AllOf(is_whole, HasSubstr("of the child")));
    // What the parent had not yet written is written once.
    EXPECT_EQ(text.find("\"before\""), text.rfind("\"before\""));
  }));
}

TEST_F(Traces, AreNotWrittenAgainWhereTheyWereDeleted) {
  EXPECT_TRUE(in_child([&] {
    start_trace(file());
    {
      const TraceRange range("lost");
    }
    std::filesystem::remove(file());
    write_trace();
    EXPECT_FALSE(std::filesystem::exists(file()));
  }));
}

TEST_F(Traces, HaveAnyTextAsItIs) {
  EXPECT_TRUE(in_child([&] {
    start_trace(file());
    {
      const TraceRange range("a \"b\" \\ c\n\x01 \xc3\xa9 \xe2\x82\xac \xff");
    }
    write_trace();
    EXPECT_THAT(text_of(file()),
                HasSubstr("\"a \\\"b\\\" \\\\ c\\u000a\\u0001 \xc3\xa9 \xe2\x82\xac ?\""));
  }));
}

TEST_F(Traces, EndEarlyWithAWarningWhereTheyCannotBeWritten) {
  TraceRecorder recorder(file());
  const TraceDetails none;
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    recorder.add({.name = "lost", .begin = 1, .end = 2, .details = none});
    recorder.finish();
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("the trace ends early: "));
  EXPECT_EQ(told.find("ends early"), told.rfind("ends early"));
}

class Timelines : public Traces {
 protected:
  /// Work of 100 us from `begin` on, in microseconds, that was asked for at `asked`.
  static DeviceWork work(const char* name, long stream, std::int64_t asked, std::int64_t begin) {
    return {.name = name,
            .category = "kernel",
            .stream = stream,
            .asked = 1000 * asked,
            .begin = 1000 * begin,
            .end = 1000 * (begin + 100)};
  }
};

TEST_F(Timelines, TellWhereADeviceWaitedForItsHost) {
  TraceRecorder recorder(file());
  DeviceTimeline timeline(recorder, "a device");
  int other = 0;
  const long one = timeline.stream(nullptr), two = timeline.stream(&other);
  EXPECT_EQ(DeviceTimeline::stream_name(one), "default stream");
  EXPECT_EQ(DeviceTimeline::stream_name(two), "stream 1");
  timeline.add(work("first", one, 1000, 1010));
  timeline.add(work("queued in time", one, 1020, 1120));  // 10 us late, but asked for before
  timeline.add(work("asked too late", one, 1500, 1510));
  timeline.add(work("of another stream", two, 1030, 1150));  // until 1250
  timeline.settle();
  recorder.finish();
  const std::string text = text_of(file());
  EXPECT_THAT(text, AllOf(is_whole, HasSubstr("\"a device\""), HasSubstr("\"stream 1\"")));
  EXPECT_THAT(text, HasSubstr("\"host gap\",\"cat\":\"gap\""));
  EXPECT_THAT(
      text, HasSubstr("\"ts\":1250.000,\"dur\":260.000,\"args\":{\"before\":\"asked too late\"}"));
  EXPECT_EQ(text.find("host gap"), text.rfind("host gap"));
}

TEST_F(Timelines, OverlapInNoRowAndBeginNotBeforeTheyAreAskedFor) {
  TraceRecorder recorder(file());
  DeviceTimeline timeline(recorder, "a device");
  const long stream = timeline.stream(nullptr);
  timeline.add(work("first", stream, 1000, 990));
  timeline.add(work("second", stream, 1001, 1050));
  recorder.finish();
  EXPECT_THAT(text_of(file()), AllOf(HasSubstr("\"ts\":1000.000,\"dur\":90.000"),
                                     HasSubstr("\"ts\":1090.000,\"dur\":60.000")));
}

TEST_F(Timelines, GiveAStreamThatTakesAnEndedOnesPlaceARowOfItsOwn) {
  TraceRecorder recorder(file());
  DeviceTimeline timeline(recorder, "a device");
  int handle = 0;
  EXPECT_EQ(timeline.stream(&handle), 1);
  EXPECT_EQ(timeline.stream(&handle), 1);
  timeline.forget_stream(&handle);
  EXPECT_EQ(timeline.stream(&handle), 2);
}

TEST(DeviceClocks, LearnFromWhatCannotHaveBegunEarlier) {
  DeviceClock clock;
  clock.learn(1000, 5);
  EXPECT_EQ(clock.host_time(5), 1000);
  clock.learn(1010, 30);  // later on the device than the offset says: no news
  EXPECT_EQ(clock.host_time(5), 1000);
  clock.learn(1100, 40);
  EXPECT_EQ(clock.host_time(40), 1100);
}

}  // namespace
}  // namespace treadle
