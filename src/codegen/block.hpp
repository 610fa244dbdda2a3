// SPDX-License-Identifier: MIT
// Operations in which all work-items of a group take part.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The number of work-items that shuffle with each other.
constexpr unsigned sub_group = 32;

/// An expression for `value` in the work-item `by` places earlier in the sub-group.
std::string shuffled_up(const std::string& value, const std::string& by, const Dialect& dialect);
/// An expression that adds atomically to a number of 32 or 64 bits; its value is the number before
/// the addition.
std::string added_atomically(const std::string& place, const std::string& value,
                             const Dialect& dialect, bool is_wide = false);

/// A variable of each work-item.
struct BlockField {
  /// How a work-item reads the variable of another work-item of its sub-group.
  enum class Shuffle {
    none,   ///< through local memory: a structure whose members are unknown
    whole,  ///< by one shuffle
    parts,  ///< by two shuffles, one for .x and one for .y
  };
  std::string name;
  std::string type;
  Shuffle shuffle = Shuffle::whole;
};
/// How a user's type is shuffled; the language's numbers are shuffled as a whole.
BlockField::Shuffle shuffle_of(const DType& dtype);
/// A variable of value_type(dtype).
BlockField value_field(std::string name, Scalar dtype, const Dialect& dialect);

/// Folds variables over work-items, in a tree whose shape depends only on `depth`. There are
/// group_size / depth results. Afterwards the first work-item of each result has the result in its
/// variables; the variables of the others hold partial results.
///
/// Shuffles make the fold if the language and the types have them and the work-items of a result
/// are adjacent, with local memory between sub-groups. Otherwise local memory alone makes the fold.
/// If one work-item has a whole result, nothing is written.
struct BlockReduce {
  /// Maps the name of a field to an expression for the other work-item's value.
  using Other = std::function<std::string(const std::string&)>;

  std::vector<BlockField> fields;
  /// Writes statements that fold the other work-item's values into the variables.
  std::function<void(tree::BlockBuilder&, const Other&)> combine;
  unsigned group_size;
  unsigned depth;  ///< work-items for a result, a power of two
  /// Whether these work-items are adjacent; otherwise their distance is group_size / depth.
  bool lanes_are_adjacent;
  unsigned parts_in_order;  ///< sums of so many sub-groups are folded by one work-item, in order
  const Dialect& dialect;
  /// A variable of the kernel that says how many work-items of this group have a result: a power of
  /// two up to 32, or `depth`, which is all of the group; empty: always `depth`.
  std::string depth_of_group = {};

  /// Declares the local memory for write(); call it in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// Writes the fold; call it in uniform control flow. `lane` is the number of the work-item among
  /// those of its result. After a barrier it may be written again.
  void write(tree::BlockBuilder& code, const std::string& lane) const;

 private:
  bool has_shuffles() const;
  unsigned shuffled() const;
  unsigned shared_values() const;
  /// Folds the values of the first `count` work-items of each sub-group, a power of two.
  void write_shuffles(tree::BlockBuilder& code, unsigned count) const;
  /// Half of `count` work-items, or of those of this group's results.
  std::string first_step(unsigned count) const;
  void write_sub_groups(tree::BlockBuilder& code, const std::string& lane) const;
  void write_tree(tree::BlockBuilder& code, const std::string& lane) const;
  void write_shared(tree::BlockBuilder& code, const std::string& index) const;
};

/// Scans variables over work-items. Afterwards the variables of each work-item hold the combination
/// of the values up to its own; after a barrier, others can read it from local memory. Shuffles
/// make the scan if the language and the types have them; otherwise local memory does (W. D. Hillis
/// and G. L. Steele, "Data parallel algorithms", 1986).
struct BlockScan {
  /// A variable, and the local array with its value for each work-item.
  struct Field {
    BlockField value;
    std::string array;
  };
  /// Maps the name of a variable to an expression for an earlier value.
  using Earlier = BlockReduce::Other;

  std::vector<Field> fields;
  /// Writes statements that combine earlier values with the variables; they have a scope of their
  /// own.
  std::function<void(tree::BlockBuilder&, const Earlier&)> combine;
  unsigned group_size;
  std::string
      /// A condition: whether a work-item has a value; the work-items with values come first;
      /// empty: all have values.
      is_there;
  std::string prefix;  ///< prefix of the scan's own names
  const Dialect& dialect;
  /// Whether other work-items read the arrays; the kernel then declares the arrays.
  bool keeps_arrays = true;

  /// Declares the local memory that only write() uses; call it in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// Writes the scan; call it in uniform control flow. Ends with a barrier if arrays are kept.
  void write(tree::BlockBuilder& code) const;

 private:
  bool has_shuffles() const;
  void open_if(tree::BlockBuilder& code, const std::string& condition) const;
  void write_arrays(tree::BlockBuilder& code, const std::string& index,
                    const std::string& suffix) const;
  void write_shuffles(tree::BlockBuilder& code) const;
  void write_steps(tree::BlockBuilder& code) const;
};

/// Folds variables of the first sub-group of a group, in order and by shuffles; the first work-item
/// gets the result. The tree depends only on the number of values.
struct SubGroupFold {
  /// Maps the name of a variable to an expression for a later value.
  using Other = BlockReduce::Other;

  std::vector<BlockField> fields;  ///< each shuffled as a whole
  /// Writes statements that combine the variables with later values.
  std::function<void(tree::BlockBuilder&, const Other&)> combine;
  std::string count;  ///< the number of work-items with values, at most width()
  const Dialect& dialect;

  /// Whether the language has shuffles and a group of this size has a whole sub-group.
  static bool fits(unsigned group_size, const Dialect& dialect);
  static std::string width();
  /// Writes the fold; call it in uniform control flow.
  void write(tree::BlockBuilder& code) const;
};

/// Ranks the elements of a tile by their digits, in the order of digits, then of work-items, then
/// of the elements of a work-item. Every work-item has a counter for each digit (Satish, Harris,
/// Garland 2009, with the counters of Merrill and Grimshaw 2011). The value of `counter(digit)++`
/// is the rank of an element among its work-item's elements with the same digit.
struct BlockRank {
  unsigned group_size, digits;
  std::string prefix;  ///< prefix of the ranking's own names
  const Dialect& dialect;

  /// Declares the local memory; call it in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// Sets the counters to 0, before elements are counted.
  void clear(tree::BlockBuilder& code) const;
  /// This work-item's counter of a digit. The counters of one digit are adjacent, work-item by
  /// work-item.
  std::string counter(std::string_view digit) const;
  /// Call it after a barrier: replaces each counter by the sum of the counters before it, and
  /// stores the start of each digit, and the end of the last digit, in PREFIXstarts. Ends with a
  /// barrier.
  void write(tree::BlockBuilder& code) const;
  /// After write(): the place of an element among all elements of its digit, from its rank in its
  /// work-item.
  std::string place(std::string_view digit, std::string_view rank) const;

 private:
  BlockScan sums() const;
  void open_each_digit(tree::BlockBuilder& code) const;
};

/// Combines the work of groups that share a tile of results. Each group stores its part and takes a
/// ticket from `tickets[tile]`. The group with the last ticket sees all parts and sets the ticket
/// back to 0. No group waits for another.
struct HandOver {
  const Dialect& dialect;
  std::string uint;  ///< C type of tickets, tile and splits

  /// Declares the local memory for write(); call it in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// Call it after a group has stored its part: defines `count`, which is `splits` in the last
  /// group of `tile`, and 0 in the others.
  void write(tree::BlockBuilder& code) const;
  /// Sets the ticket back, after the last group has used the parts.
  void put_back(tree::BlockBuilder& code) const;
  /// Replaces write() if a group is one work-item: sets the ticket back in the last group, and
  /// opens a block that only the last group runs.
  void open_last(tree::BlockBuilder& code) const;
};

}  // namespace treadle::codegen
