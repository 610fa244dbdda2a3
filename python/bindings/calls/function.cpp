// SPDX-License-Identifier: MIT
#include "calls/function.hpp"

#include <nanobind/stl/string.h>
#include <structmember.h>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "caller.hpp"
#include "calls/bindings_handle.hpp"
#include "calls/numpy_scalars.hpp"
#include "cuda_html.hpp"
#include "interrupt.hpp"

namespace treadle::bindings {
namespace {

std::array<PyTypeObject*, 2> function_types{};  // by Face

template <class F>
PyObject* guarded(PyObject* self, F call) noexcept {
  KernelState& kernel = kernel_of(self);
  try {
    return nb::object(call(kernel)).release().ptr();
  } catch (...) {
    set_python_error(kernel.face);
    return nullptr;
  }
}

// The last kernel of a module unloads it, and the driver waits for the module's work.
void end_kernel(std::unique_ptr<KernelState> kernel) noexcept {
  kernel->texrefs.reset();
  if (!is_object_freed_at_end(kernel->function)) return keep_for_left_work(std::move(kernel));
  const GilReleasedForDestructor released;
  kernel.reset();
}

void destroy(PyObject* self) {
  auto* function = reinterpret_cast<FunctionObject*>(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (function->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Py_CLEAR(function->dict);
  if (function->kernel != nullptr)
    end_kernel(std::unique_ptr<KernelState>(std::exchange(function->kernel, nullptr)));
  type->tp_free(self);
  Py_DECREF(type);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  auto* function = reinterpret_cast<FunctionObject*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(function->dict);
  if (function->kernel != nullptr) Py_VISIT(function->kernel->texrefs.ptr());
  return 0;
}

int clear(PyObject* self) {
  auto* function = reinterpret_cast<FunctionObject*>(self);
  Py_CLEAR(function->dict);
  if (function->kernel != nullptr) function->kernel->texrefs.reset();
  return 0;
}

// Makes every attribute of the driver a property of the object; under PyCUDA's rules also in
// capitals. The type must not look up unknown names itself: for such a type the interpreter makes a
// bound method for each `function.prepared_call(...)`, and otherwise none.
struct AttributeName {
  const char *name, *upper_name;
  cuda::FunctionAttribute attribute;
};
#define TREADLE_ATTRIBUTE(name, upper_name) {#name, #upper_name, cuda::FunctionAttribute::name}
constexpr AttributeName attribute_names[] = {
    TREADLE_ATTRIBUTE(max_threads_per_block, MAX_THREADS_PER_BLOCK),
    TREADLE_ATTRIBUTE(shared_size_bytes, SHARED_SIZE_BYTES),
    TREADLE_ATTRIBUTE(const_size_bytes, CONST_SIZE_BYTES),
    TREADLE_ATTRIBUTE(local_size_bytes, LOCAL_SIZE_BYTES),
    TREADLE_ATTRIBUTE(num_regs, NUM_REGS),
    TREADLE_ATTRIBUTE(ptx_version, PTX_VERSION),
    TREADLE_ATTRIBUTE(binary_version, BINARY_VERSION),
    TREADLE_ATTRIBUTE(cache_mode_ca, CACHE_MODE_CA),
    TREADLE_ATTRIBUTE(max_dynamic_shared_size_bytes, MAX_DYNAMIC_SHARED_SIZE_BYTES),
    TREADLE_ATTRIBUTE(preferred_shared_memory_carveout, PREFERRED_SHARED_MEMORY_CARVEOUT),
};
#undef TREADLE_ATTRIBUTE

PyObject* get_named_attribute(PyObject* self, void* named) {
  return guarded(self, [&](Kernel& kernel) {
    return nb::int_(kernel.function.attribute(static_cast<AttributeName*>(named)->attribute));
  });
}

// Names of attributes that PyCUDA used until 2009.
constexpr AttributeName old_attribute_names[] = {
    {"lmem", "local_size_bytes", cuda::FunctionAttribute::local_size_bytes},
    {"smem", "shared_size_bytes", cuda::FunctionAttribute::shared_size_bytes},
    {"registers", "num_regs", cuda::FunctionAttribute::num_regs},
};

PyObject* get_old_attribute(PyObject* self, void* named) {
  const auto* known = static_cast<AttributeName*>(named);
  if (PyErr_WarnFormat(PyExc_DeprecationWarning, 1, "Function.%s is deprecated: it is %s",
                       known->name, known->upper_name) != 0)
    return nullptr;
  return get_named_attribute(self, named);
}

int as_int(PyObject* value, const char* what) {
  const nb::object index = nb::steal(PyNumber_Index(value));
  const long number = index.is_valid() ? PyLong_AsLong(index.ptr()) : -1;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse_no_integer(value, what);
  }
  return static_cast<int>(number);
}

PyObject* get_attribute(PyObject* self, PyObject* attribute) {
  return guarded(self, [&](Kernel& kernel) {
    return nb::int_(kernel.function.attribute(
        static_cast<cuda::FunctionAttribute>(as_int(attribute, "attribute"))));
  });
}

PyObject* set_attribute(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return guarded(self, [&](Kernel& kernel) {
    if (count != 2) raise_python(PyExc_TypeError, "set_attribute takes attribute and value");
    kernel.function.set_attribute(
        static_cast<cuda::FunctionAttribute>(as_int(arguments[0], "attribute")),
        as_int(arguments[1], "value"));
    return nb::none();
  });
}

template <class Enum>
Enum enum_argument(PyObject* value, const char* what) {
  Enum member{};
  if (nb::try_cast(nb::handle(value), member)) return member;
  raise_python(PyExc_TypeError, std::string(what) + ", not " + Py_TYPE(value)->tp_name);
}

PyObject* attribute(PyObject* self, PyObject* attribute) {
  return guarded(self, [&](Kernel& kernel) {
    return nb::int_(kernel.function.attribute(enum_argument<cuda::FunctionAttribute>(
        attribute, "attribute is a treadle.cuda.FunctionAttribute")));
  });
}

PyObject* set_native_attribute(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return guarded(self, [&](Kernel& kernel) {
    if (count != 2) raise_python(PyExc_TypeError, "set_attribute takes attribute and value");
    kernel.function.set_attribute(
        enum_argument<cuda::FunctionAttribute>(arguments[0],
                                               "attribute is a treadle.cuda.FunctionAttribute"),
        as_int(arguments[1], "value"));
    return nb::none();
  });
}

PyObject* set_native_cache_config(PyObject* self, PyObject* config) {
  return guarded(self, [&](Kernel& kernel) {
    kernel.function.set_cache_config(
        enum_argument<cuda::CacheConfig>(config, "config is a treadle.cuda.CacheConfig"));
    return nb::none();
  });
}

PyObject* set_cache_config(PyObject* self, PyObject* config) {
  return guarded(self, [&](Kernel& kernel) {
    kernel.function.set_cache_config(
        static_cast<cuda::CacheConfig>(as_int(config, "cache config")));
    return nb::none();
  });
}

PyObject* set_shared_config(PyObject* self, PyObject* config) {
  return guarded(self, [&](Kernel&) {
    // Bank widths are fixed since compute capability 5. The driver accepts and ignores the request.
    if (const int width = as_int(config, "shared config"); width < 0 || width > 2)
      throw InvalidArgument("shared config " + std::to_string(width) + " is none of 0, 1, 2");
    return nb::none();
  });
}

PyObject* param_set_texref(PyObject* self, PyObject* texref) {
  return guarded(self, [&](Kernel& kernel) {
    check_texref(kernel, texref);
    return nb::none();
  });
}

// Until 2011 prepare() also took the block's shape, and prepared calls took only the grid.
void prepare_block(KernelState& kernel, PyObject* block, PyObject* shared) {
  if (block == nullptr && shared == nullptr) {
    kernel.prepared_config.reset();
    return;
  }
  if (block == nullptr)
    raise_python(PyExc_TypeError, "prepare(): shared is for the spelling with block=(x, y, z)");
  cuda::LaunchConfig config;
  config.block = dim3_argument(block, "block");
  if (shared != nullptr && shared != Py_None)
    config.shared_bytes = static_cast<unsigned>(unsigned_argument(shared, "shared", 0xFFFFFFFFu));
  warn_python(
      PyExc_DeprecationWarning,
      "prepare(block=...) is deprecated: pass the block to prepared_call(grid, block, ...)");
  kernel.prepared_config = config;
}

PyObject* prepare(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return guarded(self, [&](KernelState& kernel) {
    static const char* names[] = {"arg_types", "texrefs", "block", "shared", nullptr};
    static const char* old_names[] = {"arg_types", "block", "shared", "texrefs", nullptr};
    PyObject *types = nullptr, *texrefs = nullptr, *block = nullptr, *shared = nullptr;
    // Today's calls have at most two positional arguments; calls of 2009 had up to four.
    const bool is_old = PyTuple_GET_SIZE(arguments) > 2;
    const bool is_read = is_old ? PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOO:prepare",
                                                              const_cast<char**>(old_names), &types,
                                                              &block, &shared, &texrefs) != 0
                                : PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O$OO:prepare",
                                                              const_cast<char**>(names), &types,
                                                              &texrefs, &block, &shared) != 0;
    if (!is_read) throw nb::python_error();
    // The block stood at the place of `texrefs`: prepare("PPi", (16, 16, 1)).
    if (block == nullptr && texrefs != nullptr && small_sides(texrefs, 1).count != 0)
      block = std::exchange(texrefs, nullptr);
    prepare_block(kernel, block, shared);
    check_texrefs(kernel, texrefs);
    kernel.arg_format = prepared_format(types);
    kernel.prepared.reset();
    kernel.texrefs =
        texrefs == nullptr || texrefs == Py_None ? nb::object(nb::list()) : nb::borrow(texrefs);
    return nb::borrow(self);
  });
}

// _launch_kernel(grid, block, arg_buf, shared, stream): the caller has packed the arguments.
PyObject* launch_kernel(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return guarded(self, [&](Kernel& kernel) {
    if (count != 5)
      raise_python(PyExc_TypeError, "_launch_kernel takes grid, block, arg_buf, shared and stream");
    cuda::LaunchConfig config;
    config.grid = dim3_argument(arguments[0], "grid");
    config.block = dim3_argument(arguments[1], "block");
    config.shared_bytes =
        static_cast<unsigned>(unsigned_argument(arguments[3], "shared", 0xFFFFFFFFu));
    config.stream = stream_argument(arguments[4]);
    Py_buffer view{};
    if (PyObject_GetBuffer(arguments[2], &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
    const std::string packed(static_cast<const char*>(view.buf),
                             static_cast<std::size_t>(view.len));
    PyBuffer_Release(&view);
    note_launch_site();
    kernel.function.launch_buffer(config, packed.data(), packed.size());
    return nb::none();
  });
}

PyObject* get_name(PyObject* self, void*) {
  return guarded(self, [](Kernel& kernel) { return nb::cast(kernel.function.name()); });
}
PyObject* get_handle(PyObject* self, void*) {
  return guarded(self, [](Kernel& kernel) {
    return nb::steal(
        PyLong_FromUnsignedLongLong(reinterpret_cast<std::uintptr_t>(kernel.function.raw())));
  });
}
PyObject* as_integer(PyObject* self) { return get_handle(self, nullptr); }
PyObject* get_parameters(PyObject* self, void*) {
  return guarded(self, [](Kernel& kernel) -> nb::object {
    if (!kernel.layout.known) return nb::none();
    nb::list list;
    for (const cuda::KernelParameter& p : kernel.layout.parameters) list.append(nb::cast(p));
    return list;
  });
}
PyObject* get_arg_format(PyObject* self, void*) {
  return guarded(self, [](KernelState& kernel) -> nb::object {
    if (!kernel.arg_format)
      raise_python(PyExc_AttributeError, "'Function' object has no attribute 'arg_format'");
    return nb::cast(*kernel.arg_format);
  });
}
int set_arg_format(PyObject* self, PyObject* value, void*) {
  PyObject* done = guarded(self, [&](KernelState& kernel) {
    if (value == nullptr) {
      kernel.arg_format.reset();
    } else {
      if (PyUnicode_Check(value) == 0) raise_python(PyExc_TypeError, "arg_format must be a str");
      kernel.arg_format = nb::cast<std::string>(nb::handle(value));
    }
    kernel.prepared.reset();
    return nb::none();
  });
  Py_XDECREF(done);
  return done == nullptr ? -1 : 0;
}
PyObject* get_texrefs(PyObject* self, void*) {
  return guarded(self, [](KernelState& kernel) {
    if (!kernel.texrefs.is_valid())
      raise_python(PyExc_AttributeError, "'Function' object has no attribute 'texrefs'");
    return kernel.texrefs;
  });
}
int set_texrefs(PyObject* self, PyObject* value, void*) {
  kernel_of(self).texrefs = value == nullptr ? nb::object() : nb::borrow(value);
  return 0;
}
PyObject* represent(PyObject* self) {
  return guarded(self, [](Kernel& kernel) {
    return nb::str(("<kernel " + kernel.function.name() + ">").c_str());
  });
}

PyObject* represent_in_notebooks(PyObject* self, PyObject*) {
  return guarded(self, [](Kernel& kernel) { return nb::cast(html_of(kernel.function)); });
}

template <class F>
PyCFunction method(F function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

std::vector<PyMethodDef> methods_of(Face face) {
  if (face == Face::native)
    return {
        {"attribute", attribute, METH_O, "What the driver knows about the kernel."},
        {"set_attribute", method(set_native_attribute), METH_FASTCALL,
         "Sets an attribute of the kernel."},
        {"set_cache_config", set_native_cache_config, METH_O, "Prefers shared memory or L1."},
        {"_repr_html_", represent_in_notebooks, METH_NOARGS, "How notebooks show it."},
    };
  constexpr int fast = METH_FASTCALL | METH_KEYWORDS;
  std::vector<PyMethodDef> methods = {
      {"get_attribute", get_attribute, METH_O, "What the driver knows about the kernel."},
      {"set_attribute", method(set_attribute), METH_FASTCALL, "Sets an attribute of the kernel."},
      {"set_cache_config", set_cache_config, METH_O, "Prefers shared memory or L1."},
      {"set_shared_config", set_shared_config, METH_O, "Sets the width of shared-memory banks."},
      {"param_set_texref", param_set_texref, METH_O,
       "Whether it is a texture reference of the kernel's module; the launch does the rest."},
      {"prepare", method(prepare), METH_VARARGS | METH_KEYWORDS,
       "prepare(arg_types, texrefs=None, *, block=None, shared=None): fixes the argument types of "
       "prepared calls; with the deprecated `block` their block, too."},
      {"prepared_call", method(prepared_call), fast,
       "prepared_call(grid, block, *args, shared_size=0)"},
      {"prepared_async_call", method(prepared_async_call), fast,
       "prepared_async_call(grid, block, stream, *args, shared_size=0)"},
      {"prepared_timed_call", method(prepared_timed_call), fast,
       "prepared_timed_call(grid, block, *args, shared_size=0): a callable giving seconds"},
      {"_repr_html_", represent_in_notebooks, METH_NOARGS, "How notebooks show it."},
      {"_launch_kernel", method(launch_kernel), METH_FASTCALL,
       "_launch_kernel(grid, block, arg_buf, shared, stream)"},
  };
  for (const PyMethodDef* legacy = legacy_methods; legacy->ml_name != nullptr; ++legacy)
    methods.push_back(*legacy);
  return methods;
}

std::vector<PyGetSetDef> properties_of(Face face) {
  const char* const handle = face == Face::pycuda ? "handle" : "raw";
  std::vector<PyGetSetDef> properties = {
      {"name", get_name, nullptr, "As a reader knows the kernel.", nullptr},
      {handle, get_handle, nullptr, "The driver's handle, an integer.", nullptr},
      {"parameters", get_parameters, nullptr,
       "In the source's order; None where the driver does not tell.", nullptr},
  };
  const auto add_attribute = [&](const char* name, const AttributeName& known) {
    properties.push_back({name, get_named_attribute, nullptr, "As the driver tells it.",
                          const_cast<AttributeName*>(&known)});
  };
  for (const AttributeName& known : attribute_names) add_attribute(known.name, known);
  if (face == Face::pycuda) {
    for (const AttributeName& known : attribute_names) add_attribute(known.upper_name, known);
    for (const AttributeName& known : old_attribute_names)
      properties.push_back({known.name, get_old_attribute, nullptr, known.upper_name,
                            const_cast<AttributeName*>(&known)});
    properties.push_back(
        {"arg_format", get_arg_format, set_arg_format, "Set by prepare().", nullptr});
    properties.push_back({"texrefs", get_texrefs, set_texrefs, "Set by prepare().", nullptr});
  }
  return properties;
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};

template <class F>
void* slot(F function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void bind_function(nb::module_& m, Face face) {
  // The type uses these tables for as long as the process lives.
  auto* methods = new std::vector<PyMethodDef>(methods_of(face));
  methods->push_back({nullptr, nullptr, 0, nullptr});
  auto* properties = new std::vector<PyGetSetDef>(properties_of(face));
  properties->push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
  const bool is_pycuda = face == Face::pycuda;
  PyType_Slot slots[] = {{Py_tp_dealloc, slot(destroy)},
                         {Py_tp_traverse, slot(traverse)},
                         {Py_tp_clear, slot(clear)},
                         {Py_tp_repr, slot(represent)},
                         {Py_tp_call, slot(PyVectorcall_Call)},
                         {Py_tp_methods, methods->data()},
                         {Py_tp_getset, properties->data()},
                         {Py_nb_int, slot(as_integer)},
                         {Py_tp_members, members},
                         {Py_tp_doc, const_cast<char*>("A kernel. Calling it launches it.")},
                         // the entry 0 ends the list
                         {is_pycuda ? Py_tp_new : 0, slot(refuse_new)},
                         {0, nullptr}};
  const char* name = is_pycuda ? "treadle._core.driver.Function" : "treadle._core.cuda.Function";
  const auto flags =
      static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                            (is_pycuda ? 0 : Py_TPFLAGS_DISALLOW_INSTANTIATION));
  PyType_Spec spec = {name, sizeof(FunctionObject), 0, flags, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  function_types[static_cast<std::size_t>(face)] = reinterpret_cast<PyTypeObject*>(type);
  m.attr("Function") = nb::handle(type);
  name_for_bindings(type, "CUfunction");
  intern_keywords();
}

KernelState& kernel_argument(PyObject* object, const char* what) {
  for (PyTypeObject* type : function_types)
    if (type != nullptr && PyObject_TypeCheck(object, type) != 0) return kernel_of(object);
  raise_python(PyExc_TypeError,
               std::string(what) + " is a Function of a module, not " + Py_TYPE(object)->tp_name);
}

nb::object make_function(cuda::Function function, Face face,
                         const std::vector<device::Parameter>& declared,
                         const ScalarAliases& aliases) {
  numpy_types();  // recognise scalars from the first call on
  auto kernel = std::make_unique<KernelState>(std::move(function), face, declared, aliases);
  PyTypeObject* type = function_types[static_cast<std::size_t>(face)];
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) throw nb::python_error();
  auto* object = reinterpret_cast<FunctionObject*>(self);
  object->vectorcall = face == Face::native ? call_native : call_pycuda;
  object->kernel = kernel.release();
  return nb::steal(self);
}

}  // namespace treadle::bindings
