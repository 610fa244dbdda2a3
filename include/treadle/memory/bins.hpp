// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

namespace treadle::memory {

/// How large a block of a bin is.
enum class BlockSize {
  /// The largest size whose leading bits are the bin's: 1 MiB lies in a block of 1.0625 MiB less
  /// one
  /// byte. PyCUDA's and PyOpenCL's rule; programs compare the numbers.
  all_ones,
  /// The next multiple of the bin's width: 1 MiB lies in a block of exactly 1 MiB, and every block
  /// of
  /// 16 bytes or more has an even size.
  multiple,
};

/// Which sizes share blocks. Bins are numbered by a size's magnitude and its `leading_bits` bits
/// below the highest, like a floating-point number: a block is larger than the size asked for by at
/// most one part in 2^leading_bits.
///
///   size 100 = 1100100b, 4 leading bits: magnitude 6, then 1001b: bin 6 * 16 + 9 = 105,
///   which all_ones gives 1100111b = 103 bytes and multiple (of 4 bytes) 100.
struct BinRule {
  /// So that a pool's table of bins stays small: 64 * 1024 entries.
  static constexpr unsigned max_leading_bits = 10;

  unsigned leading_bits = 4;                   ///< at most max_leading_bits
  BlockSize block_size = BlockSize::multiple;  ///< how large the blocks of a bin are

  /// The bin of a request; size 0 shares bin 0 with size 1.
  constexpr unsigned bin_number(std::size_t size_bytes) const noexcept {
    if (block_size == BlockSize::multiple && size_bytes > 0) --size_bytes;
    if (size_bytes == 0) return 0;
    const auto magnitude = static_cast<unsigned>(std::bit_width(size_bytes)) - 1;
    const std::size_t leading = magnitude >= leading_bits
                                    ? size_bytes >> (magnitude - leading_bits)
                                    : size_bytes << (leading_bits - magnitude);
    return (magnitude << leading_bits) | (static_cast<unsigned>(leading) & mask());
  }

  /// Bytes of every block of a bin, at least the size of each request that belongs there. A bin
  /// above the last one gives the largest size there is.
  constexpr std::size_t alloc_size(unsigned bin) const noexcept {
    const unsigned magnitude = bin >> leading_bits;
    if (magnitude >= std::numeric_limits<std::size_t>::digits) return largest;
    const std::size_t leading = (bin & mask()) | (mask() + 1);
    std::size_t size = leading >> (leading_bits - std::min(leading_bits, magnitude));
    if (magnitude > leading_bits) {
      const unsigned below = magnitude - leading_bits;
      size = (size << below) | ((std::size_t{1} << below) - 1);
    }
    return block_size == BlockSize::multiple && size != largest ? size + 1 : size;
  }

 private:
  static constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  constexpr unsigned mask() const noexcept { return (1u << leading_bits) - 1; }
};

}  // namespace treadle::memory
