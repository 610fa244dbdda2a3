// SPDX-License-Identifier: MIT
// Calls of the shell on a table that records, on each provider.
#include "cuda/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/capture.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/graph.hpp"
#include "treadle/cuda/memory.hpp"

namespace treadle::cuda {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A driver whose calls are recorded into a file of its own.
class Recording {
 public:
  explicit Recording(const Table& real) {
    std::string name = "/tmp/treadle-cuda-trace-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    folder_ = name;
    // Slots are called, and so the recorder is used, as long as the process lives.
    static auto& recorders = *new std::vector<std::unique_ptr<TraceRecorder>>;
    recorders.push_back(std::make_unique<TraceRecorder>(folder_ / "trace.json"));
    recorder_ = recorders.back().get();
    ::unsetenv("TREADLE_TRACE");
    auto table = std::make_shared<Table>(real);
    trace_calls(*table, *recorder_);
    driver_.emplace(table);
  }
  ~Recording() { std::filesystem::remove_all(folder_); }
  const Driver& driver() const { return *driver_; }

  /// The events of a category, as lines.
  std::vector<std::string> events(const std::string& category) const {
    recorder_->finish();
    std::ifstream file(folder_ / "trace.json");
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);)
      if (line.find("\"cat\":\"" + category + "\"") != std::string::npos) found.push_back(line);
    return found;
  }
  /// Of these, what the device did: the call of the host is in the trace, too.
  std::vector<std::string> work(const std::string& category) const {
    std::vector<std::string> found;
    for (const std::string& line : events(category))
      if (line.find("\"flow_in\"") != std::string::npos) found.push_back(line);
    return found;
  }

 private:
  std::filesystem::path folder_;
  TraceRecorder* recorder_ = nullptr;
  std::optional<Driver> driver_;
};

double number(const std::string& line, const std::string& key) {
  const std::string before = "\"" + key + "\":";
  const std::size_t at = line.find(before);
  if (at == std::string::npos) return -1;
  const char* text = line.c_str() + at + before.size();
  return std::strtod(*text == '"' ? text + 1 : text, nullptr);
}

class OnTracedProvider : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (!IsSkipped()) recording_.emplace(device().driver().table());
  }
  Recording& recording() { return *recording_; }
  Device traced_device() const { return recording_->driver().device(0); }

 private:
  std::optional<Recording> recording_;
};
INSTANTIATE_TEST_SUITE_P(Trace, OnTracedProvider, each_provider, provider_name);

TEST_P(OnTracedProvider, HasCopiesFillsAllocationsAndWaits) {
  const auto own = Context::make_current(Context::create(traced_device()));
  {
    const Stream stream;
    std::vector<float> host(1024, 1);
    DeviceMemory memory(4096), other(4096);
    memory.copy_from(host);
    fill32_async(other.address(), 7, 1024, stream);
    copy_on_device_async(memory.address(), other.address(), 4096, stream);
    synchronize(stream);
    memory.copy_to(host);
  }
  const auto copies = recording().work("copy");
  ASSERT_THAT(copies, SizeIs(3));
  EXPECT_THAT(copies, Each(HasSubstr("\"bytes\":4096")));
  for (const char* name : {"copy host to device", "copy device to device", "copy device to host"})
    EXPECT_THAT(copies, testing::Contains(HasSubstr(name)));
  const auto fills = recording().work("fill");
  ASSERT_THAT(fills, SizeIs(1));
  EXPECT_THAT(fills[0], AllOf(HasSubstr("\"bytes\":4096"), HasSubstr("\"stream\":\"stream 1\"")));
  EXPECT_THAT(recording().events("copy"), SizeIs(6));  // the calls, too
  EXPECT_THAT(recording().events("memory"),
              testing::Contains(HasSubstr("\"bytes\":4096")).Times(2));
  EXPECT_THAT(recording().events("wait"), testing::Contains(HasSubstr("wait for a stream")));
  own->detach();
}

TEST_P(OnTracedProvider, PlacesWorkBehindItsCallAndInOrder) {
  const auto own = Context::make_current(Context::create(traced_device()));
  const Stream stream;
  const DeviceMemory memory(1 << 20);
  for (int i = 0; i < 20; ++i) fill8_async(memory.address(), 1, 1 << 20, stream);
  synchronize(stream);
  const double end = static_cast<double>(trace_now()) / 1000;
  const auto fills = recording().work("fill");
  const auto calls = recording().events("fill");
  ASSERT_THAT(fills, SizeIs(20));
  ASSERT_THAT(calls, SizeIs(40));
  double before = 0;
  for (const std::string& fill : fills) {
    EXPECT_GE(number(fill, "ts") + 0.002, before);
    before = number(fill, "ts") + number(fill, "dur");
    for (const std::string& call : calls)
      if (number(call, "bind_id") == number(fill, "bind_id")) {
        EXPECT_GE(number(fill, "ts"), number(call, "ts"));
      }
  }
  EXPECT_LE(before, end + 1000);  // a millisecond for what two clocks are apart
  own->detach();
}

TEST_P(OnTracedProvider, TellsWhereTheHostCameTooLate) {
  const auto own = Context::make_current(Context::create(traced_device()));
  const DeviceMemory memory(4096);
  fill8(memory.address(), 1, 4096);
  own->synchronize();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  fill8(memory.address(), 2, 4096);
  own->synchronize();
  bool is_found = false;
  for (const std::string& gap : recording().events("gap"))
    is_found = is_found || (number(gap, "dur") > 15000 && gap.find("fill") != std::string::npos);
  EXPECT_TRUE(is_found);
  own->detach();
}

TEST_P(OnTracedProvider, KeepsTheWorkOfContextsThatEnd) {
  {
    const auto own = Context::make_current(Context::create(traced_device()));
    const Stream stream;
    const DeviceMemory memory(4096);
    for (int i = 0; i < 3; ++i) fill8_async(memory.address(), 1, 4096, stream);
    own->detach();
  }
  EXPECT_THAT(recording().work("fill"), SizeIs(3));
}

TEST_P(OnTracedProvider, LeavesCapturesWholeAndTimesLaunchesOfGraphs) {
  const auto own = Context::make_current(Context::create(traced_device()));
  {
    const Stream stream;
    std::vector<std::uint32_t> host(1024);
    DeviceMemory memory(4096);
    fill32_async(memory.address(), 1, 1024, stream);
    Capture capture(stream);
    fill32_async(memory.address(), 7, 1024, stream);
    // Events of work before the capture are asked for while it goes on.
    EXPECT_THAT(recording().work("fill"), SizeIs(1));
    const GraphExec graph = capture.end().instantiate();
    graph.launch(stream);
    graph.launch(stream);
    synchronize(stream);
    memory.copy_to(host);
    EXPECT_EQ(host[1023], 7u);
  }
  EXPECT_THAT(recording().work("fill"), SizeIs(1));
  EXPECT_THAT(recording().events("fill"), SizeIs(3));  // the captured call, too
  const auto graphs = recording().work("kernel");
  ASSERT_THAT(graphs, SizeIs(2));
  EXPECT_THAT(graphs, Each(HasSubstr("\"name\":\"graph\"")));
  own->detach();
}

TEST_P(OnTracedProvider, RecordsFromManyThreadsWithoutLoss) {
  const auto own = Context::make_current(Context::create(traced_device()));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const auto current = Context::make_current(own.get());
      const Stream stream;
      const DeviceMemory memory(256);
      for (int n = 0; n < 300; ++n) fill8_async(memory.address(), 1, 256, stream);
      synchronize(stream);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(recording().work("fill"), SizeIs(1200));
  own->detach();
}

TEST(TracedFake, NamesKernelsAndSaysWhatFailed) {
  fake::reset();
  fake::state().kernels = {{"_Z5scalePf", {{0, 8}}}};
  Recording recording(fake::driver().table());
  const Table& cu = recording.driver().table();
  CUcontext context = nullptr;
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxPushCurrent(context), CUDA_SUCCESS);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cu.cuModuleLoadDataEx(&module, "image", 0, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuModuleGetFunction(&function, module, "_Z5scalePf"), CUDA_SUCCESS);
  CUdeviceptr address = 16;
  void* arguments[] = {&address};
  cu.cuLaunchKernel(function, 2, 3, 1, 32, 1, 1, 64, nullptr, arguments, nullptr);
  fake::state().fail_next["cuLaunchKernel"] = CUDA_ERROR_INVALID_VALUE;
  EXPECT_EQ(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  const auto launches = recording.events("launch");
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_THAT(launches, Each(HasSubstr("\"name\":\"scale\"")));
  EXPECT_THAT(launches[0], AllOf(HasSubstr("\"grid\":[2,3,1],\"block\":[32,1,1]"),
                                 HasSubstr("\"shared bytes\":64")));
  EXPECT_THAT(launches[1], HasSubstr("\"error\":1"));
  EXPECT_THAT(recording.events("load"), SizeIs(1));
  CUcontext popped = nullptr;
  cu.cuCtxPopCurrent(&popped);
  cu.cuDevicePrimaryCtxRelease(0);
  fake::reset();
}

TEST(TracedFake, LeavesSlotsThatTheDriverLacksAbsent) {
  Recording recording(Table{});
  EXPECT_FALSE(is_present(recording.driver().table().cuLaunchKernel));
  EXPECT_FALSE(is_present(recording.driver().table().cuGraphLaunch));
}

}  // namespace
}  // namespace treadle::cuda
