// SPDX-License-Identifier: MIT
#include "treadle/codegen/list_builder.hpp"

#include <algorithm>

#include "program.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// Writes the kernel of a stage. Macros pass the lists to the user's function.
class ListWriter {
 public:
  ListWriter(const std::vector<BuiltList>& lists, const ListBuilderTexts& texts, ListStage stage,
             const std::string& index, const Dialect& dialect, const TypeNames& types)
      : lists_(lists),
        texts_(texts),
        is_count_(stage == ListStage::count),
        index_(index),
        dialect_(dialect),
        types_(types),
        parameters_(parse_parameters(texts.arguments, types)) {}

  ListText write() {
    return {.arguments = arguments(),
            .operation = as_users_statements(operation(), dialect_),
            .preamble = printed(functions(), dialect_)};
  }

 private:
  std::string element(const BuiltList& list) const { return types_.name_of(list.dtype); }
  bool is_written(const BuiltList& list) const { return !is_count_ && !list.is_left_out; }
  bool is_counted(const BuiltList& list) const { return has_counts(lists_, list); }

  std::string arguments() const {
    std::string all;
    for (const BuiltList& list : lists_)
      if (is_counted(list)) all += joined({index_, " *plb_numbers_", list.name, ", "});
    for (const BuiltList& list : lists_)
      if (is_written(list)) all += joined({element(list), " *plb_list_", list.name, ", "});
    if (!texts_.arguments.empty()) return all + texts_.arguments;
    return all.substr(0, all.size() - std::min<std::size_t>(2, all.size()));
  }

  /// The statements for one object.
  tree::NodePtr operation() const {
    tree::BlockBuilder code;
    std::string passed;
    for (const BuiltList& list : lists_) {
      if (is_written(list)) passed += joined({"plb_list_", list.name, ", "});
      if (!is_counted(list)) continue;
      passed += joined({"&plb_at_", list.name, ", "});
      code.declare(index_, {"plb_at_", list.name},
                   is_count_ ? tree::Part("0") : tree::Part({"plb_numbers_", list.name, "[i]"}));
    }
    for (const ParameterSpec& parameter : parameters_) passed += parameter.name + ", ";
    code.evaluate({"generate(", passed, "(index_type)i)"});
    for (const BuiltList& list : lists_)
      if (is_count_ && is_counted(list))
        code.assign({"plb_numbers_", list.name, "[i]"}, {"plb_at_", list.name});
    return code.take();
  }

  /// The definition of APPEND_ for a list.
  std::string append(const BuiltList& list) const {
    if (is_written(list)) {
      // An element of a list with a parent has the place of the parent's last element.
      const std::string place = list.mother.empty() ? joined({"(*plb_at_", list.name, ")++"})
                                                    : joined({"*plb_at_", list.mother, " - 1"});
      return joined({"((void)(plb_list_", list.name, "[", place, "] = (value)))"});
    }
    return is_counted(list) ? joined({"((void)++*plb_at_", list.name, ")"}) : "((void)0)";
  }

  /// The text before the kernel: macros for the user's function, and the function.
  tree::NodePtr functions() const {
    std::string declared, passed, user_declared, user_passed;
    for (const BuiltList& list : lists_) {
      if (is_written(list)) {
        declared += joined({dialect_.global, element(list), " *plb_list_", list.name, ", "});
        passed += joined({"plb_list_", list.name, ", "});
      }
      if (is_counted(list)) {
        declared += joined({"index_type *plb_at_", list.name, ", "});
        passed += joined({"plb_at_", list.name, ", "});
      }
    }
    for (const ParameterSpec& parameter : parameters_) {
      user_declared += declare(parameter, dialect_, types_) + ", ";
      user_passed += parameter.name + ", ";
    }
    tree::BlockBuilder code;
    code.define_type(index_, "index_type");
    code.directive("define", is_count_ ? "PLB_COUNT_STAGE" : "PLB_WRITE_STAGE");
    code.directive("define", {"LIST_ARG_DECL ", declared});
    code.directive("define", {"LIST_ARGS ", passed});
    code.directive("define", {"USER_ARG_DECL ", user_declared});
    code.directive("define", {"USER_ARGS ", user_passed});
    for (const BuiltList& list : lists_)
      code.directive("define", {"APPEND_", list.name, "(value) ", append(list)});
    code.lines(texts_.generate);
    return code.take();
  }

  const std::vector<BuiltList>& lists_;
  const ListBuilderTexts& texts_;
  bool is_count_;
  const std::string& index_;
  const Dialect& dialect_;
  const TypeNames& types_;
  std::vector<ParameterSpec> parameters_;
};

}  // namespace

bool has_counts(const std::vector<BuiltList>& lists, const BuiltList& list) {
  if (!list.mother.empty()) return false;
  return !list.is_left_out || std::ranges::any_of(lists, [&](const BuiltList& other) {
    return other.mother == list.name && !other.is_left_out;
  });
}

ListText generate_list_stage(const std::vector<BuiltList>& lists, const ListBuilderTexts& texts,
                             ListStage stage, const std::string& index, const Dialect& dialect,
                             const TypeNames& types) {
  return ListWriter(lists, texts, stage, index, dialect, types).write();
}

ScanTexts scan_of_counts(const std::string& index, const Dialect& dialect) {
  tree::BlockBuilder output;
  output.assign("starts[i]", "prev_item");
  output.when("i == N - 1", tree::assign("starts[N]", "item"));
  ScanTexts made;
  made.arguments = joined({"const ", index, " *counts, ", index, " *starts"});
  made.input = "counts[i]";
  made.scan = "a + b";
  made.output = as_users_statements(output.take(), dialect);
  made.neutral = "0";
  return made;
}

ScanTexts scan_of_lists(const std::string& index, const Dialect& dialect) {
  tree::BlockBuilder output;
  output.assign("places[i]", "prev_item");
  output.open_if("item != prev_item");
  output.assign("left[prev_item]", "starts[i]");
  output.assign("objects[prev_item]", "i");
  output.close();
  output.open_if("i == N - 1");
  output.assign("places[N]", "item");
  output.assign("left[item]", "starts[N]");
  output.close();
  ScanTexts made;
  made.arguments = joined(
      {"const ", index, " *starts, ", index, " *left, ", index, " *objects, ", index, " *places"});
  made.input = "starts[i + 1] != starts[i] ? 1 : 0";
  made.scan = "a + b";
  made.output = as_users_statements(output.take(), dialect);
  made.neutral = "0";
  return made;
}

}  // namespace treadle::codegen
