// SPDX-License-Identifier: MIT
// x[key] and x[key] = value for every kind of key that NumPy has, and other functions that choose
// elements by indices.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "errors.hpp"
#include "native/array.hpp"
#include "native/layout.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using array::AnyIndex;
using array::Bounds;
using array::IndexArray;
using array::Shape;

nb::object numpy_call(const char* name, nb::handle argument) {
  return nb::module_::import_("numpy").attr(name)(argument);
}

/// Integers of the host: a NumPy array.
IndexArray host_indices(nb::handle values) {
  const nb::object flat = nb::handle(values).attr("astype")("int64").attr("ravel")();
  const auto count = nb::len(flat);
  const auto* const data = reinterpret_cast<const std::int64_t*>(
      nb::cast<std::uintptr_t>(flat.attr("ctypes").attr("data")));
  return {std::vector<std::int64_t>(data, data + count), shape_from(values.attr("shape"))};
}

/// The kind of NumPy's dtype: 'b' for masks, 'i' and 'u' for integers. An empty list has no kind.
char kind_of(const nb::object& host) {
  const char kind = nb::cast<std::string>(host.attr("dtype").attr("kind"))[0];
  return nb::cast<std::int64_t>(host.attr("size")) == 0 && kind == 'f' ? 'i' : kind;
}

IndexArray indices_from(nb::handle object) {
  if (const Array* own = as_array(object.ptr())) return *own;
  const nb::object host = numpy_call("asarray", object);
  if (const char kind = kind_of(host); kind != 'i' && kind != 'u') {
    const nb::object dtype = host.attr("dtype");
    throw IndexError("indices of dtype " + nb::cast<std::string>(nb::str(dtype)), "pass integers");
  }
  return host_indices(host);
}

/// One entry between the brackets.
struct Part {
  std::vector<AnyIndex> indices = {};
  std::size_t axes = 0;      ///< how many axes of the array it uses
  Shape mask = {};           ///< the shape of a mask
  bool is_ellipsis = false;  ///< uses all axes that are left
  bool adds_axis = false;    ///< adds an axis of length 1, of which it takes one element or none
};

bool is_host_array(nb::handle part) {
  if (nb::isinstance<nb::list>(part) || PyBool_Check(part.ptr())) return true;
  if (is_numpy_scalar(part.ptr())) return kind_of(numpy_call("asarray", part)) == 'b';
  return is_numpy_array(part.ptr()) &&
         (nb::cast<int>(part.attr("ndim")) > 0 || kind_of(nb::borrow(part)) == 'b');
}

/// A mask without axes adds an axis of length 1, and takes its element or none.
Part flag_part(bool is_true) {
  std::vector<std::int64_t> first;
  if (is_true) first.push_back(0);
  return {.indices = {IndexArray(std::move(first))}, .adds_axis = true};
}

/// Turns a mask of the host into the indices of its true elements.
Part host_part(nb::handle object) {
  const nb::object host = numpy_call("asarray", object);
  if (kind_of(host) != 'b') return {{indices_from(host)}, 1};
  Part part{.mask = shape_from(host.attr("shape"))};
  if (part.mask.empty()) return flag_part(PyObject_IsTrue(host.ptr()) == 1);
  for (const nb::handle one : nb::tuple(host.attr("nonzero")()))
    part.indices.emplace_back(host_indices(one));
  part.axes = part.mask.size();
  return part;
}

/// Turns a mask on the device into indices. Waits for the number of true elements.
Part device_mask_part(const Array& mask) {
  if (mask.rank() == 0) return flag_part(mask.item().as_bool());
  Part part{.axes = mask.shape().size(), .mask = {mask.shape().begin(), mask.shape().end()}};
  for (Array& places : array::nonzero(mask)) part.indices.emplace_back(IndexArray(places));
  return part;
}

Part part_from(nb::handle object) {
  if (const Array* indices = as_array(object.ptr())) {
    if (indices->dtype() == Scalar::boolean) return device_mask_part(*indices);
    return {{IndexArray(*indices)}, 1};
  }
  if (is_host_array(object)) return host_part(object);
  const Index index = indices_of(nb::make_tuple(object)).front();
  return {{index},
          index.kind == Index::Kind::integer || index.kind == Index::Kind::slice ? 1u : 0u,
          {},
          index.kind == Index::Kind::ellipsis};
}

/// An array and the indices that are applied to it.
struct Indexed {
  Array array;  ///< has an additional axis for each True and False
  std::vector<AnyIndex> indices = {};
};

Indexed any_indices(nb::handle key, const Array& x) {
  std::vector<Part> parts;
  if (nb::isinstance<nb::tuple>(key))
    for (const nb::handle part : nb::borrow<nb::tuple>(key)) parts.push_back(part_from(part));
  else
    parts.push_back(part_from(key));
  std::size_t named = 0, axis = 0, added = 0;
  for (const Part& part : parts) named += part.axes;
  Indexed all{x};
  for (const Part& part : parts) {
    for (std::size_t i = 0; i < part.mask.size(); ++i)
      if (axis + i >= x.shape().size() ||
          (part.mask[i] != 0 && part.mask[i] != x.shape()[axis + i]))
        throw IndexError("a mask of shape " + shape_text(part.mask) + " at axis " +
                             std::to_string(axis) + " of an array of shape " +
                             shape_text(x.shape()),
                         "its lengths are those of the axes that it selects from");
    if (part.adds_axis) all.array = array::expand_dims(all.array, static_cast<int>(axis + added++));
    axis += part.axes;
    if (part.is_ellipsis && x.shape().size() > named) axis += x.shape().size() - named;
    all.indices.insert(all.indices.end(), part.indices.begin(), part.indices.end());
  }
  return all;
}

/// Whether the key has only integers, slices, Ellipsis and None. This common case needs no list.
bool is_basic(nb::handle key) {
  const auto is_plain = [](nb::handle part) {
    return PyLong_CheckExact(part.ptr()) || PySlice_Check(part.ptr()) || part.is_none() ||
           part.ptr() == Py_Ellipsis;
  };
  if (!nb::isinstance<nb::tuple>(key)) return is_plain(key);
  for (const nb::handle part : nb::borrow<nb::tuple>(key))
    if (!is_plain(part)) return false;
  return true;
}

/// The basic indices, if `indices` has no array.
std::optional<std::vector<Index>> basic_indices(const std::vector<AnyIndex>& indices) {
  std::vector<Index> basic;
  for (const AnyIndex& index : indices) {
    if (std::holds_alternative<IndexArray>(index)) return std::nullopt;
    basic.push_back(std::get<Index>(index));
  }
  return basic;
}

const Array* as_mask(nb::handle key) {
  const Array* mask = as_array(key.ptr());
  return mask != nullptr && mask->dtype() == Scalar::boolean ? mask : nullptr;
}

Bounds bounds_from(const std::optional<std::string>& mode) {
  if (!mode) return Bounds::checked;
  if (*mode == "wrap") return Bounds::wrap;
  if (*mode == "clip") return Bounds::clip;
  throw InvalidArgument("mode '" + *mode + "'", "give 'raise', 'wrap' or 'clip'");
}

nb::object taken(const Array& x, nb::handle indices, std::optional<int> axis, nb::handle out,
                 const std::optional<std::string>& mode) {
  const IndexArray chosen = indices_from(indices);
  return result_in(out, axis ? array::take(x, chosen, *axis, bounds_from(mode))
                             : array::take(x, chosen, bounds_from(mode)));
}

void put_values(const Array& x, nb::handle indices, nb::handle values,
                const std::optional<std::string>& mode) {
  array::put(x, indices_from(indices), AssignedValue(x, values, Place::chosen).get(),
             bounds_from(mode));
}

Place stored_place(const Array& x, nb::handle key) {
  const auto is_counted = [](nb::handle part) {
    return PyLong_CheckExact(part.ptr()) ||
           (is_numpy_scalar(part.ptr()) && PyIndex_Check(part.ptr()) != 0);
  };
  const bool is_tuple = nb::isinstance<nb::tuple>(key);
  const nb::tuple parts = is_tuple ? nb::borrow<nb::tuple>(key) : nb::make_tuple(key);
  const bool names_all = static_cast<std::int64_t>(parts.size()) == x.rank();
  if (names_all && std::all_of(parts.begin(), parts.end(), is_counted)) return Place::element;
  return is_basic(key) ? Place::part : Place::chosen;
}

}  // namespace

bool names_field(const Array& x, nb::handle key) {
  return nb::isinstance<nb::str>(key) && x.dtype().scalar() == Scalar::structure;
}

Array subscripted(const Array& x, nb::handle key) {
  if (is_basic(key)) return x.at(indices_of(key));
  if (names_field(x, key)) return array::field(x, nb::cast<std::string>(key));
  if (const Array* mask = as_mask(key)) return array::selected(x, *mask);
  const Indexed all = any_indices(key, x);
  if (const auto basic = basic_indices(all.indices)) return x.at(*basic);
  return array::at(all.array, all.indices);
}

void assign_subscripted(const Array& x, nb::handle key, nb::handle given) {
  const Place place = stored_place(x, key);
  const AssignedValue assigned(x, given, place);
  const array::Operand& value = assigned.get();
  const Array* const values = value.array();
  const bool is_number = x.dtype() != Scalar::boolean && x.dtype().scalar() != Scalar::structure;
  if (place == Place::element && is_number && values != nullptr && values->rank() != 0)
    throw ShapeError("a value of shape " + shape_text(values->shape()) + " for one element",
                     "store a number, or value.reshape(()), or assign to x[i:i+1]");
  if (is_basic(key)) return x.at(indices_of(key)).assign(value);
  if (const Array* mask = as_mask(key)) return array::assign_selected(x, *mask, value);
  const Indexed all = any_indices(key, x);
  if (const auto basic = basic_indices(all.indices)) return x.at(*basic).assign(value);
  array::assign_at(all.array, all.indices, value);
}

void bind_array_indexing_methods(nb::class_<Array>& type) {
  type.def("take", recorded(&taken), nb::arg("indices"), nb::arg("axis") = nb::none(),
           nb::arg("out") = nb::none(), nb::arg("mode") = nb::none(),
           nb::sig("def take(self, indices: typing.Any, axis: int | None = None, out: Array | None "
                   "= None, mode: str | None = None) -> Array"),
           "Elements at indices, along an axis or in C's order of all; see treadle.numpy.take().")
      .def("put", recorded(&put_values), nb::arg("indices"), nb::arg("values").none(),
           nb::arg("mode") = nb::none(),
           nb::sig("def put(self, indices: typing.Any, values: typing.Any, mode: str | None = "
                   "None) -> None"),
           "Sets elements at indices in C's order of all; see treadle.numpy.put().");
}

namespace {

array::BitOrder bit_order(const std::string& order) {
  if (order == "big") return array::BitOrder::big;
  if (order == "little") return array::BitOrder::little;
  throw InvalidArgument("bitorder='" + order + "'", "there are 'big' and 'little'");
}

void bind_bits(nb::module_& m) {
  m.def("packbits", recorded(+[](const Array& x, int axis, const std::string& order) {
          return array::packbits(x, axis, bit_order(order));
        }),
        nb::arg("x"), nb::arg("axis"), nb::arg("order"), "Eight elements in a byte.");
  m.def("unpackbits", recorded(+[](const Array& x, int axis, const std::string& order) {
          return array::unpackbits(x, axis, bit_order(order));
        }),
        nb::arg("x"), nb::arg("axis"), nb::arg("order"), "The bits of bytes.");
  m.def(
      "unravel_index", recorded(+[](const Array& places, const Shape& shape, nb::handle order) {
        return array::unravel_index(places, shape, memory_order(order));
      }),
      nb::arg("places"), nb::arg("shape"), nb::arg("order"),
      nb::sig("def unravel_index(places: Array, shape: collections.abc.Sequence[int], order: str) "
              "-> list[Array]"),
      "Of each place its index along each axis.");
  m.def("ravel_multi_index",
        recorded(+[](const std::vector<Array>& indices, const Shape& shape,
                     const std::optional<std::string>& mode, nb::handle order) {
          return array::ravel_multi_index(indices, shape, bounds_from(mode), memory_order(order));
        }),
        nb::arg("indices"), nb::arg("shape"), nb::arg("mode").none(), nb::arg("order"),
        nb::sig("def ravel_multi_index(indices: collections.abc.Sequence[Array], shape: "
                "collections.abc.Sequence[int], mode: str | None, order: str) -> Array"),
        "The place of each index.");
}

}  // namespace

void bind_array_indexing(nb::module_& m) {
  m.def("fill_diagonal", recorded(+[](const Array& x, nb::handle value) {
          array::fill_diagonal(x, AssignedValue(x, value, Place::part).get());
        }),
        nb::arg("x"), nb::arg("value").none(),
        nb::sig("def fill_diagonal(x: Array, value: typing.Any) -> None"),
        "Assigns to the diagonal of an array of two axes.");
  bind_bits(m);
  m.def("take_along_axis", recorded(+[](const Array& x, nb::handle indices, int axis) {
          return array::take_along_axis(x, indices_from(indices), axis);
        }),
        nb::arg("x"), nb::arg("indices"), nb::arg("axis"),
        nb::sig("def take_along_axis(x: Array, indices: typing.Any, axis: int) -> Array"),
        "For each index the element there along an axis.");
  m.def("put_along_axis",
        recorded(+[](const Array& x, nb::handle indices, nb::handle values, int axis) {
          const AssignedValue assigned(x, values, Place::chosen);
          array::put_along_axis(x, indices_from(indices), assigned.get(), axis);
        }),
        nb::arg("x"), nb::arg("indices"), nb::arg("values").none(), nb::arg("axis"),
        nb::sig("def put_along_axis(x: Array, indices: typing.Any, values: typing.Any, axis: int) "
                "-> None"),
        "Sets those elements.");
  m.def("assign_where", recorded(+[](const Array& x, const Array& mask, nb::handle value) {
          x.assign_where(mask, AssignedValue(x, value, Place::chosen).get());
        }),
        nb::arg("x"), nb::arg("mask"), nb::arg("value").none(),
        nb::sig("def assign_where(x: Array, mask: Array, value: typing.Any) -> None"),
        "x[...] = value, broadcast, under a mask that broadcasts to x; elsewhere it stays.");
  m.def("repeat_by_counts",
        recorded(+[](const Array& x, const std::vector<std::int64_t>& counts, int axis) {
          return array::repeat(x, counts, axis);
        }),
        nb::arg("x"), nb::arg("counts"), nb::arg("axis"),
        "Each part along an axis as often as its count says.");
}

}  // namespace treadle::bindings
