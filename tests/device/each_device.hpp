// SPDX-License-Identifier: MIT
// Runs a test on every device of this machine, the null device included: the conformance suite of
// the waist.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "holds_devices.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/stream.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/null.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/device/registry.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/opencl/context.hpp"
#include "treadle/opencl/device.hpp"
#include "treadle/opencl/queue.hpp"
#include "treadle/process/library.hpp"

namespace treadle::device {

using memory::Buffer;

/// Sanitized builds are without the CPU device's compiler. What compilers do with generated texts
/// is left to other builds: under AddressSanitizer PoCL takes a second for each.
inline bool has_cpu_compiler() { return find_own_library("libtreadle_clang.so").path.has_value(); }
inline std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const auto& device : devices())
    if (has_cpu_compiler() || device->info().target != "cpu") ids.push_back(device->info().id);
  ids.emplace_back("null");
  return ids;
}
/// What stands behind an id whose Device works in a context that a user made with the shell.
inline constexpr std::string_view adopted_suffix = "/adopted";
inline std::string plain_id(std::string_view param) {
  const bool is_adopted = param.ends_with(adopted_suffix);
  return std::string(is_adopted ? param.substr(0, param.size() - adopted_suffix.size()) : param);
}
/// Every device in the run-time's own context.
inline auto each_native_device() { return testing::ValuesIn(device_ids()); }
/// Every device natively, and again in a user's context. Asked when tests are registered, not when
/// the program is loaded.
inline auto each_device() {
  std::vector<std::string> params;
  for (const std::string& id : device_ids()) {
    params.push_back(id);
    params.push_back(id + std::string(adopted_suffix));
  }
  return testing::ValuesIn(params);
}
inline std::string device_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](char c) { return c == ':' || c == '/'; }, '_');
  return name;
}

/// A context that a user made, with a stream in it.
class UserContext {
 public:
  explicit UserContext(Device& native) {
    if (const cuda::Context* primary = cuda_context(native)) {
      cuda_ = cuda::Context::create(primary->device());
      cuda_stream_.emplace(cuda_, cuda::StreamFlags::non_blocking);
      device_ = device_of(cuda_);
      stream_ = stream_of(*cuda_stream_);
    } else if (const opencl::Device* shell = opencl_device(native)) {
      opencl_ = opencl::Context(*shell);
      device_ = device_of(opencl_, *shell);
      stream_ = stream_of(
          opencl::Queue(opencl_, *shell, opencl::CommandQueueProperties::profiling_enable));
    } else {
      device_ = make_null_device({.is_adopted = true});
      stream_ = device_->adopt_stream(7);
    }
  }
  const std::shared_ptr<Device>& device() const { return device_; }
  const std::shared_ptr<Stream>& stream() const { return stream_; }

 private:
  cuda::Context cuda_;
  std::optional<cuda::Stream> cuda_stream_;
  opencl::Context opencl_;
  std::shared_ptr<Device> device_;  // these two end before what they refer to
  std::shared_ptr<Stream> stream_;
};

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
    device_ = find_device(plain_id(GetParam()));
    if (holds_devices()) held()[plain_id(GetParam())] = device_;
    stream_ = device_->make_stream();
    if (is_adopted()) {
      user_ = user_context();
      device_ = user_->device();
      stream_ = user_->stream();
    }
    foreign_ = make_null_device();
    note_live_memory();
  }
  /// What lives now is not the test's.
  void note_live_memory() { live_before_ = device_->live_memory().count; }
  void TearDown() override {
    stream_->synchronize();
    program_.reset();
    release_default_device();
    if (holds_devices()) return;
    EXPECT_EQ(device_->live_memory().count, live_before_) << "memory was left behind";
  }

  static bool is_adopted() { return GetParam().ends_with(adopted_suffix); }
  const std::shared_ptr<Device>& device() const { return device_; }
  const DeviceInfo& info() const { return device_->info(); }
  Stream& stream() const { return *stream_; }
  const std::shared_ptr<Stream>& shared_stream() const { return stream_; }
  /// A device that is certainly another one.
  const std::shared_ptr<Device>& foreign() const { return foreign_; }
  bool runs_kernels() const { return info().traits.runs_kernels; }

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
  /// What lives until the process ends; never destroyed, as drivers may be gone by then.
  static std::map<std::string, std::shared_ptr<void>>& held() {
    static auto& all = *new std::map<std::string, std::shared_ptr<void>>;
    return all;
  }
  std::shared_ptr<UserContext> user_context() const {
    if (!holds_devices()) return std::make_shared<UserContext>(*device_);
    auto& kept = held()[GetParam()];
    if (!kept) kept = std::make_shared<UserContext>(*device_);
    return std::static_pointer_cast<UserContext>(kept);
  }

  std::shared_ptr<UserContext> user_;
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
