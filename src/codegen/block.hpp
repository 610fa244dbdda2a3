// SPDX-License-Identifier: MIT
// What the work-items of a group do together.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// Work-items that shuffle with each other.
constexpr unsigned sub_group = 32;

/// The text of the value of the work-item that is so many before, within a sub-group.
std::string shuffled_up(const std::string& value, const std::string& by, const Dialect& dialect);
/// The text of an addition to a number of 32 bits, or 64, that others add to as well. Its value is
/// what was there before.
std::string added_atomically(const std::string& place, const std::string& value,
                             const Dialect& dialect, bool is_wide = false);

/// A variable that each work-item has.
struct BlockField {
  /// How its value goes from one work-item of a sub-group to another.
  enum class Shuffle {
    none,   ///< through local memory: a structure, of which nothing is known
    whole,  ///< by one shuffle
    parts,  ///< by one for .x and one for .y
  };
  std::string name;
  std::string type;
  Shuffle shuffle = Shuffle::whole;
};
/// How a user's type is shuffled: numbers of the language are.
BlockField::Shuffle shuffle_of(const DType& dtype);
/// A variable of value_type(dtype).
BlockField value_field(std::string name, Scalar dtype, const Dialect& dialect);

/// Folds variables over work-items, in a tree whose shape depends on `depth` alone. There are
/// group_size / depth results; the first work-item of each has it in its variables afterwards, and
/// the variables of the others hold no more than parts.
///
/// Realised by shuffles where the language and the types have them and lanes are neighbours, with
/// local memory between sub-groups; else in local memory; and by nothing where one work-item has
/// the result.
struct BlockReduce {
  /// Turns the name of a field into the text of the other's value.
  using Other = std::function<std::string(const std::string&)>;

  std::vector<BlockField> fields;
  /// Writes statements that fold the other's values into the variables.
  std::function<void(tree::BlockBuilder&, const Other&)> combine;
  unsigned group_size;
  unsigned depth;           ///< work-items of one result, a power of two
  bool lanes_are_adjacent;  ///< they are neighbours; else group_size / depth apart
  const Dialect& dialect;

  /// The local memory that write() uses: in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// In uniform control flow; `lane` is the number of the work-item within its result. May be
  /// written again behind a barrier.
  void write(tree::BlockBuilder& code, const std::string& lane) const;

 private:
  bool has_shuffles() const;
  unsigned shuffled() const;
  unsigned shared_values() const;
  void write_shuffles(tree::BlockBuilder& code) const;
  void write_sub_groups(tree::BlockBuilder& code, const std::string& lane) const;
  void write_tree(tree::BlockBuilder& code, const std::string& lane) const;
  void write_shared(tree::BlockBuilder& code, const std::string& index) const;
};

/// Scans variables over work-items: each has what was combined of those up to its own afterwards,
/// in its variables and, for others to read behind a barrier, in local memory. By shuffles where
/// the language and the types have them, else in local memory (W. D. Hillis and G. L. Steele, "Data
/// parallel algorithms", 1986).
struct BlockScan {
  /// A variable, and the array of the group that has it for each work-item.
  struct Field {
    BlockField value;
    std::string array;
  };
  /// Turns the name of a variable into the text of an earlier value.
  using Earlier = BlockReduce::Other;

  std::vector<Field> fields;
  /// Writes statements that combine earlier values with the variables. What they declare is theirs.
  std::function<void(tree::BlockBuilder&, const Earlier&)> combine;
  unsigned group_size;
  std::string
      is_there;        ///< whether a work-item has a value; those who do are the first; empty: all
  std::string prefix;  ///< of its own names
  const Dialect& dialect;
  /// Whether others read the arrays, which the kernel declares then.
  bool keeps_arrays = true;

  /// The local memory that write() uses itself: in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// In uniform control flow; ends with a barrier where arrays are kept.
  void write(tree::BlockBuilder& code) const;

 private:
  bool has_shuffles() const;
  void open_if(tree::BlockBuilder& code, const std::string& condition) const;
  void write_arrays(tree::BlockBuilder& code, const std::string& index,
                    const std::string& suffix) const;
  void write_shuffles(tree::BlockBuilder& code) const;
  void write_steps(tree::BlockBuilder& code) const;
};

/// Folds variables of the first work-items of a group, which are one sub-group, in their order and
/// by shuffles: the first one has the result. The tree depends on how many there are alone.
struct SubGroupFold {
  /// Turns the name of a variable into the text of a later value.
  using Other = BlockReduce::Other;

  std::vector<BlockField> fields;  ///< shuffled as a whole
  /// Writes statements that put later values behind the variables.
  std::function<void(tree::BlockBuilder&, const Other&)> combine;
  std::string count;  ///< how many work-items have values, at most width()
  const Dialect& dialect;

  /// Whether the language shuffles, and groups of that size begin with a whole sub-group.
  static bool fits(unsigned group_size, const Dialect& dialect);
  static std::string width();
  /// In uniform control flow.
  void write(tree::BlockBuilder& code) const;
};

/// Ranks of elements by their digits among those of a tile, in the order of digits, of work-items,
/// and of each work-item's own: every work-item has a counter for each digit (Satish, Harris,
/// Garland 2009, with the counters of Merrill and Grimshaw 2011). The rank of an element among
/// those of its work-item is what its counter was before it was counted: `counter(digit)++`.
struct BlockRank {
  unsigned group_size, digits;
  std::string prefix;  ///< of its own names
  const Dialect& dialect;

  /// The local memory that it uses: in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// Before elements are counted.
  void clear(tree::BlockBuilder& code) const;
  /// This work-item's. Counters lie by digits, and those of neighbouring work-items side by side.
  std::string counter(std::string_view digit) const;
  /// Behind a barrier: replaces each counter by the sum of those before it, and puts where each
  /// digit begins, and where the last one ends, into PREFIXstarts. Ends with a barrier.
  void write(tree::BlockBuilder& code) const;
  /// Then: which of the elements of its digit one is, from its rank among those of its work-item.
  std::string place(std::string_view digit, std::string_view rank) const;

 private:
  BlockScan sums() const;
  void open_each_digit(tree::BlockBuilder& code) const;
};

/// Groups that share a tile of results hand over what they have: each writes its part
/// and takes a ticket of `tickets[tile]`. Who gets the last one is the last group of the tile, sees
/// the parts of all, and puts the ticket back to 0. No group waits for another one.
struct HandOver {
  const Dialect& dialect;
  std::string uint;  ///< the type of tickets, tile and splits

  /// The local memory that write() uses: in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// Behind a group's part: defines `count`, which is `splits` in the last group of `tile`, else 0.
  void write(tree::BlockBuilder& code) const;
  /// Behind what the last group does with the parts.
  void put_back(tree::BlockBuilder& code) const;
  /// The same as write() where a group is one work-item: opens a block in which the last group is,
  /// with the ticket put back.
  void open_last(tree::BlockBuilder& code) const;
};

}  // namespace treadle::codegen
