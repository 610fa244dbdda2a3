// SPDX-License-Identifier: MIT
#include "treadle/cuda/array.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {
namespace {

void destroy_array(const Context& context, RawArray raw) noexcept {
  clean_up(context, "an array", "cuArrayDestroy", &Table::cuArrayDestroy, raw);
}
void destroy_mipmapped_array(const Context& context, RawMipmappedArray raw) noexcept {
  clean_up(context, "a mipmapped array", "cuMipmappedArrayDestroy", &Table::cuMipmappedArrayDestroy,
           raw);
}

}  // namespace

template <>
inline constexpr const char* handle_kind<destroy_array> = "cuda array";
template <>
inline constexpr const char* handle_kind<destroy_mipmapped_array> = "cuda mipmapped array";

class MipmappedArrayState {
 public:
  std::shared_ptr<const void> owner;  ///< ends after the array
  Handle<RawMipmappedArray, destroy_mipmapped_array> handle;
  ArrayShape shape;
  unsigned levels;
  bool is_borrowed = false;
};

/// What Arrays share.
class ArrayState {
 public:
  bool is_freed() const noexcept {
    return raw.load() == nullptr || (level_of && !level_of->handle);
  }

  Context context;
  std::atomic<RawArray> raw;  ///< null after free()
  ArrayShape shape;
  Handle<RawArray, destroy_array> handle = {};  ///< empty for what is not ours
  std::shared_ptr<MipmappedArrayState> level_of = {};
  std::shared_ptr<const void> owner = {};
};

namespace {

[[noreturn]] void refuse_shape(const std::string& what, std::string hint) {
  throw InvalidArgument("array: " + what, std::move(hint));
}

std::string shape_text(const ArrayShape& shape) {
  std::string text = "an array of " + std::to_string(shape.width);
  for (const std::size_t side : {shape.height, shape.depth}) {
    text += " x ";
    text += std::to_string(side);
  }
  text += " elements of " + std::to_string(shape.element_bytes());
  return text + " bytes, flags " + std::to_string(static_cast<unsigned>(shape.flags));
}

void refuse_cubemap(const ArrayShape& shape) {
  const bool layered = has_flags(shape.flags, ArrayFlags::layered);
  if (shape.width != shape.height)
    refuse_shape("width is " + std::to_string(shape.width) + " and height " +
                     std::to_string(shape.height) + ", and the faces of a cubemap are square",
                 "make width and height equal");
  if (layered ? shape.depth == 0 || shape.depth % 6 != 0 : shape.depth != 6)
    refuse_shape("depth is " + std::to_string(shape.depth) + ", and a cubemap has " +
                     (layered ? "6 faces for each of its layers" : "6 faces"),
                 layered ? "set depth to 6 times the layers" : "set depth to 6");
}

/// Refuses what no device takes.
void check_shape(const ArrayShape& shape) {
  refuse_negative("array", "width", shape.width);
  refuse_negative("array", "height", shape.height);
  refuse_negative("array", "depth", shape.depth);
  const std::size_t element_bytes = shape.element_bytes();
  std::size_t size = element_bytes;
  for (const std::size_t side : {shape.width, shape.rows(), shape.slices()})
    if (__builtin_mul_overflow(size, side, &size))
      refuse_shape("its bytes do not fit into 64 bits", "look for a size that is none");
  if (shape.width == 0) refuse_shape("width is 0, and 1 or more was expected", "set a width");
  const auto has = [&](ArrayFlags flag) { return has_flags(shape.flags, flag); };
  if (has(ArrayFlags::cubemap)) return refuse_cubemap(shape);
  if (has(ArrayFlags::layered) && shape.depth == 0)
    refuse_shape("depth is 0, and a layered array has 1 or more layers",
                 "set depth to the number of layers");
  if (!has(ArrayFlags::layered) && shape.depth != 0 && shape.height == 0)
    refuse_shape("height is 0 where depth is " + std::to_string(shape.depth),
                 "set a height, or the flag layered for rows in layers");
  if (has(ArrayFlags::texture_gather) && (shape.height == 0 || shape.depth != 0))
    refuse_shape("texture_gather is for arrays of width and height",
                 "leave the flag out, or set height and no depth");
}

CUDA_ARRAY3D_DESCRIPTOR descriptor_of(const ArrayShape& shape) {
  CUDA_ARRAY3D_DESCRIPTOR raw{};
  raw.Width = shape.width;
  raw.Height = shape.height;
  raw.Depth = shape.depth;
  raw.Format = static_cast<CUarray_format>(shape.format);
  raw.NumChannels = shape.channels;
  raw.Flags = static_cast<unsigned>(shape.flags);
  return raw;
}

ArrayShape shape_of(const CUDA_ARRAY3D_DESCRIPTOR& raw) {
  return {raw.Width,       raw.Height,
          raw.Depth,       static_cast<ArrayFormat>(raw.Format),
          raw.NumChannels, static_cast<ArrayFlags>(raw.Flags)};
}

ArrayShape ask_shape(const Table& cu, RawArray raw) {
  CUDA_ARRAY3D_DESCRIPTOR told{};
  check(cu, cu.cuArray3DGetDescriptor(&told, raw), "cuArray3DGetDescriptor");
  return shape_of(told);
}

/// Throws InvalidArgument for a shape or number of levels that no mipmapped array has.
void check_levels(const ArrayShape& shape, unsigned levels) {
  check_shape(shape);
  const bool is_volume =
      !has_flags(shape.flags, ArrayFlags::layered) && !has_flags(shape.flags, ArrayFlags::cubemap);
  const auto most = static_cast<unsigned>(
      std::bit_width(std::max({shape.width, shape.height, is_volume ? shape.depth : 0})));
  if (levels == 0 || levels > most)
    throw InvalidArgument("mipmapped array: levels is " + std::to_string(levels) + ", and 1 to " +
                              std::to_string(most) + " was expected",
                          "each level halves the sides of the one before, down to 1");
}

void check_host_size(std::size_t host_bytes, const ArrayShape& shape) {
  if (host_bytes != shape.size_bytes())
    throw ShapeError("the host range has " + std::to_string(host_bytes) + " bytes, the array " +
                         std::to_string(shape.size_bytes()),
                     "copy a part by copy_2d or copy_3d");
}

/// The whole array, and host memory of its size.
Copy3D whole_copy(const ArrayShape& shape) {
  return {.width_bytes = shape.row_bytes(), .height = shape.rows(), .depth = shape.slices()};
}
CopySide host_side(const void* data, const ArrayShape& shape) {
  return {.type = MemoryType::host,
          .host = data,
          .pitch_bytes = shape.row_bytes(),
          .height = shape.rows()};
}

}  // namespace

std::size_t format_bytes(ArrayFormat format) {
  switch (format) {
    case ArrayFormat::uint8:
    case ArrayFormat::int8:
      return 1;
    case ArrayFormat::uint16:
    case ArrayFormat::int16:
    case ArrayFormat::half:
      return 2;
    case ArrayFormat::uint32:
    case ArrayFormat::int32:
    case ArrayFormat::float32:
      return 4;
  }
  refuse_shape("format is " + std::to_string(static_cast<int>(format)) +
                   ", and a CUarray_format of 8 to 32 bits was expected",
               "take one of ArrayFormat");
}

std::size_t ArrayShape::element_bytes() const {
  if (channels != 1 && channels != 2 && channels != 4)
    refuse_shape("channels is " + std::to_string(channels) + ", and 1, 2 or 4 was expected",
                 "pad 3 channels to 4");
  return channels * format_bytes(format);
}

Array::Array(const ArrayShape& shape) : Array(Context::current(), shape) {}

Array::Array(const Context& context, const ArrayShape& shape) {
  check_shape(shape);
  const Activation active(context);
  const auto descriptor = descriptor_of(shape);
  RawArray raw = nullptr;
  check(active.table(),
        allocated([&] { return active.table().cuArray3DCreate(&raw, &descriptor); }),
        "cuArray3DCreate", [&] { return shape_text(shape) + " on " + context.device().name(); });
  state_.reset(new ArrayState{context, raw, shape, {context, raw}});
}

Array Array::borrow(const Context& context, RawArray raw, std::shared_ptr<const void> owner) {
  refuse_null("array", "raw", raw, 1);
  const Activation active(context);
  Array array;
  array.state_.reset(
      new ArrayState{context, raw, ask_shape(active.table(), raw), {}, {}, std::move(owner)});
  return array;
}

void Array::free() {
  raw();  // throws if it was freed
  if (!state_->handle)
    throw InvalidState("the array has another owner, which frees it",
                       "free what it was borrowed from");
  const Activation active(context());
  const RawArray raw = state_->raw.exchange(nullptr);  // other threads find it freed
  if (raw == nullptr) throw InvalidState("the array was freed");
  const int code = active.table().cuArrayDestroy(raw);
  if (code == CUDA_ERROR_NOT_READY)
    state_->raw = raw;  // the wait for what uses it was left
  else
    state_->handle.release();
  check(active.table(), code, "cuArrayDestroy");
}

bool Array::is_freed() const noexcept { return state_ == nullptr || state_->is_freed(); }
const ArrayShape& Array::shape() const noexcept { return state_->shape; }
const Context& Array::context() const noexcept { return state_->context; }

RawArray Array::raw() const {
  if (is_freed()) throw InvalidState(state_ ? "the array was freed" : "there is no array");
  return state_->raw.load();
}

void Array::copy_in(std::span<const std::byte> host) const {
  check_host_size(host.size(), shape());
  Copy3D copy = whole_copy(shape());
  copy.source = host_side(host.data(), shape());
  copy.destination = {.type = MemoryType::array, .array = *this};
  const Activation active(context());
  copy_3d(copy);
}

void Array::copy_out(std::span<std::byte> host) const {
  check_host_size(host.size(), shape());
  Copy3D copy = whole_copy(shape());
  copy.source = {.type = MemoryType::array, .array = *this};
  copy.destination = host_side(host.data(), shape());
  const Activation active(context());
  copy_3d(copy);
}

MipmappedArray::MipmappedArray(const ArrayShape& shape, unsigned levels)
    : MipmappedArray(Context::current(), shape, levels) {}

MipmappedArray::MipmappedArray(const Context& context, const ArrayShape& shape, unsigned levels)
    : MipmappedArray(made_by(
          context, shape, levels,
          [&](const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
            const Activation active(context);
            RawMipmappedArray raw = nullptr;
            check(active.table(), allocated([&] {
                    return active.table().cuMipmappedArrayCreate(&raw, &descriptor, levels);
                  }),
                  "cuMipmappedArrayCreate", [&] {
                    return std::to_string(levels) + " levels of " + shape_text(shape) + " on " +
                           context.device().name();
                  });
            return raw;
          },
          nullptr)) {}

MipmappedArray MipmappedArray::made_by(
    const Context& context, const ArrayShape& shape, unsigned levels,
    const std::function<RawMipmappedArray(const CUDA_ARRAY3D_DESCRIPTOR&)>& make,
    std::shared_ptr<const void> owner) {
  check_levels(shape, levels);
  MipmappedArray array;
  array.state_ = std::make_shared<MipmappedArrayState>();
  array.state_->owner = std::move(owner);
  array.state_->shape = shape;
  array.state_->levels = levels;
  array.state_->handle = {context, make(descriptor_of(shape))};
  return array;
}

MipmappedArray MipmappedArray::borrow(const Context& context, RawMipmappedArray raw,
                                      unsigned levels, std::shared_ptr<const void> owner) {
  refuse_null("mipmapped array", "raw", raw, 1);
  if (levels == 0)
    throw InvalidArgument("mipmapped array: levels is 0, and 1 or more was expected",
                          "pass how many levels it was made with");
  MipmappedArray array;
  array.state_ = std::make_shared<MipmappedArrayState>();
  array.state_->owner = std::move(owner);
  array.state_->levels = levels;
  array.state_->is_borrowed = true;
  array.state_->handle = Handle<RawMipmappedArray, destroy_mipmapped_array>::borrow(context, raw);
  array.state_->shape = array.level(0).shape();
  return array;
}

void MipmappedArray::free() {
  const RawMipmappedArray raw = this->raw();
  if (state_->is_borrowed)
    throw InvalidState("the mipmapped array has another owner, which frees it",
                       "free what it was borrowed from");
  const Activation active(context());
  const int code = active.table().cuMipmappedArrayDestroy(raw);
  if (code != CUDA_ERROR_NOT_READY) state_->handle.release();
  check(active.table(), code, "cuMipmappedArrayDestroy");
}

bool MipmappedArray::is_freed() const noexcept { return state_ == nullptr || !state_->handle; }
unsigned MipmappedArray::levels() const noexcept { return state_->levels; }
const ArrayShape& MipmappedArray::shape() const noexcept { return state_->shape; }
const Context& MipmappedArray::context() const noexcept { return state_->handle.context(); }

RawMipmappedArray MipmappedArray::raw() const {
  if (is_freed())
    throw InvalidState(state_ ? "the mipmapped array was freed" : "there is no mipmapped array");
  return state_->handle.raw();
}

Array MipmappedArray::level(unsigned index) const {
  if (index >= levels())
    throw IndexError("level " + std::to_string(index) + " of a mipmapped array of " +
                         std::to_string(levels()) + " levels",
                     "count from 0, the largest");
  const Activation active(context());
  RawArray raw = nullptr;
  check(active.table(), active.table().cuMipmappedArrayGetLevel(&raw, this->raw(), index),
        "cuMipmappedArrayGetLevel");
  Array array = Array::borrow(context(), raw);
  array.state_->level_of = state_;
  return array;
}

}  // namespace treadle::cuda
