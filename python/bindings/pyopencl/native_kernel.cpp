// SPDX-License-Identifier: MIT
// Python functions as commands of a queue, for devices that run native kernels.
#include "treadle/opencl/native_kernel.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "pyopencl/callback.hpp"
#include "pyopencl/classes.hpp"

namespace treadle::bindings::cl {
namespace {

// Views of the command's memory, which the function may use until it returns.
class Views {
 public:
  Views(std::span<void* const> memory, const std::vector<std::size_t>& sizes) {
    for (std::size_t i = 0; i < memory.size(); ++i)
      list_.append(nb::steal(PyMemoryView_FromMemory(
          static_cast<char*>(memory[i]), static_cast<Py_ssize_t>(sizes[i]), PyBUF_WRITE)));
  }
  // If the function has kept a view, reports it: the memory may move.
  ~Views() {
    for (const nb::handle view : list_)
      if (!nb::steal(PyObject_CallMethod(view.ptr(), "release", nullptr)).is_valid())
        PyErr_WriteUnraisable(view.ptr());
  }
  Views(const Views&) = delete;
  Views& operator=(const Views&) = delete;
  nb::tuple tuple() const { return nb::tuple(list_); }

 private:
  nb::list list_;
};

nb::object enqueue(const CommandQueue& queue, nb::handle function, nb::handle mem_objects,
                   nb::handle wait_for) {
  const std::vector<opencl::MemoryObject> memory =
      memory_in(mem_objects, {"enqueue_native_kernel", "mem_objects"});
  std::vector<std::size_t> sizes;
  for (const opencl::MemoryObject& object : memory) sizes.push_back(object.size_bytes());
  const Events after(wait_for);
  auto run = [callback = Callback(function, {"enqueue_native_kernel", "function"}),
              sizes](std::span<void* const> addresses) {
    const ForeignGil gil;
    if (!gil) return;
    const Views views(addresses, sizes);
    callback.call([&] { return views.tuple(); });
  };
  const opencl::Queue& target = use_queue(queue);
  const opencl::Order order = after.order();
  nb::gil_scoped_release released;  // the function may run at once
  opencl::Event event = opencl::enqueue_native(target, std::move(run), memory, order);
  nb::gil_scoped_acquire gil;
  return make_event(std::move(event));
}

}  // namespace

void bind_native_kernel(nb::module_& m) {
  m.def("enqueue_native_kernel", pyopencl(enqueue), nb::arg("queue"), nb::arg("function"),
        nb::arg("mem_objects") = nb::tuple(), nb::arg("wait_for") = nb::none(),
        "Calls function(*views) in the queue's order, on a thread of the platform's: a memoryview "
        "of bytes for each of mem_objects, to be used until it returns. What it raises is printed. "
        "LogicError INVALID_OPERATION where the device has no native kernels.");
}

}  // namespace treadle::bindings::cl
