// SPDX-License-Identifier: MIT
// Exact nearest neighbours of rows of 64 numbers: the kernels of nearest_neighbour.py, by a
// TunedKernel, on every device that computes in float64.
//
//   nearest_neighbour [NEIGHBOURS [EVALUATIONS]]
//
// EVALUATIONS: how many variants of the kernel of scores are tried first; 0: its default is used.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <treadle/base/embedded.hpp>
#include <treadle/treadle.hpp>
#include <vector>

namespace tune = treadle::tune;

namespace nearest_neighbour {
extern const std::span<const treadle::EmbeddedFile> embedded_files;
}

namespace {

constexpr int dimensions = 64, targets = 256, padding = 2048;

using DevicePtr = std::shared_ptr<treadle::device::Device>;

std::string kernel_text(std::string_view file) {
  const auto found =
      std::ranges::find(nearest_neighbour::embedded_files, file, &treadle::EmbeddedFile::path);
  return std::string(found->text);
}

std::vector<tune::Value> integers(std::initializer_list<std::int64_t> values) {
  return {values.begin(), values.end()};
}

tune::Space space_of(const treadle::device::DeviceInfo& device, std::int64_t chunk) {
  const bool on_processor = device.kind == treadle::device::DeviceKind::cpu;
  tune::Space space;
  space.let(device).let("chunk", chunk);
  space.add("ACROSS", on_processor ? integers({1}) : integers({16, 8, 32}));
  space.add("DOWN", on_processor ? integers({1}) : integers({16, 8, 4}));
  space.add("LANES", on_processor ? integers({16, 8, 4}) : integers({1}));
  space.add("TARGETS_EACH", on_processor ? integers({2, 1, 4}) : integers({4, 2, 8}));
  space.add("NEIGHBOURS_EACH", integers({8, 4, 16}));
  space.add("DEPTH", on_processor ? integers({64}) : integers({16, 8, 32}));
  space.add("STAGED", on_processor ? integers({0}) : integers({1}));
  space.add("UNROLL", integers({4, 1, 2, 8})).add("RESIDENT", integers({1}));
  space.require("ACROSS * DOWN <= min(512, device.max_group_items)");
  space.require("TARGETS_EACH * NEIGHBOURS_EACH <= 32 and chunk % (DOWN * NEIGHBOURS_EACH) == 0");
  space.require(
      "4 * (64 * LANES * ACROSS * TARGETS_EACH + STAGED * DEPTH * DOWN * NEIGHBOURS_EACH"
      " + DOWN * LANES * ACROSS * TARGETS_EACH) <= device.local_bytes");
  return space;
}

struct Nearest {
  std::vector<double> squares;       ///< of distances
  std::vector<std::int64_t> places;  ///< of the nearest neighbours
};

/// The nearest neighbours of rows of numbers, searched on a device.
Nearest search(const DevicePtr& device, const std::vector<float>& of, const std::vector<float>& in,
               std::uint64_t evaluations) {
  const bool on_processor = device->info().kind == treadle::device::DeviceKind::cpu;
  const unsigned chunk = on_processor ? 256 : 1024, items = on_processor ? 1 : 128;
  const int count = static_cast<int>(in.size() / dimensions);
  const unsigned padded = (static_cast<unsigned>(count) + padding - 1) / padding * padding;
  const std::string macros = "#define DIMENSIONS 64\n#define CHUNK " + std::to_string(chunk) +
                             "\n#define PADDING " + std::to_string(padding) +
                             "\n#define TENSOR 0\n#define BYTES 0\n#define ITEMS " +
                             std::to_string(items) + "\n";

  // Of norms, of scores and of distances, each a sum of so many terms; (|a| + |b|)^2 is at most
  // 2 (|a|^2 + |b|^2).
  const double error = 2 * (3 * dimensions + 8) * 0x1p-24;
  const treadle::Program exact(device, macros + kernel_text("exact.h"));
  const auto stream = device->make_stream();
  const treadle::Buffer centre(device, std::vector<float>(dimensions)), rows(device, of),
      neighbours(device, in), columns(device, std::size_t{4} * dimensions * padding),
      scaled(device, std::size_t{4} * dimensions * padded),
      target_norms(device, std::size_t{4} * padding), norms(device, std::size_t{4} * padded),
      largest(device, std::vector<float>(1)),
      minima(device, std::size_t{4} * padding * (padded / chunk)),
      searched(device, std::vector<int>(targets));
  Nearest found{std::vector<double>(targets, std::numeric_limits<double>::infinity()),
                std::vector<std::int64_t>(targets, -1)};
  const treadle::Buffer squares(device, found.squares), places(device, found.places);
  const auto groups_of_64 = [](unsigned rows_there) {
    return treadle::device::LaunchShape{.groups = rows_there / 64, .group_size = 64};
  };
  stream->launch(exact.kernel("prepare_targets"), groups_of_64(padding), rows, centre, columns,
                 target_norms, targets, padding);
  stream->launch(exact.kernel("prepare_neighbours"), groups_of_64(padded), neighbours, centre,
                 scaled, norms, largest, static_cast<float>(1 - error), count);
  stream->synchronize();  // tuning reads what they have written

  tune::TunedKernel scores(
      device, space_of(device->info(), chunk),
      {.text = macros + kernel_text("scores.h"),
       .kernel = "scores",
       .groups = {"2048 // (LANES * ACROSS * TARGETS_EACH)", "neighbours // chunk"},
       .group_size = {"ACROSS * DOWN"}},
      {"neighbours"},
      {.policy = evaluations == 0 ? tune::TunePolicy::never : tune::TunePolicy::block,
       .problem =
           [&](const tune::ProblemSignature&) {
             return std::vector<tune::ProblemArgument>{tune::ProblemArgument::output(minima),
                                                       columns, scaled, norms, padding};
           },
       .tune = {.search = {.budget = {.evaluations = std::max<std::uint64_t>(evaluations, 1)}}},
       .store = std::make_shared<tune::Store>("")});
  scores.launch(*stream, {std::int64_t{padded}}, minima, columns, scaled, norms, padding);
  stream->launch(exact.kernel("rescan"), {.groups = targets, .group_size = items}, squares, places,
                 minima, rows, target_norms, neighbours, largest, error, count, padding,
                 std::int64_t{0}, searched);
  stream->synchronize();
  squares.copy_to(found.squares);
  places.copy_to(found.places);
  return found;
}

/// Whether a search found what a loop in float64 finds.
bool is_right(const Nearest& found, const std::vector<float>& of, const std::vector<float>& in) {
  for (std::size_t target = 0; target < targets; ++target) {
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t place = 0;
    for (std::size_t row = 0; row < in.size() / dimensions; ++row) {
      double sum = 0;
      for (std::size_t d = 0; d < dimensions; ++d) {
        const double difference = static_cast<double>(of[target * dimensions + d]) -
                                  static_cast<double>(in[row * dimensions + d]);
        sum += difference * difference;
      }
      if (sum < nearest) nearest = sum, place = row;
    }
    if (found.places[target] != static_cast<std::int64_t>(place) ||
        std::abs(found.squares[target] - nearest) > 1e-13 * nearest)
      return false;
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  const std::size_t neighbours = count > 1 ? std::strtoull(words[1], nullptr, 10) : 5000;
  const std::uint64_t evaluations = count > 2 ? std::strtoull(words[2], nullptr, 10) : 3;
  std::mt19937 engine(3);
  std::vector<float> of(targets * dimensions),
      in(std::max<std::size_t>(neighbours, 1) * dimensions);
  for (auto* values : {&of, &in})
    for (float& value : *values) value = static_cast<float>(engine() >> 8) * 0x1p-24f - 0.5f;

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels || !device->info().traits.fp64) continue;
    const Nearest found = search(device, of, in, evaluations);
    const bool right = is_right(found, of, in);
    std::printf("%s: nearest of target 0 is %lld, at %.6f: %s\n", device->info().id.c_str(),
                static_cast<long long>(found.places[0]), std::sqrt(found.squares[0]),
                right ? "ok" : "WRONG");
    correct = correct && right;
  }
  return correct ? 0 : 1;
}
