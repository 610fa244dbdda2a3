// SPDX-License-Identifier: MIT
// What CUDA allows is in the documentation of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col,
// whose only answer to the rest is "invalid argument".
#include "treadle/cuda/tensor_map.hpp"

#include <string>

#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

bool is_packed(TensorElement element) {
  return element >= TensorElement::packed4_in_8 && element <= TensorElement::packed6_in_16;
}
bool is_packed_in_16(TensorElement element) {
  return is_packed(element) && element != TensorElement::packed4_in_8;
}
bool is_floating(TensorElement element) {
  return element >= TensorElement::float16 && element <= TensorElement::tfloat32_flushed;
}

/// Of `count` elements; 16 packed ones take 8 bytes, or 16 in shared memory.
std::uint64_t tensor_bytes(TensorElement element, std::uint64_t count) {
  switch (element) {
    case TensorElement::uint8:
      return count;
    case TensorElement::uint16:
    case TensorElement::float16:
    case TensorElement::bfloat16:
      return 2 * count;
    case TensorElement::uint64:
    case TensorElement::int64:
    case TensorElement::float64:
      return 8 * count;
    case TensorElement::packed4_in_8:
      return count / 2;
    case TensorElement::packed4_in_16:
    case TensorElement::packed6_in_16:
      return count;
    default:
      return 4 * count;
  }
}

/// What the rules are applied by: `call` begins each message.
class Rules {
 public:
  explicit Rules(const char* call) : call_(call) {}

  void in_range(const std::string& field, std::int64_t value, std::int64_t least,
                std::int64_t most) const {
    if (value < least || value > most)
      refuse(field + " is " + std::to_string(value),
             "it must be " + std::to_string(least) + " to " + std::to_string(most));
  }
  void multiple(const std::string& field, std::uint64_t value, std::uint64_t of) const {
    if (value % of != 0)
      refuse(field + " is " + std::to_string(value),
             "it must be a multiple of " + std::to_string(of));
  }
  void count(const char* field, std::size_t given, std::size_t wanted) const {
    if (given != wanted)
      throw ShapeError(std::string(call_) + ": " + field + " has " + std::to_string(given) +
                           " numbers, and " + std::to_string(wanted) + " are needed",
                       "the fastest dimension comes first");
  }
  void holds(bool is_kept, const char* problem, const char* advice) const {
    if (!is_kept) refuse(problem, advice);
  }
  [[noreturn]] void refuse(const std::string& problem, const std::string& advice) const {
    throw InvalidArgument(std::string(call_) + ": " + problem, advice);
  }

 private:
  const char* call_;
};

std::string indexed(const char* field, std::size_t index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

std::size_t alignment_of(const TensorLayout& tensor) {
  return tensor.interleave == TensorInterleave::bytes32 || is_packed_in_16(tensor.element) ? 32
                                                                                           : 16;
}

void check_enumerators(const Rules& rules, const TensorLayout& tensor) {
  rules.in_range("element", static_cast<int>(tensor.element), 0, 15);
  rules.in_range("interleave", static_cast<int>(tensor.interleave), 0, 2);
  rules.in_range("swizzle", static_cast<int>(tensor.swizzle), 0, 6);
  rules.in_range("promotion", static_cast<int>(tensor.promotion), 0, 3);
  rules.in_range("fill", static_cast<int>(tensor.fill), 0, 1);
}

/// What both kinds of maps want; fills in strides and steps that were not given.
void check_layout(const Rules& rules, TensorLayout& tensor) {
  check_enumerators(rules, tensor);
  const std::size_t rank = tensor.shape.size();
  rules.in_range("the number of dimensions", static_cast<std::int64_t>(rank),
                 tensor.interleave == TensorInterleave::none ? 1 : 3, 5);
  rules.holds(tensor.address != 0, "address is null", "pass memory of the device");
  rules.multiple("address", tensor.address, alignment_of(tensor));
  for (std::size_t i = 0; i < rank; ++i)
    rules.in_range(indexed("shape", i), static_cast<std::int64_t>(tensor.shape[i]), 1,
                   std::int64_t{1} << 32);
  if (is_packed(tensor.element))
    rules.multiple("shape[0]", tensor.shape[0], is_packed_in_16(tensor.element) ? 128 : 2);
  if (tensor.strides_bytes.empty()) {
    std::uint64_t stride = tensor_bytes(tensor.element, tensor.shape[0]);
    if (is_packed(tensor.element)) stride = tensor.shape[0] / 2;
    if (tensor.element == TensorElement::packed6_in_16) stride = tensor.shape[0] / 4 * 3;
    for (std::size_t i = 1; i < rank; stride *= tensor.shape[i++])
      tensor.strides_bytes.push_back(stride);
  }
  rules.count("strides_bytes", tensor.strides_bytes.size(), rank - 1);
  for (std::size_t i = 0; i + 1 < rank; ++i) {
    rules.in_range(indexed("strides_bytes", i), static_cast<std::int64_t>(tensor.strides_bytes[i]),
                   1, (std::int64_t{1} << 40) - 1);
    rules.multiple(indexed("strides_bytes", i), tensor.strides_bytes[i], alignment_of(tensor));
  }
  if (tensor.steps.empty()) tensor.steps.assign(rank, 1);
  rules.count("steps", tensor.steps.size(), rank);
  for (std::size_t i = 0; i < rank; ++i) rules.in_range(indexed("steps", i), tensor.steps[i], 1, 8);
  rules.holds(
      tensor.interleave != TensorInterleave::bytes32 || tensor.swizzle == TensorSwizzle::bytes32,
      "interleave is bytes32 and swizzle is not", "set both to bytes32");
  rules.holds(
      tensor.element != TensorElement::packed6_in_16 || tensor.interleave == TensorInterleave::none,
      "packed numbers of 6 bits are interleaved", "set interleave to none");
  rules.holds(tensor.fill == TensorFill::zero || is_floating(tensor.element),
              "fill is nan, and the elements are integers", "set fill to zero");
}

std::int64_t swizzled_bytes(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::bytes32:
      return 32;
    case TensorSwizzle::bytes64:
      return 64;
    default:
      return 128;
  }
}

/// Of `elements` along the fastest dimension that are read together.
void check_row(const Rules& rules, const TensorLayout& tensor, const char* field,
               std::uint32_t elements) {
  const std::uint64_t bytes = tensor_bytes(tensor.element, elements);
  const std::string row = std::string(field) + " in bytes";
  if (is_packed_in_16(tensor.element)) rules.in_range(field, elements, 128, 128);
  if (tensor.interleave != TensorInterleave::none) return;
  rules.multiple(row, bytes, 16);
  if (tensor.swizzle != TensorSwizzle::none)
    rules.in_range(row, static_cast<std::int64_t>(bytes), 1, swizzled_bytes(tensor.swizzle));
}

CUtensorMapDataType raw_element(const TensorLayout& tensor) {
  return static_cast<CUtensorMapDataType>(tensor.element);
}
CUtensorMapInterleave raw_interleave(const TensorLayout& tensor) {
  return static_cast<CUtensorMapInterleave>(tensor.interleave);
}
CUtensorMapSwizzle raw_swizzle(const TensorLayout& tensor) {
  return static_cast<CUtensorMapSwizzle>(tensor.swizzle);
}
CUtensorMapL2promotion raw_promotion(const TensorLayout& tensor) {
  return static_cast<CUtensorMapL2promotion>(tensor.promotion);
}
CUtensorMapFloatOOBfill raw_fill(const TensorLayout& tensor) {
  return static_cast<CUtensorMapFloatOOBfill>(tensor.fill);
}

/// The driver reads the address and the map as pointers.
void* pointer_to(DevicePointer address) { return reinterpret_cast<void*>(address); }
CUtensorMap* map_of(std::uint64_t* words) { return reinterpret_cast<CUtensorMap*>(words); }

}  // namespace

TensorMap TensorMap::tiled(const TiledTensor& given, const Driver& driver) {
  constexpr const char* call = "cuTensorMapEncodeTiled";
  TiledTensor tensor = given;
  const Rules rules(call);
  check_layout(rules, tensor);
  const std::size_t rank = tensor.shape.size();
  rules.count("box", tensor.box.size(), rank);
  for (std::size_t i = 0; i < rank; ++i) rules.in_range(indexed("box", i), tensor.box[i], 1, 256);
  check_row(rules, tensor, "box[0]", tensor.box[0]);
  driver.initialize();
  const Table& cu = driver.table();
  TensorMap map(driver, tensor.address, alignment_of(tensor));
  check(cu,
        cu.cuTensorMapEncodeTiled(map_of(map.words_.data()), raw_element(tensor),
                                  static_cast<cuuint32_t>(rank), pointer_to(tensor.address),
                                  tensor.shape.data(), tensor.strides_bytes.data(),
                                  tensor.box.data(), tensor.steps.data(), raw_interleave(tensor),
                                  raw_swizzle(tensor), raw_promotion(tensor), raw_fill(tensor)),
        call, [] { return "tensor maps are for GPUs since sm_90"; });
  return map;
}

TensorMap TensorMap::image(const ImageTensor& given, const Driver& driver) {
  constexpr const char* call = "cuTensorMapEncodeIm2col";
  ImageTensor tensor = given;
  const Rules rules(call);
  check_layout(rules, tensor);
  const std::size_t rank = tensor.shape.size();
  rules.in_range("the number of dimensions", static_cast<std::int64_t>(rank), 3, 5);
  rules.count("lower_corner", tensor.lower_corner.size(), rank - 2);
  rules.count("upper_corner", tensor.upper_corner.size(), rank - 2);
  // In all, 16 bits hold a corner's offsets.
  const std::int64_t limit = rank == 3 ? 32768 : rank == 4 ? 128 : 16;
  for (std::size_t i = 0; i < rank - 2; ++i) {
    rules.in_range(indexed("lower_corner", i), tensor.lower_corner[i], -limit, limit - 1);
    rules.in_range(indexed("upper_corner", i), tensor.upper_corner[i], -limit, limit - 1);
  }
  rules.in_range("channels", tensor.channels, 1, 256);
  rules.in_range("pixels", tensor.pixels, 1, 1024);
  check_row(rules, tensor, "channels", tensor.channels);
  driver.initialize();
  const Table& cu = driver.table();
  TensorMap map(driver, tensor.address, alignment_of(tensor));
  check(cu,
        cu.cuTensorMapEncodeIm2col(
            map_of(map.words_.data()), raw_element(tensor), static_cast<cuuint32_t>(rank),
            pointer_to(tensor.address), tensor.shape.data(), tensor.strides_bytes.data(),
            tensor.lower_corner.data(), tensor.upper_corner.data(), tensor.channels, tensor.pixels,
            tensor.steps.data(), raw_interleave(tensor), raw_swizzle(tensor), raw_promotion(tensor),
            raw_fill(tensor)),
        call, [] { return "tensor maps are for GPUs since sm_90"; });
  return map;
}

TensorMap TensorMap::wide(const WideTensor& given, const Driver& driver) {
  constexpr const char* call = "cuTensorMapEncodeIm2colWide";
  WideTensor tensor = given;
  const Rules rules(call);
  check_layout(rules, tensor);
  const std::size_t rank = tensor.shape.size();
  rules.in_range("the number of dimensions", static_cast<std::int64_t>(rank), 3, 5);
  rules.holds(tensor.interleave == TensorInterleave::none, "interleave is given",
              "set interleave to none");
  rules.in_range("lower_corner", tensor.lower_corner, -32768, 32767);
  rules.in_range("upper_corner", tensor.upper_corner, -32768, 32767);
  rules.in_range("channels", tensor.channels, 1, 256);
  rules.in_range("pixels", tensor.pixels, 1, 1024);
  check_row(rules, tensor, "channels", tensor.channels);
  driver.initialize();
  const Table& cu = driver.table();
  TensorMap map(driver, tensor.address, alignment_of(tensor));
  const auto mode =
      tensor.is_of_128 ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W;
  check(cu,
        cu.cuTensorMapEncodeIm2colWide(
            map_of(map.words_.data()), raw_element(tensor), static_cast<cuuint32_t>(rank),
            pointer_to(tensor.address), tensor.shape.data(), tensor.strides_bytes.data(),
            tensor.lower_corner, tensor.upper_corner, tensor.channels, tensor.pixels,
            tensor.steps.data(), raw_interleave(tensor), mode, raw_swizzle(tensor),
            raw_promotion(tensor), raw_fill(tensor)),
        call, [] { return "wide maps are for GPUs since sm_100"; });
  return map;
}

void TensorMap::set_address(DevicePointer address) {
  const Rules rules("cuTensorMapReplaceAddress");
  rules.holds(address != 0, "address is null", "pass memory of the device");
  rules.multiple("address", address, aligned_);
  const Table& cu = driver_.table();
  check(cu, cu.cuTensorMapReplaceAddress(map_of(words_.data()), pointer_to(address)),
        "cuTensorMapReplaceAddress");
  address_ = address;
}

}  // namespace treadle::cuda
