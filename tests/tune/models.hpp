// SPDX-License-Identifier: MIT
// Spaces with made-up costs that behave like those of kernels: what a configuration takes depends
// on several parameters together, and neighbours are alike only to a degree.
#pragma once

#include <algorithm>
#include <cmath>

#include "treadle/tune/space.hpp"

namespace treadle::tune {

/// A tiled product of n x n: threads, tiles of registers, depth, vectors, two ways to stage.
inline Space product_space() {
  Space space;
  space.add_powers_of_two("group_x", 4, 64).add_powers_of_two("group_y", 1, 32);
  space.add_powers_of_two("items_x", 1, 16).add_powers_of_two("items_y", 1, 16);
  space.add_powers_of_two("depth", 4, 64).add_powers_of_two("vector", 1, 4);
  space.add("stage", {std::string("registers"), std::string("local"), std::string("direct")});
  space.add("buffers", {std::int64_t{1}, std::int64_t{2}}, {.when = "stage != 'direct'"});
  space.require("32 <= group_x * group_y <= 1024");
  space.require("items_x * items_y <= 64");
  space.require("depth * (group_x * items_x + group_y * items_y) * 4 * buffers <= 49152");
  space.require("items_x % vector == 0");
  return space;
}

/// Its time: work, traffic of local and device memory, occupancy, and a part that follows nothing.
inline double product_seconds(const Configuration& c) {
  const auto get = [&](const char* name) { return c.get<double>(name); };
  const double threads = get("group_x") * get("group_y");
  const double items = get("items_x") * get("items_y");
  const double registers = 24 + items + 2 * (get("items_x") + get("items_y")) +
                           (c.get<std::string>("stage") == "registers" ? 16 : 0);
  const double shared =
      c.get<std::string>("stage") == "direct"
          ? 1
          : get("depth") * (get("group_x") * get("items_x") + get("group_y") * get("items_y")) * 4 *
                get("buffers");
  const double resident =
      std::min({2048 / threads, 65536 / (registers * threads), 233472 / shared});
  const double occupancy = std::floor(resident) * threads / 2048;
  const double intensity = 2 * items / (get("items_x") / get("vector") + get("items_y"));
  const double traffic =
      1 / (get("group_x") * get("items_x")) + 1 / (get("group_y") * get("items_y"));
  const double stage = c.get<std::string>("stage") == "direct" ? 4.0 : 1.0;
  const double hidden = std::min(1.0, (occupancy + 0.05) * (1 + 0.5 * items / 16) * get("buffers"));
  const double coalesced = std::min(1.0, get("group_x") * get("vector") / 32);
  double seconds = std::max({1 / hidden, 1.4 + 3 / intensity, 60 * traffic * stage / coalesced}) +
                   2 / get("depth") + (registers > 128 ? (registers - 128) / 32 : 0);
  std::size_t hash = std::hash<std::string>()(c.text());
  hash ^= hash >> 29;
  return seconds * (1 + 0.02 * static_cast<double>(hash % 1000) / 1000);
}

}  // namespace treadle::tune
