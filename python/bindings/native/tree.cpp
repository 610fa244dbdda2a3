// SPDX-License-Identifier: MIT
#include "native/tree.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "instance.hpp"
#include "kept_objects.hpp"
#include "native/generated_text.hpp"
#include "native/language_argument.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

// File names live as long as the process, because nodes do not own theirs.
const char* kept_name(nb::handle name) {
  return codegen::kept_file_name(nb::cast<std::string>(name));
}

// The place of the running Python line. The last places are remembered, because loops make nodes at
// the same place, and finding the number of a line takes longer than making a node.
struct Place {
  PyCodeObject* code = nullptr;  // owns a reference
  int instruction = -1;
  tree::Position position;
};

tree::Position python_line() {
  static auto* const known = new std::array<Place, 64>;
  PyFrameObject* const frame = PyThreadState_GetFrame(PyThreadState_Get());
  if (frame == nullptr) return {};
  PyCodeObject* const code = PyFrame_GetCode(frame);
#if PY_VERSION_HEX >= 0x030b0000
  const int instruction = PyFrame_GetLasti(frame);
#else
  const int instruction = PyFrame_GetLineNumber(frame);
#endif
  const std::size_t slot =
      (reinterpret_cast<std::uintptr_t>(code) / 16 + static_cast<std::size_t>(instruction) / 2) %
      known->size();
  Place& place = (*known)[slot];
  if (place.code != code || place.instruction != instruction) {
    const nb::object name =
        nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "co_filename"));
    const int line = PyFrame_GetLineNumber(frame);
    Py_XDECREF(reinterpret_cast<PyObject*>(place.code));
    Py_INCREF(reinterpret_cast<PyObject*>(code));
    place = {code, instruction, {kept_name(name), static_cast<std::uint32_t>(std::max(line, 0))}};
  }
  const tree::Position position = place.position;
  Py_DECREF(reinterpret_cast<PyObject*>(code));
  Py_DECREF(reinterpret_cast<PyObject*>(frame));
  return position;
}

std::map<PyTypeObject*, void (*)(nb::handle)>& makers() {
  static auto* const all = new std::map<PyTypeObject*, void (*)(nb::handle)>;
  return *all;
}

PyTypeObject* node_type = nullptr;

// The PythonNode of an object whose class is one of Python's. Nodes made by C++ have the base class
// itself, and give null.
PythonNode* python_node(tree::Node* node, PyObject* object) noexcept {
  return Py_TYPE(object) == node_type ? nullptr : static_cast<PythonNode*>(node);
}

// Whether a node has only texts. Such a node cannot be part of a cycle, so Python's garbage
// collector need not know it until it gets another part; otherwise the collector would visit
// thousands of statements.
bool has_texts_alone(const PythonNode& node, PyObject* object) noexcept {
  const auto is_text = [](const Part& part) { return part.node() == nullptr; };
  return Py_TYPE(object) == node.bound_type() && !node.extra.is_valid() && node.list().empty() &&
         std::ranges::all_of(node.parts(), is_text);
}

// Called when a Python object has been made around the node, or with it.
void set_python_object(tree::Node* node, PyObject* object) noexcept {
  node->set_owner(object);
  PythonNode* const ours = python_node(node, object);
  if (ours == nullptr) return;
  if (Py_TYPE(object) != ours->bound_type()) ours->has_own_text = true;
  if (node->made.file == nullptr) node->made = python_line();
  if (has_texts_alone(*ours, object)) PyObject_GC_UnTrack(object);
}

// Makes the node after a user's __init__(), if the __init__() has not made it.
void complete(PyObject* object) {
  if (nb::inst_ready(object)) return;
  for (PyTypeObject* type = Py_TYPE(object); type != nullptr; type = type->tp_base)
    if (const auto found = makers().find(type); found != makers().end()) {
      found->second(object);
      return set_python_object(nb::inst_ptr<tree::Node>(object), object);
    }
}

int init_and_complete(PyObject* self, PyObject* arguments, PyObject* keywords) {
  const nb::object init = nb::steal(PyObject_GetAttrString(self, "__init__"));
  if (!init.is_valid()) return -1;
  const nb::object done = nb::steal(PyObject_Call(init.ptr(), arguments, keywords));
  if (!done.is_valid()) return -1;
  complete(self);
  return 0;
}

// Users' classes may have constructors that do not call ours. The slot is replaced rather than the
// function: a function of ours would hold the user's, and Python's garbage collector could not see
// that.
void watch_constructor(nb::handle cls) {
  if (nb::cast<bool>(cls.attr("__dict__").attr("__contains__")("__init__")))
    reinterpret_cast<PyTypeObject*>(cls.ptr())->tp_init = init_and_complete;
}

int visit_parts(const tree::Node& node, visitproc visit, void* arg) {
  const auto visit_all = [&](std::span<const Part> parts) {
    for (const Part& part : parts)
      if (const int stopped = visit_node(part.node(), visit, arg); stopped != 0) return stopped;
    return 0;
  };
  const int stopped = visit_all(node.parts());
  return stopped != 0 ? stopped : visit_all(node.list());
}

int traverse_node(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  auto* const node = nb::inst_ptr<tree::Node>(self);
  if (const PythonNode* const ours = python_node(node, self)) Py_VISIT(ours->extra.ptr());
  return visit_parts(*node, visit, arg);
}

int clear_node(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  auto* const node = nb::inst_ptr<tree::Node>(self);
  if (PythonNode* const ours = python_node(node, self)) ours->extra.reset();
  const Parts dropped = std::exchange(node->list(), {});
  for (Part& part : node->parts()) part = Part();
  return 0;
}

PyType_Slot node_slots[] = {
    type_slot(Py_tp_traverse, traverse_node), type_slot(Py_tp_clear, clear_node), {0, nullptr}};

PyObject* python_type(const PythonNode& node) {
  return reinterpret_cast<PyObject*>(Py_TYPE(static_cast<PyObject*>(node.owner())));
}

// Whether a subclass has its own method in the place of the bound class's.
bool overrides(const PythonNode& node, const char* method) {
  const nb::object own = nb::handle(python_type(node)).attr(method);
  const nb::object bound =
      nb::getattr(nb::handle(reinterpret_cast<PyObject*>(node.bound_type())), method, nb::none());
  return !own.is(bound);
}

std::vector<std::string> lines_of(nb::handle generated) {
  std::vector<std::string> lines;
  for (nb::handle one : generated) lines.push_back(nb::cast<std::string>(nb::str(one)));
  return lines;
}

nb::list lines_of_text(std::string_view text) {
  nb::list lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view first = text.substr(0, end);
    lines.append(nb::str(first.data(), first.size()));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) lines.append(nb::str(""));
  }
  return lines;
}

tree::PrintOptions cgen_options() {
  tree::PrintOptions options;
  options.layout = tree::PrintOptions::Layout::cgen;
  return options;
}

// Converts a part that a caller's function puts in a node's place.
nb::object rewritten(const tree::Node& root, const nb::callable& replace) {
  const NodePtr shared(const_cast<tree::Node*>(&root));
  return object_of(tree::rewrite(Part(shared), [&](const Part& part) {
    return part.node() == nullptr ? part : part_of(replace(object_of(part)));
  }));
}

NodePtr with_children(const tree::Node& node, const nb::callable& replace) {
  NodePtr copied = node.shallow_copy();
  const auto each = [&](std::span<Part> parts) {
    for (Part& part : parts)
      if (part.node() != nullptr) part = part_of(replace(object_of(part)));
  };
  each(copied->parts());
  each(copied->list());
  return copied;
}

nb::object deep_copy(const tree::Node& node, nb::handle) { return nb::cast(tree::copy(node)); }

// Tells how another process makes the node again. A node made by C++ comes back as one made by
// Python.
nb::tuple reduced(const tree::Node& node) {
  const auto* const ours = dynamic_cast<const PythonNode*>(&node);
  PyObject* const type =
      ours != nullptr ? python_type(*ours) : reinterpret_cast<PyObject*>(Generable::type);
  const nb::object make = nb::module_::import_("copyreg").attr("__newobj__");
  if (ours != nullptr)
    return nb::make_tuple(make, nb::make_tuple(nb::handle(type)), state_of(node));
  const nb::object partial = nb::module_::import_("functools").attr("partial");
  return nb::make_tuple(partial(make, nb::handle(type)), nb::tuple(), state_of(node));
}

std::string repr_of(const tree::Node& node) {
  std::string text = text_of(node);
  const bool is_long = text.size() > 60 || text.find('\n') != std::string::npos;
  if (is_long) text = text.substr(0, std::min<std::size_t>(60, text.find('\n'))) + " ...";
  const auto* const ours = dynamic_cast<const PythonNode*>(&node);
  const std::string name =
      ours != nullptr && node.owner() != nullptr
          ? nb::cast<std::string>(nb::handle(python_type(*ours)).attr("__name__"))
          : std::string(tree::kind_name(node.kind()));
  return "<" + name + " " + nb::cast<std::string>(nb::repr(nb::str(text.c_str(), text.size()))) +
         ">";
}

void bind_node(nb::module_& m) {
  tree::Node::set_owners({[](void* owner) noexcept {
                            const nb::gil_scoped_acquire gil;
                            Py_INCREF(static_cast<PyObject*>(owner));
                          },
                          [](void* owner) noexcept {
                            const nb::gil_scoped_acquire gil;
                            Py_DECREF(static_cast<PyObject*>(owner));
                          }});
  nb::class_<tree::Node> node(m, "Node", nb::intrusive_ptr<tree::Node>(set_python_object),
                              nb::type_slots(node_slots),
                              "A node of a program's tree. str() is its text.");
  node_type = reinterpret_cast<PyTypeObject*>(node.ptr());
  node.def("__str__", &text_of);
  node.def("__repr__", &repr_of);
  node.def(
      "generate", [](const tree::Node& self) { return nb::iter(lines_of_text(text_of(self))); },
      nb::sig("def generate(self, *args: typing.Any, **kwargs: typing.Any) -> "
              "collections.abc.Iterator[str]"),
      "The lines of its text.");
  node.def(
      "__eq__",
      [](const tree::Node& self, nb::handle other) -> nb::object {
        if (!nb::isinstance<tree::Node>(other)) return nb::borrow(Py_NotImplemented);
        return nb::bool_(tree::equal(self, instance_of<tree::Node>(other)));
      },
      nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  node.def("__hash__", [](const tree::Node& self) {
    return static_cast<Py_ssize_t>(tree::hash_of(self) >> 1);
  });
  node.def("__reduce__", &reduced, nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  node.def("__copy__", [](const tree::Node& self) { return self.shallow_copy(); });
  node.def("__deepcopy__", &deep_copy, nb::arg("memo").none());
  node.def_prop_ro(
      "kind", [](const tree::Node& self) { return std::string(tree::kind_name(self.kind())); },
      "What the node is: \"for_loop\", \"assignment\" ...");
  node.def_prop_ro(
      "made_at",
      [](const tree::Node& self) -> std::optional<std::pair<std::string, unsigned>> {
        if (self.made.file == nullptr) return std::nullopt;
        return std::pair(std::string(self.made.file), self.made.line);
      },
      "The file and line that made it; None: not known.");
  node.def("rewrite", &rewritten, nb::arg("replace"),
           nb::sig("def rewrite(self, replace: collections.abc.Callable[[Node], typing.Any]) -> "
                   "typing.Any"),
           "A tree in which replace(node) has chosen for each node, inner ones first, what stands "
           "in its place. What is kept is shared with this tree, which does not change.");
  node.def("with_children", &with_children, nb::arg("replace"),
           nb::sig("def with_children(self, replace: collections.abc.Callable[[Node], "
                   "typing.Any]) -> Node"),
           "A copy of this node, with replace(child) in place of each node right below it.");
  node.def(
      "names",
      [](const tree::Node& self) {
        nb::set names;
        for (const std::string& name :
             tree::names_in(Part(NodePtr(const_cast<tree::Node*>(&self)))))
          names.add(nb::str(name.c_str(), name.size()));
        return names;
      },
      nb::sig("def names(self) -> set[str]"),
      "The identifiers that it mentions, without keywords, comments and strings.");
}

// The method that mappers call for a class. cgen derives the names from its classes, with these
// exceptions.
std::string mapper_method(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"AlignedAttribute", "aligned"},
      {"AlignValueAttribute", "align_value"},
      {"Assign", "assignment"},
      {"CLRequiredWorkGroupSize", "cl_required_wokgroup_size"},
      {"CLWorkGroupSizeHint", "cl_workgroup_size_hint"},
      {"Collection", "block"},
      {"IfDef", "ifdef"},
      {"IfNDef", "ifndef"},
      {"InlineInitializer", "initializer"},
      {"LiteralBlock", "literal_lines"},
      {"Module", "block"},
      {"PrivateNamespace", "block"},
  };
  for (const auto& [cls, method] : others)
    if (cls == name) return "map_" + std::string(method);
  std::string method = "map";
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins =
        i == 0 || (is_upper(name[i]) &&
                   (!is_upper(name[i - 1]) || (i + 1 < name.size() && !is_upper(name[i + 1]))));
    if (begins) method += '_';
    method += is_upper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return method;
}

// The text for a compiler, with or without the lines that made it.
nb::object source_of(const tree::Node& node, const LanguageArgument& language, bool line_directives,
                     bool comments) {
  tree::PrintOptions options;
  options.dialect = &codegen::dialect_of(language_of(language));
  options.line_directives = line_directives;
  options.comments = comments;
  const NodePtr shared(const_cast<tree::Node*>(&node));
  const std::string text = tree::print(Part(shared), options);
  return nb::str(text.c_str(), text.size());
}

}  // namespace

tree::Node& to_change(const tree::Node& node) {
  auto* const object = static_cast<PyObject*>(node.owner());
  if (object != nullptr && PyObject_GC_IsTracked(object) == 0) PyObject_GC_Track(object);
  return const_cast<tree::Node&>(node);
}

int visit_node(const tree::Node* node, visitproc visit, void* arg) {
  if (node == nullptr) return 0;
  Py_VISIT(static_cast<PyObject*>(node->owner()));
  // A node made by C++ has no Python object. If several nodes point to it, the owner of the parts
  // below is unknown.
  return node->pointer_count() == 1 ? visit_parts(*node, visit, arg) : 0;
}

void remember_maker(PyTypeObject* type, void (*make)(nb::handle object)) { makers()[type] = make; }

std::optional<std::vector<std::string>> PythonNode::own_lines() const {
  if (owner() == nullptr || !has_own_text) return std::nullopt;
  const nb::gil_scoped_acquire gil;
  const nb::handle self(static_cast<PyObject*>(owner()));
  if (overrides(*this, "generate")) return lines_of(self.attr("generate")());
  if (kind() != Kind::custom_loop || !overrides(*this, "intro_line")) return std::nullopt;
  std::vector<std::string> lines;
  const auto add = [&](const char* method) {
    const nb::object line = self.attr(method)();
    if (!line.is_none()) lines.push_back(nb::cast<std::string>(nb::str(line)));
  };
  add("intro_line");
  const bool is_block = part(2).node() != nullptr && part(2).node()->kind() == Kind::block;
  if (part(2).node() != nullptr)
    for (nb::handle one : lines_of_text(text_of(*part(2).node())))
      lines.push_back((is_block ? "" : "  ") + nb::cast<std::string>(one));
  add("outro_line");
  return lines;
}

std::optional<std::pair<std::string, std::string>> PythonNode::own_declaration() const {
  if (owner() == nullptr || !has_own_text) return std::nullopt;
  const nb::gil_scoped_acquire gil;
  if (!overrides(*this, "get_decl_pair")) return std::nullopt;
  const nb::object pair = nb::handle(static_cast<PyObject*>(owner())).attr("get_decl_pair")();
  std::string type;
  for (const std::string& line : lines_of(pair[0])) type += (type.empty() ? "" : "\n") + line;
  const nb::object name = pair[1];
  return std::pair(type, name.is_none() ? std::string() : nb::cast<std::string>(nb::str(name)));
}

NodePtr PythonNode::shallow_copy() const {
  const nb::gil_scoped_acquire gil;
  nb::handle type(reinterpret_cast<PyObject*>(bound_type()));
  if (owner() != nullptr) type = nb::handle(python_type(*this));
  const nb::object copied = type.attr("__new__")(type);
  copied.attr("__setstate__")(state_of(*this));
  return NodePtr(&instance_of<tree::Node>(copied));
}

nb::object object_of(const Part& part, bool or_none) {
  if (part.node() != nullptr) return nb::cast(NodePtr(part.node()));
  if (or_none && part.is_empty()) return nb::none();
  return nb::str(part.text().data(), part.text().size());
}

Part part_of(nb::handle object) {
  if (object.is_none()) return {};
  if (nb::isinstance<tree::Node>(object)) return Part(NodePtr(&instance_of<tree::Node>(object)));
  const nb::object text = PyUnicode_Check(object.ptr()) ? nb::borrow(object) : nb::str(object);
  Py_ssize_t size = 0;
  const char* const letters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (letters == nullptr) throw nb::python_error();
  return Part(std::string_view(letters, static_cast<std::size_t>(size)));
}

Parts parts_of(nb::handle iterable) {
  if (iterable.is_none()) return {};
  if (PyUnicode_Check(iterable.ptr()) || nb::isinstance<tree::Node>(iterable))
    throw InvalidArgument("a list of nodes is one node, or text",
                          "write brackets around it: [node]");
  const nb::object fast = nb::steal(PySequence_Fast(iterable.ptr(), "expected a list of nodes"));
  if (!fast.is_valid()) throw nb::python_error();
  Parts parts;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(fast.ptr());
  parts.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    parts.push_back(part_of(PySequence_Fast_GET_ITEM(fast.ptr(), i)));
  return parts;
}

std::string text_of(const tree::Node& node) {
  const bool is_expression = tree::family_of(node.kind()) == tree::Family::expression;
  if (is_expression && !node.has_own_text)
    return tree::print_inline(Part(NodePtr(const_cast<tree::Node*>(&node))), cgen_options());
  std::string text = tree::print(Part(NodePtr(const_cast<tree::Node*>(&node))), cgen_options());
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Kind kind_named(const std::string& name) {
  static constexpr std::string_view names[] = {
#define TREADLE_NODE(kind, family, parts, list) #kind,
#include "treadle/codegen/tree_kinds.def"
  };
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names))
    throw InvalidArgument("a stored node of kind " + name + ", which there is not",
                          "write and read it with the same version");
  return static_cast<Kind>(found - std::begin(names));
}

nb::tuple state_of(const tree::Node& node) {
  nb::list parts, list;
  for (const Part& part : node.parts()) parts.append(object_of(part));
  for (const Part& part : node.list()) list.append(object_of(part));
  nb::object own = nb::none();
  if (node.owner() != nullptr)
    own = nb::getattr(nb::handle(static_cast<PyObject*>(node.owner())), "__dict__", nb::none());
  const auto* const ours = dynamic_cast<const PythonNode*>(&node);
  const nb::object extra = ours != nullptr && ours->extra.is_valid() ? ours->extra : nb::none();
  const nb::object only_in =
      node.only_in ? nb::object(nb::int_(static_cast<int>(*node.only_in))) : nb::none();
  return nb::make_tuple(
      std::string(tree::kind_name(node.kind())), parts, list, static_cast<int>(node.scalar),
      only_in, extra, node.made.file == nullptr ? nb::none() : nb::object(nb::str(node.made.file)),
      node.made.line, own);
}

void restore(PythonNode& node, nb::handle object, nb::tuple state) {
  Parts parts = parts_of(state[1]);
  if (parts.size() == node.parts().size()) std::ranges::move(parts, node.parts().begin());
  node.list() = parts_of(state[2]);
  node.scalar = static_cast<Scalar>(nb::cast<int>(state[3]));
  if (!state[4].is_none()) node.only_in = static_cast<Language>(nb::cast<int>(state[4]));
  if (!state[5].is_none()) node.extra = state[5];
  if (!state[8].is_none()) object.attr("__dict__").attr("update")(state[8]);
  if (!state[6].is_none()) node.made = {kept_name(state[6]), nb::cast<std::uint32_t>(state[7])};
}

void bind_tree(nb::module_& m) {
  bind_node(m);
  auto generable = define<Generable, tree::Node>(
      m, "Generable",
      "The base of all nodes. A class of a user's has a generate(), which yields lines.");
  generable.def("__init__", [](Generable* self) { new (self) Generable(Kind::line, Parts()); });
  let_users_derive<Generable>(Kind::line);
  nb::object wrap = nb::cpp_function(&watch_constructor, nb::name("__init_subclass__"));
  generable.attr("__init_subclass__") = nb::steal(PyClassMethod_New(wrap.ptr()));
  bind_tree_statements(m);
  bind_tree_control(m);
  bind_tree_declarators(m);
  bind_tree_expressions(m);
  bind_generated_text(m);
  for (const auto& [name, object] : nb::cast<nb::dict>(m.attr("__dict__")))
    if (PyType_Check(object.ptr()) && PyObject_IsSubclass(object.ptr(), m.attr("Node").ptr()) == 1)
      object.attr("mapper_method") = mapper_method(nb::cast<std::string>(name));
  m.def("source_of", &source_of, nb::arg("node"), nb::arg("language"),
        nb::arg("line_directives") = false, nb::arg("comments") = true,
        nb::sig("def source_of(node: Node, language: treadle._core.Language | str, "
                "line_directives: bool = "
                "False, comments: bool = True) -> str"),
        "The text for a compiler of \"cuda_c\" or \"opencl_c\". Throws what the language does not "
        "have, identifiers that are none, and text whose brackets do not match.");
}

}  // namespace treadle::bindings
