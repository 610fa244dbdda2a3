// SPDX-License-Identifier: MIT
#include "fft/engine_choice.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/event.hpp"
#include "treadle/library/stream_handle.hpp"
#include "treadle/memory/device_pool.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::fft {
namespace {

/// Each of input and output: more than last caches hold, and little beside a GPU's memory.
constexpr std::uint64_t most_bytes = 64 << 20;
/// Another engine than the rule's has to be faster by this factor: times differ by some percent.
constexpr double least_gain = 1.03;
/// Transforms between two events, and how often both engines take turns.
constexpr int launches = 4, rounds = 3;

std::string class_of_length(std::uint64_t length) {
  const std::string size = std::to_string(std::bit_width(length));
  if (std::has_single_bit(length)) return "power " + size;
  for (const std::uint64_t prime : {2, 3, 5, 7, 11, 13})
    while (length % prime == 0) length /= prime;
  return (length == 1 ? "smooth " : "rough ") + size;
}

const char* name_of(TransformKind kind) {
  switch (kind) {
    case TransformKind::complex:
      return "complex";
    case TransformKind::real_to_complex:
      return "real to complex";
    case TransformKind::complex_to_real:
      return "complex to real";
  }
  return "";
}

/// One engine, and the best time of a transform so far.
struct Timed {
  const char* name;
  RunTransform run;
  double seconds = std::numeric_limits<double>::infinity();
};

void time_once(device::Stream& stream, Timed& engine, device::Location from, device::Location to) {
  const auto start = stream.device().make_event(), end = stream.device().make_event();
  stream.record(*start);
  for (int k = 0; k < launches; ++k) engine.run(from, to);
  stream.record(*end);
  end->synchronize();
  engine.seconds = std::min(engine.seconds, end->seconds_since(*start) / launches);
}

std::vector<tune::WayTime> times_of(device::Stream& stream, std::vector<Timed> engines,
                                    const PlanShape& shape) {
  // A pending transform may want what another thread has locked; nothing here is read by others.
  const device::LeaveDeferred leave;
  const device::GrowAlone alone;
  std::vector<memory::Allocation<memory::DeviceAllocator>> memory;
  for (int side = 0; side < (shape.is_in_place ? 1 : 2); ++side) {
    memory.push_back(
        memory::pool_of(stream.device()).allocate(bytes_of(shape), stream.shared_from_this()));
    constexpr std::byte zero{0};  // no NaN: some processors are slower with it
    stream.fill(memory.back().block().location(), {&zero, 1}, bytes_of(shape));
  }
  const device::Location input = memory.front().block().location(),
                         output = memory.back().block().location();
  for (Timed& engine : engines) engine.run(input, output);  // compiles, and fills caches
  stream.synchronize();
  for (int round = 0; round < rounds; ++round)
    for (Timed& engine : engines) time_once(stream, engine, input, output);
  std::vector<tune::WayTime> times;
  for (const Timed& engine : engines) times.push_back({engine.name, engine.seconds});
  return times;
}

}  // namespace

std::uint64_t bytes_of(const PlanShape& shape) {
  std::uint64_t bytes = (shape.is_double ? 16 : 8) * shape.batches;
  for (unsigned axis = 0; axis < shape.rank; ++axis)  // a half spectrum has an element more
    bytes *= shape.extents[axis] +
             (axis == 0 && shape.kind != TransformKind::complex ? std::uint64_t{1} : 0);
  return bytes;
}

std::optional<PlanShape> measured_shape(PlanShape shape) {
  const auto shorten = [&](std::uint64_t& count, std::uint64_t least) {
    const std::uint64_t one = bytes_of(shape) / count;
    count = std::clamp(most_bytes / std::max<std::uint64_t>(one, 1), std::min(least, count), count);
  };
  shorten(shape.batches, 1);
  // Columns are as many rows.
  if (shape.rank > 0 && shape.is_left_out[0]) shorten(shape.extents[0], 64);
  return bytes_of(shape) <= most_bytes ? std::optional(shape) : std::nullopt;
}

tune::ProblemSignature class_of(const PlanShape& shape, const std::string& cufft_version) {
  const PlanShape measured = measured_shape(shape).value_or(shape);
  std::string axes;
  for (unsigned axis = measured.rank; axis-- > 0;) {
    if (!axes.empty()) axes += ", ";
    axes += measured.is_left_out[axis]
                ? "left out " + std::to_string(std::bit_width(measured.extents[axis]))
                : class_of_length(measured.extents[axis]);
  }
  return {{"kind", std::string(name_of(shape.kind)) + (shape.is_in_place ? " in place" : "")},
          {"dtype", std::string(shape.is_double ? "float64" : "float32")},
          {"axes", axes},
          {"rows", static_cast<std::int64_t>(std::bit_width(measured.batches))},
          {"cufft", cufft_version}};
}

EngineVerdict choose_engine(tune::WayChoice& ways, const PlanShape& shape,
                            const std::string& cufft_version, const EngineTimes& times) {
  const tune::ProblemSignature problem = class_of(shape, cufft_version);
  const bool is_cufft = is_faster_by_cufft(shape);
  const auto by_rule = [&](const std::string& why, bool is_final) {
    return EngineVerdict{is_cufft, is_final, why + "; of the rule for such shapes"};
  };
  const auto measured = [](const tune::FastestWay& fastest) {
    return EngineVerdict{fastest.way == "cufft", true, fastest.text()};
  };
  if (const auto known = ways.find(problem)) return measured(*known);
  if (!times.measure) return by_rule(times.obstacle, !times.is_obstacle_passing);
  try {
    const auto fastest = ways.choose(problem, times.measure, least_gain);
    return fastest ? measured(*fastest) : by_rule("another thread is measuring", false);
  } catch (const Error& error) {  // of a compiler, of memory, or of a kernel before
    ways.settle(problem, is_cufft ? "cufft" : "generated");
    return by_rule("not measured: " + std::string(error.what()), true);
  }
}

std::vector<tune::WayTime> measure_engines(device::Stream& stream, const DeviceCufft& cufft,
                                           const PlanShape& shape,
                                           const GeneratedTransform& generated) {
  const bool is_cufft = is_faster_by_cufft(shape);
  std::vector<Timed> engines{{"generated", generated(shape)}};
  if (const std::shared_ptr<DevicePlan> plan = make_cufft_plan(cufft, shape))
    engines.insert(is_cufft ? engines.begin() : engines.end(),
                   {"cufft", [&stream, plan](device::Location from, device::Location to) {
                      plan->run(stream, {from, to});
                    }});
  return times_of(stream, std::move(engines), shape);
}

EngineTimes engine_times(device::Stream& stream, const DeviceCufft& cufft, const PlanShape& shape,
                         const GeneratedTransform& generated) {
  if (!settings().measure) return {.measure = {}, .obstacle = "not measured: TREADLE_MEASURE=0"};
  if (library::is_captured(*cufft.context, stream.raw()))
    return {.measure = {}, .obstacle = "not measured: captured", .is_obstacle_passing = true};
  const auto measured = measured_shape(shape);
  if (!measured) return {.measure = {}, .obstacle = "not measured: large"};
  return {.measure = [&stream, &cufft, &generated, measured = *measured] {
    return measure_engines(stream, cufft, measured, generated);
  }};
}

}  // namespace treadle::fft
