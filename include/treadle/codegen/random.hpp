// SPDX-License-Identifier: MIT
// Kernels that fill memory with random numbers.
//
// A work-item makes one block of treadle/base/random.hpp: four words, of which four numbers of one
// word are made or two of two words. Element e comes from the block e / 4 or e / 2 behind the
// position, whatever the launch: the same numbers on every device and in both schedules.
//
//   x, 2500 float32, wide: a group of 256 makes 2048 blocks, an item every 256th of them
//
//   block     0                  256                 512          624
//   element   0 1 2 3 | 4 5 6 7 |...                  ...          2496 .. 2499
//   item      0000000   1111111   ... 0000000           0000000 ...  112
//
// Whole blocks are stored by one access where the memory's alignment allows it, the last one number
// by number. Narrow: a group is one work-item, which loops over the blocks of about 256 KiB.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "treadle/base/dtype.hpp"
#include "treadle/base/random.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// What is made of random words.
enum class RandomKind : std::uint8_t {
  words,     ///< all bits random: int32, uint32, int64, uint64
  integers,  ///< of a range, of any integer dtype or bool: the upper half of 64 random bits times
             ///< its length
  uniform,   ///< of an interval: float32 of 24 bits, float64 of 53
  normal,    ///< normally distributed float32 or float64, two at a time
  poisson,   ///< counts of one mean: integers of 32 and 64 bits, float32, float64
  poisson_of_elements,                         ///< the same, of the mean that is there before
#define TREADLE_DISTRIBUTION(name, ...) name,  ///< of treadle/codegen/distributions.def
#include "treadle/codegen/distributions.def"
#undef TREADLE_DISTRIBUTION
};
/// As the constant is called.
std::string_view kind_name(RandomKind kind) noexcept;

/// Which numbers a parameter may be; NaN never.
enum class ParameterRange : std::uint8_t {
  any,           ///< finite ones
  not_negative,  ///< x >= 0
  positive,      ///< x > 0
  above_1,       ///< x > 1
  probability,   ///< [0, 1]
  likely,        ///< (0, 1]
  below_1,       ///< [0, 1)
  counting,      ///< integers from 0 to 2^53
  below_1e9,     ///< integers from 0 to below 10^9
};
/// A parameter of a distribution.
struct RandomParameter {
  std::string_view name;                                    ///< NumPy's
  ParameterRange range = ParameterRange::any;               ///< of its values
  double usual = std::numeric_limits<double>::quiet_NaN();  ///< the default; NaN: it has none
};
/// The parameters of the kinds that treadle/codegen/distributions.def lists; none for others.
std::span<const RandomParameter> parameters_of(RandomKind kind) noexcept;
/// Whether a kind is of that list.
bool is_listed(RandomKind kind) noexcept;
/// Whether a kind of that list counts: its numbers are integers from 0.
bool counts(RandomKind kind) noexcept;

/// What decides about the text.
struct RandomForm {
  RandomGenerator generator;  ///< of the words
  RandomKind kind;            ///< what is made of them
  Scalar dtype;               ///< of the numbers
  bool has_vectors;           ///< the memory is aligned to the numbers of a block
  bool of_elements = false;   ///< of listed kinds: parameters are elements, as RandomText says
  bool is_unit = false;       ///< of uniform: of [0, 1), and there are no parameters
  bool operator==(const RandomForm&) const = default;
};

/// How many numbers a block gives, 4 or 2. A number of Poisson's or of a listed distribution takes
/// one block from the state, and has as many as it needs under a key of its own: counter {its
/// block, draw, stream}. Throws DTypeError for dtypes that the kind does not have.
unsigned block_length(RandomKind kind, Scalar dtype);

/// A generated kernel. It takes
///
///   x                             a pointer; where the language has no addresses to the start of
///   x_offset                      an allocation, and this int64, in elements
///   n, seed, stream, position     int64 and three uint64
///
/// and, in the order of these names, for
///
///   integers    first, count                      uint64: count numbers from first, 0: 2^64
///   uniform     low, width, first, last, shift    low + width * unit, not below first nor above
///                                                 last; shift, a uint32, is 0 for units of [0, 1)
///                                                 and 1 for (0, 1]; none with is_unit
///   normal      mean, deviation
///   poisson     mean                              float64
///   a listed distribution    its parameters       float64
///
/// With RandomForm::of_elements, which is for float64, a listed distribution has no such arguments.
/// Parameter k of element e is x[k n + e] before the launch; the first n elements become numbers.
struct RandomText {
  std::string name;            ///< "random_uniform_float32"
  std::string text;            ///< a whole program with that one kernel
  unsigned group_size;         ///< work-items to launch it with
  std::uint64_t group_blocks;  ///< blocks that a group makes
  tree::NodePtr program = {};  ///< what `text` was printed of
};

/// Writes the kernel. Throws as block_length().
RandomText generate_random(const RandomForm& form, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen
