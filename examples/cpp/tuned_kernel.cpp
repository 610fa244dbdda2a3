// SPDX-License-Identifier: MIT
// A transposition whose tile, work-items and padding are found by measuring, on every device.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace tune = treadle::tune;

const std::string source = R"(
#include "treadle/dialect.h"
TREADLE_KERNEL transpose(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *in, int n)
{
  TREADLE_LOCAL float square[TILE][TILE + PADDING];
  const int x = treadle_local_id(0), y = treadle_local_id(1);
  const int column = treadle_group_id(0) * TILE, row = treadle_group_id(1) * TILE;
  for (int k = y; k < TILE; k += ROWS) square[k][x] = in[(row + k) * n + column + x];
  treadle_barrier();
  for (int k = y; k < TILE; k += ROWS) out[(column + k) * n + row + x] = square[x][k];
}
)";

constexpr int n = 1024, repeats = 5;

// What the best of some launches takes. The result is checked before it counts.
double seconds(const std::shared_ptr<treadle::device::Device>& device,
               const tune::Configuration& c) {
  const auto tile = static_cast<unsigned>(c.get<std::int64_t>("tile"));
  const auto rows = static_cast<unsigned>(c.get<std::int64_t>("rows"));
  const auto padding = c.get<std::int64_t>("padding");
  std::vector<std::string> flags;
  for (const auto& [name, value] :
       std::map<std::string, std::int64_t>{{"TILE", tile}, {"ROWS", rows}, {"PADDING", padding}})
    flags.push_back("-D" + name + "=" + std::to_string(value));
  const auto kernel = treadle::Program(device, source, {.flags = flags}).kernel("transpose");

  std::vector<float> values(std::size_t{n} * n), result(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k % 8191);
  const treadle::Buffer in(device, values), out(device, values);
  const auto stream = device->make_stream();
  const auto start = device->make_event(), end = device->make_event();
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) {
    stream->record(*start);
    stream->launch(kernel, {.groups = {n / tile, n / tile}, .group_size = {tile, rows}}, out, in,
                   n);
    stream->record(*end);
    end->synchronize();
    best = std::min(best, end->seconds_since(*start));
  }
  out.copy_to(result);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column)
      if (result[row * n + column] != values[column * n + row])
        throw treadle::InvalidState(c.text() + " is wrong");
  return best;
}

int main() {
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    tune::Space space;
    space.let(device->info()).let("n", std::int64_t{n});
    space.add_powers_of_two("tile", 8, 64).add_powers_of_two("rows", 1, 64);
    space.add("padding", {std::int64_t{0}, std::int64_t{1}});
    space.require("rows <= tile and n % tile == 0");
    space.require("tile <= device.max_group_x and tile * rows <= device.max_group_items");
    space.require("4 * tile * (tile + padding) <= device.local_bytes");

    const auto first = space.make({{"tile", std::int64_t{16}}, {"rows", std::int64_t{16}}});
    const auto found =
        tune::minimize(space, [&](const tune::Configuration& c) { return seconds(device, c); },
                       {.budget = {.evaluations = 10}, .start = {first}});
    const double gain = found.trials.front().value / found.value;
    std::printf("%s: %s of %llu takes %.0f us, %.2f times as fast as %s\n",
                device->info().id.c_str(), found.configuration.text().c_str(),
                static_cast<unsigned long long>(space.size()), 1e6 * found.value, gain,
                first.text().c_str());
    correct = correct && gain >= 1;
    for (const tune::Trial& trial : found.trials) correct = correct && trial.error.empty();
  }
  return correct ? 0 : 1;
}
