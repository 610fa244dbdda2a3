// SPDX-License-Identifier: MIT
// Which engine transforms a shape on a GPU where cuFFT is found: cuFFT or generated kernels,
// whichever was faster when both were measured, once for a machine and a class of shapes.
//
//   class of c2c float32 of (500, 1000) rows   complex float32 axes "smooth 10" rows 9
//                                              that of (300, 900) rows, and of (510, 600)
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fft/cufft_plan.hpp"
#include "fft/device_plan.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/tune/way_choice.hpp"

namespace treadle::fft {

/// What was measured on a device: "cufft" and "generated".
class EngineWays : public tune::WayChoice {
 public:
  explicit EngineWays(const device::Device& device, std::shared_ptr<tune::Store> store = {})
      : WayChoice("fft by cufft", device, std::move(store)) {}
};

/// The answer for a shape.
struct EngineVerdict {
  bool is_cufft = false;
  /// False: measuring was not possible now, and a later transform may find another answer.
  bool is_final = true;
  std::string reason;  ///< for explain()
};

/// How both engines are timed.
struct EngineTimes {
  /// The times, the rule's engine first; empty: it cannot be measured.
  std::function<std::vector<tune::WayTime>()> measure;
  std::string obstacle = {};         ///< why `measure` is empty
  bool is_obstacle_passing = false;  ///< whether a later transform may be measured
};

/// What a class is known by, with the library's version.
tune::ProblemSignature class_of(const PlanShape& shape, const std::string& cufft_version);
/// The shape, with fewer rows if need be, in memory that measuring may take: another shape of a
/// class of shapes that are as large. None: one row is too large.
std::optional<PlanShape> measured_shape(PlanShape shape);
/// The bytes of complex elements that a transform of it takes.
std::uint64_t bytes_of(const PlanShape& shape);

/// The engine of a shape: what is known; else what `times` finds, which is kept; else that of
/// is_faster_by_cufft().
EngineVerdict choose_engine(tune::WayChoice& ways, const PlanShape& shape,
                            const std::string& cufft_version, const EngineTimes& times);

/// Queues one transform between two places.
using RunTransform = std::function<void(device::Location from, device::Location to)>;
/// That of a shape by generated kernels.
using GeneratedTransform = std::function<RunTransform(const PlanShape&)>;
/// Runs both engines on a stream, in memory of their own, and waits for them. Throws what they
/// throw.
std::vector<tune::WayTime> measure_engines(device::Stream& stream, const DeviceCufft& cufft,
                                           const PlanShape& shape,
                                           const GeneratedTransform& generated);
/// The same for choose_engine(), of measured_shape(): `generated` has to live until then. An
/// obstacle where the setting is off, the stream is captured, or the shape is too large.
EngineTimes engine_times(device::Stream& stream, const DeviceCufft& cufft, const PlanShape& shape,
                         const GeneratedTransform& generated);

}  // namespace treadle::fft
