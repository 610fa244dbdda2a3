// SPDX-License-Identifier: MIT
// Programs, and the Python type of kernels of any device. The type is a plain CPython type, not a
// nanobind class: vectorcall passes calls, and the object holds everything that a call needs.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <structmember.h>

#include <array>
#include <cstddef>
#include <optional>

#include "caller.hpp"
#include "calls/argument.hpp"
#include "calls/keyword_names.hpp"
#include "calls/numpy_scalars.hpp"
#include "calls/parameter_check.hpp"
#include "html_table.hpp"
#include "image.hpp"
#include "instance.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/generated_text.hpp"
#include "native/host_array.hpp"
#include "native/interchange.hpp"
#include "native/language_argument.hpp"
#include "native/order.hpp"
#include "native/tune.hpp"
#include "rooms.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/occupancy.hpp"
#include "treadle/kernel/generated_program.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::bindings {
namespace {

using device::Argument;
using device::Local;

/// The state that a call needs besides its arguments.
struct CallState {
  explicit CallState(device::Kernel launched)
      : kernel(std::move(launched)),
        stream(kernel.device().default_stream()),
        has_addresses(device::cuda_context(kernel.device()) != nullptr) {
    std::size_t index = 0;
    for (const device::Parameter& parameter : kernel.parameters())
      pointed.declare(index++, parameter.type);
  }
  device::Kernel kernel;
  std::shared_ptr<device::Stream> stream;  ///< for calls without a stream, outside of scopes
  std::shared_ptr<device::Event> event;    ///< for wait_for_owner(), reused; guarded by the GIL
  bool has_addresses;                      ///< whether an address is a place in memory
  PointedElements pointed;
  std::vector<bool> reported = {};  ///< parameters whose contradiction was reported
};

struct KernelObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* weak_references;
  CallState* state;
};
CallState& state_of(PyObject* self) { return *reinterpret_cast<KernelObject*>(self)->state; }

PyTypeObject *kernel_type, *local_type;  // set while the module is imported

enum Keyword {
  kw_groups,
  kw_group_size,
  kw_stream,
  kw_local_bytes,
  kw_cooperative,
  kw_wait_for,
  kw_event,
  keyword_count
};
constinit KeywordNames<keyword_count> keyword_names({"groups", "group_size", "stream",
                                                     "local_bytes", "cooperative", "wait_for",
                                                     "event"});
using Keywords = std::array<PyObject*, keyword_count>;

std::size_t find_keyword(PyObject* name) {
  if (const int place = keyword_names.find(name); place >= 0)
    return static_cast<std::size_t>(place);
  raise_python(
      PyExc_TypeError,
      "a kernel call has no keyword argument '" + nb::cast<std::string>(nb::handle(name)) +
          "'; it has groups, group_size, stream, local_bytes, cooperative, wait_for and event");
}

Keywords read_keywords(PyObject* names, PyObject* const* values) {
  Keywords given{};
  const Py_ssize_t count = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < count; ++i)
    given[find_keyword(PyTuple_GET_ITEM(names, i))] = values[i];
  return given;
}

[[noreturn]] void refuse(PyObject* argument, std::size_t index, const CallState& call) {
  std::string text = "kernel \"" + call.kernel.name() + "\": argument " + std::to_string(index) +
                     " is a " + Py_TYPE(argument)->tp_name;
  if (PyLong_Check(argument) != 0 || PyFloat_Check(argument) != 0)
    text += ", whose width is not known: pass a NumPy scalar such as np.int32(...)";
  else if (PyObject_TypeCheck(argument, numpy_types().ndarray) != 0)
    text += " of the host: pass an Array or a Buffer with its contents";
  else
    text += ": pass an Array, a Buffer, a NumPy scalar or Local(bytes)";
  raise_python(PyExc_TypeError, text);
}

/// Reports once that an array's elements differ from those the parameter points to.
void check_array(CallState& call, std::size_t index, PyObject* argument) {
  if (!call.pointed.is_known(index)) return;
  if (call.reported.empty()) call.reported.resize(call.kernel.parameters().size());
  GivenElements given{Scalar::int8, false};
  if (call.reported[index] || !read_elements(argument, given)) return;
  const std::string text = call.pointed.contradiction(index, given);
  if (text.empty()) return;
  const device::Parameter& parameter = call.kernel.parameters()[index];
  report_contradiction("argument " + std::to_string(index) + " '" + parameter.type + " " +
                           parameter.name + "' of kernel " + call.kernel.name(),
                       text);
  call.reported[index] = true;
}

/// Reads memory that is not a Buffer: the CUDA shell's memory, or another library's array, whose
/// owner's work then comes first on `stream`.
std::optional<Argument> read_address(PyObject* argument, CallState& call, device::Stream& stream) {
  cuda::DevicePointer address = 0;
  if (read_pointer(argument, address)) return Argument(device::Location{address, 0});
  const nb::object interface =
      nb::steal(PyObject_GetAttrString(argument, "__cuda_array_interface__"));
  if (!interface.is_valid()) {
    PyErr_Clear();
    return std::nullopt;
  }
  const CudaArray array = read_cuda_array(interface);
  wait_for_owner(stream, call.kernel.device(), array.stream, call.event);
  return Argument(device::Location{array.address, 0});
}

/// The arguments of one call. Values are read in place; structures are views of buffers.
class ArgumentReader {
 public:
  explicit ArgumentReader(std::size_t count) {
    if (count > small_count) large_.reserve(count);
    list_ = count > small_count ? nullptr : reinterpret_cast<Argument*>(small_);
  }
  ArgumentReader(const ArgumentReader&) = delete;
  ArgumentReader& operator=(const ArgumentReader&) = delete;

  void read(PyObject* argument, CallState& call, device::Stream& stream) {
    if (const ScalarType* scalar = scalar_type(Py_TYPE(argument)))
      return add(Argument(scalar_data(argument), scalar->size, parameter_kind(scalar->kind)));
    if (const memory::Buffer* buffer = as_buffer(argument)) return add(Argument(*buffer));
    if (Py_TYPE(argument) == local_type) return add(Argument(instance_of<Local>(argument)));
    read_other(argument, call, stream);
  }
  std::span<const Argument> get() const noexcept {
    return {list_ != nullptr ? list_ : large_.data(), count_};
  }

 private:
  static constexpr std::size_t small_count = 24;

  void add(const Argument& argument) {
    if (list_ != nullptr)
      new (list_ + count_) Argument(argument);  // needs no destructor
    else
      large_.push_back(argument);
    ++count_;
  }
  void read_other(PyObject* argument, CallState& call, device::Stream& stream) {
    // While the array is computed, another thread may give the Python object another array.
    check_array(call, count_, argument);
    if (const Array* array = as_array(argument)) return add(Argument(arrays_.emplace_back(*array)));
    if (call.has_addresses)
      if (const auto memory = read_address(argument, call, stream)) return add(*memory);
    const NumpyTypes& numpy = numpy_types();
    if (PyObject_TypeCheck(argument, numpy.void_scalar) == 0 &&
        PyObject_TypeCheck(argument, numpy.generic) == 0)
      refuse(argument, count_, call);
    const auto& bytes =
        *views_.emplace_back(std::make_unique<HostArray>(argument, HostArray::Access::read));
    add(Argument(bytes.span().data(), bytes.span().size(), device::ParameterKind::structure));
  }

  static_assert(std::is_trivially_destructible_v<Argument>);
  alignas(Argument) std::byte small_[small_count * sizeof(Argument)];
  Argument* list_;
  std::size_t count_ = 0;
  std::vector<Argument> large_;
  std::vector<Array> arrays_;
  std::vector<std::unique_ptr<HostArray>> views_;
};

device::Stream& stream_of(const CallState& call, PyObject* given) {
  if (given == nullptr || given == Py_None) {
    device::Stream* scoped = device::scoped_stream(call.kernel.device());
    return scoped != nullptr ? *scoped : *call.stream;
  }
  if (device::Stream* stream = as_stream(given)) return *stream;
  raise_python(PyExc_TypeError,
               std::string("stream is a treadle.Stream or None, not ") + Py_TYPE(given)->tp_name);
}

/// Launches. Returns the call's result, a new reference.
PyObject* launch(CallState& call, PyObject* const* arguments, std::size_t count,
                 const Keywords& given) {
  if (given[kw_groups] == nullptr || given[kw_group_size] == nullptr)
    raise_python(PyExc_TypeError,
                 "a kernel call needs groups=(count, ...) and group_size=(work-items, ...)");
  device::LaunchShape shape;
  shape.groups = extent_argument(given[kw_groups], "groups");
  shape.group_size = extent_argument(given[kw_group_size], "group_size");
  if (given[kw_local_bytes] != nullptr)
    shape.local_bytes =
        static_cast<unsigned>(unsigned_argument(given[kw_local_bytes], "local_bytes", 0xFFFFFFFFu));
  shape.cooperative = is_set(given[kw_cooperative]);
  device::Stream& stream = stream_of(call, given[kw_stream]);
  ArgumentReader reader(count);
  for (std::size_t i = 0; i < count; ++i) reader.read(arguments[i], call, stream);
  note_launch_site();
  if (given[kw_wait_for] == nullptr && given[kw_event] == nullptr) [[likely]] {
    stream.launch_arguments(call.kernel, shape, reader.get());
    Py_RETURN_NONE;
  }
  const OrderArguments order(stream, given[kw_wait_for], given[kw_event]);
  stream.launch_arguments(call.kernel, shape, reader.get(), order.get());
  return order.result().release().ptr();
}

PyObject* call_kernel(PyObject* self, PyObject* const* arguments, std::size_t count,
                      PyObject* keywords) noexcept {
  try {
    const auto positional = static_cast<std::size_t>(PyVectorcall_NARGS(count));
    return launch(state_of(self), arguments, positional,
                  read_keywords(keywords, arguments + positional));
  } catch (...) {
    set_python_error(Face::native);
    return nullptr;
  }
}

void destroy(PyObject* self) {
  auto* kernel = reinterpret_cast<KernelObject*>(self);
  PyTypeObject* type = Py_TYPE(self);
  if (kernel->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  delete kernel->state;
  type->tp_free(self);
  Py_DECREF(type);
}

template <class F>
PyObject* guarded(PyObject* self, F question) noexcept {
  try {
    return nb::object(question(state_of(self).kernel)).release().ptr();
  } catch (...) {
    set_python_error(Face::native);
    return nullptr;
  }
}

PyObject* get_name(PyObject* self, void*) {
  return guarded(self, [](const device::Kernel& k) { return nb::cast(k.name()); });
}
PyObject* get_device(PyObject* self, void*) {
  return guarded(self,
                 [](const device::Kernel& k) { return nb::cast(k.device().shared_from_this()); });
}
PyObject* get_max_group_items(PyObject* self, void*) {
  return guarded(self, [](const device::Kernel& k) { return nb::int_(k.max_group_items()); });
}
PyObject* get_parameters(PyObject* self, void*) {
  return guarded(self, [](const device::Kernel& k) -> nb::object {
    if (!k.parameters_known()) return nb::none();
    nb::list list;
    for (const device::Parameter& p : k.parameters()) list.append(nb::cast(p));
    return list;
  });
}
PyObject* get_resources(PyObject* self, void*) {
  return guarded(self, [](const device::Kernel& k) { return nb::cast(k.resources()); });
}
PyObject* groups_per_compute_unit(PyObject* self, PyObject* const* arguments,
                                  Py_ssize_t count) noexcept {
  return guarded(self, [&](const device::Kernel& k) -> nb::object {
    if (count < 1 || count > 2)
      raise_python(PyExc_TypeError, "groups_per_compute_unit(group_items, local_bytes=0)");
    const auto items =
        static_cast<unsigned>(unsigned_argument(arguments[0], "group_items", 0xFFFFFFFFu));
    const auto groups = k.groups_per_compute_unit(
        items, count == 2 ? unsigned_argument(arguments[1], "local_bytes") : 0);
    return groups ? nb::object(nb::int_(*groups)) : nb::object(nb::none());
  });
}
/// Reads group_items (of occupancy()) and local_bytes.
std::size_t occupancy_arguments(PyObject* const* arguments, Py_ssize_t count, Py_ssize_t needed,
                                const char* signature) {
  if (count < needed || count > needed + 1) raise_python(PyExc_TypeError, signature);
  return count > needed ? unsigned_argument(arguments[needed], "local_bytes") : 0;
}
PyObject* occupancy(PyObject* self, PyObject* const* arguments, Py_ssize_t count) noexcept {
  return guarded(self, [&](const device::Kernel& k) -> nb::object {
    const std::size_t bytes =
        occupancy_arguments(arguments, count, 1, "occupancy(group_items, local_bytes=0)");
    const auto items =
        static_cast<unsigned>(unsigned_argument(arguments[0], "group_items", 0xFFFFFFFFu));
    const auto found = device::occupancy_of(k, items, bytes);
    return found ? nb::cast(*found) : nb::object(nb::none());
  });
}
PyObject* occupancies(PyObject* self, PyObject* const* arguments, Py_ssize_t count) noexcept {
  return guarded(self, [&](const device::Kernel& k) -> nb::object {
    const std::size_t bytes =
        occupancy_arguments(arguments, count, 0, "occupancies(local_bytes=0)");
    nb::list all;
    for (const device::Occupancy& each : device::occupancies_of(k, bytes))
      all.append(nb::cast(each));
    return all;
  });
}
PyObject* represent(PyObject* self) {
  return guarded(self, [](const device::Kernel& k) {
    return nb::cast("<kernel " + k.name() + " on " + k.device().info().id + ">");
  });
}
PyObject* represent_in_notebooks(PyObject* self, PyObject*) {
  return guarded(self, [](const device::Kernel& k) {
    std::string parameters;
    if (k.parameters_known())
      for (const device::Parameter& p : k.parameters())
        parameters += (parameters.empty() ? "" : ", ") + p.type + " " + p.name;
    const device::KernelResources needs = k.resources();
    const auto number = [](unsigned n) { return n == 0 ? "" : std::to_string(n); };
    return nb::cast(html_table(
        "kernel " + k.name(),
        {{"device", k.device().info().id + ": " + k.device().info().name},
         {"parameters", parameters},
         {"registers of a work-item", number(needs.registers)},
         {"private memory of a work-item", bytes_text(needs.private_bytes)},
         {"local memory of a group", bytes_text(needs.static_local_bytes)},
         {"work-items of a group, at most", number(needs.max_group_items)},
         {"work-items of a group, best a multiple of", number(needs.preferred_group_multiple)}}));
  });
}

PyGetSetDef properties[] = {
    {"name", get_name, nullptr, "As a reader knows the kernel.", nullptr},
    {"device", get_device, nullptr, "Where it is loaded.", nullptr},
    {"max_group_items", get_max_group_items, nullptr, "The most work-items of a group.", nullptr},
    {"resources", get_resources, nullptr, "What it needs of a compute unit.", nullptr},
    {"parameters", get_parameters, nullptr,
     "In the source's order; None where the run-time does not tell.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"groups_per_compute_unit",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(groups_per_compute_unit)), METH_FASTCALL,
     "groups_per_compute_unit(group_items, local_bytes=0): how many groups a compute unit holds at "
     "the same time; None where the run-time does not tell."},
    {"occupancy", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(occupancy)), METH_FASTCALL,
     "occupancy(group_items, local_bytes=0): how full groups of that size make a compute unit, and "
     "what limits it; None where the run-time does not tell."},
    {"occupancies", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(occupancies)),
     METH_FASTCALL,
     "occupancies(local_bytes=0): the same for every group size that is a sub-group's width times "
     "a power of two; empty where the run-time does not tell."},
    {"_repr_html_", represent_in_notebooks, METH_NOARGS, "How notebooks show it."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(KernelObject, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(KernelObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

template <class F>
void* slot(F function) {
  return reinterpret_cast<void*>(function);
}

void bind_kernel_type(nb::module_& m) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(destroy)},
      {Py_tp_repr, slot(represent)},
      {Py_tp_call, slot(PyVectorcall_Call)},
      {Py_tp_getset, properties},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char*>("A kernel of any device. Calling it launches it: "
                                    "kernel(*arguments, groups=, group_size=, stream=None, "
                                    "local_bytes=0, cooperative=False, wait_for=None, "
                                    "event=None). Without a stream it goes to the thread's current "
                                    "one, if that is of its device, else to the default stream. "
                                    "event=True returns an Event of its end.")},
      {0, nullptr}};
  constexpr auto flags = static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                               Py_TPFLAGS_DISALLOW_INSTANTIATION);
  PyType_Spec spec = {"treadle._core.kernel.Kernel", sizeof(KernelObject), 0, flags, slots};
  const nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid()) throw nb::python_error();
  kernel_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  m.attr("Kernel") = type;
  keyword_names.intern();
}

nb::object make_kernel(device::Kernel kernel) {
  numpy_types();  // recognise NumPy's scalars from now on
  auto state = std::make_unique<CallState>(std::move(kernel));
  auto* object = reinterpret_cast<KernelObject*>(kernel_type->tp_alloc(kernel_type, 0));
  if (object == nullptr) throw nb::python_error();
  object->vectorcall = call_kernel;
  object->weak_references = nullptr;
  object->state = state.release();
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

const char* origin_name(compile::Origin origin) {
  switch (origin) {
    case compile::Origin::memory_cache:
      return "memory cache";
    case compile::Origin::disk_cache:
      return "disk cache";
    case compile::Origin::compiled:
      break;
  }
  return "compiled";
}

// over 6 parameters because they are the keywords of the Python call
void make_program(Program* self, std::shared_ptr<device::Device> device, nb::handle source,
                  const std::optional<LanguageArgument>& language, std::vector<std::string> flags,
                  std::vector<std::filesystem::path> include_dirs,
                  std::vector<std::string> name_expressions, std::string source_name, bool cache) {
  ProgramOptions options{.language = language_of(language),
                         .flags = std::move(flags),
                         .include_dirs = std::move(include_dirs),
                         .name_expressions = std::move(name_expressions),
                         .source_name = std::move(source_name)};
  if (!cache) options.cache = compile::CacheUse::disabled;
  add_python_folders();
  const codegen::TextWithLines text = program_text(source, device->info().language);
  nb::gil_scoped_release released;
  new (self) Program(kernel::generated_program(device, text, options));
}

void bind_resources(nb::module_& m) {
  using device::KernelResources;
  nb::class_<KernelResources>(
      m, "KernelResources",
      "What a kernel needs of a compute unit; 0 where the run-time does not "
      "tell.")
      .def_ro("registers", &KernelResources::registers, "Of 32 bits, of each work-item.")
      .def_ro("static_local_bytes", &KernelResources::static_local_bytes,
              "Local memory of each group that the text declares.")
      .def_ro("private_bytes", &KernelResources::private_bytes,
              "Of each work-item, in memory: arrays and spills.")
      .def_ro("preferred_group_multiple", &KernelResources::preferred_group_multiple,
              "Group sizes best are multiples of it.")
      .def_ro("max_group_items", &KernelResources::max_group_items, "On this device; always told.");
}

void bind_occupancy(nb::module_& m) {
  using device::Occupancy;
  nb::class_<Occupancy>(m, "Occupancy",
                        "What is resident on a compute unit when groups of one size run.")
      .def_ro("group_items", &Occupancy::group_items, "Work-items of a group.")
      .def_ro("groups", &Occupancy::groups, "At the same time; 0: not even one fits.")
      .def_ro("fraction", &Occupancy::fraction,
              "Work-items that are resident, of those that may be: 0 to 1.")
      .def_prop_ro(
          "limit", [](const Occupancy& self) { return occupancy_limit_name(self.limit); },
          "What keeps it from being more: \"work-items\", \"registers\", \"local memory\" or "
          "\"groups\".")
      .def("__repr__", [](const Occupancy& self) {
        return "<Occupancy: " + std::to_string(self.groups) + " groups of " +
               std::to_string(self.group_items) + ", limited by " +
               std::string(occupancy_limit_name(self.limit)) + ">";
      });
  m.def(
      "explain",
      [](nb::handle what, std::size_t local_bytes) {
        if (const Array* array = as_array(what.ptr())) return array::explain(*array);
        if (Py_TYPE(what.ptr()) == kernel_type)
          return device::explain(state_of(what.ptr()).kernel, local_bytes);
        raise_python(PyExc_TypeError, std::string("explain() takes a Kernel or an Array, not ") +
                                          Py_TYPE(what.ptr())->tp_name);
      },
      nb::arg("what"), nb::arg("local_bytes") = 0,
      nb::sig("def explain(what: Kernel | treadle._core.array.Array, local_bytes: int = 0) -> str"),
      "In words: what a kernel needs of a compute unit and how full groups of each size, with "
      "`local_bytes` of dynamic local memory, make one; or which kernel computes an array, and "
      "why.");
}

/// A variable of the program's module. The Buffer keeps the module loaded.
memory::Buffer variable(const Program& self, std::string_view name) {
  const std::shared_ptr<device::Module> module = self.module().shared_from_this();
  const auto [place, size_bytes] = module->global(name);
  return memory::Buffer::adopt(module->device().shared_from_this(), place, size_bytes,
                               {.owner = module});
}

void bind_program(nb::module_& m) {
  nb::class_<Program>(m, "Program", nb::is_weak_referenceable(),
                      "Kernel text, compiled for a device or found compiled, and loaded there.")
      .def("__init__", &make_program, nb::arg("device"), nb::arg("source"), nb::kw_only(),
           nb::arg("language") = nb::none(), nb::arg("flags") = std::vector<std::string>(),
           nb::arg("include_dirs") = std::vector<std::filesystem::path>(),
           nb::arg("name_expressions") = std::vector<std::string>(),
           nb::arg("source_name") = "kernel", nb::arg("cache") = true)
      .def(
          "kernel",
          [](const Program& self, std::string_view name) {
            const auto found = [&] {
              const nb::gil_scoped_release released;  // the program may be compiled only now
              return self.kernel(name);
            };
            return make_kernel(found());
          },
          nb::arg("name"), nb::sig("def kernel(self, name: str) -> Kernel"),
          "The kernel of this name; an unknown name gives the nearest there are.")
      .def(
          "variable", &variable, nb::arg("name"),
          "A variable of device memory that the text declares, as a Buffer; NotSupported where the "
          "run-time has none (traits.module_globals).")
      .def_prop_ro("kernel_names", &Program::kernel_names)
      .def_prop_ro("device", [](const Program& self) { return self.device().shared_from_this(); })
      .def_prop_ro("log", &Program::log, "What the compiler said although it succeeded.")
      .def_prop_ro(
          "origin", [](const Program& self) { return origin_name(self.origin()); },
          "\"compiled\", \"memory cache\" or \"disk cache\".")
      .def_prop_ro("seconds", &Program::seconds, "To compile or find it.");
}

}  // namespace

nb::object kernel_object(const device::Kernel& kernel) { return make_kernel(kernel); }

void bind_kernel(nb::module_& m) {
  nb::class_<Local> local(m, "Local", "An argument: local memory behind a __local pointer.");
  local
      .def(
          "__init__", [](Local* self, std::size_t size_bytes) { new (self) Local{size_bytes}; },
          nb::arg("size_bytes"))
      .def_ro("size_bytes", &Local::size_bytes);
  local_type = reinterpret_cast<PyTypeObject*>(local.ptr());
  bind_resources(m);
  bind_kernel_type(m);
  bind_occupancy(m);
  bind_program(m);
}

}  // namespace treadle::bindings
