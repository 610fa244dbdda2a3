// SPDX-License-Identifier: MIT
// Branches, loops, functions and initializers.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>

#include "native/tree.hpp"
#include "native/tree_making.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/tree_builders.hpp"

namespace treadle::bindings {
namespace {

using namespace nb::literals;

using If = Class<struct IfTag>;
using Loop = Class<struct LoopTag>;
using Initializer = Class<struct InitializerTag>;

NodePtr make_if(Part condition, Part yes, Part no) {
  const nb::object made = nb::handle(reinterpret_cast<PyObject*>(If::type))(
      object_of(condition), object_of(yes), no.is_empty() ? nb::none() : object_of(no));
  return NodePtr(nb::inst_ptr<tree::Node>(made));
}

// The last pair becomes the innermost `if`.
nb::object multiple_ifs(nb::handle pairs, nb::handle base) {
  const nb::list all = nb::list(pairs);
  Part rest;
  std::size_t count = nb::len(all);
  if (PyUnicode_Check(base.ptr())) {
    if (nb::cast<std::string>(base) != "last")
      throw InvalidArgument(
          "base=" + nb::cast<std::string>(nb::repr(base)) + " of make_multiple_ifs",
          "pass \"last\", a node or None");
    if (count > 0) rest = part_of(nb::object(all[--count])[1]);
  } else {
    rest = part_of(base);
  }
  while (count-- > 0) {
    const nb::object pair = all[count];
    rest = Part(make_if(part_of(pair[0]), part_of(pair[1]), std::move(rest)));
  }
  return rest.is_empty() ? nb::none() : object_of(rest);
}

void bind_branches(nb::module_& m) {
  auto branch = define<If, Generable>(m, "If", "if (condition) then_ else else_");
  branch.def(
      "__init__",
      [](If* self, Part condition, Part yes, Part no) {
        place(self, Kind::conditional, {std::move(condition), std::move(yes), std::move(no)});
      },
      "condition"_a, "then_"_a, "else_"_a = nb::none());
  add_part<0>(branch, "condition");
  add_part<1>(branch, "then_");
  add_part<2, true>(branch, "else_");
  m.def("make_multiple_ifs", &multiple_ifs, "conditions_and_blocks"_a, "base"_a = nb::none(),
        nb::sig("def make_multiple_ifs(conditions_and_blocks: collections.abc.Sequence[tuple["
                "typing.Any, typing.Any]], base: Node | str | None = None) -> typing.Any"),
        "if, else if, else if ... and base as the last else; \"last\": the last block is that.");
  using Switch = Class<struct SwitchTag>;
  auto choice = define<Switch, Generable>(m, "Switch", "switch (value) { cases }");
  choice.def(
      "__init__",
      [](Switch* self, Part value, nb::handle cases) {
        place(self, Kind::switch_of, {std::move(value)}, parts_of(cases));
      },
      "value"_a, "cases"_a,
      nb::sig("def __init__(self, value: typing.Any, cases: collections.abc.Iterable[typing.Any]) "
              "-> None"));
  add_part<0>(choice, "value");
  using Case = Class<struct CaseTag>;
  auto one = define<Case, Generable>(m, "Case", "case value: statements; None is default.");
  one.def(
      "__init__",
      [](Case* self, Part value, nb::handle contents) {
        place(self, Kind::case_of, {std::move(value)}, parts_of(contents));
      },
      "value"_a.none(), "contents"_a,
      nb::sig("def __init__(self, value: typing.Any, contents: collections.abc.Iterable[typing.Any]"
              ") -> None"));
  add_part<0, true>(one, "value");
}

void bind_loops(nb::module_& m) {
  auto loop = define<Loop, Generable>(
      m, "Loop", "A loop. Subclasses of users have intro_line(), and perhaps outro_line().");
  loop.def(
      "__init__",
      [](Loop* self, Part body) { place(self, Kind::custom_loop, {"", "", std::move(body)}); },
      "body"_a);
  loop.def(
      "intro_line",
      [](const Generable& self) -> nb::object {
        const std::string text = text_of(self);
        return nb::str(text.substr(0, text.find('\n')).c_str());
      },
      nb::sig("def intro_line(self) -> typing.Any"), "What stands before the body.");
  loop.def(
      "outro_line",
      [](const Generable& self) -> nb::object {
        if (self.kind() == Kind::custom_loop) return object_of(self.part(1), true);
        if (self.kind() != Kind::do_loop) return nb::none();
        const std::string text = text_of(self);
        return nb::str(text.substr(text.rfind('\n') + 1).c_str());
      },
      nb::sig("def outro_line(self) -> typing.Any"), "What stands behind the body; None: nothing.");
  add_part<2>(loop, "body");
  using For = Class<struct ForTag, Loop>;
  auto counted = define<For, Loop>(m, "For", "for (start; condition; update) body");
  counted.def(
      "__init__",
      [](For* self, Part start, Part condition, Part update, Part body) {
        place(self, Kind::for_loop,
              {std::move(start), std::move(condition), std::move(update), std::move(body)});
      },
      "start"_a.none(), "condition"_a.none(), "update"_a.none(), "body"_a);
  add_part<0>(counted, "start");
  add_part<1>(counted, "condition");
  add_part<2>(counted, "update");
  add_part<3>(counted, "body");
  using While = Class<struct WhileTag, Loop>;
  auto looped = define<While, Loop>(m, "While", "while (condition) body");
  looped.def(
      "__init__",
      [](While* self, Part condition, Part body) {
        place(self, Kind::while_loop, {std::move(condition), std::move(body)});
      },
      "condition"_a, "body"_a);
  add_part<0>(looped, "condition");
  add_part<1>(looped, "body");
  using DoWhile = Class<struct DoWhileTag, Loop>;
  auto done = define<DoWhile, Loop>(m, "DoWhile", "do body while (condition);");
  done.def(
      "__init__",
      [](DoWhile* self, Part condition, Part body) {
        place(self, Kind::do_loop, {std::move(condition), std::move(body)});
      },
      "condition"_a, "body"_a);
  add_part<0>(done, "condition");
  add_part<1>(done, "body");
  using CustomLoop = Class<struct CustomLoopTag, Loop>;
  auto custom = define<CustomLoop, Loop>(m, "CustomLoop", "A body between two lines.");
  custom.def(
      "__init__",
      [](CustomLoop* self, Part before, Part body, Part behind) {
        place(self, Kind::custom_loop, {std::move(before), std::move(behind), std::move(body)});
      },
      "intro_line"_a.none(), "body"_a, "outro_line"_a = nb::none());
  add_part<0, true>(custom, "intro_line_");
  add_part<1, true>(custom, "outro_line_");
  using RangeFor = Class<struct RangeForTag, Loop>;
  auto ranged = define<RangeFor, Loop>(m, "RangeFor", "for (declarator : range) body, of C++.");
  ranged.def(
      "__init__",
      [](RangeFor* self, Part declarator, Part range, Part body) {
        place(self, Kind::range_loop, {std::move(declarator), std::move(range), std::move(body)});
        self->only_in = Language::cuda_c;
      },
      "declarator"_a, "range"_a, "body"_a);
  add_part<0>(ranged, "declarator");
  add_part<1>(ranged, "range");
  add_part<2>(ranged, "body");
}

void bind_definitions(nb::module_& m) {
  using FunctionBody = Class<struct FunctionBodyTag>;
  auto function = define<FunctionBody, Generable>(m, "FunctionBody", "A function and its block.");
  function.def(
      "__init__",
      [](FunctionBody* self, Part fdecl, Part body) {
        place(self, Kind::function_body, {std::move(fdecl), std::move(body)});
      },
      "fdecl"_a, "body"_a);
  add_part<0>(function, "fdecl");
  add_part<1>(function, "body");
  auto initializer = define<Initializer, Generable>(m, "Initializer", "vdecl = data;");
  initializer.def(
      "__init__",
      [](Initializer* self, Part vdecl, Part data) {
        place(self, Kind::initializer, {std::move(vdecl), std::move(data)});
      },
      "vdecl"_a, "data"_a);
  add_part<0>(initializer, "vdecl");
  add_part<1>(initializer, "data");
  using InlineInitializer = Class<struct InlineInitializerTag, Initializer>;
  define<InlineInitializer, Initializer>(m, "InlineInitializer",
                                         "vdecl = data, in the head of a loop.")
      .def(
          "__init__",
          [](InlineInitializer* self, Part vdecl, Part data) {
            place(self, Kind::inline_initializer, {std::move(vdecl), std::move(data)});
          },
          "vdecl"_a, "data"_a);
  m.def(
      "Constant",
      [](nb::handle vdecl, nb::handle data) {
        const nb::object const_ = nb::module_::import_("treadle._core").attr("tree").attr("Const");
        return nb::handle(reinterpret_cast<PyObject*>(Initializer::type))(const_(vdecl), data);
      },
      "vdecl"_a, "data"_a, nb::sig("def Constant(vdecl: Node, data: typing.Any) -> Initializer"),
      "An initializer of a const.");
  using ArrayInitializer = Class<struct ArrayInitializerTag>;
  auto array = define<ArrayInitializer, Generable>(m, "ArrayInitializer", "vdecl = { data };");
  array.def(
      "__init__",
      [](ArrayInitializer* self, Part vdecl, nb::handle data) {
        place(self, Kind::array_initializer, {std::move(vdecl)}, parts_of(data));
      },
      "vdecl"_a, "data"_a,
      nb::sig("def __init__(self, vdecl: typing.Any, data: collections.abc.Iterable[typing.Any]) "
              "-> None"));
  add_part<0>(array, "vdecl");
  add_list(array, "data");
}

void bind_jumps(nb::module_& m) {
  using Return = Class<struct ReturnTag>;
  auto back = define<Return, Generable>(m, "Return", "return value;");
  back.def(
      "__init__",
      [](Return* self, Part value) { place(self, Kind::jump, {"return", std::move(value)}); },
      "value"_a = nb::none());
  add_part<1, true>(back, "value");
  using Break = Class<struct BreakTag>;
  define<Break, Generable>(m, "Break", "break;").def("__init__", [](Break* self) {
    place(self, Kind::jump, {"break"});
  });
  using Continue = Class<struct ContinueTag>;
  define<Continue, Generable>(m, "Continue", "continue;").def("__init__", [](Continue* self) {
    place(self, Kind::jump, {"continue"});
  });
  using Namespace = Class<struct NamespaceTag>;
  auto space = define<Namespace, Generable>(m, "Namespace", "namespace name { contents }, of C++.");
  space.def(
      "__init__",
      [](Namespace* self, const std::string& name, nb::handle contents) {
        place(self, Kind::scope, {"namespace " + name}, parts_of(contents));
        self->only_in = Language::cuda_c;
      },
      "name"_a, "contents"_a,
      nb::sig("def __init__(self, name: str, contents: collections.abc.Iterable[typing.Any]) -> "
              "None"));
  using Using = Class<struct UsingTag>;
  define<Using, Generable>(m, "Using", "using text;, of C++.")
      .def(
          "__init__",
          [](Using* self, const std::string& text) {
            place(self, Kind::expression, {"using " + text});
            self->only_in = Language::cuda_c;
          },
          "text"_a);
  using StaticAssert = Class<struct StaticAssertTag>;
  define<StaticAssert, Generable>(m, "StaticAssert", "static_assert(condition, \"message\");")
      .def(
          "__init__",
          [](StaticAssert* self, Part condition, std::string_view message) {
            const NodePtr call =
                tree::call("static_assert", {std::move(condition), tree::string_literal(message)})
                    .node();
            place(self, Kind::expression, {Part(call)});
            self->only_in = Language::cuda_c;
          },
          "condition"_a, "message"_a = "");
}

// "text" : outputs : inputs : clobbers
std::string assembly(std::string_view text, std::initializer_list<nb::handle> operands) {
  std::string whole = std::string(tree::string_literal(text).node()->part(0).text());
  std::string rest;
  bool any = false;
  for (nb::handle list : operands) {
    rest += " :";
    const char* between = " ";
    for (nb::handle one : list) {
      rest += between + nb::cast<std::string>(nb::str(one));
      between = ", ";
      any = true;
    }
  }
  return "asm volatile(" + whole + (any ? rest : "") + ")";
}

void bind_assembly(nb::module_& m) {
  using InlineAsm = Class<struct InlineAsmTag>;
  define<InlineAsm, Generable>(m, "InlineAsm",
                               "asm volatile(\"text\" : outputs : inputs : clobbers);")
      .def(
          "__init__",
          [](InlineAsm* self, const std::string& text, nb::handle outputs, nb::handle inputs,
             nb::handle clobbers) {
            place(self, Kind::expression, {assembly(text, {outputs, inputs, clobbers})});
            self->only_in = Language::cuda_c;
          },
          "text"_a, "outputs"_a = nb::tuple(), "inputs"_a = nb::tuple(),
          "clobbers"_a = nb::tuple());
}

}  // namespace

void bind_tree_control(nb::module_& m) {
  bind_branches(m);
  bind_loops(m);
  bind_definitions(m);
  bind_jumps(m);
  bind_assembly(m);
}

}  // namespace treadle::bindings
