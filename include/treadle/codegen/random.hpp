// SPDX-License-Identifier: MIT
// Kernels that fill memory with random numbers.
//
// A work-item makes one block of treadle/base/random.hpp: four words, which give four numbers of
// one word each or two numbers of two words each. Element e comes from the block e / 4 or e / 2
// places after the position, for every launch shape. So every device and both schedules give the
// same numbers.
//
//   x, 2500 float32, wide: a group of 256 makes 2048 blocks, an item every 256th of them
//
//   block     0                  256                 512          624
//   element   0 1 2 3 | 4 5 6 7 |...                  ...          2496 .. 2499
//   item      0000000   1111111   ... 0000000           0000000 ...  112
//
// A whole block is stored by one access if the memory is aligned; the numbers of the last block are
// stored one by one. Narrow: a group is one work-item, which loops over the blocks of about 256
// KiB.
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

/// How random words become numbers.
enum class RandomKind : std::uint8_t {
  words,  ///< random bits: int32, uint32, int64, uint64
  /// An interval of integers, any integer dtype or bool: the upper half of 64 random bits times the
  /// length.
  integers,
  uniform,              ///< an interval of reals: float32 with 24 bits, float64 with 53
  normal,               ///< normally distributed float32 or float64, two at a time
  poisson,              ///< counts with one mean: integers of 32 and 64 bits, float32, float64
  poisson_of_elements,  ///< counts; each element holds its own mean before the launch
#define TREADLE_DISTRIBUTION(name, ...) name,  ///< the kinds of treadle/codegen/distributions.def
#include "treadle/codegen/distributions.def"
#undef TREADLE_DISTRIBUTION
};
/// The name of the constant.
std::string_view kind_name(RandomKind kind) noexcept;

/// The range of a parameter's values; NaN is never allowed.
enum class ParameterRange : std::uint8_t {
  any,           ///< any finite number
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
  std::string_view name;                                    ///< NumPy's name
  ParameterRange range = ParameterRange::any;               ///< range of its values
  double usual = std::numeric_limits<double>::quiet_NaN();  ///< the default value; NaN: no default
};
/// The parameters of a kind of treadle/codegen/distributions.def; empty for other kinds.
std::span<const RandomParameter> parameters_of(RandomKind kind) noexcept;
/// Whether a kind is listed in treadle/codegen/distributions.def.
bool is_listed(RandomKind kind) noexcept;
/// Whether a listed kind gives counts: integers from 0.
bool counts(RandomKind kind) noexcept;

/// The choices that decide the kernel's text.
struct RandomForm {
  RandomGenerator generator;  ///< generator of the random words
  RandomKind kind;            ///< kind of the numbers
  Scalar dtype;               ///< dtype of the numbers
  bool has_vectors;           ///< whether the memory is aligned to the numbers of a block
  bool of_elements = false;   ///< listed kinds: the parameters are elements, as RandomText says
  /// Uniform: the interval is [0, 1), and the kernel has no parameters for it.
  bool is_unit = false;
  bool operator==(const RandomForm&) const = default;
};

/// How many numbers a block gives: 4 or 2, or 1 for Poisson's and listed distributions. A number of
/// these takes one block from the state, and then draws as many words as it needs from a generator
/// with another key and the counter {its block, draw, stream}. Throws DTypeError for dtypes that
/// the kind does not have.
unsigned block_length(RandomKind kind, Scalar dtype);

/// A generated kernel. Its arguments are
///
///   x                             a pointer; if the language has no addresses, the start of an
///   x_offset                      allocation, and its offset in elements (int64)
///   n, seed, stream, position     int64 and three uint64
///
/// and then, in this order,
///
///   integers    first, count                      uint64: count numbers from first, 0: 2^64
///   uniform     low, width, first, last, shift    low + width * unit, not below first nor above
///                                                 last; shift, a uint32, is 0 for units of [0, 1)
///                                                 and 1 for (0, 1]; none with is_unit
///   normal      mean, deviation
///   poisson     mean                              float64
///   a listed distribution    its parameters       float64
///
/// With RandomForm::of_elements, for float64 only, a listed distribution takes no such arguments.
/// Parameter k of element e is x[k n + e] before the launch; the kernel replaces the first n
/// elements.
struct RandomText {
  std::string name;            ///< "random_uniform_float32"
  std::string text;            ///< a complete program with this one kernel
  unsigned group_size;         ///< work-items of a group
  std::uint64_t group_blocks;  ///< blocks of a group
  tree::NodePtr program = {};  ///< the tree that was printed as `text`
};

/// Writes the kernel. Throws as block_length().
RandomText generate_random(const RandomForm& form, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen
