// SPDX-License-Identifier: MIT
// Random numbers as a function of where they are: a block of four words of 32 bits is a seed, a
// stream and a position in it, mixed. Nothing is carried from one block to the next, so that any
// number of them are made at the same time, on any device, in any order.
//
//   counter = {block, stream} of 128 bits       key = seed
//
// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: Parallel random numbers: as easy as 1, 2, 3.
// SC'11. Both generators pass BigCrush; neither is meant for secrets.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace treadle {

/// How a block is made.
enum class RandomGenerator : std::uint8_t {
  philox,    ///< Philox4x32-10: ten rounds of two products
  threefry,  ///< Threefry4x32-20: twenty rounds of additions and rotations
};
/// "philox" or "threefry".
std::string_view generator_name(RandomGenerator generator) noexcept;

/// The four words of a block, or of a counter.
using RandomWords = std::array<std::uint32_t, 4>;
/// Philox4x32-10 of a counter under a key.
RandomWords philox4x32(const RandomWords& counter, const std::array<std::uint32_t, 2>& key);
/// Threefry4x32-20 of a counter under a key.
RandomWords threefry4x32(const RandomWords& counter, const RandomWords& key);

/// Where the next random numbers come from: a value, equal states give equal numbers on every
/// device. A stream holds 2^64 blocks and begins anew behind its last one.
struct RandomState {
  std::uint64_t seed = 0;      ///< the key; of Threefry the lower half of it
  std::uint64_t stream = 0;    ///< the upper half of the counter
  std::uint64_t position = 0;  ///< the lower half: the next block
  RandomGenerator generator = RandomGenerator::philox;  ///< how blocks are made
  std::uint64_t spawned = 0;                            ///< children so far

  /// The words of the block that lies `blocks` behind the position.
  RandomWords words(std::uint64_t blocks = 0) const;
  /// Passes over blocks, as if their numbers had been drawn.
  void advance(std::uint64_t blocks) noexcept { position += blocks; }
  /// The start of the stream that is `streams` further on: independent numbers of the same seed.
  RandomState jumped(std::uint64_t streams = 1) const noexcept;
  /// States for others, each with a seed of its own that this state's seed, stream and number of
  /// children give. Later calls give other seeds; numbers of this state are not drawn.
  std::vector<RandomState> spawn(std::size_t count);

  bool operator==(const RandomState&) const = default;
};

}  // namespace treadle
