// SPDX-License-Identifier: MIT
// The elements of one argument: concatenate({x, y}), tile(x, {2, 3}), flip(x, axes).
#pragma once

#include <concepts>
#include <initializer_list>
#include <ranges>
#include <span>

namespace treadle {

/// A std::span that a braced list can make, too, which C++20's cannot. For parameters only: the
/// elements of a braced list end with the call.
template <class T>
class List : public std::span<const T> {
 public:
  constexpr List() noexcept = default;
  constexpr List(std::initializer_list<T> elements) noexcept
      : std::span<const T>(elements.begin(), elements.size()) {}
  /// Whatever a std::span is made of: a vector, a std::array, a span.
  template <class Range>
    requires(!std::same_as<std::remove_cvref_t<Range>, List> &&
             std::convertible_to<Range &&, std::span<const T>>)
  constexpr List(Range&& elements) : std::span<const T>(elements) {}
};

}  // namespace treadle
