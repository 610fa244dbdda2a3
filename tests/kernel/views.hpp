// SPDX-License-Identifier: MIT
// Arrays on the host with any strides, for tests that compare kernels with plain loops.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "device/each_device.hpp"
#include "kernel/each_schedule.hpp"
#include "treadle/kernel/elementwise.hpp"

namespace treadle::kernel {

using Extents = std::vector<std::int64_t>;

/// A view of memory on the host.
template <class T>
struct View {
  std::vector<T> memory;
  Extents strides;
  std::int64_t first = 0;  ///< element of the memory
};

inline Extents c_order(const Extents& extents) {
  Extents strides(extents.size());
  std::int64_t step = 1;
  for (std::size_t axis = extents.size(); axis-- > 0; step *= extents[axis]) strides[axis] = step;
  return strides;
}

/// A view with these strides, that begins so that all of its elements are within its memory, which
/// goes on for some elements behind them.
template <class T>
View<T> view_of(const Extents& extents, const Extents& strides, int seed) {
  std::int64_t lowest = 0, highest = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    (strides[axis] < 0 ? lowest : highest) +=
        strides[axis] * std::max<std::int64_t>(0, extents[axis] - 1);
  View<T> view{std::vector<T>(static_cast<std::size_t>(highest - lowest + 5)), strides, -lowest};
  std::mt19937 random(static_cast<unsigned>(seed));
  for (T& element : view.memory) element = static_cast<T>(static_cast<int>(random() % 17) - 8);
  return view;
}

inline void visit(const Extents& extents, const std::function<void(const Extents&)>& at_element) {
  Extents index(extents.size());
  if (std::ranges::find(extents, 0) != extents.end()) return;
  for (bool more = true; more;) {
    at_element(index);
    more = false;
    for (std::size_t axis = extents.size(); axis-- > 0 && !more;) {
      more = ++index[axis] < extents[axis];
      if (!more) index[axis] = 0;
    }
  }
}
template <class T>
T& element(View<T>& view, const Extents& index) {
  return view.memory[static_cast<std::size_t>(
      std::inner_product(index.begin(), index.end(), view.strides.begin(), view.first))];
}

template <class T>
ElementBytes scalar_bytes(T value) {
  ElementBytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

inline Extents in_bytes(Extents strides, std::size_t size) {
  for (std::int64_t& stride : strides) stride *= static_cast<std::int64_t>(size);
  return strides;
}

}  // namespace treadle::kernel
