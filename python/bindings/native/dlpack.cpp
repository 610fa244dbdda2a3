// SPDX-License-Identifier: MIT
// DLPack: capsules of Buffers for other libraries, and Buffers from their capsules.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "native/device.hpp"
#include "native/dlpack_abi.hpp"
#include "native/host_array.hpp"
#include "native/interchange.hpp"
#include "refused_call.hpp"
#include "treadle/base/dtype.hpp"
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

/// DLPack's name of the memory's device, and the beginning of the memory.
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
    // The CPU device's memory is host memory, so that NumPy can read it.
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

std::byte* data_of_host(const Exported& memory) {
  return memory.device.type == DeviceType::cpu
             ? static_cast<std::byte*>(memory.data) + memory.offset
             : nullptr;
}

dlpack_abi::DataType type_of(const SharedElements& elements) {
  const DType dtype = DType::parse(elements.dtype);
  const auto bits = static_cast<std::uint8_t>(8 * elements.item_bytes);
  switch (dtype.kind()) {
    case ScalarKind::boolean:
      return {dlpack_abi::DataType::boolean, bits, 1};
    case ScalarKind::signed_integer:
      return {dlpack_abi::DataType::signed_integer, bits, 1};
    case ScalarKind::floating:
      return {dlpack_abi::DataType::floating, bits, 1};
    case ScalarKind::complex:
      return {dlpack_abi::DataType::complex, bits, 1};
    default:
      return {dlpack_abi::DataType::unsigned_integer, bits, 1};
  }
}

/// The object that a capsule owns.
template <class Managed>
struct Export {
  Managed managed = {};
  Buffer buffer;
  std::vector<std::int64_t> shape, strides;
};

template <class Managed>
nb::object make_capsule(const SharedElements& elements, bool is_copied) {
  const Exported memory = describe(elements.buffer);
  const Extents shape = elements.layout.shape(), strides = elements.layout.strides();
  auto made = std::make_unique<Export<Managed>>();
  made->buffer = elements.buffer;
  made->shape.assign(shape.begin(), shape.end());
  const auto item_bytes = static_cast<std::int64_t>(elements.item_bytes);
  for (const std::int64_t stride : strides) {
    if (stride % item_bytes != 0)
      refuse_export("DLPack counts strides in elements, and one of " + std::to_string(stride) +
                    " bytes is no multiple of " + std::to_string(item_bytes));
    made->strides.push_back(stride / item_bytes);
  }
  Managed& managed = made->managed;
  managed.tensor = {
      .data = memory.data,
      .device = memory.device,
      .ndim = elements.layout.rank(),
      .dtype = type_of(elements),
      .shape = made->shape.data(),
      .strides = made->strides.data(),
      .byte_offset = memory.offset + static_cast<std::uint64_t>(elements.layout.offset_bytes())};
  managed.context = made.get();
  managed.deleter = [](Managed* own) { delete static_cast<Export<Managed>*>(own->context); };
  if constexpr (std::is_same_v<Managed, Versioned>) {
    managed.major = 1;
    managed.minor = 0;
    managed.flags =
        (is_copied ? Versioned::is_copied : 0) | (elements.is_read_only ? Versioned::read_only : 0);
  }
  // A consumer renames the capsule, and then calls the deleter itself.
  const auto destroy = [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, Managed::name) == 0) return;
    auto* own = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
    own->deleter(own);
  };
  PyObject* capsule = PyCapsule_New(&managed, Managed::name, destroy);
  if (capsule == nullptr) throw nb::python_error();
  made.release();
  return nb::steal(capsule);
}

/// Orders the consumer after the work that is queued on `own`: the consumer's stream waits, or, for
/// memory that the host reads, this thread waits.
void hand_over(Stream& own, DeviceType type, nb::handle consumer) {
  const bool is_asked =
      consumer.is_none() || PyLong_Check(consumer.ptr()) == 0 ||
      PyLong_AsLongLong(consumer.ptr()) != -1;  // -1: the consumer orders the work itself
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

/// Reads the two integers of a tuple from another library. Throws DTypeError naming `what`.
std::pair<int, int> two_integers(nb::handle given, const char* what) {
  int first = 0, second = 0;
  if (PyTuple_Check(given.ptr()) == 0 || PyTuple_GET_SIZE(given.ptr()) != 2 ||
      !nb::try_cast(nb::handle(PyTuple_GET_ITEM(given.ptr(), 0)), first) ||
      !nb::try_cast(nb::handle(PyTuple_GET_ITEM(given.ptr(), 1)), second))
    throw DTypeError(std::string(what) + " is " + shown(given) + ", wanted: a tuple of two int",
                     "look at the library that the array is of");
  return {first, second};
}

bool knows_versions(nb::handle max_version) {
  return !max_version.is_none() && two_integers(max_version, "max_version").first >= 1;
}

}  // namespace

nb::tuple dlpack_device(const Buffer& self) {
  const auto [type, id] = describe(self).device;
  return nb::make_tuple(static_cast<int>(type), id);
}

std::byte* host_memory(const Buffer& self) { return data_of_host(describe(self)); }

nb::object dlpack(const SharedElements& self, bool is_copied, nb::handle stream,
                  nb::handle max_version) {
  const bool is_versioned = knows_versions(max_version);
  if (self.is_read_only && !is_versioned)
    refuse_export(
        "the elements are read-only, which a consumer that knows no DLPack 1.0 is not told");
  hand_over(*self.stream, describe(self.buffer).device.type, stream);
  return is_versioned ? make_capsule<Versioned>(self, is_copied)
                      : make_capsule<Unversioned>(self, is_copied);
}

// ---- capsules of other libraries

namespace {

/// Asks for a capsule, first by the protocol of DLPack 1.0.
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

/// The object that a capsule owned. Its deleter is called with the GIL, which deleters may need.
struct Taken {
  std::shared_ptr<void> owner;
  Tensor tensor;
  bool is_read_only;
};

template <class Managed>
Taken take(nb::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), Managed::name) == 0)
    throw DTypeError("__dlpack__() returned " + shown(capsule) +
                         ", which is no capsule \"dltensor\" that nobody has taken",
                     "ask for a new one for each consumer");
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), Managed::name));
  if (managed == nullptr || PyCapsule_SetName(capsule.ptr(), Managed::used_name) != 0)
    throw nb::python_error();
  std::shared_ptr<void> owner(managed, [](void* own) {
    auto* const ended = static_cast<Managed*>(own);
    if (ended->deleter != nullptr) ended->deleter(ended);
  });
  bool is_read_only = false;
  if constexpr (std::is_same_v<Managed, Versioned>) {
    if (managed->major != 1)
      throw NotSupported("DLPack " + std::to_string(managed->major) + "." +
                         std::to_string(managed->minor));
    is_read_only = (managed->flags & Versioned::read_only) != 0;
  }
  return {std::move(owner), managed->tensor, is_read_only};
}

/// The name for DType::parse(). If parse() does not know the name, its error shows the name.
std::string name_of(const dlpack_abi::DataType& type) {
  using Type = dlpack_abi::DataType;
  const char* const kind = type.code == Type::signed_integer     ? "int"
                           : type.code == Type::unsigned_integer ? "uint"
                           : type.code == Type::floating         ? "float"
                           : type.code == Type::complex          ? "complex"
                           : type.code == Type::boolean          ? "bool"
                           : type.code == Type::bfloat           ? "bfloat"
                                                                 : nullptr;
  if (kind == nullptr || type.lanes != 1)
    return "DLPack's type " + std::to_string(type.code) + " of " + std::to_string(type.bits) +
           " bits, " + std::to_string(type.lanes) + " times";
  return type.code == Type::boolean && type.bits == 8 ? kind : kind + std::to_string(type.bits);
}

/// Sets the layout and dtype of the elements, from the address of the first element on.
void read_layout(const Tensor& tensor, SharedElements& elements) {
  const std::size_t bits = std::size_t{tensor.dtype.bits} * tensor.dtype.lanes;
  elements.dtype = name_of(tensor.dtype);
  elements.item_bytes = bits / 8;
  const Extents shape(tensor.shape, static_cast<std::size_t>(tensor.ndim));
  if (bits % 8 != 0) {  // packed elements: taken as bytes, with a dtype that no array has
    const Layout counted = Layout::contiguous(shape, 1);
    const std::int64_t extents[] = {
        static_cast<std::int64_t>((static_cast<std::size_t>(counted.size()) * bits + 7) / 8)};
    elements.item_bytes = 1;
    elements.layout = Layout::contiguous(extents, 1);
  } else if (tensor.strides == nullptr) {
    elements.layout = Layout::contiguous(shape, elements.item_bytes);
  } else {
    std::vector<std::int64_t> strides(tensor.strides, tensor.strides + tensor.ndim);
    for (std::int64_t& stride : strides) stride *= static_cast<std::int64_t>(elements.item_bytes);
    elements.layout = Layout(shape, strides);
  }
}

/// The stream that is passed to the producer: the user's stream, or the current stream of the
/// device that the producer names.
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

std::pair<int, int> dlpack_device_of(nb::handle object) {
  return two_integers(nb::object(object.attr("__dlpack_device__")()), "__dlpack_device__()");
}

SharedElements adopt_dlpack(nb::handle object, nb::handle stream) {
  const auto [type_number, device_number] = dlpack_device_of(object);
  const auto type = static_cast<DeviceType>(type_number);
  const auto queue = consumer_stream(stream, type, device_number);
  nb::object told = nb::none();
  if (type == DeviceType::cuda || type == DeviceType::cuda_managed)
    told = nb::int_(queue->raw() != 0 ? queue->raw() : 1);
  const nb::object capsule = ask_for_capsule(object, told);
  Taken taken = PyCapsule_IsValid(capsule.ptr(), Versioned::name) != 0 ? take<Versioned>(capsule)
                                                                       : take<Unversioned>(capsule);
  const Tensor& tensor = taken.tensor;
  SharedElements found;
  read_layout(tensor, found);
  found.is_read_only = taken.is_read_only;
  found.stream = queue;
  const auto [begin, end] = found.layout.byte_range(found.item_bytes);
  if (begin == end) {
    found.buffer = Buffer::adopt(queue->device().shared_from_this(), {}, 0,
                                 {.owner = end_in_order(std::move(taken.owner), queue)});
    return found;
  }
  found.layout = Layout(found.layout.shape(), found.layout.strides(), -begin);
  const bool is_opencl = tensor.device.type == DeviceType::opencl;
  device::Location place{reinterpret_cast<std::uint64_t>(tensor.data),
                         tensor.byte_offset + static_cast<std::uint64_t>(begin)};
  if (!is_opencl) place = {place.handle + place.offset, 0};
  auto* const host =
      tensor.device.type == DeviceType::cuda_host || tensor.device.type == DeviceType::cuda_managed
          ? reinterpret_cast<std::byte*>(place.handle)
          : nullptr;
  const auto device = device_of_tensor(tensor, place.handle, *queue);
  if (&queue->device() != device.get()) found.stream = stream_for(*device);
  found.buffer = Buffer::adopt(
      device, place, static_cast<std::size_t>(end - begin),
      {.kind = tensor.device.type == DeviceType::cuda_managed ? memory::BufferKind::managed
                                                              : memory::BufferKind::adopted,
       .host = host,
       .owner = end_in_order(std::move(taken.owner), found.stream)});
  return found;
}

}  // namespace treadle::bindings
