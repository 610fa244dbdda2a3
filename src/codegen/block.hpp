// SPDX-License-Identifier: MIT
// What the work-items of a group do together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "text_writer.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// A variable that each work-item has, of value_type(dtype).
struct BlockField {
  std::string name;
  Scalar dtype;
};

/// Folds variables over work-items, in a tree whose shape depends on `depth` alone. There are
/// group_size / depth results; the first work-item of each has it in its variables afterwards, and
/// the variables of the others hold no more than parts.
///
/// Realised by shuffles where the language has them and lanes are neighbours, with local memory
/// between sub-groups; else in local memory; and by nothing where one work-item has the result.
struct BlockReduce {
  /// Turns the name of a field into the text of the other's value.
  using Other = std::function<std::string(const std::string&)>;

  std::vector<BlockField> fields;
  /// Writes statements that fold the other's values into the variables.
  std::function<void(TextWriter&, const Other&)> combine;
  unsigned group_size;
  unsigned depth;           ///< work-items of one result, a power of two
  bool lanes_are_adjacent;  ///< they are neighbours; else group_size / depth apart
  const Dialect& dialect;

  /// The local memory that write() uses: in the kernel's outermost block.
  void declare(TextWriter& text) const;
  /// In uniform control flow; `lane` is the number of the work-item within its result. May be
  /// written again behind a barrier.
  void write(TextWriter& text, const std::string& lane) const;

 private:
  bool has_shuffles() const { return !dialect.shuffle_down.empty() && lanes_are_adjacent; }
  unsigned shuffled() const;
  unsigned shared_values() const;
  void write_shuffles(TextWriter& text) const;
  void write_sub_groups(TextWriter& text, const std::string& lane) const;
  void write_tree(TextWriter& text, const std::string& lane) const;
  void write_shared(TextWriter& text, const std::string& index) const;
};

}  // namespace treadle::codegen
