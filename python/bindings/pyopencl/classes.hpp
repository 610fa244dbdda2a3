// SPDX-License-Identifier: MIT
// The C++ side of pyopencl._cl's classes: Treadle's objects under PyOpenCL's rules.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/host_buffer.hpp"
#include "pyopencl/error_classes.hpp"
#include "pyopencl/object_arguments.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/opencl/context.hpp"
#include "treadle/opencl/device.hpp"
#include "treadle/opencl/event.hpp"
#include "treadle/opencl/image.hpp"
#include "treadle/opencl/memory.hpp"
#include "treadle/opencl/pipe.hpp"
#include "treadle/opencl/platform.hpp"
#include "treadle/opencl/program.hpp"
#include "treadle/opencl/queue.hpp"
#include "treadle/opencl/read_staging.hpp"
#include "treadle/opencl/sampler.hpp"

namespace treadle::bindings::cl {

struct Platform {
  opencl::Platform platform;
};
/// `platform_object` is made once, so that device.platform is device.platform.
struct Device {
  opencl::Device device;
  nb::object platform_object = {};
};
struct Context {
  opencl::Context context;
};
/// Context and device are made once, too. Leaving its `with` block finalises a queue.
struct CommandQueue {
  opencl::Queue queue;
  nb::object context_object = {}, device_object = {};
  bool is_finalized = false;
  /// Whether commands may be unfinished: use_queue() sets this, finish() clears it. Guarded by the
  /// GIL.
  mutable bool is_busy = false;
  /// Made at the first read into host memory. Guarded by the GIL.
  mutable std::shared_ptr<opencl::ReadStaging> staging = {};
};
struct Program {
  opencl::Program program;
};
struct LocalMemory {
  std::size_t size_bytes;
};

struct Event {
  opencl::Event event;
  mutable bool is_done = false;  ///< known to be done; changes with the GIL held
};
struct UserEvent : Event {
  opencl::UserEvent user_event;
};
/// Keeps the host memory of a transfer until the transfer is done: the destructor waits.
struct NannyEvent : Event {
  nb::object ward;  ///< the user's object
  nb::object view;  ///< a memoryview that keeps the memory in its place; null after the transfer
  NannyEvent(opencl::Event done, nb::object host, nb::object host_view)
      : Event{std::move(done)}, ward(std::move(host)), view(std::move(host_view)) {}
  NannyEvent(const NannyEvent&) = delete;
  NannyEvent& operator=(const NannyEvent&) = delete;
  ~NannyEvent();
};

/// The base of memory of a context: a buffer, or a block of a pool.
class MemoryObjectHolder {
 public:
  virtual ~MemoryObjectHolder() = default;
  /// Throws InvalidState after release(), if that frees the memory.
  virtual const opencl::MemoryObject& memory() const = 0;
  /// The kind of kernel argument.
  virtual opencl::ArgumentView::Kind kind() const { return opencl::ArgumentView::Kind::buffer; }
  /// The host memory, while an array is made of it; see get_host_array.
  void* exported = nullptr;
  std::size_t exported_bytes = 0;
};
class MemoryObject : public MemoryObjectHolder {
 public:
  explicit MemoryObject(opencl::MemoryObject memory, nb::object host = {})
      : hostbuf(std::move(host)), memory_(std::move(memory)) {}
  MemoryObject(MemoryObject&&) = default;
  ~MemoryObject() override;
  const opencl::MemoryObject& memory() const override { return memory_; }
  opencl::ArgumentView::Kind kind() const override { return opencl::ArgumentView::Kind::bytes; }
  virtual void release() { memory_.release(); }
  nb::object hostbuf;  ///< kept with USE_HOST_PTR
  /// Whether the platform has freed memory of USE_HOST_PTR, after the commands that use it.
  std::shared_ptr<std::atomic<bool>> is_freed;

 protected:
  opencl::MemoryObject memory_;
};
class Buffer : public MemoryObject {
 public:
  using MemoryObject::MemoryObject;
  opencl::ArgumentView::Kind kind() const override { return opencl::ArgumentView::Kind::buffer; }
  /// The memory as a buffer.
  opencl::Buffer buffer() const;
  memory::Buffer shown;  ///< memory of an array: reserved as long as this lives
};

class Image : public MemoryObject {
 public:
  explicit Image(opencl::Image image, nb::object host = {})
      : MemoryObject(opencl::MemoryObject(), std::move(host)), image_(std::move(image)) {}
  const opencl::MemoryObject& memory() const override { return image_; }
  opencl::ArgumentView::Kind kind() const override { return opencl::ArgumentView::Kind::image; }
  void release() override { image_.release(); }
  const opencl::Image& image() const noexcept { return image_; }

 private:
  opencl::Image image_;
};
class Pipe : public MemoryObject {
 public:
  explicit Pipe(opencl::Pipe pipe) : MemoryObject(opencl::MemoryObject()), pipe_(std::move(pipe)) {}
  const opencl::MemoryObject& memory() const override { return pipe_; }
  opencl::ArgumentView::Kind kind() const override { return opencl::ArgumentView::Kind::pipe; }
  void release() override { pipe_.release(); }
  const opencl::Pipe& pipe() const noexcept { return pipe_; }

 private:
  opencl::Pipe pipe_;
};
/// Memory created by OpenGL.
struct GLBuffer : Buffer {
  using Buffer::Buffer;
};
struct GLRenderBuffer : Image {
  using Image::Image;
};
struct GLTexture : Image {
  using Image::Image;
};
struct Sampler {
  opencl::Sampler sampler;
};

/// The access to the host memory that a new object is given. Warns if the flags do not mention host
/// memory.
HostBuffer::Access host_access(opencl::MemFlags flags);
/// The buffer of a MemoryObjectHolder, while get_host_array() makes an array of it.
int export_host_memory(PyObject* self, Py_buffer* view, int flags) noexcept;
/// The image of a memory object. Throws LogicError INVALID_MEM_OBJECT for other memory.
const opencl::Image& image_of(const MemoryObjectHolder& memory);

/// The platform's devices of a type. If the program asks for GPUs and there are none, the
/// processors, if TREADLE_OPENCL_CPU_AS_GPU allows this.
std::vector<opencl::Device> devices_that_answer(const opencl::Platform& platform,
                                                opencl::DeviceType type);
/// Whether that setting would have given devices.
bool cpu_could_answer(const opencl::Platform& platform, opencl::DeviceType type);
/// The message for a program that asks for a GPU where there are only processors.
inline constexpr const char* cpu_as_gpu_hint =
    "the environment variable TREADLE_OPENCL_CPU_AS_GPU=1 lets the processor answer for one";

/// The devices of an iterable. Throws TypeError naming the argument for other entries.
std::vector<opencl::Device> devices_in(nb::handle given, const Argument& argument);
/// The memory objects of an iterable, with the same check.
std::vector<opencl::MemoryObject> memory_in(nb::handle given, const Argument& argument);

/// The loader's table of functions, for handles of other libraries.
std::shared_ptr<const opencl::Table> loader_table();

/// Pairs of name and value for OpenCL's calls. Tells the platform among them.
struct Properties {
  std::optional<opencl::Platform> platform;
  std::vector<std::intptr_t> pairs;  ///< name, value, ... in OpenCL's form
};
/// Reads None, or an iterable of pairs of a context_properties constant and its value.
Properties read_properties(nb::handle given);

/// None, or an iterable of events. `keep` collects the elements, which keeps the events alive.
class Events {
 public:
  explicit Events(nb::handle wait_for);
  const opencl::WaitList& list() const noexcept { return list_; }
  opencl::Order order() const { return {.after = list_}; }

 private:
  nb::object keep_;
  opencl::WaitList list_;
};

/// The queue of a Python object, for a new command. Warns if the `with` block has ended.
const opencl::Queue& use_queue(const CommandQueue& queue);

/// New Python objects. Null handles are None.
nb::object make_platform(opencl::Platform platform);
nb::object make_device(opencl::Device device);
nb::object make_context(opencl::Context context);
nb::object make_queue(opencl::Queue queue);
nb::object make_event(opencl::Event event);
nb::object make_memory(opencl::MemoryObject memory);
/// A pyopencl.Program over `program`.
nb::object make_program(opencl::Program program);
/// An event that keeps `host` until it is done. A plain event keeps nothing.
nb::object make_nanny_event(opencl::Event event, nb::handle host);
/// The event of a transfer that has ended.
nb::object make_ended_transfer(opencl::Event event, nb::handle host);

/// Binds pointer, equality and hash of an object with a handle of OpenCL.
template <class T, class... Bases, class F>
void bind_identity(nb::class_<T, Bases...>& type, F raw) {
  const auto number = [raw](const T& self) { return reinterpret_cast<std::uintptr_t>(raw(self)); };
  type.def_prop_ro("int_ptr", pyopencl([number](const T& self) { return number(self); }),
                   "The handle, an integer.");
  type.def("__hash__",
           pyopencl([number](const T& self) { return static_cast<Py_hash_t>(number(self) >> 4); }));
  type.def("__eq__", pyopencl([number](const T& self, nb::handle other) {
             T* same = nullptr;
             return nb::try_cast(other, same) && same != nullptr && number(self) == number(*same);
           }),
           nb::arg().none());
  type.def(
      "__ne__", pyopencl([number](const T& self, nb::handle other) {
        T* same = nullptr;
        return !(nb::try_cast(other, same) && same != nullptr && number(self) == number(*same));
      }),
      nb::arg().none());
}

/// Binds the static from_int_ptr(int_ptr_value, retain=True). `make(raw, ownership)` makes the
/// object.
template <class Raw, class F, class T, class... Bases>
void bind_from_pointer(nb::class_<T, Bases...>& type, F make) {
  type.def_static("from_int_ptr",
                  pyopencl([make](std::uintptr_t pointer, bool retain) -> nb::object {
                    return make(reinterpret_cast<Raw>(pointer),
                                retain ? opencl::Ownership::retain : opencl::Ownership::adopt);
                  }),
                  nb::arg("int_ptr_value"), nb::arg("retain") = true,
                  "Wraps a handle of another library; retain=False takes its reference over.");
}

// One function for each file of classes, in the order of module.cpp.
void bind_constants(nb::module_& m);
void bind_platform(nb::module_& m);
void bind_device(nb::module_& m);
void bind_context(nb::module_& m);
void bind_queue(nb::module_& m);
void bind_event(nb::module_& m);
void bind_memory(nb::module_& m);
void bind_image(nb::module_& m);
void bind_image_transfer(nb::module_& m);
void bind_pipe(nb::module_& m);
void bind_graphics(nb::module_& m);
void bind_sampler(nb::module_& m);
void bind_transfer(nb::module_& m);
void bind_box_transfer(nb::module_& m);
void bind_copy_choice(nb::module_& m);
void bind_map(nb::module_& m);
void bind_native_kernel(nb::module_& m);
void bind_program(nb::module_& m);
void bind_program_cache(nb::module_& m);
void bind_kernel(nb::module_& m);
void bind_pools(nb::module_& m);
void bind_svm(nb::module_& m);
void bind_svm_pools(nb::module_& m);

}  // namespace treadle::bindings::cl
