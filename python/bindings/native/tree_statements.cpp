// SPDX-License-Identifier: MIT
// Statements, blocks and directives: those of cgen and additional ones.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "instance.hpp"
#include "kept_objects.hpp"
#include "native/tree.hpp"
#include "native/tree_making.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/tree_builders.hpp"

namespace treadle::bindings {
namespace {

using namespace nb::literals;

// Python's list of a block's statements. The elements are stored in the node.
class NodeList {
 public:
  explicit NodeList(NodePtr node) : node_(std::move(node)) {}
  Parts& parts() const { return node_->list(); }
  std::size_t at(Py_ssize_t index) const {
    const auto size = static_cast<Py_ssize_t>(parts().size());
    const Py_ssize_t place = index < 0 ? index + size : index;
    if (place < 0 || place >= size) throw nb::index_error("no statement of that number");
    return static_cast<std::size_t>(place);
  }
  void insert(Py_ssize_t index, Part part) const {
    const auto size = static_cast<Py_ssize_t>(parts().size());
    const Py_ssize_t place = std::clamp<Py_ssize_t>(index < 0 ? index + size : index, 0, size);
    parts().insert(parts().begin() + place, std::move(part));
  }
  void extend(nb::handle more) const {
    for (Part& part : parts_of(more)) parts().push_back(std::move(part));
  }
  const tree::Node* node() const { return node_.get(); }
  void drop() { node_ = nullptr; }
  nb::list as_list() const {
    nb::list list;
    for (const Part& part : parts()) list.append(object_of(part));
    return list;
  }

 private:
  NodePtr node_;
};

NodeList list_of(const Generable& node) { return NodeList(NodePtr(&to_change(node))); }

int traverse_list(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? visit_node(nb::inst_ptr<NodeList>(self)->node(), visit, arg) : 0;
}

int clear_list(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<NodeList>(self)->drop();
  return 0;
}

PyType_Slot list_slots[] = {
    type_slot(Py_tp_traverse, traverse_list), type_slot(Py_tp_clear, clear_list), {0, nullptr}};

void bind_node_list(nb::module_& m) {
  nb::class_<NodeList>(m, "NodeList", nb::type_slots(list_slots),
                       "The statements of a block, as a list that can be changed.")
      .def("__len__", [](const NodeList& self) { return self.parts().size(); })
      .def("__getitem__",
           [](const NodeList& self, const nb::object& index) -> nb::object {
             if (PySlice_Check(index.ptr()))
               return nb::object(self.as_list().attr("__getitem__")(index));
             return object_of(self.parts()[self.at(nb::cast<Py_ssize_t>(index))]);
           })
      .def("__setitem__", [](const NodeList& self, Py_ssize_t index,
                             const Part& part) { self.parts()[self.at(index)] = part; })
      .def("__delitem__",
           [](const NodeList& self, Py_ssize_t index) {
             self.parts().erase(self.parts().begin() + static_cast<Py_ssize_t>(self.at(index)));
           })
      .def(
          "__iter__", [](const NodeList& self) { return nb::iter(self.as_list()); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[typing.Any]"))
      .def("__repr__", [](const NodeList& self) { return nb::repr(self.as_list()); })
      .def(
          "__eq__",
          [](const NodeList& self, const nb::object& other) {
            return self.as_list().equal(nb::list(other));
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "append", [](const NodeList& self, const Part& part) { self.parts().push_back(part); },
          "statement"_a, "Adds one behind the others.")
      .def(
          "extend", [](const NodeList& self, nb::handle more) { self.extend(more); },
          "statements"_a, "Adds several.")
      .def(
          "insert",
          [](const NodeList& self, Py_ssize_t index, const Part& part) {
            self.insert(index, part);
          },
          "index"_a, "statement"_a, "Adds one before that of the number.")
      .def(
          "pop",
          [](const NodeList& self, Py_ssize_t index) {
            const std::size_t place = self.at(index);
            const nb::object taken = object_of(self.parts()[place]);
            self.parts().erase(self.parts().begin() + static_cast<Py_ssize_t>(place));
            return taken;
          },
          "index"_a = -1, "Takes one out.");
}

struct BlockTag;
struct CollectionTag;
struct StatementTag;
struct LiteralLinesTag;
using Block = Class<BlockTag>;
using Collection = Class<CollectionTag, Block>;
using Statement = Class<StatementTag>;
using LiteralLines = Class<LiteralLinesTag>;

// A namespace whose name depends only on its content.
class PrivateNamespace : public Class<struct PrivateNamespaceTag, Block> {
 public:
  using BoundClass::BoundClass;
  std::optional<std::vector<std::string>> own_lines() const override {
    if (auto own = BoundClass::own_lines()) return own;
    const std::string name = namespace_name();
    std::vector<std::string> lines{"namespace " + name, "{"};
    for (const Part& part : list()) {
      const std::string text =
          part.node() != nullptr ? text_of(*part.node()) : std::string(part.text());
      std::string indented = "  ";
      for (const char c : text) indented.append(c == '\n' ? "\n  " : std::string(1, c));
      lines.push_back(indented);
    }
    lines.insert(lines.end(), {"}", "", "using namespace " + name + ";"});
    return lines;
  }
  bool writes_itself = has_own_text = true;
  std::string namespace_name() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx",
                  static_cast<unsigned long long>(tree::hash_of(*tree::collection(list()).get())));
    return std::string("private_namespace_") + digits;
  }
};

template <class T, class Cls>
void take_contents(Cls& cls, Kind kind) {
  cls.def(
      "__init__",
      [kind](T* self, nb::handle contents) { place_list<T>(self, kind, parts_of(contents)); },
      "contents"_a = nb::none(), contents_signature);
}

void bind_blocks(nb::module_& m) {
  auto block = define<Block, Generable>(m, "Block", "Statements between braces.");
  take_contents<Block>(block, Kind::block);
  block.def_prop_rw(
      "contents", [](const Generable& self) { return list_of(self); },
      [](Generable& self, nb::handle contents) { to_change(self).list() = parts_of(contents); },
      "The statements.");
  block.def(
      "append", [](Generable& self, Part part) { to_change(self).append(std::move(part)); },
      "data"_a, "Adds a statement behind the others.");
  block.def(
      "extend", [](Generable& self, nb::handle more) { list_of(self).extend(more); }, "data"_a,
      "Adds several statements.");
  block.def(
      "insert",
      [](Generable& self, Py_ssize_t index, const Part& part) {
        list_of(self).insert(index, part);
      },
      "i"_a, "data"_a, "Adds a statement before that of the number.");
  block.def(
      "extend_log_block",
      [](Generable& self, std::string_view description, nb::handle more) {
        to_change(self).append(
            Part(tree::make_node<tree::Node>(Kind::comment, Parts{description, "/* ", "", " */"})));
        list_of(self).extend(more);
        self.append(Part(tree::line()));
      },
      "descr"_a, "data"_a, "Adds statements with a comment before and a line behind them.");
  auto collection = define<Collection, Block>(m, "Collection", "Statements without braces.");
  take_contents<Collection>(collection, Kind::collection);
  using Module = Class<struct ModuleTag, Block>;
  auto module = define<Module, Block>(m, "Module", "A whole file.");
  take_contents<Module>(module, Kind::collection);
  auto hidden = define<PrivateNamespace, Block>(
      m, "PrivateNamespace", "A namespace whose name no one else has, and which is used.");
  hidden.def(
      "__init__",
      [](PrivateNamespace* self, nb::handle contents) {
        place_list<PrivateNamespace>(self, Kind::collection, parts_of(contents));
      },
      "contents"_a = nb::none(), contents_signature);
  hidden.def("get_namespace_name", &PrivateNamespace::namespace_name, "Its name.");
}

// Removes blanks at the ends of lines, as cgen does.
std::string without_trailing(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n')
      while (!result.empty() && (result.back() == ' ' || result.back() == '\t')) result.pop_back();
    result += c;
  }
  result.erase(result.find_last_not_of(" \t\n\r") + 1);
  return result;
}

// Removes the first line end, and from each line behind it the blanks with which the first of these
// lines begins.
std::string literal_text(std::string_view text) {
  if (!text.starts_with('\n'))
    throw InvalidArgument("literal lines that do not begin with a line end",
                          "begin them on a line of their own: three quotes, and a new line");
  const std::string whole = without_trailing(text);
  std::string_view rest = whole;
  while (rest.starts_with('\n')) rest.remove_prefix(1);
  if (rest.empty()) throw nb::index_error("literal lines without a line");
  const std::string_view indent = rest.substr(0, rest.find_first_not_of(" \t"));
  std::string result;
  while (true) {
    std::string_view row = rest.substr(0, rest.find('\n'));
    const std::size_t length = row.size();
    if (!row.empty() && !row.starts_with(indent))
      throw InvalidArgument(
          "Inconsistent indentation: a literal line begins with less blanks than the first",
          "indent all lines as much as the first one, or more");
    if (!row.empty()) row.remove_prefix(indent.size());
    result += row;
    if (length == rest.size()) return result;
    result += '\n';
    rest.remove_prefix(length + 1);
  }
}

// over 80 lines because it is a list: an entry for each class
void bind_texts(nb::module_& m) {
  auto statement = define<Statement, Generable>(m, "Statement", "A text and a semicolon.");
  statement.def(
      "__init__",
      [](Statement* self, Part text) { place(self, Kind::expression, {std::move(text)}); },
      "text"_a);
  add_part<0>(statement, "text");
  using ExpressionStatement = Class<struct ExpressionStatementTag>;
  auto expression = define<ExpressionStatement, Generable>(m, "ExpressionStatement",
                                                           "An expression and a semicolon.");
  expression.def(
      "__init__",
      [](ExpressionStatement* self, Part expr) {
        place(self, Kind::expression, {std::move(expr)});
      },
      "expr"_a);
  add_part<0>(expression, "expr");
  using Assign = Class<struct AssignTag>;
  auto assign = define<Assign, Generable>(m, "Assign", "lvalue = rvalue;");
  assign.def(
      "__init__",
      [](Assign* self, Part lvalue, Part rvalue) {
        place(self, Kind::assignment, {std::move(lvalue), "=", std::move(rvalue)});
      },
      "lvalue"_a, "rvalue"_a);
  add_part<0>(assign, "lvalue");
  add_part<2>(assign, "rvalue");
  using Line = Class<struct LineTag>;
  auto line = define<Line, Generable>(m, "Line", "A line as it is.");
  line.def(
      "__init__",
      [](Line* self, std::string_view text) {
        place(self, Kind::line, {text.substr(0, text.find_last_not_of(" \t\n\r") + 1)});
      },
      "text"_a = "");
  add_part<0>(line, "text");
  auto lines = define<LiteralLines, Generable>(
      m, "LiteralLines", "Lines of a text in three quotes, without the blanks they begin with.");
  lines.def(
      "__init__",
      [](LiteralLines* self, std::string_view text) {
        place(self, Kind::literal_lines, {literal_text(text)});
      },
      "text"_a);
  lines.def_prop_ro(
      "lines",
      [](const Generable& self) {
        return nb::str(self.part(0).text().data(), self.part(0).text().size()).attr("split")("\n");
      },
      nb::sig("def lines(self) -> list[str]"), "The lines.");
  using LiteralBlock = Class<struct LiteralBlockTag, LiteralLines>;
  define<LiteralBlock, LiteralLines>(m, "LiteralBlock", "The same between braces.")
      .def(
          "__init__",
          [](LiteralBlock* self, std::string_view text) {
            place(self, Kind::literal_lines, {literal_text(text), "{"});
          },
          "text"_a);
  using Define = Class<struct DefineTag>;
  auto def = define<Define, Generable>(m, "Define", "#define symbol value");
  def.def(
      "__init__",
      [](Define* self, Part symbol, Part value) {
        place(self, Kind::directive, {"define", std::move(symbol), std::move(value)});
      },
      "symbol"_a, "value"_a);
  add_part<1>(def, "symbol");
  add_part<2>(def, "value");
  using Include = Class<struct IncludeTag>;
  auto include = define<Include, Generable>(m, "Include", "#include <filename>, or in quotes.");
  include.def(
      "__init__",
      [](Include* self, const std::string& filename, bool system) {
        place(self, Kind::directive,
              {"include", (system ? "<" : "\"") + filename + (system ? ">" : "\"")});
      },
      "filename"_a, "system"_a = true);
  include.def_prop_ro(
      "filename",
      [](const Generable& self) {
        const std::string_view text = self.part(1).text();
        return std::string(text.substr(1, text.size() - 2));
      },
      "The file's name.");
  include.def_prop_ro(
      "system", [](const Generable& self) { return self.part(1).text().starts_with('<'); },
      "Whether it is looked for among the compiler's own.");
  using Pragma = Class<struct PragmaTag>;
  auto pragma = define<Pragma, Generable>(m, "Pragma", "#pragma value");
  pragma.def(
      "__init__",
      [](Pragma* self, Part value) { place(self, Kind::directive, {"pragma", std::move(value)}); },
      "value"_a);
  add_part<1>(pragma, "value");
}

void bind_comments(nb::module_& m) {
  using Comment = Class<struct CommentTag>;
  auto comment = define<Comment, Generable>(m, "Comment", "/* text */");
  comment.def(
      "__init__",
      [](Comment* self, Part text, bool skip_space) {
        place(self, Kind::comment,
              {std::move(text), skip_space ? "/*" : "/* ", "", skip_space ? "*/" : " */"});
      },
      "text"_a, "skip_space"_a = false);
  add_part<0>(comment, "text");
  m.attr("Comment") = comment;
  using MultilineComment = Class<struct MultilineCommentTag>;
  auto several =
      define<MultilineComment, Generable>(m, "MultilineComment", "A comment of several lines.");
  several.def(
      "__init__",
      [](MultilineComment* self, Part text, bool skip_space) {
        place(self, Kind::comment,
              {std::move(text), "/**\n", skip_space ? "*" : " * ", skip_space ? "\n*/" : "\n */"});
      },
      "text"_a, "skip_space"_a = false);
  add_part<0>(several, "text");
  several.def_prop_ro(
      "skip_space", [](const Generable& self) { return self.part(2).text() == "*"; },
      "Whether no blanks stand around the stars.");
  using LineComment = Class<struct LineCommentTag>;
  auto line = define<LineComment, Generable>(m, "LineComment", "// text");
  line.def(
      "__init__",
      [](LineComment* self, Part text) {
        if (text.text().find('\n') != std::string_view::npos)
          throw InvalidArgument("a LineComment of several lines",
                                "use a Comment or a MultilineComment");
        place(self, Kind::comment, {std::move(text), "", "// "});
      },
      "text"_a);
  add_part<0>(line, "text");
  m.def(
      "add_comment",
      [comment](nb::handle text, nb::handle statement) -> nb::object {
        if (text.is_none()) return nb::borrow(statement);
        Parts contents{part_of(comment(text)), Part(tree::line())};
        if (nb::isinstance<Block>(statement)) {
          const Parts& more = instance_of<Block>(statement).list();
          contents.insert(contents.end(), more.begin(), more.end());
        } else {
          contents.push_back(part_of(statement));
        }
        const nb::object made = nb::handle(reinterpret_cast<PyObject*>(Block::type))();
        to_change(*nb::inst_ptr<Block>(made)).list() = std::move(contents);
        return made;
      },
      "comment"_a.none(), "stmt"_a,
      nb::sig("def add_comment(comment: str | None, stmt: Node) -> Node"),
      "A block of the comment and the statement, or of the statements of a block.");
}

// Directives around statements are statements, too.
template <class T>
void bind_branch_of_directives(nb::module_& m, const char* name, const char* word) {
  define<T, Collection>(m, name, word)
      .def(
          "__init__",
          [word](T* self, const std::string& condition, nb::handle yes, nb::handle no) {
            Parts lines{Part(tree::line(std::string(word) + " " + condition))};
            const auto add = [&](Parts more) {
              std::ranges::move(more, std::back_inserter(lines));
            };
            add(parts_of(yes));
            Parts others = parts_of(no);
            if (!others.empty()) {
              lines.push_back(Part(tree::line("#else")));
              add(std::move(others));
            }
            lines.push_back(Part(tree::line("#endif")));
            place_list<T>(self, Kind::collection, std::move(lines));
          },
          "condition"_a, "iflines"_a, "elselines"_a = nb::none(),
          nb::sig(
              "def __init__(self, condition: str, iflines: collections.abc.Iterable[typing.Any], "
              "elselines: collections.abc.Iterable[typing.Any] | None = None) -> None"));
}

}  // namespace

void bind_tree_statements(nb::module_& m) {
  bind_node_list(m);
  bind_blocks(m);
  bind_texts(m);
  bind_comments(m);
  bind_branch_of_directives<Class<struct IfDefTag, Collection>>(m, "IfDef", "#ifdef");
  bind_branch_of_directives<Class<struct IfNDefTag, Collection>>(m, "IfNDef", "#ifndef");
  using ISPCLaunch = Class<struct ISPCLaunchTag, Statement>;
  auto launch = define<ISPCLaunch, Statement>(m, "ISPCLaunch", "launch[grid] expr;, of ISPC.");
  launch.def(
      "__init__",
      [](ISPCLaunch* self, nb::handle grid, const std::string& expr) {
        std::string sizes;
        for (nb::handle one : grid)
          sizes += (sizes.empty() ? "" : ", ") + nb::cast<std::string>(nb::str(one));
        place(self, Kind::expression, {"launch[" + sizes + "] " + expr});
        self->extra = nb::dict();
        self->extra["grid"] = nb::tuple(grid);
        self->extra["expr"] = nb::str(expr.c_str());
      },
      "grid"_a, "expr"_a);
  add_extra(launch, "grid");
  add_extra(launch, "expr");
}

}  // namespace treadle::bindings
