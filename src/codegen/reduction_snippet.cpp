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

/// A macro's text is one line.
std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// Writes the kernel of one reduction.
class ReductionSnippetWriter {
 public:
  ReductionSnippetWriter(const ReductionSnippet& snippet, const Tiling& tiling,
                         const Dialect& dialect, const TypeNames& types)
      : snippet_(snippet),
        tiling_(tiling),
        dialect_(dialect),
        types_(types),
        integer_(types.name_of(Scalar::int64)),
        uint_(types.name_of(Scalar::uint32)),
        size_(std::max<std::size_t>(1, snippet.dtype.size_bytes())) {
    if (is_wide())
      group_size_ = static_cast<unsigned>(
          std::bit_floor(std::clamp<std::size_t>(shared_bytes / size_, 1, tiling.group_size)));
  }

  ReductionSnippetText write() {
    for (const ParameterSpec& parameter : snippet_.parameters)
      if (parameter.name == "i")
        throw InvalidArgument("an argument of reduction kernel " + snippet_.name +
                                  " is called as the index of its element, i",
                              "give it another name");
    write_frame();
    is_wide() ? write_wide() : write_narrow();
    text_.close();
    return {text_.text(), group_size_, group_length()};
  }

 private:
  bool is_wide() const { return tiling_.schedule == Schedule::wide; }
  /// Of a type that is no number there is no vector.
  unsigned lanes() const {
    return snippet_.dtype.scalar() == Scalar::structure ? 1 : lanes_of(size_);
  }
  std::uint64_t group_length() const {
    if (is_wide()) return std::uint64_t{group_size_} * tiling_.strided_items;
    return tiling_.chunk_bytes / 4;
  }

  void write_frame() {
    text_.line({"// ", snippet_.name,
                ", made by treadle's reduction generator around a user's text: ",
                schedule_name(tiling_.schedule), " schedule"});
    text_.line({"#define treadle_reduce(a, b) (", in_one_line(snippet_.reduce), ")"});
    if (!snippet_.preamble.empty()) text_.directive(snippet_.preamble);
    text_.line({"typedef ", types_.name_of(snippet_.dtype), " treadle_result;"});
    std::vector<std::string> list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      list.push_back(declare(parameter, dialect_, types_));
    for (const char* own : {"treadle_n", "treadle_start", "treadle_step"})
      list.push_back(joined({integer_, " ", own}));
    list.push_back(joined({dialect_.global, "treadle_result *treadle_out"}));
    if (!dialect_.has_addresses) list.push_back(joined({integer_, " treadle_out_offset"}));
    list.push_back(joined({uint_, " treadle_groups"}));
    list.push_back(joined({dialect_.global, "treadle_result *treadle_partials"}));
    list.push_back(joined({dialect_.global, uint_, " *treadle_ticket"}));
    const std::array size{number(group_size_)};
    text_.line(
        {dialect_.kernel, " ", fill_holes(dialect_.group_size, size), " ", snippet_.name, "("});
    text_.open_parameters(list);
    text_.lines(define_pointers(snippet_.parameters, dialect_, types_));
    if (!dialect_.has_addresses) text_.line("treadle_out += treadle_out_offset;");
  }

  /// Folds the element at a position into a variable.
  void write_element(const std::string& at, const std::string& into) {
    text_.line({"const ", integer_, " i = treadle_start + (", at, ") * treadle_step;"});
    text_.line({into, " = treadle_reduce(", into, ", ("});
    text_.lines(snippet_.map);
    text_.line("));");
  }
  void declare_accumulator() {
    text_.line({"treadle_result treadle_folded = ", in_one_line(snippet_.neutral), ";"});
  }

  void write_wide() {
    const std::string lanes = number(group_size_), id = dialect_.local_id;
    text_.line({dialect_.local, " treadle_result treadle_shared[", lanes, "];"});
    text_.line({dialect_.local, " ", uint_, " treadle_mine;"});
    declare_accumulator();
    text_.open({"for (", integer_, " treadle_at = (", integer_, ")", dialect_.group_id, " * ",
                lanes, " + ", id, "; treadle_at < treadle_n; treadle_at += (", integer_,
                ")treadle_groups * ", lanes, ")"});
    write_element("treadle_at", "treadle_folded");
    text_.close();
    write_tree();
    text_.line({"if (", id, " == 0) treadle_partials[", dialect_.group_id, "] = treadle_folded;"});
    text_.line("// What a group has written is seen by whoever takes a later ticket.");
    text_.line({dialect_.fence, ";"});
    text_.line({dialect_.barrier, ";"});
    text_.line(
        {"if (", id, " == 0) treadle_mine = ", dialect_.atomic_add, "(treadle_ticket, 1u);"});
    text_.line({dialect_.barrier, ";"});
    text_.line({dialect_.fence, ";"});
    text_.line({"const ", uint_,
                " treadle_count = treadle_mine == treadle_groups - 1 ? treadle_groups : 0;"});
    text_.line({"treadle_folded = ", in_one_line(snippet_.neutral), ";"});
    text_.open({"for (", uint_, " treadle_other = ", id,
                "; treadle_other < treadle_count; treadle_other += ", lanes, ")"});
    text_.line("treadle_folded = treadle_reduce(treadle_folded, treadle_partials[treadle_other]);");
    text_.close();
    write_tree();
    text_.open({"if (treadle_count > 0 && ", id, " == 0)"});
    text_.line("*treadle_ticket = 0;");
    text_.line("*treadle_out = treadle_folded;");
    text_.close();
  }
  void write_tree() {
    const std::string id = dialect_.local_id;
    text_.line({"treadle_shared[", id, "] = treadle_folded;"});
    text_.line({dialect_.barrier, ";"});
    text_.open({"for (", uint_, " treadle_width = ", number(group_size_ / 2),
                "; treadle_width > 0; treadle_width /= 2)"});
    text_.open({"if (", id, " < treadle_width)"});
    text_.line({"treadle_folded = treadle_reduce(treadle_folded, treadle_shared[", id,
                " + treadle_width]);"});
    text_.line({"treadle_shared[", id, "] = treadle_folded;"});
    text_.close();
    text_.line({dialect_.barrier, ";"});
    text_.close();
  }

  void write_narrow() {
    const std::string group = dialect_.group_id, lanes = number(this->lanes());
    const bool has_lanes = this->lanes() > 1;
    text_.line(
        {"const ", integer_,
         " treadle_length = treadle_n / treadle_groups + (treadle_n % treadle_groups != 0);"});
    text_.line({integer_, " treadle_at = (", integer_, ")", group, " * treadle_length;"});
    text_.line({"const ", integer_,
                " treadle_end = treadle_n - treadle_at < treadle_length ? treadle_n : treadle_at + "
                "treadle_length;"});
    declare_accumulator();
    const auto each_lane = [&] {
      text_.open(
          {"for (", uint_, " treadle_lane = 0; treadle_lane < ", lanes, "; ++treadle_lane)"});
    };
    if (has_lanes) {
      text_.line({"treadle_result treadle_lanes[", lanes, "];"});
      each_lane();
      text_.line({"treadle_lanes[treadle_lane] = ", in_one_line(snippet_.neutral), ";"});
      text_.close();
      text_.open({"for (; treadle_at + ", lanes, " <= treadle_end; treadle_at += ", lanes, ")"});
      each_lane();
      write_element("treadle_at + treadle_lane", "treadle_lanes[treadle_lane]");
      text_.close();
      text_.close();
    }
    text_.open("for (; treadle_at < treadle_end; ++treadle_at)");
    write_element("treadle_at", "treadle_folded");
    text_.close();
    if (has_lanes) {
      each_lane();
      text_.line("treadle_folded = treadle_reduce(treadle_folded, treadle_lanes[treadle_lane]);");
      text_.close();
    }
    text_.line({"treadle_partials[", group, "] = treadle_folded;"});
    text_.line("// What a group has written is seen by whoever takes a later ticket.");
    text_.line({dialect_.fence, ";"});
    text_.open({"if (", dialect_.atomic_add, "(treadle_ticket, 1u) == treadle_groups - 1)"});
    text_.line({dialect_.fence, ";"});
    text_.line("*treadle_ticket = 0;");
    text_.line({"treadle_folded = ", in_one_line(snippet_.neutral), ";"});
    text_.open(
        {"for (", uint_, " treadle_other = 0; treadle_other < treadle_groups; ++treadle_other)"});
    text_.line("treadle_folded = treadle_reduce(treadle_folded, treadle_partials[treadle_other]);");
    text_.close();
    text_.line("*treadle_out = treadle_folded;");
    text_.close();
  }

  const ReductionSnippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  std::string integer_, uint_;
  std::size_t size_;
  unsigned group_size_ = 1;
  TextWriter text_;
};

}  // namespace

ReductionSnippetText generate_reduction_snippet(const ReductionSnippet& snippet,
                                                const Tiling& tiling, const Dialect& dialect,
                                                const TypeNames& types) {
  return ReductionSnippetWriter(snippet, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
