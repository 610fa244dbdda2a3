// SPDX-License-Identifier: MIT
#include "treadle/array/manipulation.hpp"

namespace treadle::array {
namespace {

Array with_layout(const Array& x, const Layout& layout) { return x.viewed(layout, x.dtype()); }

}  // namespace

Array reshape(const Array& x, const Shape& shape) {
  const std::size_t item = x.dtype().size_bytes();
  if (const auto view = x.layout().reshaped(shape, item)) return with_layout(x, *view);
  const Array dense = dense_copy(x);
  return with_layout(dense, *dense.layout().reshaped(shape, item));
}
Array ravel(const Array& x) { return reshape(x, {-1}); }
Array transpose(const Array& x) { return with_layout(x, x.layout().transposed()); }
Array permute_dims(const Array& x, std::span<const int> axes) {
  return with_layout(x, x.layout().permuted(axes));
}
Array swapaxes(const Array& x, int axis, int other) {
  return with_layout(x, x.layout().swapped(axis, other));
}
Array moveaxis(const Array& x, int axis, int destination) {
  return with_layout(x, x.layout().moved(axis, destination));
}
Array squeeze(const Array& x) { return with_layout(x, x.layout().squeezed()); }
Array squeeze(const Array& x, int axis) { return with_layout(x, x.layout().squeezed(axis)); }
Array expand_dims(const Array& x, int axis) { return with_layout(x, x.layout().expanded(axis)); }
Array flip(const Array& x, int axis) { return with_layout(x, x.layout().flipped(axis)); }
Array flip(const Array& x) {
  Layout layout = x.layout();
  for (int axis = 0; axis < x.rank(); ++axis) layout = layout.flipped(axis);
  return with_layout(x, layout);
}
Array broadcast_to(const Array& x, const Shape& shape) {
  return with_layout(x, x.layout().broadcast_to(shape));
}
Array diagonal(const Array& x, std::int64_t offset, int axis, int other) {
  return with_layout(x, x.layout().diagonal(offset, axis, other));
}

Array real_part(const Array& x) {
  const DType part = x.dtype().real_type();
  return part == x.dtype() ? x : x.viewed(x.layout(), part);
}
Array imaginary_part(const Array& x) {
  const DType part = x.dtype().real_type();
  if (part == x.dtype()) return imag(x);
  const Layout& layout = x.layout();
  const auto behind = static_cast<std::int64_t>(part.size_bytes());
  return x.viewed(Layout(layout.shape(), layout.strides(), layout.offset_bytes() + behind), part);
}

}  // namespace treadle::array
