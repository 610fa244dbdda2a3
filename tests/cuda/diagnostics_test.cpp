// SPDX-License-Identifier: MIT
#include "treadle/cuda/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

class Diagnostics : public OnEachProvider {
 protected:
  const Driver& driver() const { return device().driver(); }
};
INSTANTIATE_TEST_SUITE_P(Providers, Diagnostics, each_provider, provider_name);

TEST_P(Diagnostics, BadInputIsRefusedAnywhere) {
  EXPECT_THROW(DriverLog(nullptr, driver()), InvalidArgument);
  EXPECT_THROW(MemoryBudget(device(), nullptr), InvalidArgument);
  EXPECT_THROW(CheckpointedProcess(0, driver()), InvalidArgument);
  EXPECT_THROW(CheckpointedProcess(-3, driver()), InvalidArgument);
  const Coredumps dumps = Coredumps::of_process(driver());
  EXPECT_THROW(dumps.set_file(""), InvalidArgument);
  EXPECT_THROW(dumps.set_pipe(std::string(1024, 'x')), InvalidArgument);
}

TEST_P(Diagnostics, TheCpuDeviceNamesWhatItLacks) {
  if (GetParam() != Provider::cpu) GTEST_SKIP() << "a GPU";
  const auto lacks = [](const char* call, auto&& body) {
    try {
      body();
      ADD_FAILURE() << call;
    } catch (const NotSupported& error) {
      EXPECT_THAT(error.message(), HasSubstr(call));
    }
  };
  lacks("cuLogsRegisterCallback", [&] { DriverLog([](LogLevel, std::string_view) {}, driver()); });
  lacks("cuLogsCurrent", [&] { (void)log_end(driver()); });
  lacks("cuLogsDumpToMemory", [&] { (void)log_text(nullptr, driver()); });
  lacks("cuLogsDumpToFile", [&] { write_log("/tmp/none", nullptr, driver()); });
  const Coredumps all = Coredumps::of_process(driver()), here = Coredumps::of(context());
  lacks("cuCoredumpGetAttributeGlobal", [&] { (void)all.on_exception(); });
  lacks("cuCoredumpSetAttributeGlobal", [&] { all.set_file("core"); });
  lacks("cuCoredumpGetAttribute", [&] { (void)here.file(); });
  lacks("cuCoredumpSetAttribute", [&] { here.set_triggers_host(false); });
  const CheckpointedProcess self(getpid(), driver());
  lacks("cuCheckpointProcessGetState", [&] { (void)self.state(); });
  lacks("cuCheckpointProcessGetRestoreThreadId", [&] { (void)self.restore_thread(); });
  lacks("cuCheckpointProcessLock", [&] { self.lock(10); });
  lacks("cuCheckpointProcessCheckpoint", [&] { self.checkpoint(); });
  lacks("cuCheckpointProcessRestore", [&] { self.restore(); });
  lacks("cuCheckpointProcessUnlock", [&] { self.unlock(); });
  lacks("cuDeviceRegisterAsyncNotification", [&] { MemoryBudget(device(), [](std::uint64_t) {}); });
}

TEST_P(Diagnostics, SettingsOfCoredumpsAreKept) {
  if (!is_present(driver().table().cuCoredumpSetAttributeGlobal))
    GTEST_SKIP() << "the driver has none";
  const Coredumps dumps = Coredumps::of_process(driver());
  dumps.set_file("/tmp/treadle_core_%p");
  EXPECT_THAT(dumps.file(), testing::StartsWith("/tmp/treadle_core_"));  // told with what %p means
  const bool was = dumps.triggers_host();
  dumps.set_triggers_host(!was);
  EXPECT_EQ(dumps.triggers_host(), !was);
  dumps.set_triggers_host(was);
  EXPECT_NO_THROW((void)Coredumps::of(context()).file());
}

TEST_P(Diagnostics, TheLogHasTheDriversErrors) {
  if (!is_present(driver().table().cuLogsRegisterCallback)) GTEST_SKIP() << "the driver has none";
  std::vector<std::string> lines;
  LogPlace place = log_end(driver());
  {
    const DriverLog log([&](LogLevel, std::string_view line) { lines.emplace_back(line); },
                        driver());
    EXPECT_THROW(driver().device(99), DeviceError);
  }
  const std::string text = log_text(&place, driver());
  for (const std::string& line : lines) EXPECT_THAT(text, HasSubstr(line.substr(0, 20)));
}

TEST_P(Diagnostics, AProcessThatRunsIsRunning) {
  if (!is_present(driver().table().cuCheckpointProcessGetState))
    GTEST_SKIP() << "the driver has none";
  try {
    EXPECT_EQ(CheckpointedProcess(getpid(), driver()).state(), CheckpointState::running);
  } catch (const DeviceError& error) {  // under compute-sanitizer
    EXPECT_EQ(error.code(), CUDA_ERROR_NOT_SUPPORTED);
  }
}

// ---- what a driver calls, shown by a fake one

struct Heard {
  CUlogsCallback log = nullptr;
  CUasyncCallback budget = nullptr;
  void* data = nullptr;
  int ended = 0;
  std::string attribute;
} heard;

class WithAFakeLog : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    heard = {};
    table_ = std::make_shared<Table>(fake::driver().table());
    table_->cuLogsRegisterCallback = [](CUlogsCallback call, void* data,
                                        CUlogsCallbackHandle* made) {
      heard.log = call;
      heard.data = data;
      *made = reinterpret_cast<CUlogsCallbackHandle>(&heard);
      return CUDA_SUCCESS;
    };
    table_->cuLogsUnregisterCallback = [](CUlogsCallbackHandle) {
      ++heard.ended;
      return CUDA_SUCCESS;
    };
    table_->cuLogsDumpToMemory = [](CUlogIterator* from, char* buffer, size_t* size, unsigned) {
      std::strcpy(buffer, "line 1\nline 2\n");
      *size = 14;
      if (from != nullptr) *from += 2;
      return CUDA_SUCCESS;
    };
    table_->cuDeviceRegisterAsyncNotification = [](CUdevice, CUasyncCallback call, void* data,
                                                   CUasyncCallbackHandle* made) {
      heard.budget = call;
      heard.data = data;
      *made = reinterpret_cast<CUasyncCallbackHandle>(&heard);
      return CUDA_SUCCESS;
    };
    table_->cuDeviceUnregisterAsyncNotification = [](CUdevice, CUasyncCallbackHandle) {
      ++heard.ended;
      return CUDA_SUCCESS;
    };
    table_->cuCoredumpSetAttributeGlobal = [](CUcoredumpSettings, void* value, size_t* size) {
      heard.attribute.assign(static_cast<const char*>(value), *size);
      return CUDA_SUCCESS;
    };
    table_->cuCoredumpGetAttributeGlobal = [](CUcoredumpSettings, void* value, size_t* size) {
      *size = std::min(*size, heard.attribute.size());
      std::memcpy(value, heard.attribute.data(), *size);
      return CUDA_SUCCESS;
    };
    driver_.emplace(table_);
  }
  std::shared_ptr<Table> table_;
  std::optional<Driver> driver_;
};

TEST_F(WithAFakeLog, LinesComeToTheListener) {
  std::vector<std::pair<LogLevel, std::string>> lines;
  char text[] = "cuMemAlloc failed";
  {
    const DriverLog log(
        [&](LogLevel level, std::string_view line) { lines.emplace_back(level, line); }, *driver_);
    heard.log(heard.data, CU_LOG_LEVEL_WARNING, text, 10);
  }
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].first, LogLevel::warning);
  EXPECT_EQ(lines[0].second, "cuMemAlloc");
  EXPECT_EQ(heard.ended, 1);
}

TEST_F(WithAFakeLog, WhatAListenerThrowsIsAWarning) {
  std::string warned;
  const auto before = set_warning_handler([&](std::string_view text) { warned = text; });
  {
    const DriverLog log([](LogLevel, std::string_view) { throw std::runtime_error("full"); },
                        *driver_);
    char text[] = "x";
    heard.log(heard.data, CU_LOG_LEVEL_ERROR, text, 1);
  }
  set_warning_handler(before);
  EXPECT_THAT(warned, HasSubstr("full"));
}

TEST_F(WithAFakeLog, TheTextGoesOnFromAPlace) {
  LogPlace place = 3;
  EXPECT_EQ(log_text(&place, *driver_), "line 1\nline 2\n");
  EXPECT_EQ(place, 5u);
}

TEST_F(WithAFakeLog, BytesBeyondTheBudgetAreTold) {
  std::uint64_t beyond = 0;
  {
    const MemoryBudget budget(driver_->device(0), [&](std::uint64_t bytes) { beyond = bytes; });
    CUasyncNotificationInfo info{};
    info.type = CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET;
    info.info.overBudget.bytesOverBudget = 77;
    heard.budget(&info, heard.data, nullptr);
  }
  EXPECT_EQ(beyond, 77u);
  EXPECT_EQ(heard.ended, 1);
}

TEST_F(WithAFakeLog, CoredumpsAreSetInTheDriversTypes) {
  const Coredumps dumps = Coredumps::of_process(*driver_);
  dumps.set_file("core_%p");
  EXPECT_EQ(heard.attribute, std::string("core_%p\0", 8));
  EXPECT_EQ(dumps.file(), "core_%p");
  dumps.set_on_exception(true);
  EXPECT_EQ(heard.attribute, std::string(1, '\1'));
  EXPECT_TRUE(dumps.on_exception());
  dumps.set_omissions(CoredumpOmissions::images | CoredumpOmissions::abort);
  EXPECT_EQ(dumps.omissions(), CoredumpOmissions::images | CoredumpOmissions::abort);
  EXPECT_EQ(heard.attribute.size(), 4u);
}

}  // namespace
}  // namespace treadle::cuda
