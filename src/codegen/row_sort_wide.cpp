// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>

#include "program.hpp"
#include "row_sort_wide.hpp"
#include "warp_rank.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class WideRowWriter {
 public:
  WideRowWriter(const RowSortSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
                const TypeNames& types)
      : snippet_(snippet),
        dialect_(dialect),
        types_(types),
        groups_(tiling.sweep_groups),
        rank_{.group_size = tiling.row_warps * sub_group,
              .items = snippet.items,
              .bits = tiling.sweep_bits,
              .dialect = dialect},
        integer_(types.name_of(Scalar::int64)),
        uint_(types.name_of(Scalar::uint32)),
        key_(types.name_of(snippet.key_dtype)) {
    moved_.push_back({"elements", "sorted", snippet.parameters.front().dtype});
    if (snippet.has_places)
      moved_.push_back(
          {"places", "sorted_places", snippet.is_long ? Scalar::uint64 : Scalar::uint32});
  }

  RowSortText write() {
    code_.comment({snippet_.name, ", made by treadle's generator of sorts of rows: wide schedule"});
    code_.lines(snippet_.preamble);
    code_.blank();
    tree::Parts list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      append_parameter(list, parameter, types_);
    code_.open_function(bounded_kernel(snippet_.name, std::move(list), rank_.group_size, groups_));
    define_pointers(code_, snippet_.parameters, types_);
    std::size_t largest = 1;
    for (const Moved& one : moved_) largest = std::max(largest, one.dtype.size_bytes());
    rank_.declare(code_, largest);
    code_.declare({"const ", uint_}, "treadle_there", {"(", uint_, ")length"});
    code_.declare({"const ", integer_}, "treadle_begin",
                  {"(", integer_, ")", dialect_.group_id, " * length"});
    for (const Moved& one : moved_)
      code_.declare_array(types_.name_of(one.dtype), {"treadle_own_", one.from},
                          number(rank_.items));
    open_each_item();
    code_.declare({"const ", integer_}, "treadle_place",
                  "treadle_begin + (treadle_at < treadle_there ? treadle_at : 0)");
    for (const Moved& one : moved_)
      code_.assign({"treadle_own_", one.from, "[treadle_k]"}, {one.from, "[treadle_place]"});
    code_.close();
    write_passes();
    open_each_item();
    code_.open_if("treadle_at < treadle_there");
    for (const Moved& one : moved_)
      code_.assign({one.to, "[treadle_begin + treadle_at]"},
                   {"treadle_own_", one.from, "[treadle_k]"});
    code_.close();
    code_.close();
    code_.close();
    RowSortText made{.text = {}, .group_size = rank_.group_size};
    made.program = code_.take();
    made.text = printed(made.program, dialect_);
    return made;
  }

 private:
  struct Moved {
    std::string from, to;
    DType dtype;
  };

  void open_each_item() {
    rank_.open_each_item(code_);
    code_.declare({"const ", uint_}, "treadle_at", WarpRank::element_at());
  }

  void write_passes() {
    const std::string bits = number(rank_.bits), last = number(rank_.digits() - 1);
    code_.open_for(uint_, "treadle_bit", "0", number(snippet_.key_bits), bits);
    rank_.clear(code_);
    code_.evaluate(dialect_.barrier);
    code_.comment("What is behind the row stays there.");
    open_each_item();
    code_.declare({"const ", key_}, "treadle_key",
                  "treadle_ordered(treadle_own_elements[treadle_k]) ^ flip");
    code_.assign("treadle_digits[treadle_k]",
                 {"treadle_at < treadle_there ? (", uint_, ")(treadle_key >> treadle_bit) & ", last,
                  " : ", last});
    code_.close();
    rank_.count(code_, [] {});
    rank_.rank(code_);
    for (const Moved& one : moved_) write_exchange(one);
    code_.evaluate(dialect_.barrier);
    code_.close();
  }

  void write_exchange(const Moved& one) {
    const std::string type = types_.name_of(one.dtype), moved = "treadle_moved_" + one.from;
    code_.evaluate(dialect_.barrier);
    code_.add(tree::initialize(tree::local_pointer(tree::value(type, moved)),
                               {"(", type, " *)treadle_room"}));
    rank_.open_each_item(code_);
    code_.assign({moved, "[", WarpRank::rank_of("treadle_digits[treadle_k]"), "]"},
                 {"treadle_own_", one.from, "[treadle_k]"});
    code_.close();
    code_.evaluate(dialect_.barrier);
    open_each_item();
    code_.assign({"treadle_own_", one.from, "[treadle_k]"}, {moved, "[treadle_at]"});
    code_.close();
  }

  const RowSortSnippet& snippet_;
  const Dialect& dialect_;
  const TypeNames& types_;
  unsigned groups_;
  WarpRank rank_;
  std::string integer_, uint_, key_;
  std::vector<Moved> moved_;
  tree::BlockBuilder code_;
};

}  // namespace

unsigned row_items(std::uint64_t length, std::size_t size_bytes, const Tiling& tiling,
                   const Dialect& dialect) {
  if (tiling.schedule != Schedule::wide || !WarpRank::fits(dialect)) return 0;
  const std::uint64_t group = std::uint64_t{tiling.row_warps} * sub_group;
  const std::uint64_t counters = sizeof(std::uint32_t) * tiling.row_warps << tiling.sweep_bits;
  if (counters > tiling.sweep_bytes) return 0;
  const std::uint64_t most =
      std::min<std::uint64_t>(tiling.sweep_items, tiling.sweep_bytes / (group * size_bytes));
  const std::uint64_t least = (length + group - 1) / group;
  if (least == 0 || least > most) return 0;
  // Powers of two and the numbers halfway between, so that there are few kernels.
  const std::uint64_t next = std::bit_ceil(least);
  const std::uint64_t between = next / 4 * 3;
  return static_cast<unsigned>(std::min(between >= least ? between : next, most));
}

RowSortText generate_wide_row_sort(const RowSortSnippet& snippet, const Tiling& tiling,
                                   const Dialect& dialect, const TypeNames& types) {
  return WideRowWriter(snippet, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
