// SPDX-License-Identifier: MIT
#include "treadle/codegen/row_sort.hpp"

#include <algorithm>

#include "dealing.hpp"
#include "program.hpp"
#include "row_sort_wide.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class RowSortWriter {
 public:
  RowSortWriter(const RowSortSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
                const TypeNames& types)
      : snippet_(snippet),
        tiling_(tiling),
        dialect_(dialect),
        types_(types),
        integer_(types.name_of(Scalar::int64)),
        uint_(types.name_of(Scalar::uint32)),
        key_(types.name_of(snippet.key_dtype)),
        element_(types.name_of(snippet.parameters.front().dtype)),
        place_(types.name_of(snippet.is_long ? Scalar::uint64 : Scalar::uint32)),
        mask_(number((1u << tiling.digit_bits) - 1)),
        passes_((snippet.key_bits + tiling.digit_bits - 1) / tiling.digit_bits) {}

  RowSortText write() {
    code_.comment(
        {snippet_.name, ", made by treadle's generator of sorts of rows: narrow schedule"});
    code_.lines(snippet_.preamble);
    code_.lines(store_past_caches);
    code_.blank();
    tree::Parts list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      append_parameter(list, parameter, types_);
    code_.open_kernel(snippet_.name, std::move(list), 1);
    define_pointers(code_, snippet_.parameters, types_);
    code_.declare({"const ", integer_}, "treadle_row_begin", {dialect_.group_id, " * together"});
    code_.declare({"const ", integer_}, "treadle_row_end",
                  "rows - treadle_row_begin < together ? rows : treadle_row_begin + together");
    code_.open_for(integer_, "treadle_row", "treadle_row_begin", "treadle_row_end");
    code_.declare({"const ", integer_}, "treadle_begin", "0");
    code_.declare({"const ", integer_}, "treadle_end", "length");
    for (const std::string_view name : {"elements", "sorted"}) {
      declare_pointers(element_, joined({"treadle_", name}),
                       joined({name, " + treadle_row * length"}));
      if (!snippet_.has_places) continue;
      const std::string places = name == "sorted" ? "sorted_places" : "places";
      declare_pointers(place_, "treadle_" + places, places + " + treadle_row * length");
    }
    code_.open_if({"length <= ", number(tiling_.ranked_row)});
    write_ranks();
    code_.close();
    code_.open_else();
    write_passes();
    code_.close();
    code_.close();
    code_.close();
    RowSortText made{.text = {}, .group_size = 1};
    made.program = code_.take();
    made.text = printed(made.program, dialect_);
    return made;
  }

 private:
  void move(std::string_view to, std::string_view from) {
    code_.assign({"treadle_sorted[", to, "]"}, {"treadle_elements[", from, "]"});
    if (snippet_.has_places)
      code_.assign({"treadle_sorted_places[", to, "]"}, {"treadle_places[", from, "]"});
  }
  static std::string key_of(std::string_view element) {
    return joined({"treadle_ordered(", element, ") ^ flip"});
  }

  void write_ranks() {
    // The padding after a row holds the largest keys, so it changes no rank.
    const std::string lanes = number(tiling_.vector_lanes);
    const std::string most = number((tiling_.ranked_row + tiling_.vector_lanes - 1) /
                                    tiling_.vector_lanes * tiling_.vector_lanes);
    code_.declare_array(key_, "treadle_keys", most);
    code_.declare({"const ", uint_}, "treadle_count", {"(", uint_, ")length"});
    code_.declare(
        {"const ", uint_}, "treadle_all",
        {"(treadle_count + ", number(tiling_.vector_lanes - 1), ") / ", lanes, " * ", lanes});
    code_.open_for(uint_, "treadle_k", "0", "treadle_count");
    code_.assign("treadle_keys[treadle_k]", key_of("treadle_elements[treadle_k]"));
    code_.close();
    code_.open_for(uint_, "treadle_k", "treadle_count", "treadle_all");
    code_.assign("treadle_keys[treadle_k]", {"~(", key_, ")0"});
    code_.close();
    code_.open_for(uint_, "treadle_k", "0", "treadle_count");
    code_.declare({"const ", key_}, "treadle_own", "treadle_keys[treadle_k]");
    code_.declare(uint_, "treadle_rank", "0");
    code_.open_for(uint_, "treadle_q", "0", "treadle_all");
    // One loop for both comparisons; its length is a whole number of vectors, which compilers know.
    code_.assign("treadle_rank",
                 "(treadle_keys[treadle_q] < treadle_own) | "
                 "((treadle_keys[treadle_q] == treadle_own) & (treadle_q < treadle_k))",
                 "+=");
    code_.close();
    move("treadle_rank", "treadle_k");
    code_.close();
  }

  void write_counts() {
    const std::string digits = number(1u << tiling_.digit_bits),
                      most = number(tiling_.keys_at_once);
    code_.declare_array(uint_, "treadle_counts", number(passes_ << tiling_.digit_bits));
    code_.open_for(uint_, "treadle_d", "0", number(passes_ << tiling_.digit_bits));
    code_.assign("treadle_counts[treadle_d]", "0");
    code_.close();
    code_.open_for(integer_, "treadle_from", "treadle_begin", "treadle_end", most);
    code_.declare({"const ", uint_}, "treadle_some",
                  {"treadle_end - treadle_from < ", most, " ? (", uint_,
                   ")(treadle_end - treadle_from) : ", most});
    code_.declare_array(key_, "treadle_keys", most);
    write_vector_loop(code_);
    code_.open_for(uint_, "treadle_k", "0", "treadle_some");
    code_.assign("treadle_keys[treadle_k]", key_of("treadle_elements[treadle_from + treadle_k]"));
    code_.close();
    code_.open_for(uint_, "treadle_k", "0", "treadle_some");
    code_.open_for(uint_, "treadle_pass", "0", number(passes_));
    code_.evaluate({"++treadle_counts[treadle_pass * ", digits, " + ",
                    digit_of("treadle_keys[treadle_k]"), "]"});
    code_.close();
    code_.close();
    code_.close();
  }
  std::string digit_of(std::string_view key) const {
    return joined({"((", uint_, ")(", key, " >> treadle_pass * ", number(tiling_.digit_bits),
                   ") & ", mask_, ")"});
  }

  void declare_pointers(const std::string& type, std::string_view name, std::string_view first) {
    code_.add(tree::initialize(tree::global_pointer(tree::value(type, name)), first));
  }

  void write_passes() {
    const std::string digits = number(1u << tiling_.digit_bits);
    write_counts();
    // Finds the passes that are needed, a bit for each.
    code_.declare({"const ", key_}, "treadle_one", key_of("treadle_elements[0]"));
    code_.declare(uint_, "treadle_left", "0");
    code_.declare(uint_, "treadle_passes", "0");
    code_.open_for(uint_, "treadle_pass", "0", number(passes_));
    code_.open_if(
        {"treadle_counts[treadle_pass * ", digits, " + ", digit_of("treadle_one"), "] != length"});
    code_.evaluate("++treadle_left");
    code_.assign("treadle_passes", "1u << treadle_pass", "|=");
    code_.close();
    code_.close();
    code_.open_if("treadle_left == 0");
    code_.open_for(integer_, "treadle_at", "treadle_begin", "treadle_end");
    move("treadle_at", "treadle_at");
    code_.close();
    code_.close();
    declare_pointers(element_, "treadle_source", "treadle_elements");
    if (snippet_.has_places) declare_pointers(place_, "treadle_source_places", "treadle_places");
    code_.open_for(uint_, "treadle_pass", "0", number(passes_));
    code_.when("(treadle_passes >> treadle_pass & 1) == 0", tree::continue_());
    code_.evaluate("--treadle_left");
    declare_pointers(element_, "treadle_target",
                     joined({"treadle_left % 2 == 0 ? treadle_sorted : scratch + ",
                             dialect_.group_id, " * length"}));
    if (snippet_.has_places)
      declare_pointers(place_, "treadle_target_places",
                       joined({"treadle_left % 2 == 0 ? treadle_sorted_places : scratch_places + ",
                               dialect_.group_id, " * length"}));
    write_pass();
    code_.assign("treadle_source", "treadle_target");
    if (snippet_.has_places) code_.assign("treadle_source_places", "treadle_target_places");
    code_.close();
  }

  void write_pass() {
    const std::string digits = number(1u << tiling_.digit_bits);
    code_.declare_array(uint_, "treadle_next", digits);
    code_.declare(uint_, "treadle_sum", "0");
    code_.open_for(uint_, "treadle_d", "0", digits);
    code_.assign("treadle_next[treadle_d]", "treadle_sum");
    code_.assign("treadle_sum", {"treadle_counts[treadle_pass * ", digits, " + treadle_d]"}, "+=");
    code_.close();
    const std::size_t size = snippet_.parameters.front().dtype.size_bytes();
    std::vector<DealtArray> arrays{{.from = "treadle_source",
                                    .to = "treadle_target",
                                    .type = element_,
                                    .size_bytes = size,
                                    .is_number = true}};
    if (snippet_.has_places)
      arrays.push_back({.from = "treadle_source_places",
                        .to = "treadle_target_places",
                        .type = place_,
                        .size_bytes = snippet_.is_long ? 8u : 4u,
                        .is_number = true});
    const Dealing dealing{
        .code = code_,
        .tiling = tiling_,
        .integer = integer_,
        .uint = uint_,
        .index = uint_,
        .write_digit = [this] {
          code_.declare({"const ", key_}, "treadle_key", key_of("treadle_source[treadle_at]"));
          code_.declare({"const ", uint_}, "treadle_digit", digit_of("treadle_key"));
        }};
    code_.open_if({"length * ", number(size), " <= ", number(tiling_.cached_row)});
    dealing.write_moves(arrays, false);
    code_.close();
    code_.open_else();
    dealing.write_moves(arrays, true);
    code_.close();
  }

  const RowSortSnippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  std::string integer_, uint_, key_, element_, place_, mask_;
  unsigned passes_;
  tree::BlockBuilder code_;
};

}  // namespace

RowSortText generate_row_sort(const RowSortSnippet& snippet, const Tiling& tiling,
                              const Dialect& dialect, const TypeNames& types) {
  if (snippet.key_dtype != Scalar::uint32 && snippet.key_dtype != Scalar::uint64)
    throw DTypeError("the keys of " + snippet.name + " are of " + DType(snippet.key_dtype).name(),
                     "choose uint32 or uint64");
  if (tiling.schedule == Schedule::wide)
    return generate_wide_row_sort(snippet, tiling, dialect, types);
  return RowSortWriter(snippet, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
