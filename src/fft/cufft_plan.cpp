// SPDX-License-Identifier: MIT
// From axes that are transformed or left out to cuFFT's strides and distances:
//
//   axes 1, 2 of (4, 5, 6)    lengths 5, 6    stride 1    distance 30    4 transforms
//   axis 1 of (4, 5, 6)       length 5        stride 6    distance 1     6 transforms, in 4 calls
#include "fft/cufft_plan.hpp"

#include <bit>
#include <mutex>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/memory/device_pool.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::fft {
namespace {

/// Rows of a power of two up to this many bytes are transformed by one generated kernel.
constexpr std::uint64_t most_row_bytes = 64 << 10;
/// More calls than that for one transform cost more than generated kernels.
constexpr std::int64_t most_calls = 32;

std::uint64_t address(const device::Location& place) { return place.handle + place.offset; }

class CufftTransform final : public DevicePlan {
 public:
  CufftTransform(const DeviceCufft& cufft, const CufftCalls& calls)
      : plan_(cufft.library, *cufft.context, calls.shape), calls_(calls.calls) {
    const auto& shape = calls.shape;
    const std::uint64_t part = shape.is_double ? 8 : 4;
    const auto bytes = [&](bool is_real) { return is_real ? part : 2 * part; };
    // What a call transforms lies dense: neighbours of one stride, or one behind the other.
    const auto distance = [&](std::int64_t between) {
      return static_cast<std::uint64_t>(between * shape.count);
    };
    input_step_ = bytes(shape.kind == library::CufftShape::Kind::real_to_complex) *
                  distance(shape.input_distance);
    output_step_ = bytes(shape.kind == library::CufftShape::Kind::complex_to_real) *
                   distance(shape.output_distance);
    if (shape.stride > 1)
      for (const std::int64_t length : shape.lengths) {
        input_step_ *= static_cast<std::uint64_t>(length);
        output_step_ *= static_cast<std::uint64_t>(length);
      }
  }

  void run(device::Stream& stream, const PlanRun& places) override {
    const std::lock_guard lock(mutex_);
    const device::LeaveDeferred leave;
    std::optional<memory::Allocation<memory::DeviceAllocator>> scratch;
    library::HandleWorkspace workspace{.size_bytes = plan_.work_bytes()};
    if (workspace.size_bytes != 0) {
      const device::GrowAlone alone;  // a pending transform may want the plan
      scratch = memory::pool_of(stream.device())
                    .allocate(workspace.size_bytes, stream.shared_from_this());
      workspace.address = address(scratch->block().location());
    }
    for (std::int64_t call = 0; call < calls_; ++call) {
      const auto step = static_cast<std::uint64_t>(call);
      plan_.run(stream.raw(), workspace, address(places.input) + step * input_step_,
                address(places.output) + step * output_step_);
    }
    if (settings().sync) stream.synchronize();
  }

 private:
  std::mutex mutex_;  // guards plan_, which a run sets to its stream
  library::CufftPlan plan_;
  std::int64_t calls_;
  std::uint64_t input_step_, output_step_;  // in bytes, from one call to the next
};

}  // namespace

DeviceCufft::DeviceCufft(std::shared_ptr<const library::Cufft> opened, const cuda::Context& where)
    : library(std::move(opened)), context(&where) {
  if (library == nullptr) return;
  name = "transform of " + library->path().filename().string();
  text = "cuFFT, version " + library->version();
}
DeviceCufft::DeviceCufft(device::Device& device) {
  if (device.info().kind != device::DeviceKind::gpu) return;
  const cuda::Context* const own = device::cuda_context(device);
  if (own != nullptr) *this = DeviceCufft(library::Cufft::find(*own), *own);
}

bool is_faster_by_cufft(const PlanShape& shape) {
  if (shape.kind != TransformKind::complex) return true;
  std::uint64_t length = 0;
  for (unsigned axis = 0; axis < shape.rank; ++axis) {
    if (shape.is_left_out[axis]) continue;
    if (length != 0) return true;  // several axes
    length = shape.extents[axis];
  }
  return !std::has_single_bit(length) || length * (shape.is_double ? 16 : 8) > most_row_bytes;
}

std::optional<CufftCalls> cufft_calls(const PlanShape& shape) {
  if (shape.rank == 0 || shape.rank > PlanShape::max_rank) return std::nullopt;
  const unsigned first = shape.is_left_out[0] ? 1 : 0;
  if (shape.rank == first || shape.rank - first > 3) return std::nullopt;
  CufftCalls made;
  library::CufftShape& cufft = made.shape;
  using Kind = library::CufftShape::Kind;
  cufft.kind = shape.kind == TransformKind::complex           ? Kind::complex
               : shape.kind == TransformKind::real_to_complex ? Kind::real_to_complex
                                                              : Kind::complex_to_real;
  cufft.is_double = shape.is_double;
  cufft.is_forward = shape.is_forward;
  std::int64_t real = 1, complex = 1;
  for (unsigned axis = shape.rank; axis-- > first;) {
    if (shape.is_left_out[axis]) return std::nullopt;
    const auto length = static_cast<std::int64_t>(shape.extents[axis]);
    cufft.lengths.push_back(length);
    real *= length;
    complex *= axis == 0 && cufft.kind != Kind::complex ? length / 2 + 1 : length;
  }
  const auto batches = static_cast<std::int64_t>(shape.batches);
  if (first == 0) {
    cufft.count = batches;
    cufft.input_distance = cufft.kind == Kind::real_to_complex ? real : complex;
    cufft.output_distance = cufft.kind == Kind::complex_to_real ? real : complex;
    return made;
  }
  cufft.count = cufft.stride = static_cast<std::int64_t>(shape.extents[0]);
  cufft.input_distance = cufft.output_distance = 1;
  made.calls = batches;
  if (batches > most_calls) return std::nullopt;
  return made;
}

std::unique_ptr<DevicePlan> make_cufft_plan(const DeviceCufft& cufft, const PlanShape& shape) {
  const auto calls = cufft_calls(shape);
  if (!calls) return nullptr;
  try {
    return std::make_unique<CufftTransform>(cufft, *calls);
  } catch (const DeviceError&) {
    return nullptr;  // generated kernels take over
  }
}

}  // namespace treadle::fft
