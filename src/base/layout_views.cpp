// SPDX-License-Identifier: MIT
// The views of a Layout that have more to decide: indexing, broadcasting, reshaping.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "treadle/base/axis.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"

namespace treadle {
namespace {

// Where a slice begins on an axis, and how many elements it has.
struct Selection {
  std::int64_t start, length, step;
};

Selection select(const Index& slice, std::int64_t extent) {
  if (slice.step == 0) throw InvalidArgument("a slice with a step of 0");
  // So that it can be negated; such a step reaches no second element in any case.
  const std::int64_t step = std::max(slice.step, -std::numeric_limits<std::int64_t>::max());
  const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? extent : extent - 1;
  const auto place = [&](const std::optional<std::int64_t>& given, std::int64_t otherwise) {
    if (!given) return otherwise;
    return std::clamp(*given < 0 ? *given + extent : *given, lowest, highest);
  };
  const std::int64_t start = place(slice.start, step > 0 ? lowest : highest);
  const std::int64_t stop = place(slice.stop, step > 0 ? highest : lowest);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  return {start, distance > 0 ? (distance - 1) / std::abs(step) + 1 : 0, step};
}

struct IndexCount {
  int taken = 0, made = 0;  // axes that the indices name; axes that they leave or make
  bool ellipsis = false;
};

IndexCount count_axes(std::span<const Index> indices, Extents shape) {
  IndexCount count;
  for (const Index& index : indices) {
    if (index.kind == Index::Kind::ellipsis) {
      if (count.ellipsis) throw IndexError("an index has more than one ellipsis");
      count.ellipsis = true;
      continue;
    }
    count.taken += index.kind == Index::Kind::new_axis ? 0 : 1;
    count.made += index.kind == Index::Kind::integer ? 0 : 1;
  }
  if (count.taken > static_cast<int>(shape.size()))
    throw IndexError(std::to_string(count.taken) + " indices for the " +
                     std::to_string(shape.size()) + " axes of shape " + shape_text(shape));
  return count;
}

std::int64_t require_position(std::int64_t position, int axis, std::int64_t extent) {
  const std::int64_t counted = position < 0 ? position + extent : position;
  if (counted < 0 || counted >= extent)
    throw IndexError("index " + std::to_string(position) + " is out of bounds for axis " +
                     std::to_string(axis) + " of extent " + std::to_string(extent));
  return counted;
}

[[noreturn]] void refuse_shapes(Extents a, Extents b, int axis, const char* what) {
  throw ShapeError("shapes " + shape_text(a) + " and " + shape_text(b) + " " + what + " in axis " +
                   std::to_string(axis));
}

// The stride of an operand along an axis of the broadcast result; 0 where it repeats.
std::int64_t broadcast_stride(const Layout& operand, int axis, int rank) {
  const int own = axis - (rank - operand.rank());
  if (own < 0 || operand.shape()[static_cast<std::size_t>(own)] == 1) return 0;
  return operand.strides()[static_cast<std::size_t>(own)];
}

enum class Nesting : std::uint8_t { undecided, inner, outer };

// Whether an axis belongs inside another that is inside of it in C order.
Nesting nesting(std::span<const Layout* const> operands, int axis, int other, int rank) {
  Nesting decided = Nesting::undecided;
  for (const Layout* operand : operands) {
    const std::int64_t stride = std::abs(broadcast_stride(*operand, axis, rank));
    const std::int64_t other_stride = std::abs(broadcast_stride(*operand, other, rank));
    if (stride == 0 || other_stride == 0) continue;
    if (other_stride <= stride) return Nesting::outer;  // operands that disagree: C order
    decided = Nesting::inner;
  }
  return decided;
}

// Whether an operand suggests C order on all of its axes: what most do.
bool nests_as_c(const Layout& operand) {
  const Extents shape = operand.shape(), strides = operand.strides();
  std::int64_t inner = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    const std::int64_t stride = std::abs(strides[axis]);
    if (stride < inner) return false;
    inner = stride;
  }
  return true;
}

// Whether the layout is that of a new array in C order, strides of axes of length 1 included.
bool is_as_new(const Layout& layout, std::size_t item_bytes) {
  const Extents shape = layout.shape(), strides = layout.strides();
  auto expected = static_cast<std::int64_t>(item_bytes);
  for (std::size_t axis = shape.size(); axis-- > 0;)
    if (strides[axis] != expected ||
        __builtin_mul_overflow(expected, std::max<std::int64_t>(shape[axis], 1), &expected))
      return false;
  return layout.offset_bytes() == 0;
}

// All axes, innermost first.
std::array<std::uint8_t, Layout::max_rank> nested_axes(std::span<const Layout* const> operands,
                                                       int rank) {
  std::array<std::uint8_t, Layout::max_rank> axes{};
  for (int placed = 0; placed < rank; ++placed) {
    const int axis = rank - 1 - placed;
    int place = placed;
    for (int i = placed; i-- > 0;) {
      const Nesting found = nesting(operands, axis, axes[static_cast<std::size_t>(i)], rank);
      if (found == Nesting::outer) break;
      if (found == Nesting::inner) place = i;
    }
    std::copy_backward(axes.begin() + place, axes.begin() + placed, axes.begin() + placed + 1);
    axes[static_cast<std::size_t>(place)] = static_cast<std::uint8_t>(axis);
  }
  return axes;
}

// Replaces -1 in a shape by what is left of `size` elements.
void complete(std::span<std::int64_t> shape, std::int64_t size, Extents from) {
  std::int64_t known = 1;
  auto unknown = shape.end();
  const auto refuse = [&] {
    throw ShapeError("shape " + shape_text(from) + " of " + std::to_string(size) +
                     " elements cannot become " + shape_text(shape));
  };
  for (auto extent = shape.begin(); extent != shape.end(); ++extent) {
    if (*extent >= 0) {
      if (__builtin_mul_overflow(known, *extent, &known)) refuse();
    } else if (*extent == -1 && unknown == shape.end()) {
      unknown = extent;
    } else {
      refuse();
    }
  }
  if (unknown != shape.end()) {
    if (known == 0 || size % known != 0) refuse();
    *unknown = size / known;
  } else if (known != size) {
    refuse();
  }
}

}  // namespace

Layout Layout::indexed(std::span<const Index> indices) const {
  const IndexCount count = count_axes(indices, shape());
  const int left = rank() - count.taken;  // axes that the ellipsis, or the end, stands for
  Layout made = of_rank(static_cast<std::size_t>(count.made + left), offset_bytes_);
  std::size_t from = 0, to = 0;
  bool nothing = false;
  std::int64_t moved_bytes = 0;
  const auto keep = [&](int axes) {
    for (; axes > 0; --axes, ++from, ++to) {
      made.extent_values()[to] = shape()[from];
      made.stride_values()[to] = strides()[from];
    }
  };
  for (const Index& index : indices) {
    if (index.kind == Index::Kind::ellipsis) {
      keep(left);
    } else if (index.kind == Index::Kind::new_axis) {
      made.extent_values()[to++] = 1;
    } else if (index.kind == Index::Kind::integer) {
      moved_bytes += strides()[from] * require_position(index.start.value_or(0),
                                                        static_cast<int>(from), shape()[from]);
      ++from;
    } else {
      const Selection part = select(index, shape()[from]);
      made.extent_values()[to] = part.length;
      made.stride_values()[to++] = part.length > 1 ? strides()[from] * part.step : strides()[from];
      if (part.length > 0)
        moved_bytes += strides()[from] * part.start;
      else
        nothing = true;
      ++from;
    }
  }
  if (!count.ellipsis) keep(left);
  if (!nothing) made.offset_bytes_ += moved_bytes;
  return made;
}

Layout Layout::sliced(int axis, std::int64_t begin, std::int64_t end) const {
  const int which = checked_axis(axis, rank());
  std::array<Index, max_rank> indices;
  indices.fill(Index::all());
  indices[static_cast<std::size_t>(which)] = {Index::Kind::slice, begin, end};
  return indexed(std::span(indices).first(static_cast<std::size_t>(which) + 1));
}

std::vector<Layout> Layout::split(int axis, std::span<const std::int64_t> positions) const {
  const auto which = static_cast<std::size_t>(checked_axis(axis, rank()));
  std::vector<Layout> parts;
  std::int64_t begin = 0;
  for (const std::int64_t position : positions) {
    parts.push_back(sliced(axis, begin, position));
    begin = position;
  }
  parts.push_back(sliced(axis, begin, shape()[which]));
  return parts;
}

Layout Layout::broadcast_to(Extents target) const {
  if (target.size() < shape().size())
    throw ShapeError("shape " + shape_text(shape()) + " cannot lose axes to become " +
                     shape_text(target));
  Layout made = of_rank(target.size(), offset_bytes_);
  const int wide = made.rank();
  for (int axis = 0; axis < wide; ++axis) {
    const auto to = static_cast<std::size_t>(axis);
    const int own = axis - (wide - rank());
    if (own >= 0 && shape()[static_cast<std::size_t>(own)] != 1 &&
        shape()[static_cast<std::size_t>(own)] != target[to])
      refuse_shapes(shape(), target, axis, "differ");
    made.extent_values()[to] = target[to];
    made.stride_values()[to] = broadcast_stride(*this, axis, wide);
  }
  made.require_countable(1);
  return made;
}

std::optional<Layout> Layout::reshaped(Extents target, std::size_t item_bytes) const {
  Layout asked = of_rank(target.size(), 0);
  std::ranges::copy(target, asked.extent_values());
  complete({asked.extent_values(), target.size()}, size(), shape());
  const Extents whole = asked.shape();
  Layout made = contiguous(whole, item_bytes);
  made.offset_bytes_ = offset_bytes_;
  if (size() == 0) return made;
  const Layout old = squeezed();
  std::size_t from = 0, to = 0;
  // Blocks of old axes and of new ones that hold as many elements; an old block must be steady.
  while (from < old.shape().size()) {
    std::size_t from_end = from + 1, to_end = to;
    std::int64_t old_count = old.shape()[from], new_count = 1;
    while (old_count != new_count || to_end == to) {
      if (new_count < old_count || to_end == to)
        new_count *= whole[to_end++];
      else
        old_count *= old.shape()[from_end++];
    }
    for (std::size_t axis = from; axis + 1 < from_end; ++axis)
      if (old.strides()[axis] != old.strides()[axis + 1] * old.shape()[axis + 1])
        return std::nullopt;
    std::int64_t stride = old.strides()[from_end - 1];
    for (std::size_t axis = to_end; axis-- > to;) {
      made.stride_values()[axis] = stride;
      stride *= whole[axis];
    }
    from = from_end;
    to = to_end;
  }
  return made;
}

Layout broadcast(std::span<const Layout* const> operands, std::size_t item_bytes) {
  if (operands.empty()) throw InvalidArgument("nothing to broadcast");
  const auto is_first = [&](const Layout* operand) { return *operand == *operands.front(); };
  if (is_as_new(*operands.front(), item_bytes) &&
      std::ranges::all_of(operands.subspan(1), is_first))
    return *operands.front();
  const Layout* widest = operands.front();
  bool c_order = true;
  for (const Layout* operand : operands) {
    if (operand->rank() > widest->rank()) widest = operand;
    c_order = c_order && operand->same_shape(*operands.front()) && nests_as_c(*operand);
  }
  Layout made = Layout::of_rank(widest->shape().size(), 0);
  std::ranges::copy(widest->shape(), made.extent_values());
  const int rank = made.rank();
  for (const Layout* operand : operands) {
    if (c_order || operand->same_shape(made)) continue;
    for (int own = 0; own < operand->rank(); ++own) {
      const int axis = own + rank - operand->rank();
      const std::int64_t extent = operand->shape()[static_cast<std::size_t>(own)];
      std::int64_t& common = made.extent_values()[axis];
      if (common != extent && common != 1 && extent != 1)
        refuse_shapes(operand->shape(), made.shape(), axis, "could not be broadcast together");
      if (common == 1) common = extent;
    }
  }
  std::array<std::uint8_t, Layout::max_rank> axes;
  if (!c_order) axes = nested_axes(operands, rank);
  auto stride = static_cast<std::int64_t>(item_bytes);
  for (int i = 0; i < rank; ++i) {
    const int axis = c_order ? rank - 1 - i : axes[static_cast<std::size_t>(i)];
    made.stride_values()[axis] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(made.extent_values()[axis], 1),
                               &stride))
      throw ShapeError("shape " + shape_text(made.shape()) + " is too large");
  }
  return made;
}

}  // namespace treadle
