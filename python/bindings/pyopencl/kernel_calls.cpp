// SPDX-License-Identifier: MIT
// The hot path: from Python's vectorcall to setting arguments and enqueuing.
#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caller.hpp"
#include "calls/argument.hpp"
#include "calls/keyword_names.hpp"
#include "calls/named_arguments.hpp"
#include "calls/parameter_check.hpp"
#include "calls/small_integer.hpp"
#include "instance.hpp"
#include "memory/launched_array.hpp"
#include "pyopencl/kernel.hpp"
#include "pyopencl/object_arguments.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::bindings::cl {
namespace {

// Parameters behind queue, sizes and the kernel's own arguments, by name or by place.
enum Option { global_offset, g_times_l, allow_empty_ndrange, wait_for, option_count };
constinit KeywordNames<option_count> option_names({"global_offset", "g_times_l",
                                                   "allow_empty_ndrange", "wait_for"});
constinit KeywordNames<2> set_arg_names({"arg_index", "arg"});
constexpr const char* first_names[] = {"queue", "global_size", "local_size"};
constexpr std::size_t first_count = std::size(first_names);
constexpr const char* enqueue_name = "enqueue_nd_range_kernel";

template <class F>
PyObject* guarded(F call) noexcept {
  try {
    return call();
  } catch (...) {
    set_error();
    return nullptr;
  }
}

/// The names of the sizes in errors.
struct SizeNames {
  const char *global, *local, *offset;
};
constexpr SizeNames call_sizes{"global_size", "local_size", "global_offset"};
constexpr SizeNames function_sizes{"global_work_size", "local_work_size", "global_work_offset"};

/// A parsed call. Everything is borrowed from the caller.
struct Call {
  PyObject *queue = nullptr, *global = nullptr, *local = nullptr;
  PyObject* const* values = nullptr;  ///< the kernel's arguments
  std::array<PyObject*, option_count> options{};
  const SizeNames* names = &call_sizes;
};

[[noreturn]] void refuse_call(const KernelState& kernel, const std::string& why) {
  raise_python(PyExc_TypeError, kernel.call_name + "() " + why);
}

std::string parameter_name(const KernelState& kernel, std::size_t place) {
  if (place < first_count) return first_names[place];
  if (place < first_count + kernel.passed) return "arg" + std::to_string(place - first_count);
  return option_names.name(place - first_count - kernel.passed);
}

std::size_t place_of(const KernelState& kernel, PyObject* name) {
  const std::size_t options = first_count + kernel.passed;
  if (const int option = option_names.find(name); option >= 0)
    return options + static_cast<std::size_t>(option);
  const auto text = nb::cast<std::string>(nb::str(name));
  for (std::size_t place = 0; place < options; ++place)
    if (parameter_name(kernel, place) == text) return place;
  refuse_call(kernel, "got an unexpected keyword argument '" + text + "'");
}

/// Whether a value behind the kernel's arguments is a global_offset, and not one argument too many.
bool may_be_offset(PyObject* value) {
  return value == Py_None ||
         (PySequence_Check(value) != 0 && PyUnicode_Check(value) == 0 &&
          PyBytes_Check(value) == 0 && !nb::isinstance<MemoryObjectHolder>(value));
}

// Follows Python's own rules for a function with these parameters.
void fill_places(const KernelState& kernel, PyObject* const* arguments, std::size_t positional,
                 PyObject* keywords, std::vector<PyObject*>& places) {
  const std::size_t needed = first_count + kernel.passed;
  if (positional > needed + option_count)
    refuse_call(kernel, "takes from " + std::to_string(needed + 1) + " to " +
                            std::to_string(needed + 1 + option_count) +
                            " positional arguments but " + std::to_string(positional + 1) +
                            " were given");
  if (positional > needed && !may_be_offset(arguments[needed]))
    refuse_call(kernel, "takes " + std::to_string(kernel.passed) +
                            " arguments behind queue, global_size and local_size, but " +
                            std::to_string(positional - first_count) + " were given");
  std::copy_n(arguments, positional, places.begin());
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* name = PyTuple_GET_ITEM(keywords, i);
    PyObject*& place = places[place_of(kernel, name)];
    if (place != nullptr)
      refuse_call(kernel, "got multiple values for argument '" +
                              nb::cast<std::string>(nb::str(name)) + "'");
    place = arguments[positional + static_cast<std::size_t>(i)];
  }
  std::string missing;
  std::size_t count = 0;
  for (std::size_t place = 0; place < needed; ++place)
    if (places[place] == nullptr) {
      missing += (count++ == 0 ? "'" : ", '") + parameter_name(kernel, place) + "'";
    }
  if (count > 0)
    refuse_call(kernel, "missing " + std::to_string(count) + " required positional argument" +
                            (count > 1 ? "s: " : ": ") + missing);
}

Call read_call(const KernelState& kernel, PyObject* const* arguments, std::size_t positional,
               PyObject* keywords, std::vector<PyObject*>& places) {
  const std::size_t needed = first_count + kernel.passed;
  if (positional == needed && keywords == nullptr) [[likely]]
    return {arguments[0], arguments[1], arguments[2], arguments + first_count, {}};
  places.resize(needed + option_count);
  fill_places(kernel, arguments, positional, keywords, places);
  Call call{places[0], places[1], places[2], places.data() + first_count, {}};
  std::copy_n(places.begin() + static_cast<std::ptrdiff_t>(needed), option_count,
              call.options.begin());
  return call;
}

/// The sizes of one kind. Any number is allowed here; OpenCL's limit is checked later.
struct Sizes {
  std::array<std::size_t, 10> values{};
  std::size_t count = 0;
  std::span<const std::size_t> list() const { return {values.data(), count}; }
  bool has_zero() const {
    return std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0u) !=
           values.begin() + static_cast<std::ptrdiff_t>(count);
  }
};

std::size_t size_of(PyObject* item, const Argument& argument) {
  if (PyLong_CheckExact(item)) [[likely]] {
    const std::size_t number = PyLong_AsSize_t(item);
    if (number != static_cast<std::size_t>(-1) || PyErr_Occurred() == nullptr) return number;
    PyErr_Clear();
    raise_logic_error(argument.call, std::string(argument.name) + " has an entry " + shown(item) +
                                         ", which is no size");
  }
  const nb::object index = nb::steal(PyNumber_Index(item));
  if (!index.is_valid()) {
    PyErr_Clear();
    refuse_kind(item, argument, "int");
  }
  return size_of(nb::object(nb::steal(PyNumber_Long(index.ptr()))).ptr(), argument);
}

Sizes read_sizes(PyObject* given, const char* what) {
  Argument argument{enqueue_name, what};
  const nb::object sequence = nb::steal(
      PySequence_Fast(iterable_in(given, argument, "a tuple of int").ptr(), "unreachable"));
  if (!sequence.is_valid()) throw nb::python_error();
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.ptr());
  Sizes sizes;
  if (static_cast<std::size_t>(count) > sizes.values.size())
    raise_logic_error(enqueue_name,
                      std::string(what) + " has " + std::to_string(count) + " dimensions");
  for (PyObject* const* item = PySequence_Fast_ITEMS(sequence.ptr());
       sizes.count < static_cast<std::size_t>(count); ++item) {
    ++argument.entry;
    sizes.values[sizes.count++] = size_of(*item, argument);
  }
  return sizes;
}

/// The range of a kernel, as the caller gave it.
struct Shape {
  Sizes global, local, offset;
  bool has_local = false, has_offset = false;
};

void pad(Sizes& sizes, std::size_t count) {
  while (sizes.count < count) sizes.values[sizes.count++] = 1;
}

// g_times_l: the global size counts groups, and the offset does, too.
void multiply(Shape& shape) {
  const std::size_t count = std::max(shape.global.count, shape.local.count);
  pad(shape.global, count);
  pad(shape.local, count);
  for (std::size_t i = 0; i < count; ++i) {
    shape.global.values[i] *= shape.local.values[i];
    if (shape.has_offset) shape.offset.values[i] *= shape.local.values[i];
  }
}

bool read_plain_size(PyObject* given, opencl::WorkSize& size) {
  const SmallSides sides = small_sides(given, 0);
  if (sides.count == 0) return false;
  size = opencl::WorkSize(static_cast<unsigned>(sides.count), static_cast<std::size_t>(sides.x),
                          static_cast<std::size_t>(sides.y), static_cast<std::size_t>(sides.z));
  return true;
}

// Nearly every call has plain sizes, equally many for the groups, and no option that changes them.
bool read_plain_range(const Call& call, opencl::LaunchConfig& config) {
  if (call.options[global_offset] != nullptr || call.options[g_times_l] != nullptr ||
      call.options[allow_empty_ndrange] != nullptr)
    return false;
  if (!read_plain_size(call.global, config.global)) return false;
  if (call.local == Py_None) return true;
  return read_plain_size(call.local, config.local) &&
         config.local.dimensions() == config.global.dimensions();
}

constexpr std::size_t opencl_dimensions = 3;
[[noreturn]] void refuse_rank(std::size_t rank) {
  raise_error(static_cast<int>(opencl::StatusCode::invalid_work_dimension), enqueue_name,
              "a kernel runs over 1 to 3 dimensions, not " + std::to_string(rank) +
                  ": fold the outer dimensions into one");
}

Shape read_shape(const Call& call) {
  Shape shape;
  shape.global = read_sizes(call.global, call.names->global);
  if (shape.has_local = call.local != Py_None; shape.has_local)
    shape.local = read_sizes(call.local, call.names->local);
  PyObject* offset = call.options[global_offset];
  if (shape.has_offset = offset != nullptr && offset != Py_None; shape.has_offset)
    shape.offset = read_sizes(offset, call.names->offset);
  const bool multiplies = shape.has_local && is_set(call.options[g_times_l]);
  const std::size_t rank =
      multiplies ? std::max(shape.global.count, shape.local.count) : shape.global.count;
  if (shape.has_local && !multiplies && shape.local.count != rank)
    raise_logic_error(enqueue_name, "global_size has " + std::to_string(rank) +
                                        " dimensions, local_size " +
                                        std::to_string(shape.local.count));
  if (shape.has_offset && shape.offset.count != rank)
    raise_logic_error(enqueue_name, "the range has " + std::to_string(rank) +
                                        " dimensions, global_offset " +
                                        std::to_string(shape.offset.count));
  if (multiplies) multiply(shape);
  if (rank > opencl_dimensions) refuse_rank(rank);
  return shape;
}

const CommandQueue& queue_of(PyObject* object) {
  static auto* const type = reinterpret_cast<PyTypeObject*>(nb::type<CommandQueue>().ptr());
  if (Py_TYPE(object) != type && !nb::isinstance<CommandQueue>(object))
    refuse_object(object, {enqueue_name, "queue"}, nb::type<CommandQueue>());
  return instance_of<CommandQueue>(object);
}

opencl::WorkSize work_size_of(const Sizes& sizes) { return opencl::WorkSize(sizes.list()); }

/// Returns false if the range is empty and empty ranges are allowed.
bool read_range(const Call& call, opencl::LaunchConfig& config) {
  if (read_plain_range(call, config)) [[likely]]
    return true;
  const Shape shape = read_shape(call);
  if (is_set(call.options[allow_empty_ndrange]) &&
      (shape.global.has_zero() || shape.local.has_zero()))
    return false;
  config.global = work_size_of(shape.global);
  config.local = work_size_of(shape.local);
  config.offset = work_size_of(shape.offset);
  return true;
}

// Enqueues by `launch(config)`, or a marker if the range is empty and may be empty.
template <class F>
nb::object enqueue(const Call& call, nb::handle after_these, F launch) {
  opencl::LaunchConfig config{.queue = use_queue(queue_of(call.queue)), .global = {}};
  const bool has_items = read_range(call, config);
  const Events after(after_these);
  config.order = after.order();
  if (!has_items) return make_event(config.queue.marker(config.order));
  return make_event(with_retry([&] { return launch(config); }));
}

bool is_float_type(std::string_view type) {
  const auto scalar = c_scalar(type);
  return scalar && DType(*scalar).kind() == treadle::ScalarKind::floating;
}
bool is_integer_type(std::string_view type) {
  const auto scalar = c_scalar(type);
  return scalar && DType(*scalar).is_integer();
}

// Reports once for each argument that the program passes a float for a declared int of the same
// size, or the reverse. As in PyOpenCL, the bits are passed.
void compare_declared(const KernelState& kernel, std::size_t index, PyObject* value) {
  const ScalarType* const scalar = scalar_type(Py_TYPE(value));
  const auto& parameters = kernel.kernel.parameters();
  if (scalar == nullptr || index >= parameters.size()) return;
  const opencl::KernelParameter& parameter = parameters[index];
  using Given = bindings::ScalarKind;
  const bool contradicts =
      scalar->kind == Given::floating
          ? is_integer_type(parameter.type)
          : (scalar->kind == Given::integer || scalar->kind == Given::unsigned_integer) &&
                is_float_type(parameter.type);
  // Setting the argument refuses another size.
  if (!contradicts || DType(*c_scalar(parameter.type)).size_bytes() != scalar->size) return;
  kernel.reported.report(index,
                         "argument " + std::to_string(index) + " '" + parameter.type + " " +
                             parameter.name + "' of kernel " + kernel.kernel.name(),
                         std::string("the bytes of a ") + Py_TYPE(value)->tp_name + " are no " +
                             parameter.type + "; passed as they are");
}

/// A kernel assumes that the elements of a declared vector have no gaps.
[[noreturn]] void refuse_gaps(const KernelState& kernel, std::size_t index) {
  raise_python(PyExc_RuntimeError, "argument " + std::to_string(index) + " of " + kernel.call_name +
                                       "() has gaps between its elements: 1 * x is one without");
}

void require_dense(const KernelState& kernel, std::size_t index, nb::handle array) {
  const nb::object flags = attribute_or_null(array.ptr(), "flags");
  if (!flags.is_valid() || flags.is_none() || nb::cast<bool>(flags.attr("forc"))) return;
  refuse_gaps(kernel, index);
}

void fill(ArgumentList& list, const KernelState& kernel, PyObject* const* values) {
  if (!kernel.is_typed()) {
    for (std::size_t i = 0; i < kernel.passed; ++i) {
      if (i >= kernel.compared.size() || kernel.compared[i] != Py_TYPE(values[i])) [[unlikely]] {
        compare_declared(kernel, i, values[i]);
        kernel.compared.resize(kernel.passed);
        kernel.compared[i] = Py_TYPE(values[i]);
      }
      list.add(values[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < kernel.passed; ++i) list.add(kernel.types[i], values[i]);
}

void add_events(nb::object& events, nb::handle more) {
  if (!more.is_valid() || more.is_none() || nb::len(more) == 0) return;
  nb::list all = events.is_none() ? nb::list() : nb::list(events);
  all.extend(more);
  events = all;
}

/// Reads the arguments of a call of a kernel that takes arrays. The call waits for the caller's
/// events and for the events of the arrays.
nb::object fill_with_arrays(ArgumentList& list, const KernelState& kernel, const Call& call) {
  PyObject* const given = call.options[wait_for];
  nb::object events = given == nullptr ? nb::object(nb::none()) : nb::borrow(given);
  const nb::object place = attribute_or_null(call.queue, "_place");
  for (std::size_t i = 0; i < kernel.passed; ++i) {
    const ArgumentType type = i < kernel.types.size() ? kernel.types[i] : ArgumentType{};
    PyObject* const value = call.values[i];
    if (!type.is_vector()) {
      list.add(type, value);
      continue;
    }
    LaunchedArray array{};
    if (place.is_valid() && launched_arrays().read(value, place.ptr(), array)) {
      if (!array.is_dense) refuse_gaps(kernel, i);
      list.add(type, array);
      add_events(events, array.events);  // the queue orders all other work
    } else {
      require_dense(kernel, i, value);
      list.add(type, value);
      add_events(events, attribute_or_null(value, "events"));
    }
  }
  return events;
}

// Finding the line takes 25 ns, so it is done only for a table that shows launch sites.
void note_site(const opencl::Kernel& kernel) {
  if (kernel.table().shows_launch_sites) [[unlikely]]
    note_launch_site();
}

}  // namespace

PyObject* call_kernel(PyObject* self, PyObject* const* arguments, std::size_t count,
                      PyObject* keywords) {
  return guarded([&] {
    KernelState& kernel = kernel_of(self);
    std::vector<PyObject*> places;
    const Call call = read_call(
        kernel, arguments, static_cast<std::size_t>(PyVectorcall_NARGS(count)), keywords, places);
    ArgumentList list(kernel.passed);
    nb::object of_arrays;  // the arrays' events and the caller's
    nb::handle after = call.options[wait_for] == nullptr ? Py_None : call.options[wait_for];
    if (kernel.takes_arrays)
      after = of_arrays = fill_with_arrays(list, kernel, call);
    else
      fill(list, kernel, call.values);
    note_site(kernel.kernel);
    nb::object event = enqueue(call, after, [&](const opencl::LaunchConfig& config) {
      return kernel.kernel.launch_list(config, list.list());
    });
    if (!kernel.given.empty()) [[unlikely]] {
      const std::vector<nb::object> replaced = std::exchange(kernel.given, {});
    }
    return event.release().ptr();
  });
}

PyObject* call_installed(PyObject* self, PyObject* const* arguments, std::size_t count,
                         PyObject* keywords) {
  return guarded([&] {
    const auto positional = static_cast<std::size_t>(PyVectorcall_NARGS(count));
    const std::size_t named =
        keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(keywords));
    std::vector<PyObject*> all{self};
    all.insert(all.end(), arguments, arguments + positional + named);
    const nb::object function = nb::getattr(nb::handle(self), "_enqueue");
    return PyObject_Vectorcall(function.ptr(), all.data(), positional + 1, keywords);
  });
}

// Matches set_args(a, arg1=b): each argument of the kernel once.
std::vector<PyObject*> named_places(const KernelState& kernel, PyObject* const* arguments,
                                    Py_ssize_t positional, PyObject* keywords) {
  std::vector<PyObject*> found(arguments, arguments + positional);
  found.resize(kernel.passed);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
    const auto name = nb::cast<std::string>(nb::str(PyTuple_GET_ITEM(keywords, i)));
    std::size_t place = 0;
    while (place < kernel.passed && name != "arg" + std::to_string(place)) ++place;
    if (place == kernel.passed)
      raise_python(PyExc_TypeError, "set_args() got an unexpected keyword argument '" + name + "'");
    if (found[place] != nullptr)
      raise_python(PyExc_TypeError, "set_args() got multiple values for argument '" + name + "'");
    found[place] = arguments[positional + i];
  }
  return found;
}

PyObject* set_args(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                   PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    KernelState& kernel = kernel_of(self);
    const Py_ssize_t given = count + (keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords));
    if (static_cast<std::size_t>(given) != kernel.passed)
      raise_python(PyExc_TypeError, "set_args() takes " + std::to_string(kernel.passed) +
                                        " arguments for this kernel but " + std::to_string(given) +
                                        " were given");
    std::vector<PyObject*> places;
    if (keywords != nullptr) places = named_places(kernel, arguments, count, keywords);
    ArgumentList list(kernel.passed);
    PyObject* const* const values = keywords == nullptr ? arguments : places.data();
    fill(list, kernel, values);
    std::vector<nb::object> kept;
    for (std::size_t i = 0; i < kernel.passed; ++i) kept.push_back(nb::borrow(values[i]));
    kept.resize(kernel.passed + kernel.kernel.argument_count());
    unsigned index = 0;
    for (const opencl::ArgumentView& argument : list.list())
      kernel.kernel.set_argument(index++, argument);
    std::swap(kernel.given, kept);
    Py_RETURN_NONE;
  });
}

PyObject* set_arg(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                  PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const auto [place, value] =
        named_arguments("set_arg", set_arg_names, arguments, count, keywords);
    const std::uint64_t index = bits_in(place, {"Kernel.set_arg", "arg_index"});
    const unsigned known = kernel_of(self).kernel.argument_count();
    if (index >= known)  // also beyond 32 bits
      raise_error(static_cast<int>(opencl::StatusCode::invalid_arg_index), "clSetKernelArg",
                  "kernel \"" + kernel_of(self).kernel.name() + "\", argument " +
                      std::to_string(index) + ": it has only " + std::to_string(known));
    ArgumentList list(1, index);
    list.add(value);
    KernelState& kernel = kernel_of(self);
    kernel.kernel.set_argument(static_cast<unsigned>(index), list.list()[0]);
    nb::object kept = nb::borrow(value);
    kernel.given.resize(kernel.passed + known);
    std::swap(kernel.given[kernel.passed + index], kept);
    Py_RETURN_NONE;
  });
}

void bind_kernel_calls(nb::module_& m) {
  option_names.intern();
  set_arg_names.intern();
  m.def("enqueue_nd_range_kernel",
        pyopencl([](nb::handle queue, nb::handle kernel, nb::handle global, nb::handle local,
                    nb::handle offset, nb::handle after, bool times, bool may_be_empty) {
          if (!is_kernel(kernel))
            refuse_kind(kernel, {enqueue_name, "kernel"}, "pyopencl.Kernel",
                        "a built program has them as attributes: program.name");
          const opencl::Kernel& called = kernel_of(kernel.ptr()).kernel;
          const Call call{queue.ptr(),
                          global.ptr(),
                          local.ptr(),
                          nullptr,
                          {offset.ptr(), times ? Py_True : Py_False,
                           may_be_empty ? Py_True : Py_False, nullptr},
                          &function_sizes};
          note_site(called);
          return enqueue(call, after, [&](const opencl::LaunchConfig& config) {
            return called.enqueue(config);
          });
        }),
        nb::arg("queue"), nb::arg("kernel"), nb::arg("global_work_size"),
        nb::arg("local_work_size").none(), nb::arg("global_work_offset") = nb::none(),
        nb::arg("wait_for") = nb::none(), nb::arg("g_times_l") = false,
        nb::arg("allow_empty_ndrange") = false,
        "Enqueues a kernel with the arguments that were set.");
}

nb::tuple suggested_local_size(nb::handle self, const CommandQueue& queue, nb::handle global,
                               nb::handle offset) {
  const Call call{nullptr, global.ptr(), Py_None, nullptr, {offset.ptr()}};
  const Shape shape = read_shape(call);
  const opencl::WorkSize size =
      kernel_of(self).kernel.suggested_local_size({.queue = queue.queue,
                                                   .global = work_size_of(shape.global),
                                                   .offset = work_size_of(shape.offset)});
  nb::list sides;
  for (unsigned i = 0; i < size.dimensions(); ++i) sides.append(size[i]);
  return nb::tuple(sides);
}

}  // namespace treadle::bindings::cl
