// SPDX-License-Identifier: MIT
// The hot path: from Python's vectorcall to the driver's launch.
#include <array>
#include <chrono>
#include <cstring>
#include <memory>

#include "caller.hpp"
#include "calls/argument.hpp"
#include "calls/function.hpp"
#include "calls/keyword_names.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/launch_attributes.hpp"

namespace treadle::bindings {
namespace {

enum Keyword {
  kw_block,
  kw_grid,
  kw_stream,
  kw_shared,
  kw_texrefs,
  kw_time_kernel,
  kw_shared_bytes,
  kw_shared_size,
  kw_cooperative,
  kw_attributes,
  keyword_count
};
constinit KeywordNames<keyword_count> keyword_names({"block", "grid", "stream", "shared", "texrefs",
                                                     "time_kernel", "shared_bytes", "shared_size",
                                                     "cooperative", "attributes"});

// The values of the keywords that were given, borrowed.
using Keywords = std::array<PyObject*, keyword_count>;

// Collects the keywords outside `allowed`, and refuses them by `refuse(names)`.
template <class Refuse>
Keywords read_keywords(PyObject* names, PyObject* const* values, unsigned allowed, Refuse refuse) {
  Keywords given{};
  if (names == nullptr) return given;
  std::string extra;
  const Py_ssize_t count = PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    const int keyword = keyword_names.find(name);
    if (keyword >= 0 && (allowed >> keyword & 1u) != 0)
      given[static_cast<std::size_t>(keyword)] = values[i];
    else
      extra += (extra.empty() ? "" : ", ") + nb::cast<std::string>(nb::str(name));
  }
  if (!extra.empty()) refuse(extra);
  return given;
}

// Turns exceptions into Python's; every entry point from Python calls this.
template <class F>
PyObject* guarded(Face face, F call) noexcept {
  try {
    return call();
  } catch (...) {
    set_python_error(face);
    return nullptr;
  }
}

unsigned shared_argument(PyObject* value, const char* name) {
  return value == nullptr ? 0 : static_cast<unsigned>(unsigned_argument(value, name, 0xFFFFFFFFu));
}

const cuda::LaunchAttributes* attributes_argument(PyObject* value) {
  if (value == nullptr || value == Py_None) return nullptr;
  if (!nb::isinstance<cuda::LaunchAttributes>(value))
    raise_python(PyExc_TypeError, std::string("attributes is a LaunchAttributes or None, not ") +
                                      Py_TYPE(value)->tp_name);
  return &instance_of<cuda::LaunchAttributes>(value);
}

void pack_plain(cuda::ArgumentBuffer& buffer, PyObject* const* arguments, std::size_t count,
                Kernel& kernel, cuda::StreamRef stream, std::vector<PyObject*>& handlers) {
  const LaunchScope scope(stream);
  for (std::size_t i = 0; i < count; ++i) add_argument(buffer, arguments[i], kernel, handlers);
}

// For In, Out and InOut: copies data to the device before the launch, and back after the launch.
void before_launch(const std::vector<PyObject*>& handlers, PyObject* stream) {
  for (PyObject* handler : handlers) nb::handle(handler).attr("pre_call")(nb::handle(stream));
}
void after_launch(const std::vector<PyObject*>& handlers, PyObject* stream, const Kernel& kernel) {
  bool waited = stream != Py_None;  // with a stream, post_call waits for it
  for (PyObject* handler : handlers) {
    if (!attribute_or_null(handler, "post_call").is_valid()) continue;
    if (!waited) wait_for(kernel.function.context());
    waited = true;
    nb::handle(handler).attr("post_call")(nb::handle(stream));
  }
}

// time_kernel=True: measures the seconds between two idle states of the device.
template <class F>
nb::object timed_launch(const Kernel& kernel, F launch) {
  wait_for(kernel.function.context());
  const auto start = std::chrono::steady_clock::now();
  launch();
  wait_for(kernel.function.context());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return nb::float_(taken.count());
}

PyObject* launch_pycuda(KernelState& kernel, PyObject* const* arguments, std::size_t count,
                        const Keywords& given) {
  if (given[kw_block] == nullptr) raise_python(PyExc_ValueError, "must specify block size");
  cuda::LaunchConfig config;
  config.block = dim3_argument(given[kw_block], "block");
  if (given[kw_grid] != nullptr) config.grid = dim3_argument(given[kw_grid], "grid");
  PyObject* stream = given[kw_stream] == nullptr ? Py_None : given[kw_stream];
  config.stream = stream_argument(stream);
  config.shared_bytes = shared_argument(given[kw_shared], "shared");
  check_texrefs(kernel, given[kw_texrefs]);
  const bool timed = is_set(given[kw_time_kernel]);
  if (timed && stream != Py_None)
    raise_python(PyExc_AssertionError, "time_kernel measures on the default stream only");

  cuda::ArgumentBuffer buffer(kernel.layout, kernel.function.name());
  std::vector<PyObject*> handlers;
  pack_plain(buffer, arguments, count, kernel, config.stream, handlers);
  if (!handlers.empty()) before_launch(handlers, stream);
  const auto launch = [&] { kernel.function.launch(config, buffer); };
  note_launch_site();
  nb::object seconds = nb::none();
  if (timed)
    seconds = timed_launch(kernel, launch);
  else
    launch();
  if (!handlers.empty()) after_launch(handlers, stream, kernel);
  return seconds.release().ptr();
}

PyObject* launch_native(KernelState& kernel, PyObject* const* arguments, std::size_t count,
                        const Keywords& given) {
  if (given[kw_block] == nullptr || given[kw_grid] == nullptr)
    raise_python(PyExc_TypeError, "a launch needs grid=(blocks, ...) and block=(threads, ...)");
  cuda::LaunchConfig config;
  config.grid = dim3_argument(given[kw_grid], "grid");
  config.block = dim3_argument(given[kw_block], "block");
  config.stream = stream_argument(given[kw_stream]);
  config.shared_bytes = shared_argument(given[kw_shared_bytes], "shared_bytes");
  config.cooperative = is_set(given[kw_cooperative]);
  config.attributes = attributes_argument(given[kw_attributes]);
  cuda::ArgumentBuffer buffer(kernel.layout, kernel.function.name());
  std::vector<PyObject*> handlers;
  pack_plain(buffer, arguments, count, kernel, config.stream, handlers);
  note_launch_site();
  kernel.function.launch(config, buffer);
  Py_RETURN_NONE;
}

const PreparedCall& prepared_of(KernelState& kernel) {
  if (kernel.prepared) [[likely]]
    return *kernel.prepared;
  if (!kernel.arg_format)
    raise_python(PyExc_AttributeError,
                 "'Function' object has no attribute 'arg_format': call "
                 "prepare() before a prepared call");
  return kernel.prepared.emplace(prepare_call(*kernel.arg_format, kernel));
}

constexpr const char* async_name = "prepared_async_call";

struct PreparedArguments {
  PyObject* const* values;  ///< the kernel's arguments
  std::size_t count;
  cuda::LaunchConfig config;
};

// After prepare(block=...) the block is known, and the arguments follow the grid. A tuple in that
// place is a block all the same, because no kernel takes a tuple.
bool is_block_prepared(const KernelState& kernel, PyObject* const* arguments, Py_ssize_t count) {
  return kernel.prepared_config && (count < 2 || PyTuple_Check(arguments[1]) == 0);
}

PreparedArguments read_prepared(const KernelState& kernel, PyObject* const* arguments,
                                Py_ssize_t count, PyObject* keywords, const char* name) {
  const bool with_stream = name == async_name;
  const bool takes_block = !is_block_prepared(kernel, arguments, count);
  const Py_ssize_t fixed = 1 + (takes_block ? 1 : 0) + (with_stream ? 1 : 0);
  const Keywords given = read_keywords(
      keywords, arguments + count, 1u << kw_shared_size, [](const std::string& extra) {
        raise_python(PyExc_TypeError, "unknown keyword arguments: " + extra);
      });
  if (count < fixed)
    raise_python(PyExc_TypeError,
                 std::string(name) + " takes grid" + (takes_block ? ", block" : "") +
                     (with_stream ? ", stream" : "") + " and the kernel's arguments");
  PreparedArguments call{arguments + fixed, static_cast<std::size_t>(count - fixed), {}};
  if (!takes_block) call.config = *kernel.prepared_config;
  call.config.grid = dim3_argument(arguments[0], "grid");
  if (takes_block) call.config.block = dim3_argument(arguments[1], "block");
  if (with_stream) call.config.stream = stream_argument(arguments[fixed - 1]);
  if (takes_block || given[kw_shared_size] != nullptr)
    call.config.shared_bytes = shared_argument(given[kw_shared_size], "shared_size");
  return call;
}

void launch_prepared(KernelState& kernel, const PreparedArguments& call) {
  const PreparedCall& plan = prepared_of(kernel);
  alignas(16) char small[1024];
  std::unique_ptr<char[]> large;
  char* buffer = small;
  if (plan.buffer_bytes > sizeof small) {
    large = std::make_unique<char[]>(plan.buffer_bytes);
    buffer = large.get();
  }
  {
    const LaunchScope scope(call.config.stream);
    pack_prepared(plan, kernel, call.values, call.count, buffer);
  }
  note_launch_site();
  kernel.function.launch_buffer(call.config, buffer, plan.buffer_bytes);
}

// The result of prepared_timed_call: a function that waits for the end and returns the seconds.
nb::object elapsed_seconds(std::shared_ptr<cuda::Event> start, std::shared_ptr<cuda::Event> end) {
  return nb::cpp_function(pycuda([start = std::move(start), end = std::move(end)] {
    wait_for(*end);
    return static_cast<double>(end->milliseconds_since(*start)) * 1e-3;
  }));
}

}  // namespace

void intern_keywords() { keyword_names.intern(); }

PyObject* call_pycuda(PyObject* self, PyObject* const* arguments, std::size_t count,
                      PyObject* keywords) {
  return guarded(Face::pycuda, [&] {
    const auto positional = static_cast<std::size_t>(PyVectorcall_NARGS(count));
    constexpr unsigned allowed = 1u << kw_block | 1u << kw_grid | 1u << kw_stream |
                                 1u << kw_shared | 1u << kw_texrefs | 1u << kw_time_kernel;
    const Keywords given =
        read_keywords(keywords, arguments + positional, allowed, [](const std::string& extra) {
          raise_python(PyExc_ValueError, "extra keyword arguments: " + extra);
        });
    return launch_pycuda(kernel_of(self), arguments, positional, given);
  });
}

PyObject* call_native(PyObject* self, PyObject* const* arguments, std::size_t count,
                      PyObject* keywords) {
  return guarded(Face::native, [&] {
    const auto positional = static_cast<std::size_t>(PyVectorcall_NARGS(count));
    constexpr unsigned allowed = 1u << kw_block | 1u << kw_grid | 1u << kw_stream |
                                 1u << kw_shared_bytes | 1u << kw_cooperative | 1u << kw_attributes;
    const Keywords given =
        read_keywords(keywords, arguments + positional, allowed, [](const std::string& extra) {
          raise_python(PyExc_TypeError, "unknown keyword arguments: " + extra);
        });
    return launch_native(kernel_of(self), arguments, positional, given);
  });
}

PyObject* prepared_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                        PyObject* keywords) {
  return guarded(Face::pycuda, [&]() -> PyObject* {
    KernelState& kernel = kernel_of(self);
    launch_prepared(kernel, read_prepared(kernel, arguments, count, keywords, "prepared_call"));
    Py_RETURN_NONE;
  });
}

PyObject* prepared_async_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords) {
  return guarded(Face::pycuda, [&]() -> PyObject* {
    KernelState& kernel = kernel_of(self);
    launch_prepared(kernel, read_prepared(kernel, arguments, count, keywords, async_name));
    Py_RETURN_NONE;
  });
}

PyObject* prepared_timed_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords) {
  return guarded(Face::pycuda, [&] {
    KernelState& kernel = kernel_of(self);
    const PreparedArguments call =
        read_prepared(kernel, arguments, count, keywords, "prepared_timed_call");
    const auto start = std::make_shared<cuda::Event>(kernel.function.context());
    const auto end = std::make_shared<cuda::Event>(kernel.function.context());
    start->record();
    launch_prepared(kernel, call);
    end->record();
    return elapsed_seconds(start, end).release().ptr();
  });
}

}  // namespace treadle::bindings
