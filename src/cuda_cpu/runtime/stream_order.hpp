// SPDX-License-Identifier: MIT
// Which launches come after which, for the check `race`: what streams, events, waits of the program
// and the legacy default stream put in order, whatever the clock says. The scheduler keeps it under
// its mutex, from the first module on that is checked for races.
//
//   launch A in stream 1        position 1 of stream 1
//   record e in stream 1        e: all up to position 2 of stream 1
//   stream 2 waits for e        stream 2: knows position 2 of stream 1
//   launch B in stream 2        knows A, so it comes after A; without the wait nothing says so
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace treadle::cuda_cpu {

/// Of each stream, by its id, up to which position everything has ended.
using Positions = std::map<std::uint64_t, std::uint64_t>;
/// Whether `known` got more by it.
bool join(Positions& known, const Positions& more);

/// Where a command stands, and what has ended before it starts.
struct PlaceInOrder {
  std::uint64_t stream = 0, position = 0;
  std::shared_ptr<const Positions> known = {};  ///< null: nobody can tell
  /// All that has ended once the command has.
  Positions with_itself() const;
};

/// What a stream's next command knows, and what its earlier ones did.
class StreamOrder {
 public:
  /// For the command at `position`: what the stream knew, and `more`.
  std::shared_ptr<const Positions> place(std::uint64_t position, const Positions& more);
  std::shared_ptr<const Positions> known_at(std::uint64_t position) const;
  bool is_untracked = false;  ///< its commands start when the program says so

 private:
  std::shared_ptr<const Positions> known_ = std::make_shared<const Positions>();
  std::map<std::uint64_t, std::shared_ptr<const Positions>> from_position_;
};

/// Whether the order is kept; from track_stream_order() on, for good.
bool stream_order_is_tracked() noexcept;
void track_stream_order() noexcept;

/// A launch that is checked for races.
struct CheckedLaunch {
  PlaceInOrder place;
  std::string kernel;
  std::array<std::uint32_t, 3> grid, block;
  std::uint32_t launcher = 0;  ///< whose kernel launched it; 0: the program
};
/// Keeps it as long as the process lives, and numbers it from 1 on.
std::uint32_t add_checked_launch(CheckedLaunch launch);
const CheckedLaunch& checked_launch(std::uint32_t number);
/// Whether `launch` is `above`, or was launched by it or by one that was.
bool is_below(std::uint32_t launch, std::uint32_t above);
/// Whether all that streams did up to these positions is known to hold the launch.
bool has_ended(std::uint32_t launch, const Positions& ended);
/// Whether a launch has ended, with all that it launched, before another starts.
bool is_before(std::uint32_t earlier, std::uint32_t later);

}  // namespace treadle::cuda_cpu
