// SPDX-License-Identifier: MIT
#include "treadle/codegen/snippet.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "elementwise_writer.hpp"
#include "snippet_reading.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class TextElement : public ElementwiseElement {
 public:
  TextElement(const Snippet& snippet, const Tiling& tiling, const Dialect& dialect,
              const TypeNames& types)
      : snippet_(snippet), tiling_(tiling), dialect_(dialect), types_(types) {
    refuse_own_names();
    name = snippet.name;
    loop_ = {.index = types.name_of(snippet.has_range ? Scalar::int64 : snippet.index_dtype),
             .prep = snippet.loop_prep,
             .after = snippet.after_loop,
             .group_length = 0,
             .has_range = snippet.has_range,
             .is_literal = snippet.any_launch || speaks_of_its_loop(snippet),
             .any_launch = snippet.any_launch};
    loop_.group_length = group_length();
    is_apart_ = !loop_.is_literal && uses_elements_apart();
  }

  const TextLoop* text_loop() const override { return &loop_; }
  std::string own_name(std::string name) const override {
    const auto is_theirs = [&] {
      for (const std::string* text :
           {&snippet_.operation, &snippet_.preamble, &snippet_.loop_prep, &snippet_.after_loop})
        if (mentions(*text, name)) return true;
      return (loop_.has_range && name == "start") ||
             std::ranges::find(snippet_.parameters, name, &ParameterSpec::name) !=
                 snippet_.parameters.end();
    };
    while (is_theirs()) name += '_';
    return name;
  }

  void find_constants(const std::function<bool(const Operand&)>&) override {}
  void write_comment(tree::BlockBuilder& code) const override {
    code.comment({name, ", made by treadle's elementwise generator around a user's text: ",
                  loop_.is_literal ? "literal loop" : "linear loop", ", ",
                  schedule_name(tiling_.schedule), " schedule"});
  }
  tree::Parts parameters() const override {
    tree::Parts list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      append_parameter(list, parameter, types_, {.is_apart = is_apart_});
    for (const char* own : {"n", "start", "stop", "step"})
      if (loop_.has_range != (std::string_view(own) == "n"))
        list.push_back(tree::value(loop_.index, own));
    return list;
  }
  void write_start(tree::BlockBuilder& code) const override {
    define_pointers(code, snippet_.parameters, types_);
  }
  void write_values(tree::BlockBuilder&, bool, const Place&) override {}
  void write_results(tree::BlockBuilder& code, const Place&) override {
    code.statements(snippet_.operation);
  }
  void write_program(tree::BlockBuilder& code, tree::NodePtr kernel) const override {
    code.lines(snippet_.preamble);
    code.add(std::move(kernel));
  }

 private:
  std::uint64_t group_length() const {
    if (loop_.is_literal) return ElementwiseWriter::literal_group_size();
    if (tiling_.schedule == Schedule::wide)
      return std::uint64_t{tiling_.group_size} * tiling_.strided_items;
    std::size_t largest = 1;
    for (const ParameterSpec& parameter : snippet_.parameters)
      if (parameter.kind != ParameterSpec::Kind::scalar)
        largest = std::max(largest, parameter.dtype.size_bytes());
    const std::uint64_t lengths = tiling_.chunk_bytes / largest / tiling_.chunk_length;
    return std::max<std::uint64_t>(1, lengths) * tiling_.chunk_length;
  }
  /// Whether pointers may be declared `restrict`.
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

  const Snippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  TextLoop loop_;
  bool is_apart_;
};

}  // namespace

void ElementwiseWriter::write_literal() {
  const std::string size = user_->any_launch ? dialect_.local_size : number(group_size()),
                    &index = user_->index;
  code_.declare({"const ", type(Scalar::uint32)}, "tid", dialect_.local_id);
  code_.declare({"const ", index}, "total_threads",
                {"(", index, ")", dialect_.group_count, " * ", size});
  code_.declare({"const ", index}, "cta_start", {"(", index, ")", dialect_.group_id, " * ", size});
  code_.declare(index, "i");
  code_.statements(user_->prep);
  if (user_->has_range)
    code_.open_loop(tree::assign("i", "start + (cta_start + tid) * step"),
                    "step < 0 ? i > stop : i < stop", "i += total_threads * step");
  else
    code_.open_loop(tree::assign("i", "cta_start + tid"), "i < n", "i += total_threads");
  write_element_at("i");
  code_.close();
}

/// Computes `count` elements of a range, starting at `position`.
void ElementwiseWriter::write_range(const std::string& item, const std::string& count,
                                    const std::string& position) {
  code_.open_for(type(Scalar::uint32), item, "0", count);
  code_.declare({"const ", user_->index}, "i", {"start + (", position, ") * step"});
  code_.open_if("step < 0 ? i > stop : i < stop");
  write_element_at("i");
  code_.close();
  code_.close();
}

SnippetText generate_elementwise(const Snippet& snippet, const Tiling& tiling,
                                 const Dialect& dialect, const TypeNames& types) {
  TextElement element(snippet, tiling, dialect, types);
  const TextLoop& loop = *element.text_loop();
  ElementwiseText made = ElementwiseWriter(element, {}, tiling, dialect).write();
  return {std::move(made.text),
          loop.is_literal ? ElementwiseWriter::literal_group_size() : tiling.group_size,
          loop.group_length, loop.is_literal, std::move(made.program)};
}

}  // namespace treadle::codegen
