// SPDX-License-Identifier: MIT
// The binary interface of DLPack 1.x, from its specification (https://dmlc.github.io/dlpack): the
// parts that Treadle uses.
#pragma once

#include <cstdint>

namespace treadle::bindings::dlpack_abi {

/// DLDeviceType.
enum class DeviceType : std::int32_t {
  cpu = 1,
  cuda = 2,
  cuda_host = 3,  ///< page-locked
  opencl = 4,
  cuda_managed = 13,
};
/// DLDevice.
struct Device {
  DeviceType type;
  std::int32_t id;
};
/// DLDataType.
struct DataType {
  static constexpr std::uint8_t signed_integer = 0, unsigned_integer = 1, floating = 2, bfloat = 4,
                                complex = 5, boolean = 6;  // `code`
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
/// DLTensor.
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null: C's order without gaps
  std::uint64_t byte_offset;
};

/// DLManagedTensor, of consumers that know no versions.
struct Unversioned {
  static constexpr const char* name = "dltensor";
  static constexpr const char* used_name = "used_dltensor";
  Tensor tensor;
  void* context;
  void (*deleter)(Unversioned*);
};
/// DLManagedTensorVersioned.
struct Versioned {
  static constexpr const char* name = "dltensor_versioned";
  static constexpr const char* used_name = "used_dltensor_versioned";
  static constexpr std::uint64_t read_only = 1, is_copied = 2;  ///< in `flags`
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  Tensor tensor;
};

}  // namespace treadle::bindings::dlpack_abi
