// SPDX-License-Identifier: MIT
#include "treadle/cuda/peer.hpp"

#include "native/cuda_rooms.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

void bind_cuda_peer(nb::module_& m) {
  nb::enum_<PeerAttribute>(m, "PeerAttribute", "What a link from one device to another tells.")
      .value("performance_rank", PeerAttribute::performance_rank)
      .value("access_supported", PeerAttribute::access_supported)
      .value("native_atomics_supported", PeerAttribute::native_atomics_supported)
      .value("array_access_supported", PeerAttribute::array_access_supported)
      .value("only_partial_native_atomics_supported",
             PeerAttribute::only_partial_native_atomics_supported);
  nb::enum_<AtomicOperation>(m, "AtomicOperation", "What an atomic function does.")
      .value("integer_add", AtomicOperation::integer_add)
      .value("integer_min", AtomicOperation::integer_min)
      .value("integer_max", AtomicOperation::integer_max)
      .value("integer_increment", AtomicOperation::integer_increment)
      .value("integer_decrement", AtomicOperation::integer_decrement)
      .value("bit_and", AtomicOperation::bit_and)
      .value("bit_or", AtomicOperation::bit_or)
      .value("bit_xor", AtomicOperation::bit_xor)
      .value("exchange", AtomicOperation::exchange)
      .value("compare_and_swap", AtomicOperation::compare_and_swap)
      .value("float_add", AtomicOperation::float_add)
      .value("float_min", AtomicOperation::float_min)
      .value("float_max", AtomicOperation::float_max);
  nb::enum_<AtomicOperands>(m, "AtomicOperands", "Operands of an atomic operation: a set of bits.",
                            nb::is_arithmetic(), nb::is_flag())
      .value("none", AtomicOperands::none)
      .value("signed", AtomicOperands::signed_)
      .value("unsigned", AtomicOperands::unsigned_)
      .value("reduction", AtomicOperands::reduction)
      .value("scalar_32", AtomicOperands::scalar_32)
      .value("scalar_64", AtomicOperands::scalar_64)
      .value("scalar_128", AtomicOperands::scalar_128)
      .value("vector_32x4", AtomicOperands::vector_32x4);
  m.def("peer_attribute", &peer_attribute, nb::arg("device"), nb::arg("peer"), nb::arg("attribute"),
        "Of the link from a device to another. Raises InvalidArgument for one with itself.");
  m.def("host_atomics", &host_atomics, nb::arg("device"), nb::arg("operation"),
        "With which operands kernels may use the operation on memory of the host.");
  m.def("peer_atomics", &peer_atomics, nb::arg("device"), nb::arg("peer"), nb::arg("operation"),
        "The same for memory of another device.");
}

}  // namespace treadle::bindings
