// SPDX-License-Identifier: MIT
// DLPack for buffers: capsules that other libraries take, and theirs as Buffers.
#include <optional>
#include <string>
#include <utility>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "native/device.hpp"
#include "native/dlpack_abi.hpp"
#include "native/interchange.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/device.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/device/registry.hpp"

namespace treadle::bindings {

using device::Device;
using device::Stream;
using dlpack_abi::DeviceType;
using dlpack_abi::Tensor;
using dlpack_abi::Unversioned;
using dlpack_abi::Versioned;
using memory::Buffer;

namespace {

[[noreturn]] void refuse_export(const std::string& text) { raise_python(PyExc_BufferError, text); }

/// What DLPack calls the memory, and where it begins.
struct Exported {
  dlpack_abi::Device device;
  void* data;
  std::uint64_t offset;
};

Exported describe(const Buffer& self) {
  const device::Location place = self.location();
  const auto data = reinterpret_cast<std::byte*>(place.handle);
  Device& device = self.device();
  if (const cuda::Context* context = device::cuda_context(device)) {
    // Memory of the CPU device is memory of the host, and so NumPy's to read.
    if (context->driver().provider() == cuda::Provider::cpu)
      return {{DeviceType::cpu, 0}, data, place.offset};
    const DeviceType type = self.kind() == memory::BufferKind::page_locked ? DeviceType::cuda_host
                            : self.kind() == memory::BufferKind::managed ? DeviceType::cuda_managed
                                                                         : DeviceType::cuda;
    return {{type, context->device().raw()}, data, place.offset};
  }
  if (std::byte* host = self.host_data()) return {{DeviceType::cpu, 0}, host, 0};
  if (device::opencl_device(device) != nullptr)
    return {{DeviceType::opencl, 0}, data, place.offset};
  refuse_export("DLPack has no name for memory of " + device.info().id);
}

/// What a capsule owns.
template <class Managed>
struct Export {
  Managed managed = {};
  Buffer buffer;
  std::int64_t shape = 0, stride = 1;
};

template <class Managed>
nb::object make_capsule(const Buffer& buffer, const Exported& memory, bool is_copied) {
  auto* made = new Export<Managed>{.buffer = buffer};
  made->shape = static_cast<std::int64_t>(buffer.size_bytes());
  Managed& managed = made->managed;
  managed.tensor = {.data = memory.data,
                    .device = memory.device,
                    .ndim = 1,
                    .dtype = {1, 8, 1},
                    .shape = &made->shape,
                    .strides = &made->stride,
                    .byte_offset = memory.offset};
  managed.context = made;
  managed.deleter = [](Managed* own) { delete static_cast<Export<Managed>*>(own->context); };
  if constexpr (std::is_same_v<Managed, Versioned>) {
    managed.major = 1;
    managed.minor = 0;
    managed.flags = is_copied ? Versioned::is_copied : 0;
  }
  // A consumer renames the capsule, and calls the deleter itself.
  const auto destroy = [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, Managed::name) == 0) return;
    auto* own = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
    own->deleter(own);
  };
  PyObject* capsule = PyCapsule_New(&managed, Managed::name, destroy);
  if (capsule == nullptr) {
    delete made;
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

/// Lets the consumer see what is queued on `own`: its stream waits, or for memory that the host
/// reads, this thread.
void hand_over(Stream& own, DeviceType type, nb::handle consumer) {
  const bool is_asked =
      consumer.is_none() || PyLong_Check(consumer.ptr()) == 0 ||
      PyLong_AsLongLong(consumer.ptr()) != -1;  // -1: the consumer sees to the order itself
  PyErr_Clear();
  if (!is_asked) return;
  if (type != DeviceType::cuda && type != DeviceType::cuda_managed) {
    if (!consumer.is_none())
      refuse_export("memory that is not CUDA's is handed over without a stream: None or -1");
    return wait_for(own);
  }
  const std::uint64_t raw = consumer.is_none() ? 1 : unsigned_argument(consumer.ptr(), "stream");
  if (raw == 0)
    throw InvalidArgument("DLPack's stream 0 may mean two streams",
                          "1 is the legacy default stream, 2 the per-thread one, -1 none");
  if (raw == own.raw() || (raw == 1 && own.raw() == 0)) return;
  const auto event = own.device().make_event(device::Timing::off);
  own.record(*event);
  own.device().adopt_stream(raw)->wait(*event);
}

bool knows_versions(nb::handle max_version) {
  if (max_version.is_none()) return false;
  return nb::cast<int>(nb::object(max_version[nb::int_(0)])) >= 1;
}

}  // namespace

nb::tuple dlpack_device(const Buffer& self) {
  const auto [type, id] = describe(self).device;
  return nb::make_tuple(static_cast<int>(type), id);
}

nb::object dlpack(const Buffer& self, nb::handle stream, nb::handle max_version,
                  nb::handle dl_device, nb::handle copy) {
  const auto [type, id] = describe(self).device;
  if (!dl_device.is_none() && !dlpack_device(self).equal(nb::borrow(dl_device)))
    refuse_export(
        "the buffer is on another device than the one asked for: Buffer.copy_to() and "
        "Stream.copy() move it");
  const auto own = stream_for(self.device());
  const bool is_copied = copy.ptr() == Py_True;
  Buffer exported = self;
  if (is_copied) {
    exported = self.kind() == memory::BufferKind::page_locked
                   ? Buffer::page_locked(self.shared_device(), self.size_bytes())
                   : Buffer(self.shared_device(), self.size_bytes());
    own->copy(exported.location(), self.location(), self.size_bytes());
  }
  hand_over(*own, type, stream);
  const Exported memory = describe(exported);
  return knows_versions(max_version) ? make_capsule<Versioned>(exported, memory, is_copied)
                                     : make_capsule<Unversioned>(exported, memory, is_copied);
}

// ---- capsules of other libraries

namespace {

/// Asks for a capsule, first as DLPack 1.0 does.
nb::object ask_for_capsule(nb::handle object, nb::handle stream) {
  const nb::object method = attribute_or_null(object.ptr(), "__dlpack__");
  nb::dict keywords;
  if (!stream.is_none()) keywords["stream"] = stream;
  nb::dict versioned;
  versioned.update(keywords);
  versioned["max_version"] = nb::make_tuple(1, 0);
  try {
    return method(**versioned);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method(**keywords);
}

/// What the capsule owned is kept, and ended as its library says.
template <class Managed>
std::pair<std::shared_ptr<void>, Tensor> take(nb::handle capsule) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), Managed::name));
  if (managed == nullptr || PyCapsule_SetName(capsule.ptr(), Managed::used_name) != 0)
    throw nb::python_error();
  std::shared_ptr<void> owner(managed, [](void* own) {
    if (Py_IsInitialized() == 0) return;  // deleters may need the interpreter
    const nb::gil_scoped_acquire gil;
    auto* const ended = static_cast<Managed*>(own);
    if (ended->deleter != nullptr) ended->deleter(ended);
  });
  if constexpr (std::is_same_v<Managed, Versioned>)
    if (managed->major != 1)
      throw NotSupported("DLPack " + std::to_string(managed->major) + "." +
                         std::to_string(managed->minor));
  return {std::move(owner), managed->tensor};
}

std::size_t contiguous_bytes(const Tensor& tensor) {
  std::int64_t count = 1;
  for (int i = tensor.ndim; i-- > 0;) {
    if (tensor.strides != nullptr && tensor.shape[i] > 1 && tensor.strides[i] != count)
      throw InvalidArgument("an array of another library with a stride of " +
                                std::to_string(tensor.strides[i]) + " elements in dimension " +
                                std::to_string(i) + ", where C order without gaps has " +
                                std::to_string(count),
                            "make it contiguous first");
    count *= tensor.shape[i];
  }
  const std::size_t bits = std::size_t{tensor.dtype.bits} * tensor.dtype.lanes;
  return (static_cast<std::size_t>(count) * bits + 7) / 8;
}

/// The stream that the producer is told of: the user's, or the current one of what seems the
/// device.
std::shared_ptr<Stream> consumer_stream(nb::handle stream, DeviceType type, int id) {
  if (!stream.is_none()) return stream_or_current(stream, *device::current_device());
  const auto current = device::current_device();
  const auto* context = device::cuda_context(*current);
  const bool is_cuda = type == DeviceType::cuda || type == DeviceType::cuda_managed;
  if (!is_cuda || (context != nullptr && context->driver().provider() == cuda::Provider::nvidia &&
                   context->device().raw() == id))
    return stream_for(*current);
  return stream_for(*device::find_device("cuda:" + std::to_string(id)));
}

std::shared_ptr<Device> device_of_tensor(const Tensor& tensor, std::uint64_t address,
                                         const Stream& queue) {
  if (tensor.device.type == DeviceType::opencl) {
    if (device::opencl_device(queue.device()) == nullptr)
      throw InvalidArgument("memory of OpenCL to adopt, without a stream of its device",
                            "Buffer.adopt(object, stream)");
    return queue.device().shared_from_this();
  }
  auto found = device_at(address);
  if (found == nullptr)
    throw InvalidArgument(
        "the array of another library is memory of no device here (DLPack's "
        "type " +
            std::to_string(static_cast<int>(tensor.device.type)) + ")",
        "Buffer(device, array) copies memory of the host");
  return found;
}

}  // namespace

Buffer adopt_dlpack(nb::handle object, nb::handle stream) {
  const nb::object device_pair = object.attr("__dlpack_device__")();
  const auto type = static_cast<DeviceType>(nb::cast<int>(nb::object(device_pair[nb::int_(0)])));
  const auto queue =
      consumer_stream(stream, type, nb::cast<int>(nb::object(device_pair[nb::int_(1)])));
  nb::object told = nb::none();
  if (type == DeviceType::cuda || type == DeviceType::cuda_managed)
    told = nb::int_(queue->raw() != 0 ? queue->raw() : 1);
  const nb::object capsule = ask_for_capsule(object, told);
  auto [owner, tensor] = PyCapsule_IsValid(capsule.ptr(), Versioned::name) != 0
                             ? take<Versioned>(capsule)
                             : take<Unversioned>(capsule);
  const std::size_t size_bytes = contiguous_bytes(tensor);
  if (size_bytes == 0)
    return Buffer::adopt(queue->device().shared_from_this(), {}, 0, {.owner = std::move(owner)});
  const bool is_opencl = tensor.device.type == DeviceType::opencl;
  device::Location place{reinterpret_cast<std::uint64_t>(tensor.data), tensor.byte_offset};
  if (!is_opencl) place = {place.handle + place.offset, 0};
  auto* const host =
      tensor.device.type == DeviceType::cuda_host || tensor.device.type == DeviceType::cuda_managed
          ? reinterpret_cast<std::byte*>(place.handle)
          : nullptr;
  const auto device = device_of_tensor(tensor, place.handle, *queue);
  return Buffer::adopt(
      device, place, size_bytes,
      {.kind = tensor.device.type == DeviceType::cuda_managed ? memory::BufferKind::managed
                                                              : memory::BufferKind::adopted,
       .host = host,
       .owner = std::move(owner)});
}

}  // namespace treadle::bindings
