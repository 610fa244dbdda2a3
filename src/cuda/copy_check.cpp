// SPDX-License-Identifier: MIT
#include "cuda/copy_check.hpp"

#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/context_state.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

/// One side of one copy, for messages: "copy_2d: the source".
struct Where {
  const char *call, *what;

  std::string text() const { return std::string(call) + ": the " + what; }
};

void refuse_negative_sizes(const char* call, const CopySide& side) {
  refuse_negative(call, "x_bytes", side.x_bytes);
  refuse_negative(call, "y", side.y);
  refuse_negative(call, "z", side.z);
  refuse_negative(call, "pitch_bytes", side.pitch_bytes);
  refuse_negative(call, "height of a slice", side.height);
}

void refuse_missing(const Where& of, const CopySide& side) {
  switch (side.type) {
    case MemoryType::host:
      return refuse_null(of.call, of.what, side.host, 1);
    case MemoryType::device:
    case MemoryType::unified:
      return refuse_null(of.call, of.what, side.device, 1);
    case MemoryType::array:
      if (!side.array) break;
      static_cast<void>(side.array.raw());  // throws
      return;
    case MemoryType::none:
      break;
  }
  throw InvalidArgument(of.text() + " was not set",
                        "set its type, and the host, device or array that goes with it");
}

void refuse_outside(const Where& of, const char* direction, std::size_t from, std::size_t count,
                    std::size_t available) {
  if (from <= available && count <= available - from) return;
  throw ShapeError(of.text() + " has " + std::to_string(available) + " " + direction + ", and " +
                       std::to_string(count) + " from " + std::to_string(from) +
                       " on were asked for",
                   "look at the sizes of the copy and where it begins");
}

void refuse_parts_of_elements(const Where& of, const char* what, std::size_t bytes,
                              std::size_t element_bytes) {
  if (bytes % element_bytes == 0) return;
  throw InvalidArgument(of.text() + " is an array of elements of " + std::to_string(element_bytes) +
                            " bytes, and " + what + " is " + std::to_string(bytes),
                        "copy whole elements of an array");
}

void check_array(const Where& of, const CopySide& side, const Copy3D& copy) {
  const ArrayShape& shape = side.array.shape();
  refuse_outside(of, "bytes in a row", side.x_bytes, copy.width_bytes, shape.row_bytes());
  refuse_outside(of, "rows", side.y, copy.height, shape.rows());
  refuse_outside(of, "slices", side.z, copy.depth, shape.slices());
  const std::size_t element_bytes = shape.element_bytes();
  refuse_parts_of_elements(of, "x_bytes", side.x_bytes, element_bytes);
  refuse_parts_of_elements(of, "width_bytes", copy.width_bytes, element_bytes);
}

/// Where the last byte lies, rows and slices being as far apart as `side` says.
void check_memory(const Where& of, const CopySide& side, const Copy3D& copy) {
  const std::size_t row_bytes = side.x_bytes + copy.width_bytes;
  const std::size_t pitch = side.pitch_bytes == 0 ? row_bytes : side.pitch_bytes;
  const std::size_t rows = side.y + copy.height;
  const bool is_one_row = rows == 1 && side.z + copy.depth == 1;
  if (pitch < row_bytes && !is_one_row)
    throw ShapeError(of.text() + " has a pitch of " + std::to_string(pitch) +
                         " bytes, and its rows have " + std::to_string(row_bytes),
                     "set the bytes from one row to the next");
  const std::size_t slice_rows = side.height == 0 ? rows : side.height;
  if (slice_rows < rows && side.z + copy.depth > 1)
    throw ShapeError(of.text() + " has slices of " + std::to_string(slice_rows) + " rows, and " +
                         std::to_string(rows) + " were asked for",
                     "set height to the rows from one slice to the next");
  if (side.size_bytes == 0) return;
  std::size_t last_row = 0, end = 0;
  const bool overflows = __builtin_mul_overflow(side.z + copy.depth - 1, slice_rows, &last_row) ||
                         __builtin_add_overflow(last_row, rows - 1, &last_row) ||
                         __builtin_mul_overflow(last_row, pitch, &end) ||
                         __builtin_add_overflow(end, row_bytes, &end);
  if (overflows || end > side.size_bytes)
    throw ShapeError(of.text() + " has " + std::to_string(side.size_bytes) +
                         " bytes, and the copy ends at byte " +
                         (overflows ? "2**64 or more" : std::to_string(end)),
                     "look at the sizes of the copy, its pitch and where it begins");
}

void check_side(const Where& of, const CopySide& side, const Copy3D& copy) {
  refuse_missing(of, side);
  if (side.type == MemoryType::array)
    check_array(of, side, copy);
  else
    check_memory(of, side, copy);
}

void refuse_other_context(const Where& of, const Array& array) {
  // The driver's answer: an Activation may have made another current than the thread's stack has.
  RawContext current = nullptr;
  check(current_table(), current_table().cuCtxGetCurrent(&current), "cuCtxGetCurrent");
  if (array.context().raw() == current) return;
  throw InvalidArgument(of.text() + " is an array of another context",
                        "make its context current, or use copy_3d_peer");
}

}  // namespace

void check_copy(const char* call, const Copy3D& copy) {
  refuse_negative(call, "width_bytes", copy.width_bytes);
  refuse_negative(call, "height", copy.height);
  refuse_negative(call, "depth", copy.depth);
  refuse_negative_sizes(call, copy.source);
  refuse_negative_sizes(call, copy.destination);
  // Nothing is moved, and needs no sides.
  if (copy.width_bytes == 0 || copy.height == 0 || copy.depth == 0) return;
  check_side({call, "source"}, copy.source, copy);
  check_side({call, "destination"}, copy.destination, copy);
}

void check_current(const char* call, const CopySide& source, const CopySide& destination) {
  // Sides without an array are refused by check_copy.
  if (source.type == MemoryType::array && source.array)
    refuse_other_context({call, "source"}, source.array);
  if (destination.type == MemoryType::array && destination.array)
    refuse_other_context({call, "destination"}, destination.array);
}

void check_position(const char* call, const char* what, const ArrayPosition& position,
                    std::size_t size_bytes) {
  refuse_negative(call, "offset_bytes", position.offset_bytes);
  static_cast<void>(position.array.raw());  // throws for one that was freed
  const Where of{call, what};
  refuse_other_context(of, position.array);
  const ArrayShape& shape = position.array.shape();
  refuse_outside(of, "bytes", position.offset_bytes, size_bytes, shape.size_bytes());
  const std::size_t element_bytes = shape.element_bytes();
  refuse_parts_of_elements(of, "offset_bytes", position.offset_bytes, element_bytes);
  refuse_parts_of_elements(of, "size_bytes", size_bytes, element_bytes);
}

}  // namespace treadle::cuda
