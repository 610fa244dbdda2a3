// SPDX-License-Identifier: MIT
// Elementwise kernels around a user's C text: `z[i] = a * x[i] + y[i]`.
//
// The text may use `i`, the index of its element, and `n`, how many there are; or over a range
// `start`, `stop` and `step`. That is all that most texts use, and then the loop around them is the
// schedule's own: wide, a group of 256 takes a tile of 1024, each item four elements 256 apart;
// narrow, a group is a plain loop over a chunk. Where pointers are known to share no memory
// (Snippet::is_apart), a wide kernel says so, and all loads of an item's elements are in flight
// before the first is stored: two loads of 4 bytes in flight reach 0.86 of a GPU's bandwidth. A
// text that says more about the loop gets the loop that it speaks of, literally: it assigns `i`,
// leaves the loop, or uses
//
//   tid, the work-item in its group     cta_start, the first index of the group
//   total_threads, of the launch        for (i = cta_start + tid; i < n; i += total_threads)
//
// So does every text whose launches are not the generator's to choose (Snippet::any_launch).
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
  std::vector<ParameterSpec> parameters;  ///< as the text uses them
  std::string operation;                  ///< statements for the element `i`
  std::string name = "elementwise";       ///< of the kernel
  std::string preamble = {};              ///< before the kernel
  std::string loop_prep = {};             ///< statements before the loop
  std::string after_loop = {};            ///< and behind it
  bool has_range = false;                 ///< start, stop and step instead of n
  /// Whether groups may be of any number and size. Otherwise launches are those of SnippetText.
  bool any_launch = false;
  /// Of `i` and `n`, uint64 or int64; over a range always int64.
  Scalar index_dtype = Scalar::int64;
  /// Whether no element i < n of a pointer lies where an element of another one does. It counts
  /// where the text uses pointers only as `name[i]`.
  bool is_apart = false;
};

/// A kernel made of it. Behind the user's parameters it takes `n`, or `start`, `stop` and `step`.
struct SnippetText {
  std::string text;            ///< a whole program
  unsigned group_size;         ///< work-items to launch it with; of any_launch, a good number
  std::uint64_t group_length;  ///< elements of each group
  bool is_literal;             ///< whether the text gets the loop that it speaks of
  tree::NodePtr program = {};  ///< what `text` was printed of
};

/// Whether a text says more about the loop around it than `i` and `n`. In doubt it does.
bool speaks_of_its_loop(const Snippet& snippet);
/// For each parameter, whether the text surely uses its element `i` whatever `i` is, so that memory
/// for fewer elements is an error. In doubt it does not: `if`, `?` and macros leave doubt.
std::vector<bool> uses_every_element(const Snippet& snippet);
/// Whether an expression or statement surely uses `name[i]` whatever `i` is. What other arguments
/// are called is no matter; macros of the preamble leave doubt where the text uses them.
bool uses_element(std::string_view text, std::string_view preamble, std::string_view name);
/// The name of the kernel that a user calls `name`. Functions of CUDA C or OpenCL C, such as "min",
/// cannot be defined again, so it is "min_kernel" then.
std::string entry_name(std::string_view name);
/// Whether a CUDA C text has variables of its module, textures among them, which the host and all
/// kernels of the module share. In doubt it has some.
bool declares_variables(std::string_view text);
/// Whether the text has `name[i]`, under whichever conditions.
bool mentions_element(std::string_view text, std::string_view name);
/// Writes the kernel. Throws InvalidArgument for a parameter that is called as the loop's own
/// variables are.
SnippetText generate_elementwise(const Snippet& snippet, const Tiling& tiling,
                                 const Dialect& dialect, const TypeNames& types);

}  // namespace treadle::codegen
