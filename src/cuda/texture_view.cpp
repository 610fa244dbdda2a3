// SPDX-License-Identifier: MIT
#include "cuda/texture_view.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace treadle::cuda {
namespace {

[[noreturn]] void refuse_view(std::string what, std::string hint) {
  throw InvalidArgument("texture view: " + std::move(what), std::move(hint));
}

/// The driver's formats are in the order of these, each with 1, 2 and 4 channels.
constexpr ArrayFormat view_order[] = {ArrayFormat::uint8, ArrayFormat::int8,   ArrayFormat::uint16,
                                      ArrayFormat::int16, ArrayFormat::uint32, ArrayFormat::int32,
                                      ArrayFormat::half,  ArrayFormat::float32};

CUresourceViewFormat raw_format(const ArrayShape& element) {
  const auto* const found = std::ranges::find(view_order, element.format);
  const auto index = static_cast<unsigned>(found - view_order);
  return static_cast<CUresourceViewFormat>(CU_RES_VIEW_FORMAT_UINT_1X8 + 3 * index +
                                           element.channels / 2);
}

void check_blocks(const TextureView& view, const ArrayShape& shape) {
  if (view.blocks < BlockFormat::bc1 || view.blocks > BlockFormat::bc7)
    refuse_view("blocks is " + std::to_string(static_cast<int>(view.blocks)) +
                    ", and a member of BlockFormat was expected",
                "take one of BlockFormat");
  const bool is_small = view.blocks == BlockFormat::bc1 || view.blocks == BlockFormat::bc4 ||
                        view.blocks == BlockFormat::bc4_signed;
  const unsigned channels = is_small ? 2 : 4;
  if (shape.format != ArrayFormat::uint32 || shape.channels != channels)
    refuse_view("the array's elements are no blocks of this format, which have " +
                    std::to_string(channels) + " channels of uint32",
                "make the array of uint32, an element for a block");
  if (view.channels != 0)
    refuse_view("channels is " + std::to_string(view.channels) + " where blocks are given",
                "leave format and channels out: the blocks say both");
}

/// A range of levels or layers, of which there are `count`; the last one.
unsigned end_of(const char* what, unsigned first, unsigned last, std::size_t count) {
  if (last == TextureView::all) last = static_cast<unsigned>(count - 1);
  if (first > last || last >= count)
    refuse_view(std::string(what) + "s are " + std::to_string(first) + " to " +
                    std::to_string(last) + ", and the array has " + std::to_string(count),
                "count from 0, and give the last one too");
  return last;
}

}  // namespace

ArrayFormat describe_view(const TextureView& view, const ArrayShape& shape, unsigned levels,
                          CUDA_RESOURCE_VIEW_DESC& raw) {
  const bool has_blocks = view.blocks != BlockFormat::none;
  const bool is_layered = has_flags(shape.flags, ArrayFlags::layered);
  ArrayFormat format = shape.format;
  // NVIDIA's driver refuses a view without a format, which CUDA calls that of the array.
  raw.format = raw_format(shape);
  if (has_blocks) {
    check_blocks(view, shape);
    raw.format = static_cast<CUresourceViewFormat>(view.blocks);
    format = ArrayFormat::float32;  // as fetches read them
  } else if (view.channels != 0) {
    const ArrayShape element{.format = view.format, .channels = view.channels};
    if (element.element_bytes() != shape.element_bytes())
      refuse_view("its elements have " + std::to_string(element.element_bytes()) +
                      " bytes, and the array's have " + std::to_string(shape.element_bytes()),
                  "take a format and channels of the same size");
    raw.format = raw_format(element);
    format = view.format;
  }
  const std::size_t scale = has_blocks ? 4 : 1;
  raw.width = shape.width * scale;
  raw.height = shape.height * scale;
  raw.depth = shape.depth;
  raw.firstMipmapLevel = view.first_level;
  raw.lastMipmapLevel = end_of("level", view.first_level, view.last_level, levels);
  raw.firstLayer = view.first_layer;
  raw.lastLayer = end_of("layer", view.first_layer, view.last_layer, is_layered ? shape.depth : 1);
  return format;
}

TextureView view_of(const CUDA_RESOURCE_VIEW_DESC& raw) {
  TextureView view;
  const int format = static_cast<int>(raw.format);
  if (format >= static_cast<int>(BlockFormat::bc1)) {
    view.blocks = static_cast<BlockFormat>(format);
  } else if (format >= CU_RES_VIEW_FORMAT_UINT_1X8) {
    const int index = format - CU_RES_VIEW_FORMAT_UINT_1X8;
    view.format = view_order[index / 3];
    view.channels = 1u << (index % 3);
  }
  view.first_level = raw.firstMipmapLevel;
  view.last_level = raw.lastMipmapLevel;
  view.first_layer = raw.firstLayer;
  view.last_layer = raw.lastLayer;
  return view;
}

}  // namespace treadle::cuda
