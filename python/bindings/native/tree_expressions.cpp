// SPDX-License-Identifier: MIT
// Expressions, and Python operators that combine them. cgen has no such classes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>

#include "calls/argument.hpp"
#include "native/promotion.hpp"
#include "native/tree.hpp"
#include "native/tree_making.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/tree_builders.hpp"

namespace treadle::bindings {
namespace {

using namespace nb::literals;

using Expression = Class<struct ExpressionTag>;
using BinOp = Class<struct BinOpTag, Expression>;
using UnOp = Class<struct UnOpTag, Expression>;
using Index = Class<struct IndexTag, Expression>;
using Call = Class<struct CallTag, Expression>;
using Member = Class<struct MemberTag, Expression>;

template <class T, class... Arguments>
nb::object made(Arguments&&... arguments) {
  return nb::handle(reinterpret_cast<PyObject*>(T::type))(std::forward<Arguments>(arguments)...);
}

// Writes a Python number in C's form.
nb::object operand(nb::handle value) {
  if (PyBool_Check(value.ptr())) return nb::str(value.is(nb::handle(Py_True)) ? "1" : "0");
  return nb::borrow(value);
}

template <class Cls>
void bind_operators(Cls& cls) {
  struct Row {
    const char *method, *swapped, *word;
  };
  static constexpr Row rows[] = {
      {"__add__", "__radd__", "+"},
      {"__sub__", "__rsub__", "-"},
      {"__mul__", "__rmul__", "*"},
      {"__truediv__", "__rtruediv__", "/"},
      {"__mod__", "__rmod__", "%"},
      {"__lshift__", "__rlshift__", "<<"},
      {"__rshift__", "__rrshift__", ">>"},
      {"__and__", "__rand__", "&"},
      {"__or__", "__ror__", "|"},
      {"__xor__", "__rxor__", "^"},
      {"__lt__", nullptr, "<"},
      {"__le__", nullptr, "<="},
      {"__gt__", nullptr, ">"},
      {"__ge__", nullptr, ">="},
      {"equals", nullptr, "=="},
      {"differs", nullptr, "!="},
      {"and_", nullptr, "&&"},
      {"or_", nullptr, "||"},
  };
  for (const Row& row : rows) {
    const char* const word = row.word;
    cls.def(
        row.method,
        [word](nb::handle self, nb::handle other) {
          return made<BinOp>(word, self, operand(other));
        },
        "other"_a,
        nb::sig(
            (std::string("def ") + row.method + "(self, other: typing.Any, /) -> BinOp").c_str()),
        word);
    if (row.swapped == nullptr) continue;
    cls.def(
        row.swapped,
        [word](nb::handle self, nb::handle other) {
          return made<BinOp>(word, operand(other), self);
        },
        "other"_a,
        nb::sig(
            (std::string("def ") + row.swapped + "(self, other: typing.Any, /) -> BinOp").c_str()),
        word);
  }
  cls.def(
      "__neg__", [](nb::handle self) { return made<UnOp>("-", self); },
      nb::sig("def __neg__(self) -> UnOp"));
  cls.def(
      "__invert__", [](nb::handle self) { return made<UnOp>("~", self); },
      nb::sig("def __invert__(self) -> UnOp"));
  cls.def(
      "not_", [](nb::handle self) { return made<UnOp>("!", self); },
      nb::sig("def not_(self) -> UnOp"), "!self");
  cls.def(
      "__getitem__",
      [](nb::handle self, nb::handle index) { return made<Index>(self, operand(index)); },
      "index"_a, nb::sig("def __getitem__(self, index: typing.Any, /) -> Index"));
  cls.attr("__iter__") = nb::none();  // else Python takes indices for items, and they never end
  cls.def(
      "__call__",
      [](nb::handle self, const nb::args& arguments) { return made<Call>(self, arguments); },
      "arguments"_a, nb::sig("def __call__(self, *arguments: typing.Any) -> Call"));
  cls.def(
      "dot", [](nb::handle self, nb::handle name) { return made<Member>(self, name); }, "name"_a,
      nb::sig("def dot(self, name: str) -> Member"), "self.name");
  cls.def(
      "arrow", [](nb::handle self, nb::handle name) { return made<Member>(self, name, true); },
      "name"_a, nb::sig("def arrow(self, name: str) -> Member"), "self->name");
  cls.def("__bool__", [](nb::handle) -> bool {
    throw nb::type_error(
        "an expression of a generated program has no value yet: use Ternary, If, and_() or or_()");
  });
}

void bind_leaves(nb::module_& m) {
  using Var = Class<struct VarTag, Expression>;
  auto var =
      define<Var, Expression>(m, "Var", "A name; x[i], x + 1, x(a) and so on are expressions.");
  var.def(
      "__init__", [](Var* self, std::string_view name) { place(self, Kind::name, {name}); },
      "name"_a);
  add_part<0>(var, "name");
  using Literal = Class<struct LiteralTag, Expression>;
  define<Literal, Expression>(m, "Literal", "A number of a dtype, which C reads again as the same.")
      .def(
          "__init__",
          [](Literal* self, nb::handle value, nb::handle dtype) {
            Scalar scalar = Scalar::float64;
            const bool is_integer = PyLong_Check(value.ptr());
            if (!dtype.is_none()) {
              scalar = scalar_from(dtype);
            } else if (const nb::object own = attribute_or_null(value.ptr(), "dtype");
                       own.is_valid()) {
              scalar = scalar_from(own);
            } else if (is_integer) {
              scalar = Scalar::int32;
            }
            const ScalarKind kind = DType(scalar).kind();
            const bool is_real = kind == ScalarKind::floating;
            const tree::Expr made =
                is_real
                    ? tree::literal(nb::cast<double>(nb::float_(value)), scalar)
                    : tree::literal(
                          scalar == Scalar::uint64
                              ? static_cast<std::int64_t>(nb::cast<std::uint64_t>(nb::int_(value)))
                              : nb::cast<std::int64_t>(nb::int_(value)),
                          scalar);
            place(self, Kind::literal, {made.node()->part(0)});
          },
          "value"_a, "dtype"_a = nb::none());
  using RawString = Class<struct RawStringTag, Expression>;
  auto raw = define<RawString, Expression>(
      m, "RawString", "Text as an expression: brackets go around it where C needs them.");
  raw.def(
      "__init__",
      [](RawString* self, std::string_view text) { place(self, Kind::literal, {text}); }, "text"_a);
  add_part<0>(raw, "text");
  using StringLiteral = Class<struct StringLiteralTag, Expression>;
  define<StringLiteral, Expression>(m, "StringLiteral", "Text between quotes.")
      .def(
          "__init__",
          [](StringLiteral* self, std::string_view text) {
            place(self, Kind::literal, {tree::string_literal(text).node()->part(0)});
          },
          "text"_a);
}

// over 80 lines because it is a list: an entry for each class
void bind_operations(nb::module_& m) {
  auto binary =
      define<BinOp, Expression>(m, "BinOp", "left op right, with the brackets that C needs.");
  binary.def(
      "__init__",
      [](BinOp* self, Part word, Part left, Part right) {
        place(self, Kind::binary, {std::move(word), std::move(left), std::move(right)});
      },
      "op"_a, "left"_a, "right"_a);
  add_part<0>(binary, "op");
  add_part<1>(binary, "left");
  add_part<2>(binary, "right");
  auto unary = define<UnOp, Expression>(m, "UnOp", "op operand");
  unary.def(
      "__init__",
      [](UnOp* self, Part word, Part inner) {
        place(self, Kind::prefix, {std::move(word), std::move(inner)});
      },
      "op"_a, "operand"_a);
  add_part<0>(unary, "op");
  add_part<1>(unary, "operand");
  auto index = define<Index, Expression>(m, "Index", "base[index]");
  index.def(
      "__init__",
      [](Index* self, Part base, Part inner) {
        place(self, Kind::index, {std::move(base), std::move(inner)});
      },
      "base"_a, "index"_a);
  add_part<0>(index, "base");
  add_part<1>(index, "index");
  auto called = define<Call, Expression>(m, "Call", "function(arguments)");
  called.def(
      "__init__",
      [](Call* self, Part function, nb::handle arguments) {
        place(self, Kind::call, {std::move(function)}, parts_of(arguments));
      },
      "function"_a, "arguments"_a = nb::tuple(),
      nb::sig("def __init__(self, function: typing.Any, arguments: "
              "collections.abc.Iterable[typing.Any] = ()) -> None"));
  add_part<0>(called, "function");
  add_list(called, "arguments");
  auto member = define<Member, Expression>(m, "Member", "base.name, or base->name");
  member.def(
      "__init__",
      [](Member* self, Part base, std::string_view name, bool arrow) {
        place(self, Kind::member, {std::move(base), arrow ? "->" : ".", name});
      },
      "base"_a, "name"_a, "arrow"_a = false);
  add_part<0>(member, "base");
  add_part<2>(member, "name");
  using Cast = Class<struct CastTag, Expression>;
  auto cast = define<Cast, Expression>(
      m, "Cast", "(type)operand; the type is text, or a declarator without a name.");
  cast.def(
      "__init__",
      [](Cast* self, Part type, Part inner) {
        place(self, Kind::cast, {std::move(type), std::move(inner)});
      },
      "type"_a, "operand"_a);
  add_part<0>(cast, "type");
  add_part<1>(cast, "operand");
  using Ternary = Class<struct TernaryTag, Expression>;
  auto ternary = define<Ternary, Expression>(m, "Ternary", "condition ? yes : no");
  ternary.def(
      "__init__",
      [](Ternary* self, Part condition, Part yes, Part no) {
        place(self, Kind::ternary, {std::move(condition), std::move(yes), std::move(no)});
      },
      "condition"_a, "yes"_a, "no"_a);
  add_part<0>(ternary, "condition");
  add_part<1>(ternary, "yes");
  add_part<2>(ternary, "no");
  using Braces = Class<struct BracesTag, Expression>;
  auto braces = define<Braces, Expression>(m, "Braces", "type{values}");
  braces.def(
      "__init__",
      [](Braces* self, Part type, nb::handle values) {
        place(self, Kind::braces, {std::move(type)}, parts_of(values));
      },
      "type"_a.none(), "values"_a,
      nb::sig("def __init__(self, type: typing.Any, values: collections.abc.Iterable[typing.Any]) "
              "-> None"));
  add_part<0>(braces, "type");
  add_list(braces, "values");
  using Lambda = Class<struct LambdaTag, Expression>;
  auto lambda = define<Lambda, Expression>(m, "Lambda", "[captures](parameters) { body }, of C++.");
  lambda.def(
      "__init__",
      [](Lambda* self, Part captures, nb::handle parameters, Part body) {
        place(self, Kind::lambda, {std::move(captures), "", std::move(body)}, parts_of(parameters));
        self->only_in = Language::cuda_c;
      },
      "captures"_a, "parameters"_a, "body"_a,
      nb::sig("def __init__(self, captures: str, parameters: collections.abc.Iterable[typing.Any], "
              "body: typing.Any) -> None"));
}

}  // namespace

void bind_tree_expressions(nb::module_& m) {
  auto expression = define<Expression, Generable>(m, "Expression", "What has a value.");
  bind_operators(expression);
  bind_leaves(m);
  bind_operations(m);
}

}  // namespace treadle::bindings
