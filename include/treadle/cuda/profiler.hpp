// SPDX-License-Identifier: MIT
// The switches of profilers that are attached to the process: `nsys profile -c cudaProfilerApi` and
// `ncu --profile-from-start off` record between them alone.
#pragma once

#include <string>

#include "treadle/cuda/context.hpp"

namespace treadle::cuda {

/// Begins recording in the current context; harmless where no profiler is attached, or it records
/// already. The CPU device has no profiler: there the call only checks that there is a context.
void start_profiler();
/// Ends recording in the current context, and writes what is pending. As harmless.
void stop_profiler();

/// CUoutput_mode.
enum class ProfilerOutput : int { key_value_pair = 0, csv = 1 };
/// cuProfilerInitialize, of the profiler that older toolkits had inside the driver. Drivers since
/// CUDA 12, and the CPU device, refuse it: NotSupported, or DeviceError CUDA_ERROR_NOT_SUPPORTED.
void initialize_profiler(const std::string& config_file, const std::string& output_file,
                         ProfilerOutput output);

/// While it lives, profilers record what the context does that was current when it was made.
class ProfilerRange {
 public:
  /// As start_profiler().
  ProfilerRange();
  /// As stop_profiler(), but a failure is a warning.
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;

 private:
  Context context_;
};

}  // namespace treadle::cuda
