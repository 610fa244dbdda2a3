// SPDX-License-Identifier: MIT
#include "treadle/cuda/profiler.hpp"

#include "cuda/cleanup.hpp"

namespace treadle::cuda {

void start_profiler() {
  const Activation active(Context::current());
  check(active.table(), active.table().cuProfilerStart(), "cuProfilerStart");
}

void stop_profiler() {
  const Activation active(Context::current());
  check(active.table(), active.table().cuProfilerStop(), "cuProfilerStop");
}

void initialize_profiler(const std::string& config_file, const std::string& output_file,
                         ProfilerOutput output) {
  const Activation active(Context::current());
  const Table& cu = active.table();
  const int code =
      cu.cuProfilerInitialize(config_file.c_str(), output_file.c_str(), static_cast<int>(output));
  if (code != CUDA_SUCCESS)
    raise(cu, code, "cuProfilerInitialize", "the profiler that was inside the driver is gone",
          "record with nsys or ncu, which heed start_profiler() and stop_profiler()");
}

ProfilerRange::ProfilerRange() : context_(Context::current()) { start_profiler(); }

ProfilerRange::~ProfilerRange() {
  clean_up(context_, "a profiler's range", "cuProfilerStop", &Table::cuProfilerStop);
}

}  // namespace treadle::cuda
