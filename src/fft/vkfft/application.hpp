// SPDX-License-Identifier: MIT
// A plan of VkFFT's, compiled once for each of its two languages: behind VkFFT's own headers, which
// one of the files of words precedes.
#pragma once

#include <array>
#include <clocale>
#include <memory>
#include <mutex>
#include <string>

#include "fft/vkfft/plan.hpp"
#include "fft/vkfft/session.hpp"
#include "treadle/memory/device_pool.hpp"

namespace treadle::fft::vkfft {
namespace {

/// VkFFT writes numbers into texts, which must not depend on the program's language.
class PlainNumbers {
 public:
  PlainNumbers() : plain_(newlocale(LC_NUMERIC_MASK, "C", nullptr)), before_(uselocale(plain_)) {}
  ~PlainNumbers() {
    uselocale(before_);
    freelocale(plain_);
  }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  locale_t plain_, before_;
};

class Application final : public DevicePlan {
 public:
  Application(device::Stream& stream, const PlanShape& shape, const FusedText* fused,
              std::string* program)
      : shape_(shape) {
    Session session(stream, fused);
    const PlainNumbers plain;
    VkFFTConfiguration configuration = {};
    configure(configuration);
    session.require_success(initializeVkFFT(&app_, configuration),
                            "a transform on " + session.device().info().id);
    if (program != nullptr) *program = session.fused_program();
  }
  ~Application() override { deleteVkFFT(&app_); }

  void run(device::Stream& stream, const PlanRun& run) override {
    const std::lock_guard lock(mutex_);
    Session session(stream);
    session.pass(run.arguments);
    Memory from(run.input), to(run.output);
    void *source = &from, *target = &to;
    VkFFTLaunchParams parameters = {};
#if VKFFT_BACKEND == 3
    void* queue = &session;
    parameters.commandQueue = &queue;
#endif
    // The forward transform reads inputBuffer and works in buffer; the inverse one works in buffer
    // and ends in inputBuffer.
    if (shape_.is_in_place)
      parameters.buffer = &target;
    else if (shape_.is_forward)
      parameters.inputBuffer = &source, parameters.buffer = &target;
    else
      parameters.buffer = &source, parameters.inputBuffer = &target;
    // Scratch memory of this run's stream.
    std::optional<memory::Allocation<memory::DeviceAllocator>> scratch;
    Memory* const wanted = app_.configuration.allocateTempBuffer != 0
                               ? static_cast<Memory*>(app_.configuration.tempBuffer[0])
                               : nullptr;
    if (wanted != nullptr) {
      scratch =
          memory::pool_of(stream.device()).allocate(wanted->size_bytes, stream.shared_from_this());
      wanted->location = scratch->block().location();
    }
    const int result = VkFFTAppend(&app_, shape_.is_forward ? -1 : 1, &parameters);
    if (wanted != nullptr) wanted->location = {};
    session.require_success(result, "a transform on " + stream.device().info().id);
  }

 private:
  void configure(VkFFTConfiguration& configuration) {
    configuration.FFTdim = shape_.rank;
    std::uint64_t real = 1, halved = 1;
    for (unsigned axis = 0; axis < shape_.rank; ++axis) {
      configuration.size[axis] = shape_.extents[axis];
      configuration.omitDimension[axis] = shape_.is_left_out[axis] ? 1 : 0;
      real *= shape_.extents[axis];
      halved *= axis == 0 ? shape_.extents[0] / 2 + 1 : shape_.extents[axis];
      real_strides_[axis] = real;
      strides_[axis] = shape_.kind == TransformKind::complex ? real : halved;
      configuration.bufferStride[axis] = strides_[axis];
      configuration.inputBufferStride[axis] = real_strides_[axis];
    }
    configuration.numberBatches = shape_.batches;
    configuration.doublePrecision = shape_.is_double ? 1 : 0;
    configuration.disableSetLocale = 1;
    configuration.device = &device_;
#if VKFFT_BACKEND == 3
    configuration.context = &context_;
#endif
    configuration.makeForwardPlanOnly = shape_.is_forward ? 1 : 0;
    configuration.makeInversePlanOnly = shape_.is_forward ? 0 : 1;
    configuration.performR2C = shape_.kind == TransformKind::complex ? 0 : 1;
    configuration.isInputFormatted = shape_.is_in_place ? 0 : 1;
    configuration.inverseReturnToInputBuffer = shape_.is_in_place || shape_.is_forward ? 0 : 1;
    const std::uint64_t part = shape_.is_double ? 8 : 4;
    buffer_bytes_ = 2 * part * strides_[shape_.rank - 1] * shape_.batches;
    input_bytes_ = (shape_.kind == TransformKind::complex ? 2 : 1) * part *
                   real_strides_[shape_.rank - 1] * shape_.batches;
    configuration.bufferSize = &buffer_bytes_;
    configuration.inputBufferSize = &input_bytes_;
  }

  PlanShape shape_;
  std::array<std::uint64_t, PlanShape::max_rank> strides_ = {}, real_strides_ = {};
  std::uint64_t buffer_bytes_ = 0, input_bytes_ = 0;
#if VKFFT_BACKEND == 3
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
#else
  CUdevice device_ = 0;
#endif
  std::mutex mutex_;  // guards app_, which a run writes to
  VkFFTApplication app_ = {};
};

}  // namespace
}  // namespace treadle::fft::vkfft
