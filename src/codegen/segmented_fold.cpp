// SPDX-License-Identifier: MIT
#include "treadle/codegen/segmented_fold.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "block.hpp"
#include "interval_text.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class SegmentedFoldWriter {
 public:
  SegmentedFoldWriter(const SegmentedFoldSnippet& snippet, unsigned lanes, const Tiling& tiling,
                      const Dialect& dialect, const TypeNames& types)
      : snippet_(snippet),
        tiling_(tiling),
        dialect_(dialect),
        types_(types),
        is_wide_(tiling.schedule == Schedule::wide),
        group_size_(tiling.group_size),
        lanes_(lanes),
        integer_(types.name_of(Scalar::int64)),
        uint_(types.name_of(Scalar::uint32)) {
    // The values that go through local memory must fit.
    const std::size_t size = std::max<std::size_t>(1, snippet.dtype.size_bytes());
    while (is_wide_ && group_size_ > 1 && group_size_ * size > tiling.fold_bytes) group_size_ /= 2;
    lanes_ = std::clamp(lanes_, 1u, group_size_);
  }

  SegmentedFoldText write() {
    require_valid();
    code_.comment({snippet_.name,
                   ", made by treadle's generator of folds of segments around a "
                   "user's text: ",
                   schedule_name(tiling_.schedule), " schedule"});
    code_.directive("define", {"treadle_fold(a, b) (", in_one_line(snippet_.reduce), ")"});
    code_.lines(snippet_.preamble);
    code_.define_type(types_.name_of(snippet_.dtype), "treadle_item");
    code_.blank();
    const unsigned segments = is_wide_ ? group_size_ / lanes_ : 0;
    open_kernel();
    is_wide_ ? write_wide(segments) : write_narrow();
    code_.close();
    SegmentedFoldText made{
        .text = {}, .name = snippet_.name, .group_size = group_size_, .segments = segments};
    made.program = code_.take();
    made.text = printed(made.program, dialect_);
    return made;
  }

 private:
  void require_valid() const {
    const std::string who = "segmented fold " + snippet_.name;
    refuse_own_names(snippet_.parameters, std::initializer_list<std::string_view>{"i"}, who);
    if (snippet_.parameters.size() < 3)
      throw InvalidArgument(who + " has no pointers to segments and results",
                            "declare three behind the others");
    if (snippet_.neutral.empty())
      throw InvalidArgument(who + " has no neutral element",
                            "pass what the result of an empty segment is");
  }
  /// The name of the parameter that is `before_end` parameters before the end.
  const std::string& own(std::size_t before_end) const {
    return snippet_.parameters[snippet_.parameters.size() - before_end].name;
  }
  void open_kernel() {
    tree::Parts list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      append_parameter(list, parameter, types_);
    for (const char* name : {"treadle_row_segments", "treadle_segments", "treadle_row_length"})
      list.push_back(tree::value(integer_, name));
    if (!is_wide_) list.push_back(tree::value(integer_, "treadle_interval"));
    code_.open_kernel(snippet_.name, std::move(list), group_size_);
    define_pointers(code_, snippet_.parameters, types_);
  }
  /// Defines the start and the end of segment treadle_place of treadle_row.
  void declare_ends() {
    code_.declare({"const ", integer_}, "treadle_begin",
                  {"treadle_row + ", own(3), "[treadle_place]"});
    code_.declare({"const ", integer_}, "treadle_end",
                  {"treadle_row + ", own(2), "[treadle_place]"});
  }
  void store() {
    if (snippet_.store.empty()) return code_.assign({own(1), "[treadle_segment]"}, "treadle_sum");
    code_.open();
    code_.declare("const treadle_item", "product", "treadle_sum");
    code_.declare({"const ", integer_}, "i", "treadle_segment");
    code_.statements(snippet_.store);
    code_.close();
  }
  void fold(std::string_view sum, std::string_view at) {
    code_.declare({"const ", integer_}, "i", at);
    code_.declare("const treadle_item", "treadle_value", in_brackets(snippet_.map));
    code_.assign(sum, {"treadle_fold(", sum, ", treadle_value)"});
  }

  BlockReduce tree_of_lanes() const {
    return {.fields = {{"treadle_sum", "treadle_item", shuffle_of(snippet_.dtype)}},
            .combine =
                [](tree::BlockBuilder& code, const BlockReduce::Other& other) {
                  code.declare("const treadle_item", "treadle_next", other("treadle_sum"));
                  code.assign("treadle_sum", "treadle_fold(treadle_sum, treadle_next)");
                },
            .group_size = group_size_,
            .depth = lanes_,
            .lanes_are_adjacent = true,
            .parts_in_order = tiling_.parts_in_order,
            .dialect = dialect_};
  }
  void fold_in_turn() {
    code_.directive("pragma", {"unroll ", number(tiling_.strided_items)});
    code_.open_for(integer_, "treadle_at", "treadle_begin + treadle_lane", "treadle_end",
                   number(lanes_));
    fold("treadle_sum", "treadle_at");
    code_.close();
  }
  /// Also of segments that are too short for an unrolled loop: what is beyond the end is the last
  /// element again, and is not folded.
  void fold_at_once() {
    const std::string items = number(tiling_.strided_items);
    const auto open_each = [&] {
      code_.directive("pragma", "unroll");
      code_.open_for(uint_, "treadle_k", "0", items);
    };
    const std::string place = joined({"treadle_at + treadle_k * ", number(lanes_)});
    code_.open_for(integer_, "treadle_at", "treadle_begin + treadle_lane", "treadle_end",
                   number(lanes_ * tiling_.strided_items));
    code_.declare_array("treadle_item", "treadle_values", items);
    open_each();
    code_.declare({"const ", integer_}, "i",
                  joined({place, " < treadle_end ? ", place, " : treadle_end - 1"}));
    code_.assign("treadle_values[treadle_k]", in_brackets(snippet_.map));
    code_.close();
    open_each();
    code_.open_if({place, " < treadle_end"});
    code_.assign("treadle_sum", "treadle_fold(treadle_sum, treadle_values[treadle_k])");
    code_.close();
    code_.close();
    code_.close();
  }
  void write_wide(unsigned segments) {
    const std::string id = dialect_.local_id, lanes = number(lanes_);
    tree_of_lanes().declare(code_);
    code_.declare({"const ", uint_}, "treadle_lane", {id, " % ", lanes});
    code_.declare(
        {"const ", integer_}, "treadle_segment",
        {"(", integer_, ")", dialect_.group_id, " * ", number(segments), " + ", id, " / ", lanes});
    code_.declare("treadle_item", "treadle_sum", in_one_line(snippet_.neutral));
    code_.open_if("treadle_segment < treadle_segments");
    code_.declare({"const ", integer_}, "treadle_place", "treadle_segment % treadle_row_segments");
    code_.declare({"const ", integer_}, "treadle_row",
                  "treadle_segment / treadle_row_segments * treadle_row_length");
    declare_ends();
    snippet_.can_repeat&& lanes_ > 1 ? fold_at_once() : fold_in_turn();
    code_.close();
    tree_of_lanes().write(code_, "treadle_lane");
    code_.open_if("treadle_lane == 0 && treadle_segment < treadle_segments");
    store();
    code_.close();
  }

  void write_narrow() {
    const std::string sums = number(tiling_.scan_lanes);
    code_.declare({"const ", integer_}, "treadle_first",
                  {"(", integer_, ")", dialect_.group_id, " * treadle_interval"});
    code_.declare({"const ", integer_}, "treadle_behind",
                  "treadle_segments - treadle_first < treadle_interval ? treadle_segments : "
                  "treadle_first + treadle_interval");
    // The place is counted up, because a division for each segment would take as long as a short
    // segment.
    code_.declare(integer_, "treadle_next", "treadle_first % treadle_row_segments");
    code_.declare(integer_, "treadle_row",
                  "treadle_first / treadle_row_segments * treadle_row_length");
    code_.open_for(integer_, "treadle_segment", "treadle_first", "treadle_behind");
    code_.open_if("treadle_next == treadle_row_segments");
    code_.assign("treadle_next", "0");
    code_.assign("treadle_row", "treadle_row_length", "+=");
    code_.close();
    code_.declare({"const ", integer_}, "treadle_place", "treadle_next");
    code_.assign("treadle_next", "1", "+=");
    declare_ends();
    code_.declare(integer_, "treadle_at", "treadle_begin");
    code_.declare("treadle_item", "treadle_sum", in_one_line(snippet_.neutral));
    code_.open_if({"treadle_end - treadle_begin >= ",
                   number(tiling_.short_row_turns * tiling_.vector_lanes)});
    code_.declare_array("treadle_item", "treadle_sums", sums);
    const auto open_each = [&] {
      code_.directive("pragma", "unroll");
      code_.open_for(uint_, "treadle_k", "0", sums);
    };
    open_each();
    code_.assign("treadle_sums[treadle_k]", "treadle_sum");
    code_.close();
    code_.open_loop(tree::Part(""), {"treadle_at + ", sums, " <= treadle_end"},
                    {"treadle_at += ", sums});
    open_each();
    fold("treadle_sums[treadle_k]", "treadle_at + treadle_k");
    code_.close();
    code_.close();
    open_each();
    code_.assign("treadle_sum", "treadle_fold(treadle_sum, treadle_sums[treadle_k])");
    code_.close();
    code_.close();
    // Two sums for a short segment: with one sum each addition waits for the one before, and
    // vectors of gathered elements cost more than they save.
    code_.declare("treadle_item", "treadle_other", in_one_line(snippet_.neutral));
    code_.open_loop(tree::Part(""), "treadle_at + 2 <= treadle_end", "treadle_at += 2");
    for (const auto& [sum, at] :
         {std::pair("treadle_sum", "treadle_at"), std::pair("treadle_other", "treadle_at + 1")}) {
      code_.open();
      fold(sum, at);
      code_.close();
    }
    code_.close();
    code_.assign("treadle_sum", "treadle_fold(treadle_sum, treadle_other)");
    code_.open_if("treadle_at < treadle_end");
    fold("treadle_sum", "treadle_at");
    code_.close();
    store();
    code_.close();
  }

  const SegmentedFoldSnippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  bool is_wide_;
  unsigned group_size_, lanes_;
  std::string integer_, uint_;
  tree::BlockBuilder code_;
};

}  // namespace

unsigned segment_lanes(std::uint64_t mean_length, const Tiling& tiling) {
  if (tiling.schedule == Schedule::narrow || mean_length <= tiling.lone_row) return 1;
  if (mean_length <= tiling.short_row) {
    // Twice as many where a row would take more than two turns: on an H200 rows of 77 elements take
    // 0.91 to 0.94 of the time so, but rows of 21 and 27, which take one turn, 1.4 to 1.7 times it.
    const std::uint64_t turn = std::uint64_t{tiling.short_row_depth} * tiling.strided_items;
    const unsigned lanes = tiling.short_row_depth * (mean_length > 2 * turn ? 2 : 1);
    return std::min(lanes, tiling.group_size);
  }
  if (mean_length <= tiling.middle_row) return std::min(tiling.middle_row_depth, tiling.group_size);
  return tiling.group_size;
}

SegmentedFoldText generate_segmented_fold(const SegmentedFoldSnippet& snippet, unsigned lanes,
                                          const Tiling& tiling, const Dialect& dialect,
                                          const TypeNames& types) {
  return SegmentedFoldWriter(snippet, lanes, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
