// SPDX-License-Identifier: MIT
#include <cstdio>

#include "fft/vkfft/opencl_words.hpp"

#define VKFFT_BACKEND 3
#define printf(...) static_cast<void>(0)  // of errors, which the Session keeps
#include "vkFFT.h"
#undef printf

#include "fft/vkfft/application.hpp"

namespace treadle::fft::vkfft {

std::unique_ptr<DevicePlan> make_opencl_plan(device::Stream& stream, const PlanShape& shape,
                                             const FusedText* fused, std::string* program) {
  return std::make_unique<Application>(stream, shape, fused, program);
}

}  // namespace treadle::fft::vkfft
