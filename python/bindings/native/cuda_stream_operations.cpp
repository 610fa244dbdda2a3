// SPDX-License-Identifier: MIT
#include "treadle/cuda/stream_operations.hpp"

#include <nanobind/stl/vector.h>

#include "calls/argument.hpp"
#include "native/host_function.hpp"
#include "rooms.hpp"
#include "treadle/cuda/capture.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

template <class Value>
Value word_argument(nb::handle value) {
  return static_cast<Value>(
      unsigned_argument(value.ptr(), "value", std::numeric_limits<Value>::max()));
}

/// Calls `wait(stream, address, value, condition)`, for words of one size.
template <class Value>
void bind_wait(nb::module_& m, const char* name,
               void (*wait)(StreamRef, DevicePointer, Value, WaitCondition)) {
  m.def(
      name,
      [wait](nb::handle stream, nb::handle address, nb::handle value, WaitCondition condition) {
        wait(stream_argument(stream.ptr()), pointer_argument(address.ptr(), "address"),
             word_argument<Value>(value), condition);
      },
      nb::arg("stream"), nb::arg("address"), nb::arg("value"),
      nb::arg("condition") = WaitCondition::greater_or_equal,
      "Later work of the stream starts once the word at the address satisfies the condition.");
}

template <class Value>
void bind_write(nb::module_& m, const char* name, void (*write)(StreamRef, DevicePointer, Value)) {
  m.def(
      name,
      [write](nb::handle stream, nb::handle address, nb::handle value) {
        write(stream_argument(stream.ptr()), pointer_argument(address.ptr(), "address"),
              word_argument<Value>(value));
      },
      nb::arg("stream"), nb::arg("address"), nb::arg("value"),
      "Writes the word once the stream is past the work queued so far.");
}

void bind_batch(nb::module_& m) {
  using Kind = MemoryOperation::Kind;
  nb::class_<MemoryOperation> type(m, "MemoryOperation", "A wait or a write of a batch.");
  nb::enum_<Kind>(type, "Kind", "What an operation does, with how many bits.")
      .value("wait32", Kind::wait32)
      .value("wait64", Kind::wait64)
      .value("write32", Kind::write32)
      .value("write64", Kind::write64);
  type.def(
          "__init__",
          [](MemoryOperation* self, Kind kind, nb::handle address, nb::handle value,
             WaitCondition condition) {
            const bool is_wide = kind == Kind::wait64 || kind == Kind::write64;
            new (self) MemoryOperation{
                kind, pointer_argument(address.ptr(), "address"),
                is_wide ? word_argument<std::uint64_t>(value) : word_argument<std::uint32_t>(value),
                condition};
          },
          nb::arg("kind"), nb::arg("address"), nb::arg("value"),
          nb::arg("condition") = WaitCondition::greater_or_equal, nb::keep_alive<1, 3>())
      .def_ro("kind", &MemoryOperation::kind)
      .def_ro("address", &MemoryOperation::address)
      .def_ro("value", &MemoryOperation::value)
      .def_ro("condition", &MemoryOperation::condition);
  m.def(
      "run_operations",
      [](nb::handle stream, const std::vector<MemoryOperation>& operations) {
        run_operations(stream_argument(stream.ptr()), operations);
      },
      nb::arg("stream"), nb::arg("operations"), "All of them in one call, in order; at most 256.");
}

}  // namespace

void bind_cuda_stream_operations(nb::module_& m) {
  nb::enum_<WaitCondition>(m, "WaitCondition",
                           "When a wait is over, for the value found and the one wanted.")
      .value("greater_or_equal", WaitCondition::greater_or_equal,
             "found - wanted >= 0, as signed numbers.")
      .value("equal", WaitCondition::equal)
      .value("any_bit", WaitCondition::any_bit, "found & wanted != 0.")
      .value("any_unset", WaitCondition::any_unset, "~(found | wanted) != 0.");
  m.def(
      "call_host",
      [](nb::handle stream, nb::handle function) {
        const StreamRef on = stream_argument(stream.ptr());
        call_host(on, host_function(function, capture_status(on) == CaptureStatus::none));
      },
      nb::arg("stream"), nb::arg("function"),
      "Calls a Python function once the stream is past the work queued so far. It must not use "
      "CUDA; what it raises becomes a warning.");
  bind_wait<std::uint32_t>(m, "wait_value32", &wait_value32);
  bind_wait<std::uint64_t>(m, "wait_value64", &wait_value64);
  bind_write<std::uint32_t>(m, "write_value32", &write_value32);
  bind_write<std::uint64_t>(m, "write_value64", &write_value64);
  bind_batch(m);
}

}  // namespace treadle::bindings
