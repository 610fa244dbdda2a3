// SPDX-License-Identifier: MIT
// Runs a test on the first device of every platform this machine has, and says so if it has none.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/opencl/program.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::opencl {

/// The platforms' numbers; one that does not exist where there are none, so that tests are skipped
/// by name.
inline std::vector<std::size_t> platform_numbers() {
  std::vector<std::size_t> numbers;
  try {
    while (numbers.size() < Loader::system().platforms().size()) numbers.push_back(numbers.size());
  } catch (const treadle::Error&) {
    numbers.push_back(0);
  }
  return numbers;
}
inline const auto each_platform = testing::ValuesIn(platform_numbers());
inline std::string platform_test_name(const testing::TestParamInfo<std::size_t>& info) {
  try {
    std::string name = Loader::system().platforms().at(info.param).name();
    std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
  } catch (const std::exception&) {
    return "none";
  }
}

class OnEachPlatform : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    try {
      device_ = Loader::system().platforms().at(GetParam()).devices().at(0);
      context_ = Context(*device_);
      queue_.emplace(context_);
    } catch (const std::exception& error) {
      const std::string reason = error.what();
      GTEST_SKIP() << "no OpenCL device: " << reason.substr(0, reason.find('\n'));
    }
  }
  const Device& device() const { return *device_; }
  const Context& context() const { return context_; }
  const Queue& queue() const { return *queue_; }

  /// A built program.
  Program build(const std::string& source, const std::string& options = {}) const {
    const Program program = Program::from_source(context_, source);
    program.build(options);
    return program;
  }
  /// A buffer with these values.
  template <class T>
  Buffer filled(const std::vector<T>& values, MemFlags flags = MemFlags::read_write) const {
    const Buffer buffer(context_, values.size() * sizeof(T), flags);
    write(queue(), buffer, values);
    return buffer;
  }
  /// What a buffer holds.
  template <class T>
  std::vector<T> values_of(const MemoryObject& buffer) const {
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    read(queue(), buffer, values);
    return values;
  }

 private:
  std::optional<Device> device_;
  Context context_;
  std::optional<Queue> queue_;
};

/// The DeviceError that `attempt` throws; a failure of the test and an empty one if it throws none.
template <class Attempt>
DeviceError device_error_of(Attempt&& attempt) {
  try {
    attempt();
  } catch (const DeviceError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return DeviceError({0, "", "", ""});
}

}  // namespace treadle::opencl
