// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#include "treadle/process/launch_site.hpp"

namespace treadle::memory {

/// Where an allocation was made, kept as two words that are turned into text only for a report: a
/// line of C++, or a place of a caller's own.
class Site {
 public:
  /// Turns a place into text such as "solve.py:12". Called while the allocation is live, under the
  /// pool's lock: it must not call the pool.
  using Describe = std::string (*)(const void* place);

  /// The line of C++ that says so: `Site site = std::source_location::current()` as a default
  /// argument is the caller's line.
  constexpr Site(const std::source_location& here) noexcept  // implicit, for that default
      : place_(here.file_name()), line_(here.line()) {}
  /// A place that `describe` understands. It must live as long as the allocation.
  constexpr Site(const void* place, Describe describe) noexcept
      : place_(place), describe_(describe) {}
  /// The line of the host language that launch_site() tells.
  constexpr Site(const LaunchSite& line) noexcept
      : place_(line.file), line_(static_cast<std::uint_least32_t>(line.line)) {}
  /// No place at all.
  constexpr Site() noexcept = default;

  /// "file.cpp:12", what the caller's function says, or "an unknown place".
  std::string text() const;

 private:
  const void* place_ = nullptr;  // a file name, unless describe_ is set
  Describe describe_ = nullptr;
  std::uint_least32_t line_ = 0;
};

}  // namespace treadle::memory
