// SPDX-License-Identifier: MIT
// Runs a test on every device of this machine, the null device included: the conformance suite of
// the waist.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/base/library.hpp"
#include "treadle/device/buffer.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/null.hpp"
#include "treadle/device/registry.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::device {

/// The CPU device is left out of builds without its compiler, such as the sanitized ones.
inline std::vector<std::string> device_ids() {
  const bool has_compiler = find_own_library("libtreadle_clang.so").path.has_value();
  std::vector<std::string> ids;
  for (const auto& device : devices())
    if (has_compiler || device->info().target != "cpu") ids.push_back(device->info().id);
  ids.emplace_back("null");
  return ids;
}
/// Asked when tests are registered, not when the program is loaded.
inline auto each_device() { return testing::ValuesIn(device_ids()); }
inline std::string device_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, ':', '_');
  return name;
}

/// The kernels' text as the device takes it: KERNEL, GLOBAL, LOCAL and INDEX stand for what the
/// languages spell differently. Replaced here, not by macros: the null device reads plain text.
inline std::string in_language(Language language, std::string text) {
  struct Word {
    std::string name, cuda, opencl;
  };
  static const Word words[] = {
      {"KERNEL", "extern \"C\" __global__ void", "__kernel void"},
      {"GLOBAL ", "", "__global "},
      {"INDEX", "(int)(blockIdx.x * blockDim.x + threadIdx.x)", "(int)get_global_id(0)"}};
  for (const auto& [name, cuda, opencl] : words)
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      const std::string& with = language == Language::cuda_c ? cuda : opencl;
      text.replace(at, name.size(), with);
      at += with.size();
    }
  return text;
}

inline constexpr const char* kernels_text = R"(
KERNEL scale(GLOBAL float* a, float factor, int n) {
  int i = INDEX;
  if (i < n) a[i] = factor * a[i];
}
KERNEL add_to(GLOBAL int* a, GLOBAL const int* b, int n) {
  int i = INDEX;
  if (i < n) a[i] = a[i] + b[i];
}
KERNEL set_all(GLOBAL int* a, int value, int n) {
  int i = INDEX;
  if (i < n) a[i] = value;
}
KERNEL store_wide(GLOBAL double* a, double x, long y, short z) {
  if (INDEX == 0) a[0] = x + (double)y + (double)z;
}
KERNEL wait_then_set(GLOBAL int* a, int rounds, int value) {
  unsigned state = 1;
  for (int i = 0; i < rounds; ++i) state = state * 1664525u + 1013904223u;
  if (INDEX == 0) a[0] = state == 0 ? 0 : value;
}
KERNEL no_parameters(void) {}
)";

class OnEachDevice : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = find_device(GetParam());
    stream_ = device_->make_stream();
    foreign_ = make_null_device();
    live_before_ = device_->live_memory().count;
  }
  void TearDown() override {
    stream_->synchronize();
    program_.reset();
    EXPECT_EQ(device_->live_memory().count, live_before_) << "memory was left behind";
  }

  const std::shared_ptr<Device>& device() const { return device_; }
  const DeviceInfo& info() const { return device_->info(); }
  Stream& stream() const { return *stream_; }
  /// A device that is certainly another one.
  const std::shared_ptr<Device>& foreign() const { return foreign_; }
  bool runs_kernels() const { return info().runs_kernels; }

  kernel::Program compile(const std::string& text) const {
    return {device_, in_language(info().language, text)};
  }
  Kernel kernel(const std::string& name) {
    if (!program_) program_.emplace(compile(kernels_text));
    return program_->kernel(name);
  }
  static LaunchShape shape_for(std::size_t count) {
    return {.groups = static_cast<unsigned>((count + 63) / 64), .group_size = 64};
  }

  Buffer buffer_of(const std::vector<int>& values) const { return {device_, values}; }
  static std::vector<int> contents(const Buffer& buffer) {
    std::vector<int> values(buffer.size_bytes() / sizeof(int));
    buffer.copy_to(values);
    return values;
  }
  static std::vector<int> count_up(int count, int first = 0) {
    std::vector<int> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), first);
    return values;
  }

  /// Runs `work(i)` on `count` threads at once; what one of them throws fails the test.
  static void on_threads(int count, const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    std::vector<std::string> failures(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        try {
          work(i);
        } catch (const std::exception& error) {
          failures[static_cast<std::size_t>(i)] = error.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& failure : failures) EXPECT_EQ(failure, "");
  }

 private:
  std::shared_ptr<Device> device_, foreign_;
  std::shared_ptr<Stream> stream_;
  std::optional<kernel::Program> program_;
  std::size_t live_before_ = 0;
};

/// Expects `statement` to throw `Type`, and its message to hold each of `parts`.
template <class Type, class Statement>
void expect_error(Statement statement, const std::vector<std::string>& parts) {
  try {
    statement();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Type& error) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "no \"" << part << "\" in: " << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
  }
}

}  // namespace treadle::device
