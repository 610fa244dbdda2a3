// SPDX-License-Identifier: MIT
#include "treadle/codegen/snippet.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "snippet_reading.hpp"
#include "text_writer.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// Writes the kernel of one snippet.
class SnippetWriter {
 public:
  SnippetWriter(const Snippet& snippet, const Tiling& tiling, const Dialect& dialect,
                const TypeNames& types)
      : snippet_(snippet),
        tiling_(tiling),
        dialect_(dialect),
        types_(types),
        is_literal_(snippet.any_launch || speaks_of_its_loop(snippet)),
        is_apart_(!is_literal_ && uses_elements_apart()),
        index_(types.name_of(snippet.has_range ? Scalar::int64 : snippet.index_dtype)),
        uint_(types.name_of(Scalar::uint32)) {}

  SnippetText write() {
    refuse_own_names();
    write_frame();
    if (is_literal_)
      write_literal();
    else if (tiling_.schedule == Schedule::wide)
      write_wide();
    else
      write_narrow();
    text_.statements(snippet_.after_loop);
    text_.close();
    return {text_.text(), group_size(), group_length(), is_literal_};
  }

 private:
  /// The literal loop is that of GPUs: neighbouring work-items on neighbouring elements.
  unsigned group_size() const {
    return is_literal_ ? tiling_of(Schedule::wide).group_size : tiling_.group_size;
  }
  std::uint64_t group_length() const {
    if (is_literal_) return group_size();
    if (tiling_.schedule == Schedule::wide)
      return std::uint64_t{tiling_.group_size} * tiling_.strided_items;
    std::size_t largest = 1;
    for (const ParameterSpec& parameter : snippet_.parameters)
      if (parameter.kind != ParameterSpec::Kind::scalar)
        largest = std::max(largest, parameter.dtype.size_bytes());
    const std::uint64_t lengths = tiling_.chunk_bytes / largest / tiling_.chunk_length;
    return std::max<std::uint64_t>(1, lengths) * tiling_.chunk_length;
  }

  /// Whether pointers may be declared to share no memory.
  bool uses_elements_apart() const {
    if (!snippet_.is_apart || snippet_.has_range || tiling_.schedule == Schedule::narrow)
      return false;
    const std::string macros = definitions(snippet_.preamble);
    for (const ParameterSpec& parameter : snippet_.parameters) {
      if (parameter.kind == ParameterSpec::Kind::scalar) continue;
      if (mentions(macros, parameter.name)) return false;
      for (const std::string* text :
           {&snippet_.operation, &snippet_.loop_prep, &snippet_.after_loop})
        if (!uses_only_its_element(without_comments(*text), parameter.name)) return false;
    }
    return true;
  }

  void refuse_own_names() const {
    for (const ParameterSpec& parameter : snippet_.parameters)
      for (const std::string_view own :
           {"i", "n", "start", "stop", "step", "tid", "total_threads", "cta_start"}) {
        const bool is_ranges = own == "start" || own == "stop" || own == "step";
        if (parameter.name != own || (is_ranges && !snippet_.has_range) ||
            (own == "n" && snippet_.has_range))
          continue;
        throw InvalidArgument("argument '" + parameter.name + "' of elementwise kernel " +
                                  snippet_.name + " is called as the loop's own variable",
                              "give it another name");
      }
  }

  void write_frame() {
    text_.line({"// ", snippet_.name,
                ", made by treadle's elementwise generator around a user's text: ",
                is_literal_ ? "literal loop" : "linear loop", ", ", schedule_name(tiling_.schedule),
                " schedule"});
    if (!snippet_.preamble.empty()) text_.directive(snippet_.preamble);
    std::vector<std::string> list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      list.push_back(declare(parameter, dialect_, types_, is_apart_ ? dialect_.restrict : ""));
    for (const char* own : {"n", "start", "stop", "step"})
      if (snippet_.has_range != (std::string_view(own) == "n"))
        list.push_back(joined({index_, " ", own}));
    const std::array size{std::to_string(group_size())};
    const std::string limit =
        snippet_.any_launch ? "" : joined({fill_holes(dialect_.group_size, size), " "});
    text_.line({dialect_.kernel, " ", limit, snippet_.name, "("});
    text_.open_parameters(list);
    text_.lines(define_pointers(snippet_.parameters, dialect_, types_));
  }

  void write_operation(std::initializer_list<std::string_view> loop) {
    text_.open(loop);
    text_.statements(snippet_.operation);
    text_.close();
  }

  void write_literal() {
    const std::string size =
        snippet_.any_launch ? dialect_.local_size : std::to_string(group_size());
    text_.line({"const ", uint_, " tid = ", dialect_.local_id, ";"});
    text_.line({"const ", index_, " total_threads = (", index_, ")", dialect_.group_count, " * ",
                size, ";"});
    text_.line(
        {"const ", index_, " cta_start = (", index_, ")", dialect_.group_id, " * ", size, ";"});
    text_.line({index_, " i;"});
    text_.statements(snippet_.loop_prep);
    if (!snippet_.has_range)
      return write_operation({"for (i = cta_start + tid; i < n; i += total_threads)"});
    write_operation(
        {"for (i = start + (cta_start + tid) * step; step < 0 ? i > stop : i < stop;\n"
         "       i += total_threads * step)"});
  }
  /// A name for a variable that the user does not know of, so that theirs may be called so.
  std::string own_name(std::string name) const {
    const auto is_theirs = [&] {
      for (const std::string* text :
           {&snippet_.operation, &snippet_.preamble, &snippet_.loop_prep, &snippet_.after_loop})
        if (mentions(*text, name)) return true;
      return std::ranges::find(snippet_.parameters, name, &ParameterSpec::name) !=
             snippet_.parameters.end();
    };
    while (is_theirs()) name += '_';
    return name;
  }
  /// The operation for the element of a range at a position.
  void write_element_of_range(const std::string& position) {
    text_.line({"const ", index_, " i = start + (", position, ") * step;"});
    write_operation({"if (step < 0 ? i > stop : i < stop)"});
  }
  void write_wide() {
    const std::string tile = own_name("tile"), item = own_name("item");
    const std::string size = std::to_string(tiling_.group_size);
    const std::string most = std::to_string(tiling_.strided_items);
    text_.line({"const ", index_, " ", tile, " = (", index_, ")", dialect_.group_id, " * ",
                std::to_string(group_length()), " + ", dialect_.local_id, ";"});
    text_.statements(snippet_.loop_prep);
    const std::string position = joined({tile, " + ", item, " * ", size});
    if (snippet_.has_range) {
      text_.directive("#pragma unroll");
      text_.open({"for (", uint_, " ", item, " = 0; ", item, " < ", most, "; ++", item, ")"});
      write_element_of_range(position);
      return text_.close();
    }
    // Elements are counted before the loop: a load behind a branch is not moved before it.
    const std::string items = own_name("items");
    const std::string last = std::to_string((tiling_.strided_items - 1) * tiling_.group_size);
    text_.line({"const ",   uint_, " ",       items, " = ", tile,
                " + ",      last,  " < n ? ", most,  " : ", tile,
                " < n ? (", uint_, ")((n - ", tile,  " + ", std::to_string(tiling_.group_size - 1),
                ") / ",     size,  ") : 0;"});
    text_.directive("#pragma unroll " + most);
    text_.open({"for (", uint_, " ", item, " = 0; ", item, " < ", items, "; ++", item, ")"});
    text_.line({"const ", index_, " i = ", position, ";"});
    text_.statements(snippet_.operation);
    text_.close();
  }
  void write_narrow() {
    const std::string length = std::to_string(group_length());
    const std::string chunk = own_name("chunk");
    text_.line(
        {"const ", index_, " ", chunk, " = (", index_, ")", dialect_.group_id, " * ", length, ";"});
    text_.statements(snippet_.loop_prep);
    if (!snippet_.has_range) {
      const std::string end = own_name("chunk_end");
      text_.line({"const ", index_, " ", end, " = n - ", chunk, " < ", length, " ? n : ", chunk,
                  " + ", length, ";"});
      return write_operation({"for (", index_, " i = ", chunk, "; i < ", end, "; ++i)"});
    }
    const std::string item = own_name("item");
    text_.open({"for (", uint_, " ", item, " = 0; ", item, " < ", length, "; ++", item, ")"});
    write_element_of_range(joined({chunk, " + ", item}));
    text_.close();
  }

  const Snippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  bool is_literal_, is_apart_;
  std::string index_, uint_;
  TextWriter text_;
};

}  // namespace

SnippetText generate_snippet(const Snippet& snippet, const Tiling& tiling, const Dialect& dialect,
                             const TypeNames& types) {
  return SnippetWriter(snippet, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
