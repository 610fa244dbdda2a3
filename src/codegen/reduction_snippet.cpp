// SPDX-License-Identifier: MIT
#include "treadle/codegen/reduction_snippet.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "reduction_tiling.hpp"
#include "text_writer.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// Bytes of local memory for what a group folds.
constexpr std::size_t shared_bytes = 16 << 10;
/// Neighbouring results that are worth neighbouring work-items.
constexpr std::uint64_t least_columns = 16;
/// Of floats so many elements are folded one behind the other, then what was folded of them: a
/// rounding error grows with the length of a chain of additions.
constexpr unsigned run_turns = 16;

/// An upper bound for what a compiler makes of the structure. The alignment of a type, which the
/// program may define, divides its size.
std::size_t partial_bytes(const ReductionSnippet& snippet) {
  if (snippet.outputs.size() == 1) return snippet.outputs[0].dtype.size_bytes();
  std::size_t alignment = 1, bytes = 0;
  const auto size_of = [](const ReductionOutput& output) {
    return std::max<std::size_t>(1, output.dtype.size_bytes());
  };
  for (const ReductionOutput& output : snippet.outputs)
    alignment = std::max(alignment, std::size_t{1} << std::countr_zero(size_of(output)));
  for (const ReductionOutput& output : snippet.outputs)
    bytes += (size_of(output) + alignment - 1) / alignment * alignment;
  return bytes;
}

/// Writes the kernel of one reduction.
class ReductionSnippetWriter {
 public:
  ReductionSnippetWriter(const ReductionSnippet& snippet, const ReductionSnippetForm& form,
                         const Tiling& tiling, const Dialect& dialect, const TypeNames& types)
      : snippet_(snippet),
        tiling_(tiling),
        dialect_(dialect),
        types_(types),
        integer_(types.name_of(Scalar::int64)),
        uint_(types.name_of(Scalar::uint32)),
        has_columns_(form.has_columns) {
    std::size_t all_bytes = 0, largest = 1;
    bool has_structure = false;
    for (const ReductionOutput& output : snippet.outputs) {
      const std::size_t bytes = std::max<std::size_t>(1, output.dtype.size_bytes());
      all_bytes += bytes;
      largest = std::max(largest, bytes);
      has_structure = has_structure || output.dtype.scalar() == Scalar::structure;
      const ScalarKind kind = output.dtype.kind();
      rounds_ = rounds_ || kind == ScalarKind::floating || kind == ScalarKind::complex;
    }
    if (tiling.schedule == Schedule::wide) {
      group_size_ = static_cast<unsigned>(
          std::bit_floor(std::clamp<std::size_t>(shared_bytes / all_bytes, 1, tiling.group_size)));
      depth_ = form.depth == 0 ? group_size_ : std::min(form.depth, group_size_);
      tile_ = group_size_ / depth_;
    } else {
      // Of a type that is no number there is no vector.
      lanes_ = has_structure ? 1 : lanes_of(largest);
      has_columns_ = has_columns_ && lanes_ > 1;
      tile_ = has_columns_ ? lanes_ : 1;
    }
  }

  ReductionSnippetText write() {
    for (const ParameterSpec& parameter : snippet_.parameters)
      if (parameter.name == "i")
        throw InvalidArgument("an argument of reduction kernel " + snippet_.name +
                                  " is called as the index of its element, i",
                              "give it another name");
    write_frame();
    text_.line({"const ", uint_, " treadle_split = ", dialect_.group_id, " % treadle_splits;"});
    text_.open({"for (", integer_, " treadle_tile = ", dialect_.group_id,
                " / treadle_splits; treadle_tile < treadle_tiles; treadle_tile += treadle_groups / "
                "treadle_splits)"});
    if (tiling_.schedule == Schedule::wide)
      write_wide();
    else
      write_narrow();
    text_.close();
    text_.close();
    const bool is_wide = tiling_.schedule == Schedule::wide;
    return {text_.text(), group_size_, tile_,
            is_wide ? std::uint64_t{depth_} * tiling_.strided_items : tiling_.chunk_bytes / 4,
            partial_bytes(snippet_)};
  }

 private:
  void write_frame() {
    text_.line({"// ", snippet_.name,
                ", made by treadle's reduction generator around a user's text: ",
                schedule_name(tiling_.schedule), " schedule"});
    for_each([&](const ReductionOutput& output, const std::string& suffix) {
      text_.line({"#define treadle_reduce", suffix, "(a, b) (", in_one_line(output.reduce), ")"});
    });
    if (!snippet_.preamble.empty()) text_.directive(snippet_.preamble);
    for_each([&](const ReductionOutput& output, const std::string& suffix) {
      text_.line({"typedef ", types_.name_of(output.dtype), " treadle_result", suffix, ";"});
    });
    if (has_several()) {
      text_.open("typedef struct");
      for_each([&](const ReductionOutput&, const std::string& suffix) {
        text_.line({"treadle_result", suffix, " folded", suffix, ";"});
      });
      text_.close("treadle_partial;");
    }
    std::vector<std::string> list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      list.push_back(declare(parameter, dialect_, types_));
    for (const char* own : {"treadle_n", "treadle_start", "treadle_step", "treadle_results",
                            "treadle_inner", "treadle_tiles"})
      list.push_back(joined({integer_, " ", own}));
    for_each([&](const ReductionOutput&, const std::string& suffix) {
      list.push_back(joined({dialect_.global, "treadle_result", suffix, " *treadle_out", suffix}));
      if (!dialect_.has_addresses)
        list.push_back(joined({integer_, " treadle_out_offset", suffix}));
    });
    list.push_back(joined({uint_, " treadle_groups"}));
    list.push_back(joined({uint_, " treadle_splits"}));
    list.push_back(joined({dialect_.global, has_several() ? "treadle_partial" : "treadle_result",
                           " *treadle_partials"}));
    list.push_back(joined({dialect_.global, uint_, " *treadle_tickets"}));
    const std::array size{number(group_size_)};
    text_.line(
        {dialect_.kernel, " ", fill_holes(dialect_.group_size, size), " ", snippet_.name, "("});
    text_.open_parameters(list);
    text_.lines(define_pointers(snippet_.parameters, dialect_, types_));
    if (uses_count()) text_.line({"const ", integer_, " n = treadle_n;"});
    if (!dialect_.has_addresses)
      for_each([&](const ReductionOutput&, const std::string& suffix) {
        text_.line({"treadle_out", suffix, " += treadle_out_offset", suffix, ";"});
      });
    if (tiling_.schedule == Schedule::wide) {
      const std::string id = dialect_.local_id;
      if (depth_ > 1)
        for_each([&](const ReductionOutput&, const std::string& suffix) {
          text_.line({dialect_.local, " treadle_result", suffix, " treadle_shared", suffix, "[",
                      number(group_size_), "];"});
        });
      text_.line({dialect_.local, " ", uint_, " treadle_mine;"});
      const std::string depth = number(depth_), tile = number(tile_);
      text_.line({"const ", uint_, " treadle_depth = ",
                  has_columns_ ? joined({id, " / ", tile}) : joined({id, " % ", depth}), ";"});
      if (tile_ > 1)
        text_.line({"const ", uint_, " treadle_column = ",
                    has_columns_ ? joined({id, " % ", tile}) : joined({id, " / ", depth}), ";"});
    }
  }

  /// Whether an expression uses n for the number of elements: not where the program has an n.
  bool uses_count() const {
    const auto is_n = [](const ParameterSpec& parameter) { return parameter.name == "n"; };
    return std::ranges::none_of(snippet_.parameters, is_n) && !mentions(snippet_.preamble, "n") &&
           std::ranges::any_of(snippet_.outputs, [](const ReductionOutput& output) {
             return mentions(output.map, "n");
           });
  }
  bool has_several() const { return snippet_.outputs.size() > 1; }
  /// Writes something for each output, whose names have a suffix where there are several.
  void for_each(const auto& write) {
    for (std::size_t k = 0; k < snippet_.outputs.size(); ++k)
      write(snippet_.outputs[k], has_several() ? joined({"_", number(k)}) : std::string());
  }
  /// Of a variable, or of an element of an array where there is an index.
  using Index = std::string;
  static std::string place(const char* name, const std::string& suffix, const Index& index) {
    return index.empty() ? joined({name, suffix}) : joined({name, suffix, "[", index, "]"});
  }
  void declare_folded(const char* name = "treadle_folded") {
    for_each([&](const ReductionOutput& output, const std::string& suffix) {
      text_.line(
          {"treadle_result", suffix, " ", name, suffix, " = ", in_one_line(output.neutral), ";"});
    });
  }
  void write_neutral(const char* into, const Index& index = {}) {
    for_each([&](const ReductionOutput& output, const std::string& suffix) {
      text_.line({place(into, suffix, index), " = ", in_one_line(output.neutral), ";"});
    });
  }
  void write_copy(const char* into, const Index& at, const char* from, const Index& from_at = {}) {
    for_each([&](const ReductionOutput&, const std::string& suffix) {
      text_.line({place(into, suffix, at), " = ", place(from, suffix, from_at), ";"});
    });
  }
  /// into = treadle_reduce(into, value), where `value` gives a text for a suffix.
  void write_reduce(const char* into, const Index& index, const auto& value) {
    for_each([&](const ReductionOutput&, const std::string& suffix) {
      const std::string folded = place(into, suffix, index);
      text_.line({folded, " = treadle_reduce", suffix, "(", folded, ", ", value(suffix), ");"});
    });
  }
  std::string partial(const std::string& index, const std::string& suffix) const {
    return joined({"treadle_partials[", index, has_several() ? "].folded" : "]", suffix});
  }
  /// Folds an element of what begins at treadle_first into a variable.
  void write_element(const std::string& first, const std::string& at, const char* into,
                     const Index& index = {}) {
    text_.line({"const ", integer_, " i = ", first, " + (", at, ") * treadle_step;"});
    for_each([&](const ReductionOutput& output, const std::string& suffix) {
      const std::string folded = place(into, suffix, index);
      text_.line({folded, " = treadle_reduce", suffix, "(", folded, ", ("});
      text_.lines(output.map);
      text_.line("));");
    });
  }
  void write_first(const std::string& result) {
    text_.line({"const ", integer_, " treadle_first = treadle_start + ", result,
                " / treadle_inner * (treadle_n * treadle_inner) + ", result, " % treadle_inner;"});
  }

  void write_wide() {
    const std::string id = dialect_.local_id, depth = number(depth_), tile = number(tile_);
    const bool is_one = tile_ == 1;
    const std::string result = is_one ? "treadle_tile" : "treadle_at_result";
    if (!is_one)
      text_.line(
          {"const ", integer_, " ", result, " = treadle_tile * ", tile, " + treadle_column;"});
    write_first(result);
    if (!is_one)
      text_.line(
          {"const ", integer_, " treadle_own = ", result, " < treadle_results ? treadle_n : 0;"});
    declare_folded();
    const std::string end = is_one ? "treadle_n" : "treadle_own";
    text_.line({"const ", integer_, " treadle_by = (", integer_, ")treadle_splits * ", depth, ";"});
    text_.line(
        {integer_, " treadle_at = (", integer_, ")treadle_split * ", depth, " + treadle_depth;"});
    if (rounds_) {
      const std::string run = number(run_turns);
      text_.open({"for (; treadle_at + ", number(run_turns - 1), " * treadle_by < ", end,
                  "; treadle_at += ", run, " * treadle_by)"});
      declare_folded("treadle_block");
      text_.open({"for (", uint_, " treadle_turn = 0; treadle_turn < ", run, "; ++treadle_turn)"});
      write_element("treadle_first", "treadle_at + treadle_turn * treadle_by", "treadle_block");
      text_.close();
      write_reduce("treadle_folded", {},
                   [](const std::string& suffix) { return "treadle_block" + suffix; });
      text_.close();
    }
    text_.open({"for (; treadle_at < ", end, "; treadle_at += treadle_by)"});
    write_element("treadle_first", "treadle_at", "treadle_folded");
    text_.close();
    write_tree();
    text_.line({uint_, " treadle_is_last = 1;"});
    text_.open("if (treadle_splits > 1)");
    for_each([&](const ReductionOutput&, const std::string& suffix) {
      text_.line({"if (treadle_depth == 0) ", partial(partial_of("treadle_split"), suffix),
                  " = treadle_folded", suffix, ";"});
    });
    text_.line("// What a group has written is seen by whoever takes a later ticket.");
    text_.line({dialect_.fence, ";"});
    text_.line({dialect_.barrier, ";"});
    text_.line({"if (", id, " == 0) treadle_mine = ", dialect_.atomic_add,
                "(treadle_tickets + treadle_tile, 1u);"});
    text_.line({dialect_.barrier, ";"});
    text_.line({dialect_.fence, ";"});
    text_.line("treadle_is_last = treadle_mine == treadle_splits - 1;");
    text_.line({"const ", uint_, " treadle_count = treadle_is_last ? treadle_splits : 0;"});
    write_neutral("treadle_folded");
    text_.open({"for (", uint_, " treadle_other = treadle_depth",
                "; treadle_other < treadle_count; treadle_other += ", depth, ")"});
    write_reduce("treadle_folded", {}, [&](const std::string& suffix) {
      return partial(partial_of("treadle_other"), suffix);
    });
    text_.close();
    write_tree();
    text_.line({"if (treadle_is_last && ", id, " == 0) treadle_tickets[treadle_tile] = 0;"});
    text_.close();
    const std::string is_there = is_one ? "" : joined({" && ", result, " < treadle_results"});
    for_each([&](const ReductionOutput&, const std::string& suffix) {
      text_.line({"if (treadle_is_last && treadle_depth == 0", is_there, ") treadle_out", suffix,
                  "[", result, "] = treadle_folded", suffix, ";"});
    });
  }
  std::string partial_of(const std::string& split) const {
    const std::string group = joined({"(treadle_tile * treadle_splits + ", split, ")"});
    return tile_ == 1 ? group : joined({group, " * ", number(tile_), " + treadle_column"});
  }
  void write_tree() {
    if (depth_ == 1) return;
    const std::string id = dialect_.local_id;
    write_copy("treadle_shared", id, "treadle_folded");
    text_.line({dialect_.barrier, ";"});
    text_.open({"for (", uint_, " treadle_width = ", number(depth_ / 2),
                "; treadle_width > 0; treadle_width /= 2)"});
    text_.open("if (treadle_depth < treadle_width)");
    const std::string other =
        joined({id, " + treadle_width", has_columns_ ? joined({" * ", number(tile_)}) : ""});
    write_reduce("treadle_folded", {},
                 [&](const std::string& suffix) { return place("treadle_shared", suffix, other); });
    write_copy("treadle_shared", id, "treadle_folded");
    text_.close();
    text_.line({dialect_.barrier, ";"});
    text_.close();
  }

  void write_narrow() {
    text_.line(
        {"const ", integer_,
         " treadle_length = treadle_n / treadle_splits + (treadle_n % treadle_splits != 0);"});
    text_.line({integer_, " treadle_at = treadle_split * treadle_length;"});
    text_.line({"const ", integer_,
                " treadle_end = treadle_n - treadle_at < treadle_length ? treadle_n : treadle_at + "
                "treadle_length;"});
    has_columns_ ? write_narrow_columns() : write_narrow_row();
  }
  void open_each_lane(const std::string& lanes) {
    text_.open({"for (", uint_, " treadle_lane = 0; treadle_lane < ", lanes, "; ++treadle_lane)"});
  }
  void declare_lanes(const char* name) {
    const std::string lanes = number(lanes_);
    for_each([&](const ReductionOutput&, const std::string& suffix) {
      text_.line({"treadle_result", suffix, " ", name, suffix, "[", lanes, "];"});
    });
    open_each_lane(lanes);
    write_neutral(name, "treadle_lane");
    text_.close();
  }
  /// A run ends before treadle_run, and adds to treadle_lanes what it has folded.
  void open_run(const std::string& lanes) {
    text_.open({"while (treadle_at + ", lanes, " <= treadle_end)"});
    text_.line({"const ", integer_, " treadle_run = treadle_end - treadle_at < ",
                number(run_turns * lanes_), " ? treadle_end : treadle_at + ",
                number(run_turns * lanes_), ";"});
  }
  void close_run(const std::string& lanes) {
    open_each_lane(lanes);
    write_reduce("treadle_lanes", "treadle_lane", [](const std::string& suffix) {
      return place("treadle_runs", suffix, "treadle_lane");
    });
    write_neutral("treadle_runs", "treadle_lane");
    text_.close();
    text_.close();
  }
  /// Of floats a few at a time. The outer loop is none of a tree, which would be unrolled.
  void fold_lanes() {
    const std::string few = number(std::min(run_turns, lanes_));
    const auto lane = [](const char* at) {
      return [at](const std::string& suffix) { return place("treadle_lanes", suffix, at); };
    };
    if (!rounds_) {
      open_each_lane(number(lanes_));
      write_reduce("treadle_folded", {}, lane("treadle_lane"));
      return text_.close();
    }
    text_.open({"for (", uint_, " treadle_lane = 0; treadle_lane < ", number(lanes_),
                "; treadle_lane += ", few, ")"});
    declare_folded("treadle_block");
    text_.open({"for (", uint_, " treadle_k = 0; treadle_k < ", few, "; ++treadle_k)"});
    write_reduce("treadle_block", {}, lane("treadle_lane + treadle_k"));
    text_.close();
    write_reduce("treadle_folded", {},
                 [](const std::string& suffix) { return "treadle_block" + suffix; });
    text_.close();
  }

  void write_narrow_row() {
    const std::string lanes = number(lanes_);
    const bool has_lanes = lanes_ > 1;
    write_first("treadle_tile");
    declare_folded();
    if (has_lanes) {
      declare_lanes(rounds_ ? "treadle_runs" : "treadle_lanes");
      if (rounds_) {
        declare_lanes("treadle_lanes");
        open_run(lanes);
      }
      text_.open({"for (; treadle_at + ", lanes, " <= ", rounds_ ? "treadle_run" : "treadle_end",
                  "; treadle_at += ", lanes, ")"});
      open_each_lane(lanes);
      write_element("treadle_first", "treadle_at + treadle_lane",
                    rounds_ ? "treadle_runs" : "treadle_lanes", "treadle_lane");
      text_.close();
      text_.close();
      if (rounds_) close_run(lanes);
      text_.open("for (; treadle_at < treadle_end; ++treadle_at)");
      write_element("treadle_first", "treadle_at", "treadle_folded");
      text_.close();
      fold_lanes();
    } else {
      write_blocks();
    }
    write_narrow_end("treadle_folded", {}, "treadle_tile");
  }
  /// Without lanes, sums of short blocks are summed: rounding errors of a float grow with the
  /// length of a chain of additions.
  void write_blocks() {
    constexpr unsigned block_elements = 256;
    text_.open("while (treadle_at < treadle_end)");
    text_.line({"const ", integer_, " treadle_block_end = treadle_end - treadle_at < ",
                number(block_elements), " ? treadle_end : treadle_at + ", number(block_elements),
                ";"});
    declare_folded("treadle_block");
    text_.open("for (; treadle_at < treadle_block_end; ++treadle_at)");
    write_element("treadle_first", "treadle_at", "treadle_block");
    text_.close();
    write_reduce("treadle_folded", {},
                 [](const std::string& suffix) { return "treadle_block" + suffix; });
    text_.close();
  }

  /// A strip of neighbouring results, which ends where the innermost axis does.
  void write_narrow_columns() {
    const std::string lanes = number(lanes_);
    text_.line({"const ", integer_, " treadle_strips = (treadle_inner + ", number(lanes_ - 1),
                ") / ", lanes, ";"});
    text_.line(
        {"const ", integer_, " treadle_column = treadle_tile % treadle_strips * ", lanes, ";"});
    text_.line({"const ", uint_, " treadle_columns = treadle_inner - treadle_column < ", lanes,
                " ? treadle_inner - treadle_column : ", lanes, ";"});
    text_.line({"const ", integer_, " treadle_outer = treadle_tile / treadle_strips;"});
    text_.line({"const ", integer_,
                " treadle_first = treadle_start + treadle_outer * (treadle_n * treadle_inner) + "
                "treadle_column;"});
    declare_lanes("treadle_lanes");
    for (const bool is_whole : {true, false}) {
      // A number of lanes that the compiler knows makes vectors.
      text_.open(
          {is_whole ? "if" : "else if", " (treadle_columns ", is_whole ? "== " : "< ", lanes, ")"});
      text_.open("for (; treadle_at < treadle_end; ++treadle_at)");
      open_each_lane(is_whole ? lanes : "treadle_columns");
      write_element("treadle_first + treadle_lane", "treadle_at", "treadle_lanes", "treadle_lane");
      text_.close();
      text_.close();
      text_.close();
    }
    write_narrow_end("treadle_lanes", "treadle_columns",
                     "treadle_outer * treadle_inner + treadle_column + treadle_lane");
  }

  /// Stores what was folded, at index `out`: one value, or one for each of `lanes`.
  void write_narrow_end(const char* folded, const std::string& lanes, const std::string& out) {
    const Index index = lanes.empty() ? "" : "treadle_lane";
    const auto each = [&](const auto& write) {
      if (!lanes.empty()) open_each_lane(lanes);
      write();
      if (!lanes.empty()) text_.close();
    };
    const auto partial_of = [&](const char* split) {
      const std::string group = joined({"(treadle_tile * treadle_splits + ", split, ")"});
      return lanes.empty() ? group : joined({group, " * ", number(lanes_), " + treadle_lane"});
    };
    text_.open("if (treadle_splits > 1)");
    each([&] {
      for_each([&](const ReductionOutput&, const std::string& suffix) {
        text_.line({partial(partial_of("treadle_split"), suffix), " = ",
                    place(folded, suffix, index), ";"});
      });
    });
    text_.line("// What a group has written is seen by whoever takes a later ticket.");
    text_.line({dialect_.fence, ";"});
    text_.line({"if (", dialect_.atomic_add,
                "(treadle_tickets + treadle_tile, 1u) != treadle_splits - 1) continue;"});
    text_.line({dialect_.fence, ";"});
    text_.line("treadle_tickets[treadle_tile] = 0;");
    each([&] {
      write_neutral(folded, index);
      text_.open(
          {"for (", uint_, " treadle_other = 0; treadle_other < treadle_splits; ++treadle_other)"});
      write_reduce(folded, index, [&](const std::string& suffix) {
        return partial(partial_of("treadle_other"), suffix);
      });
      text_.close();
    });
    text_.close();
    each([&] { write_copy("treadle_out", out, folded, index); });
  }

  const ReductionSnippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  std::string integer_, uint_;
  bool has_columns_;
  bool rounds_ = false;  ///< whether an output is of floats, whose errors grow with chains of sums
  unsigned group_size_ = 1, depth_ = 1, tile_ = 1, lanes_ = 1;
  TextWriter text_;
};

}  // namespace

ReductionSnippetForm form_of_snippet(std::uint64_t elements, std::uint64_t inner,
                                     const Tiling& tiling) {
  const bool has_columns = inner >= least_columns;
  if (tiling.schedule != Schedule::wide) return {.has_columns = has_columns};
  if (has_columns) return {.has_columns = true, .depth = elements < 32 ? 1u : 4u};
  for (const unsigned depth : {32u, 8u, 1u})
    if (elements < 2 * std::uint64_t{tiling.group_size} && (elements >= 2 * depth || depth == 1))
      return {.depth = depth};
  return {};
}

std::uint64_t tiles_of_snippet(std::uint64_t results, std::uint64_t inner, unsigned tile,
                               const Tiling& tiling) {
  if (tiling.schedule == Schedule::wide || tile == 1) return (results + tile - 1) / tile;
  return results / inner * ((inner + tile - 1) / tile);
}

ReductionSnippetText generate_reduction_snippet(const ReductionSnippet& snippet,
                                                const ReductionSnippetForm& form,
                                                const Tiling& tiling, const Dialect& dialect,
                                                const TypeNames& types) {
  return ReductionSnippetWriter(snippet, form, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
