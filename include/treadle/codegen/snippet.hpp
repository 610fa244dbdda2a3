// SPDX-License-Identifier: MIT
// Elementwise kernels of a user's C text: `z[i] = a * x[i] + y[i]`.
//
// The text may use `i`, the index of its element, and `n`, the number of elements; over a range it
// may use `start`, `stop` and `step`. Most texts use no more, and then the generator chooses the
// loop. Wide, a group of 256 takes a tile of 1024, each work-item four elements at a distance of
// 256; narrow, a group is a plain loop over a chunk. If pointers are known to share no memory
// (Snippet::is_apart), a wide kernel declares them so, and all loads of a work-item's elements are
// in flight before the first store: two loads of 4 bytes in flight reach 0.86 of a GPU's bandwidth.
// Other texts refer to the loop itself and get exactly the loop below, the literal loop: a text
// that assigns `i`, leaves the loop, or uses
//
//   tid, the work-item in its group     cta_start, the first index of the group
//   total_threads, of the launch        for (i = cta_start + tid; i < n; i += total_threads)
//
// A text with Snippet::any_launch, whose launch shape the generator does not choose, gets this
// loop, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// A user's elementwise kernel.
struct Snippet {
  std::vector<ParameterSpec> parameters;  ///< the parameters, by the names in the text
  std::string operation;                  ///< statements for the element `i`
  std::string name = "elementwise";       ///< name of the kernel
  std::string preamble = {};              ///< text before the kernel
  std::string loop_prep = {};             ///< statements before the loop
  std::string after_loop = {};            ///< statements after the loop
  bool has_range = false;  ///< whether the text uses start, stop and step instead of n
  /// Whether a launch may have any number and size of groups; otherwise SnippetText gives the
  /// launch shape.
  bool any_launch = false;
  /// dtype of `i` and `n`: uint64 or int64; int64 over a range.
  Scalar index_dtype = Scalar::int64;
  /// Whether no element i < n of a pointer overlaps such an element of another pointer. It has an
  /// effect only if the text uses pointers only as `name[i]`.
  bool is_apart = false;
};

/// A generated kernel. After the user's parameters it takes `n`, or `start`, `stop` and `step`.
struct SnippetText {
  std::string text;            ///< a complete program
  unsigned group_size;         ///< work-items of a group; with any_launch a good choice
  std::uint64_t group_length;  ///< elements of a group
  bool is_literal;             ///< whether the kernel has the literal loop
  tree::NodePtr program = {};  ///< the tree that was printed as `text`
};

/// Whether a text refers to its loop by more than `i` and `n`. In doubt true.
bool speaks_of_its_loop(const Snippet& snippet);
/// For each parameter, whether the text certainly uses its element `i` for every `i`, so that
/// memory with fewer elements is an error. In doubt false: `if`, `?` and macros leave doubt.
std::vector<bool> uses_every_element(const Snippet& snippet);
/// Whether an expression or statement certainly uses `name[i]` for every `i`. The names of other
/// arguments do not matter. A macro of the preamble leaves doubt if the text uses it.
bool uses_element(std::string_view text, std::string_view preamble, std::string_view name);
/// The name of the kernel that a user calls `name`. A program cannot define the name of a function
/// of CUDA C or OpenCL C, such as "min", again; the kernel is then "min_kernel".
std::string entry_name(std::string_view name);
/// Whether a CUDA C text declares variables of its module, including textures, which the host and
/// all kernels of the module share. In doubt true.
bool declares_variables(std::string_view text);
/// Whether the text contains `name[i]`, even under conditions.
bool mentions_element(std::string_view text, std::string_view name);
/// The text with each `name[i]` replaced.
std::string with_elements(std::string_view text, std::string_view name,
                          std::string_view replacement);
/// Writes the kernel. Throws InvalidArgument for a parameter with the name of one of the loop's
/// variables.
SnippetText generate_elementwise(const Snippet& snippet, const Tiling& tiling,
                                 const Dialect& dialect, const TypeNames& types);

}  // namespace treadle::codegen
