// SPDX-License-Identifier: MIT
#include "pyopencl/kernel.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <structmember.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>

#include "calls/argument.hpp"
#include "calls/numpy_scalars.hpp"
#include "html_table.hpp"
#include "pyopencl/coordinates.hpp"
#include "pyopencl/info.hpp"
#include "pyopencl/object_arguments.hpp"
#include "python_parts.hpp"

namespace treadle::bindings::cl {
namespace {

PyTypeObject* kernel_type = nullptr;

void destroy(PyObject* self) {
  auto* object = reinterpret_cast<KernelObject*>(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Py_CLEAR(object->dict);
  delete object->kernel;
  type->tp_free(self);
  Py_DECREF(type);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<KernelObject*>(self)->dict);
  for (const nb::object& argument : kernel_of(self).given) Py_VISIT(argument.ptr());
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<KernelObject*>(self)->dict);
  const std::vector<nb::object> given = std::exchange(kernel_of(self).given, {});
  return 0;
}

// "enqueue_knl_twice": the name in PyOpenCL's messages about a wrong call.
std::string call_name_of(const std::string& kernel) {
  std::string name = "enqueue_knl_";
  for (const char letter : kernel)
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
}

// The program of a pyopencl.Program, or the object itself.
opencl::Program program_of(nb::handle object) {
  const nb::object get = attribute_or_null(object.ptr(), "_get_prg");
  const nb::object inner = get.is_valid() ? get() : nb::borrow(object);
  return object_in<Program>(inner, {"Kernel", "prg"}).program;
}

// Copies what capture_call() writes: the source text of the kernel, and the declared types.
void copy_attribute(const char* name, nb::handle from, nb::handle to) {
  const nb::object value = attribute_or_null(from.ptr(), name);
  if (value.is_valid() && !value.is_none()) nb::setattr(to, name, value);
}

PyObject* allocate(PyTypeObject* type) {
  auto state = std::make_unique<KernelState>();
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) throw nb::python_error();
  auto* object = reinterpret_cast<KernelObject*>(self);
  object->vectorcall = call_kernel;
  object->kernel = state.release();
  return self;
}

void set_kernel(KernelState& state, opencl::Kernel kernel) {
  numpy_types();  // recognise scalars from the first call on
  state = KernelState{std::move(kernel)};
  state.call_name = call_name_of(state.kernel.name());
  state.passed = state.kernel.argument_count();
}

/// Runs `call` and turns exceptions into Python's. After an exception returns `failed`.
template <class Result>
Result in_slot(Result failed, const auto& call) noexcept {
  try {
    return call();
  } catch (...) {
    set_error();
    return failed;
  }
}

// __init__ reads the arguments, because a subclass may take others. Before __init__ there is no
// kernel, and every use throws.
PyObject* create(PyTypeObject* type, PyObject*, PyObject*) noexcept {
  return in_slot<PyObject*>(nullptr, [&] { return allocate(type); });
}

int initialize(PyObject* self, PyObject* arguments, PyObject* keywords) noexcept {
  return in_slot(-1, [&] {
    static const char* names[] = {"prg", "name", nullptr};
    PyObject *program = nullptr, *name = nullptr;
    if (PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:Kernel", const_cast<char**>(names),
                                    &program, &name) == 0)
      return -1;
    const std::string text = text_in(nb::handle(name), {"Kernel", "name"});
    set_kernel(kernel_of(self), program_of(program).kernel(text));
    copy_attribute("_source", nb::handle(program), nb::handle(self));
    return 0;
  });
}

PyObject* compare(PyObject* self, PyObject* other, int operation) noexcept {
  if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  const bool same = is_kernel(other) && kernel_of(self).kernel == kernel_of(other).kernel;
  return PyBool_FromLong(same == (operation == Py_EQ));
}

Py_hash_t hash(PyObject* self) noexcept {
  return in_slot<Py_hash_t>(-1, [&] {
    return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(kernel_of(self).kernel.raw()) >>
                                  4);
  });
}

PyObject* represent(PyObject* self) noexcept {
  return in_slot<PyObject*>(nullptr, [&] {
    const opencl::Kernel& kernel = kernel_of(self).kernel;
    return PyUnicode_FromFormat("<pyopencl.Kernel '%s' at %p>", kernel.name().c_str(),
                                static_cast<void*>(kernel.raw()));
  });
}

std::string notebook_text_of(const KernelState& state) {
  const opencl::Kernel& kernel = state.kernel;
  std::string devices, parameters;
  for (const opencl::Device& device : kernel.program().devices())
    devices += (devices.empty() ? "" : ", ") + device.name();
  for (const opencl::KernelParameter& parameter : kernel.parameters())
    parameters += (parameters.empty() ? "" : ", ") + parameter.type + " " + parameter.name;
  return html_table("kernel " + kernel.name(), {{"devices", devices},
                                                {"arguments", std::to_string(state.passed)},
                                                {"parameters", parameters}});
}

template <class F>
PyCFunction method(F function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}
template <class F>
void* slot(F function) {
  return reinterpret_cast<void*>(function);
}

PyMethodDef methods[] = {{"set_arg", method(set_arg), METH_FASTCALL | METH_KEYWORDS,
                          "set_arg(arg_index, arg): sets one argument."},
                         {"set_args", method(set_args), METH_FASTCALL | METH_KEYWORDS,
                          "set_args(*args): sets every argument; arg0=, arg1=, ... by name."},
                         {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(KernelObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(KernelObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(KernelObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyTypeObject* make_type() {
  PyType_Slot slots[] = {
      {Py_tp_new, slot(create)},
      {Py_tp_init, slot(initialize)},
      {Py_tp_dealloc, slot(destroy)},
      {Py_tp_traverse, slot(traverse)},
      {Py_tp_clear, slot(clear)},
      {Py_tp_repr, slot(represent)},
      {Py_tp_richcompare, slot(compare)},
      {Py_tp_hash, slot(hash)},
      {Py_tp_call, slot(PyVectorcall_Call)},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char*>("A kernel of a built program. Calling it enqueues it.")},
      {0, nullptr}};
  constexpr auto flags = static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                                               Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL);
  PyType_Spec spec = {"treadle._core.opencl.Kernel", sizeof(KernelObject), 0, flags, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  return reinterpret_cast<PyTypeObject*>(type);
}

void declare_types(KernelState& kernel, const nb::list& declared) {
  std::vector<ArgumentType> types;
  unsigned implied = 0;
  Argument argument{"Kernel.set_arg_types", "arg_types"};
  for (const nb::handle entry : declared) {
    ++argument.entry;
    types.push_back(read_argument_type(entry, argument));
    implied += types.back().kernel_arguments();
  }
  if (implied != kernel.kernel.argument_count())
    raise_python(PyExc_TypeError, "arg_types: the declared types are those of " +
                                      std::to_string(implied) + " arguments, kernel \"" +
                                      kernel.kernel.name() + "\" has " +
                                      std::to_string(kernel.kernel.argument_count()));
  kernel.passed = types.size();
  kernel.takes_arrays = std::any_of(types.begin(), types.end(),
                                    [](const ArgumentType& type) { return type.is_vector(); });
  kernel.types = std::move(types);
}

nb::object kernel_info(nb::handle self, long long param) {
  const opencl::Kernel& kernel = kernel_of(self).kernel;
  return to_python(kernel.shared_table(), kernel.info(static_cast<opencl::KernelInfo>(param)));
}

nb::object clone(nb::handle self) {
  const KernelState& kernel = kernel_of(self);
  nb::object copy = make_kernel(kernel.kernel.clone());
  kernel_of(copy.ptr()).types = kernel.types;
  kernel_of(copy.ptr()).passed = kernel.passed;
  kernel_of(copy.ptr()).takes_arrays = kernel.takes_arrays;
  copy_attribute("_source", self, copy);
  copy_attribute("_arg_types", self, copy);
  return copy;
}

nb::object work_group_info(nb::handle self, long long param, const Device& device) {
  const opencl::Kernel& kernel = kernel_of(self).kernel;
  return to_python(
      kernel.shared_table(),
      kernel.work_group_info(device.device, static_cast<opencl::KernelWorkGroupInfo>(param)));
}

nb::object sub_group_info(nb::handle self, const Device& device, long long param,
                          nb::handle input) {
  std::vector<std::size_t> sizes;
  if (!input.is_none()) sizes = sizes_in(input, "Kernel.get_sub_group_info", "input_value");
  const opencl::Kernel& kernel = kernel_of(self).kernel;
  return to_python(
      kernel.shared_table(),
      kernel.sub_group_info(device.device, static_cast<opencl::KernelSubGroupInfo>(param), sizes));
}

// Frequent calls are plain CPython methods. The other methods are nanobind functions that are added
// to the type.
template <class F, class... Extra>
void define(const char* name, F function, const Extra&... extra) {
  nb::setattr(nb::handle(kernel_type), name,
              nb::cpp_function(pyopencl(function), nb::name(name), nb::is_method(),
                               nb::scope(nb::handle(kernel_type)), extra...));
}

template <class F>
void define_property(const std::string& name, F function) {
  const nb::object getter =
      nb::cpp_function(pyopencl(function), nb::is_method(), nb::scope(nb::handle(kernel_type)));
  nb::setattr(nb::handle(kernel_type), name.c_str(),
              nb::module_::import_("builtins").attr("property")(getter));
}

void define_info() {
  define("get_info", kernel_info, nb::arg("param"), "The answer to one constant of kernel_info.");
  for (const opencl::EnumValue& constant : constants_of("kernel_info").values)
    define_property(attribute_name(constant.name),
                    [code = constant.value](nb::handle self) { return kernel_info(self, code); });
  define("get_work_group_info", work_group_info, nb::arg("param"), nb::arg("device"),
         "What the kernel allows on one device of its program.");
  define("get_sub_group_info", sub_group_info, nb::arg("device"), nb::arg("param"),
         nb::arg("input_value") = nb::none(), "Needs OpenCL 2.1 or cl_khr_subgroups.");
  define("get_suggested_local_size", suggested_local_size, nb::arg("queue"), nb::arg("global_size"),
         nb::arg("global_offset") = nb::none(),
         "The local size that the platform would take for a call without one, of the arguments "
         "that are set. Needs cl_khr_suggested_local_work_size.");
  define(
      "get_arg_info",
      [](nb::handle self, unsigned index, long long param) {
        const opencl::Kernel& kernel = kernel_of(self).kernel;
        return to_python(kernel.shared_table(),
                         kernel.argument_info(index, static_cast<opencl::KernelArgInfo>(param)));
      },
      nb::arg("arg_index"), nb::arg("param"),
      "What the source says of one parameter; build with -cl-kernel-arg-info.");
}

// Programs that generate functions, such as users of pyopencl.invoker, install these.
void install(nb::handle self, nb::handle enqueue, nb::handle set_args) {
  nb::setattr(self, "_enqueue", enqueue);
  nb::setattr(self, "set_args", nb::module_::import_("types").attr("MethodType")(set_args, self));
  reinterpret_cast<KernelObject*>(self.ptr())->vectorcall = call_installed;
}

/// Splits {index, value, index, value ...} and similar lists into groups.
std::vector<nb::list> groups_of(nb::handle flat, std::size_t count) {
  const nb::list all(nb::borrow<nb::iterable>(flat));
  if (nb::len(all) % count != 0)
    raise_python(PyExc_ValueError, std::to_string(nb::len(all)) + " entries are no groups of " +
                                       std::to_string(count) + ": index and value by turns");
  std::vector<nb::list> groups(nb::len(all) / count);
  for (std::size_t i = 0; i < nb::len(all); ++i) groups[i / count].append(all[i]);
  return groups;
}

void set_packed(nb::handle self, nb::handle flat) {
  const nb::object pack = nb::module_::import_("struct").attr("pack");
  const nb::object floating = nb::module_::import_("numpy").attr("floating");
  for (const nb::list& group : groups_of(flat, 3)) {
    nb::object letter = group[1], value = group[2];
    if (!nb::isinstance<nb::str>(letter)) letter = letter.attr("decode")();
    const auto code = nb::cast<std::string>(letter);
    // NumPy's numbers are truncated; Python's are refused.
    if (nb::isinstance(value, floating) && code != "e" && code != "f" && code != "d")
      value = nb::int_(value);
    self.attr("set_arg")(group[0], pack(letter, value));
  }
}

// Other names of set_arg(), for code that programs generate.
void define_names_of_set_arg() {
  for (const char* name : {"_set_arg_buf", "_set_arg_svm"})
    define(
        name,
        [](nb::handle self, nb::handle index, nb::handle arg) { self.attr("set_arg")(index, arg); },
        nb::arg("arg_index"), nb::arg("arg").none());
  define(
      "_set_arg_null",
      [](nb::handle self, nb::handle index) { self.attr("set_arg")(index, nb::none()); },
      nb::arg("arg_index"));
  for (const char* name : {"_set_arg_multi", "_set_arg_buf_multi"})
    define(
        name,
        [](nb::handle self, nb::handle flat) {
          for (const nb::list& group : groups_of(flat, 2)) self.attr("set_arg")(group[0], group[1]);
        },
        nb::arg("indices_and_args"));
  define("_set_arg_buf_pack_multi", set_packed, nb::arg("indices_chars_and_args"));
}

void define_methods() {
  define_names_of_set_arg();
  define("_set_enqueue_and_set_args", install, nb::arg("enqueue_func"), nb::arg("set_args_func"),
         "Calls and set_args() go to these functions, the kernel before the arguments.");
  for (const char* name : {"set_scalar_arg_dtypes", "set_arg_types"})
    define(
        name,
        [](nb::handle self, nb::handle types) {
          const nb::list declared(iterable_in(types, {"Kernel.set_arg_types", "arg_types"},
                                              "an iterable of dtypes, and of None for memory"));
          declare_types(kernel_of(self), declared);
          self.attr("_arg_types") = declared;  // for capture_call()
        },
        nb::arg("arg_types"), "Declares what scalar arguments are passed as; None for buffers.");
  define(
      "_repr_html_", [](nb::handle self) { return notebook_text_of(kernel_of(self)); },
      "How notebooks show it.");
  define("clone", clone, "Another kernel with the same arguments set. Needs OpenCL 2.1.");
  define(
      "capture_call",
      [](nb::handle self, const nb::args& args, const nb::kwargs& kwargs) {
        python_part("pyopencl captured calls")(self, *args, **kwargs);
      },
      "Writes a program that makes everything anew and repeats a call: (output_file, queue, and "
      "what the call has).");
  define_property("int_ptr", [](nb::handle self) {
    return reinterpret_cast<std::uintptr_t>(kernel_of(self).kernel.raw());
  });
  const nb::object from_pointer =
      nb::cpp_function(pyopencl([](std::uintptr_t pointer, bool retain) {
                         return make_kernel(opencl::Kernel(
                             loader_table(), reinterpret_cast<opencl::RawKernel>(pointer),
                             retain ? opencl::Ownership::retain : opencl::Ownership::adopt));
                       }),
                       nb::arg("int_ptr_value"), nb::arg("retain") = true);
  nb::setattr(nb::handle(kernel_type), "from_int_ptr",
              nb::module_::import_("builtins").attr("staticmethod")(from_pointer));
}

// The bytes of a number of a dtype, converted and checked as an argument of a declared type.
nb::bytes declared_bytes(nb::handle dtype, nb::handle value, std::size_t position) {
  ArgumentList list(1, position);
  list.add(read_argument_type(dtype, {"declared_bytes", "dtype"}), value.ptr());
  const opencl::ArgumentView& view = list.list().front();
  return nb::bytes(static_cast<const char*>(view.data), view.size_bytes);
}

}  // namespace

KernelState& kernel_of(nb::handle self) {
  if (!is_kernel(self))
    raise_python(PyExc_TypeError,
                 std::string("a method of Kernel with a ") + Py_TYPE(self.ptr())->tp_name);
  return kernel_of(self.ptr());
}

bool is_kernel(nb::handle object) { return PyObject_TypeCheck(object.ptr(), kernel_type) != 0; }

nb::object make_kernel(opencl::Kernel kernel) {
  nb::object made = nb::steal(allocate(kernel_type));
  set_kernel(kernel_of(made.ptr()), std::move(kernel));
  return made;
}

void bind_kernel(nb::module_& m) {
  kernel_type = make_type();
  m.attr("Kernel") = nb::handle(kernel_type);
  define_info();
  define_methods();
  bind_kernel_calls(m);
  m.def("_declared_bytes", pyopencl(declared_bytes), nb::arg("dtype"), nb::arg("value").none(),
        nb::arg("position"));
}

}  // namespace treadle::bindings::cl
