// SPDX-License-Identifier: MIT
// Nodes of treadle/codegen/tree.hpp that Python makes and derives from: treadle.cgen. Each Python
// class has a class here, so that isinstance() and copies work. Kinds and texts are the tree's.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "treadle/codegen/tree.hpp"
#include "treadle/codegen/tree_printer.hpp"

namespace treadle::bindings {

namespace nb = nanobind;
namespace tree = codegen::tree;
using tree::Kind;
using tree::NodePtr;
using tree::Part;
using Parts = std::vector<Part>;

/// The base of all classes. An instance lives inside its Python object.
class __attribute__((visibility("hidden"))) PythonNode : public tree::Node {
 public:
  using Node::Node;
  std::optional<std::vector<std::string>> own_lines() const override;
  std::optional<std::pair<std::string, std::string>> own_declaration() const override;
  NodePtr shallow_copy() const override;
  /// The bound class; the object's class may be a subclass of it.
  virtual PyTypeObject* bound_type() const noexcept = 0;

  /// Arguments that no part holds, such as the numbers of an attribute. Null: none.
  nb::object extra;
};

/// One Python class.
template <class Tag, class Base>
struct BoundClass : Base {
  using Base::Base;
  static inline PyTypeObject* type = nullptr;
  PyTypeObject* bound_type() const noexcept override { return type; }
};
struct GenerableTag;
/// The base of all classes. A user's class has a generate(), whose lines replace the node's text.
using Generable = BoundClass<GenerableTag, PythonNode>;
template <class Tag, class Base = Generable>
using Class = BoundClass<Tag, Base>;

/// A part as a Python object: a node or a str. An empty part is None if `or_none` is true.
nb::object object_of(const Part& part, bool or_none = false);
/// Makes a part of a str, a node, None, or str() of another object.
Part part_of(nb::handle object);
/// Makes parts of any iterable except a str.
Parts parts_of(nb::handle iterable);
/// The text that str() returns, in cgen's form.
std::string text_of(const tree::Node& node);

/// A node that is about to get parts. From now on Python's garbage collector knows it.
tree::Node& to_change(const tree::Node& node);
/// Shows Python's garbage collector the objects that a node holds through its parts: without this
/// the collector cannot find nodes that contain themselves.
int visit_node(const tree::Node* node, visitproc visit, void* arg);

/// Sets the state of a copied object.
void restore(PythonNode& node, nb::handle object, nb::tuple state);
nb::tuple state_of(const tree::Node& node);
Kind kind_named(const std::string& name);

/// Registers how to make an object's node, for classes whose __init__() does not call ours.
void remember_maker(PyTypeObject* type, void (*make)(nb::handle object));

/// Defines a class; the caller adds further methods to the result.
template <class T, class Base>
nb::class_<T, Base> define(nb::module_& m, const char* name, const char* doc) {
  nb::class_<T, Base> cls(m, name, doc);
  T::type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  cls.def("__getstate__", [](const T& self) { return state_of(self); });
  cls.def("__setstate__", [](nb::pointer_and_handle<T> self, const nb::tuple& state) {
    new (self.p) T(kind_named(nb::cast<std::string>(state[0])), Parts());
    restore(*self.p, self.h, state);
  });
  return cls;
}

/// The kind of node for users' classes that derive from `T`.
template <class T>
void let_users_derive(Kind kind) {
  static const Kind its_kind = kind;
  remember_maker(T::type, [](nb::handle object) {
    new (nb::inst_ptr<T>(object)) T(its_kind, Parts());
    nb::inst_mark_ready(object);
  });
}

/// Adds an attribute: a part of the node.
template <std::size_t number, bool or_none = false, class Cls>
void add_part(Cls& cls, const char* name) {
  cls.def_prop_rw(
      name, [](const Generable& node) { return object_of(node.part(number), or_none); },
      [](Generable& node, const nb::object& value) {
        to_change(node).parts()[number] = part_of(value);
      },
      nb::for_setter(nb::arg("value").none()));
}
/// Adds an attribute: the node's list, as a tuple.
template <class Cls>
void add_list(Cls& cls, const char* name) {
  cls.def_prop_rw(
      name,
      [](const Generable& node) {
        nb::list list;
        for (const Part& part : node.list()) list.append(object_of(part));
        return nb::tuple(list);
      },
      [](Generable& node, nb::handle value) { to_change(node).list() = parts_of(value); });
}
/// Adds a read-only attribute: an argument that no part holds.
template <class Cls>
void add_extra(Cls& cls, const char* name) {
  cls.def_prop_ro(name, [name](const Generable& node) -> nb::object {
    return nb::borrow(nb::object(node.extra[name]));
  });
}

void bind_tree_statements(nb::module_& m);
void bind_tree_control(nb::module_& m);
void bind_tree_declarators(nb::module_& m);
void bind_tree_expressions(nb::module_& m);

struct DeclaratorTag;
struct NestedTag;
using Declarator = Class<DeclaratorTag>;
using NestedDeclarator = Class<NestedTag, Declarator>;

}  // namespace treadle::bindings

template <>
struct nanobind::detail::type_caster<treadle::bindings::Part> {
  NB_TYPE_CASTER(treadle::bindings::Part, const_name("object"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    try {
      value = treadle::bindings::part_of(source);
      return true;
    } catch (...) {
      PyErr_Clear();
      return false;
    }
  }
  static handle from_cpp(const treadle::bindings::Part& part, rv_policy, cleanup_list*) noexcept {
    return treadle::bindings::object_of(part).release();
  }
};

template <>
struct nanobind::detail::type_caster<treadle::bindings::NodePtr> {
  using Caster = make_caster<treadle::codegen::tree::Node>;
  static constexpr bool IsClass = true;
  NB_TYPE_CASTER(treadle::bindings::NodePtr, Caster::Name)

  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
    Caster caster;
    if (!caster.from_python(source, flags, cleanup)) return false;
    value = treadle::bindings::NodePtr(caster.operator treadle::codegen::tree::Node*());
    return true;
  }
  static handle from_cpp(const treadle::bindings::NodePtr& node, rv_policy policy,
                         cleanup_list* cleanup) noexcept {
    if (!node) return none().release();
    if (node->owner() != nullptr) return handle(static_cast<PyObject*>(node->owner())).inc_ref();
    return Caster::from_cpp(node.get(), policy, cleanup);
  }
};
