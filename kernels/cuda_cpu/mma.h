// SPDX-License-Identifier: MIT
// nvcuda::wmma: the product of small matrices, D = A * B + C, by the 32 lanes of a warp together.
//
// How matrices lie in the lanes is this file's own affair. Of A and B the one with more rows or
// columns is *owned*: lane L has the K elements of row (column) L % owners. The other is *spread*:
// each lane has a 32nd of it. A lane computes elements of D that follow each other in the row
// (column) it owns. For 16 x 16 x 16, where A is owned:
//
//   lane  0   A[0][0..15]   B[0][0..7]    D[0][0..7]       lane 16   A[0][0..15]   B[8][0..7]    D[0][8..15]
//   lane  1   A[1][0..15]   B[0][8..15]   D[1][0..7]       lane 17   A[1][0..15]   B[8][8..15]   D[1][8..15]
//
// To multiply, the lanes put what is spread into hidden shared memory, a KiB for each warp, and
// each reads the pieces of rows that its elements need, as vectors.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C++" {
namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

/// How an element is stored, what it is computed in, and the shapes there are for it.
template <class Stored, class Computed, bool (*is_shape)(int m, int n, int k)>
struct __treadle_element_of {
  typedef Stored stored;
  typedef Computed computed;
  static constexpr bool takes(int m, int n, int k) { return is_shape(m, n, k); }
};
__TREADLE_CONSTEXPR bool __treadle_is_usual_shape(int m, int n, int k) {
  return m * n == 256 && (m == 8 || m == 16 || m == 32) && k == 16;
}
__TREADLE_CONSTEXPR bool __treadle_is_tf32_shape(int m, int n, int k) {
  return m == 16 && n == 16 && k == 8;
}
__TREADLE_CONSTEXPR bool __treadle_is_float_shape(int m, int n, int k) {
  return __treadle_is_usual_shape(m, n, k) || __treadle_is_tf32_shape(m, n, k);
}
__TREADLE_CONSTEXPR bool __treadle_is_double_shape(int m, int n, int k) {
  return m == 8 && n == 8 && k == 4;
}
template <class T>
struct __treadle_element;
#define __TREADLE_ELEMENT(type, stored, computed, shape) \
  template <>                                            \
  struct __treadle_element<type> : __treadle_element_of<stored, computed, shape> {};
__TREADLE_ELEMENT(__half, __half, float, __treadle_is_usual_shape)
__TREADLE_ELEMENT(__nv_bfloat16, __nv_bfloat16, float, __treadle_is_usual_shape)
__TREADLE_ELEMENT(precision::tf32, float, float, __treadle_is_tf32_shape)
__TREADLE_ELEMENT(signed char, signed char, int, __treadle_is_usual_shape)
__TREADLE_ELEMENT(unsigned char, unsigned char, int, __treadle_is_usual_shape)
__TREADLE_ELEMENT(float, float, float, __treadle_is_float_shape)
__TREADLE_ELEMENT(int, int, int, __treadle_is_usual_shape)
__TREADLE_ELEMENT(double, double, double, __treadle_is_double_shape)
#undef __TREADLE_ELEMENT

template <int m, int n, int k>
struct __treadle_tile {
  static constexpr bool owns_a = m >= n;
  static constexpr unsigned owners = owns_a ? m : n, others = owns_a ? n : m;
  static constexpr int width = m * n / 32;      ///< elements of D in a lane
  static constexpr int share = others * k / 32;  ///< elements in a lane of what is spread
  static __device__ unsigned owner() { return __treadle_lane() % owners; }
  /// Where this lane's elements of D begin in the row or column that it owns.
  static __device__ unsigned first() { return __treadle_lane() / owners * width; }
};

template <class Use>
struct __treadle_is_a {
  static constexpr bool value = false;
};
template <>
struct __treadle_is_a<matrix_a> {
  static constexpr bool value = true;
};
template <class Layout>
struct __treadle_memory;
template <>
struct __treadle_memory<row_major> {
  static constexpr layout_t layout = mem_row_major;
};
template <>
struct __treadle_memory<col_major> {
  static constexpr layout_t layout = mem_col_major;
};
__TREADLE_FUNCTION size_t __treadle_offset(unsigned row, unsigned column, unsigned stride,
                                           layout_t layout) {
  return layout == mem_row_major ? static_cast<size_t>(row) * stride + column
                                 : static_cast<size_t>(column) * stride + row;
}

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  typedef __treadle_tile<m, n, k> Tile;
  static constexpr bool is_a = __treadle_is_a<Use>::value;
  static constexpr bool is_owned = is_a == Tile::owns_a;
  static_assert(__treadle_element<T>::takes(m, n, k), "wmma has no such shape for this type");

 public:
  typedef T element_type;
  typedef typename __treadle_element<T>::stored storage_element_type;
  static constexpr int num_elements = is_owned ? k : Tile::share;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];

  __device__ void __treadle_load(const storage_element_type* from, unsigned stride) {
    for (int i = 0; i < num_elements; ++i) {
      const unsigned place = __treadle_lane() * Tile::share + i;
      const unsigned across = is_owned ? Tile::owner() : place % Tile::others;
      const unsigned along = is_owned ? i : place / Tile::others;
      x[i] = from[__treadle_offset(is_a ? across : along, is_a ? along : across, stride,
                                   __treadle_memory<Layout>::layout)];
    }
  }
};
template <int m, int n, int k, class T>
class fragment<accumulator, m, n, k, T, void> {
  typedef __treadle_tile<m, n, k> Tile;
  static_assert(__treadle_element<T>::takes(m, n, k), "wmma has no such shape for this type");

 public:
  typedef T element_type;
  typedef T storage_element_type;
  static constexpr int num_elements = Tile::width;
  static constexpr int num_storage_elements = num_elements;
  T x[num_elements];

  static __device__ size_t __treadle_place(int i, unsigned stride, layout_t layout) {
    const unsigned across = Tile::owner(), along = Tile::first() + i;
    return __treadle_offset(Tile::owns_a ? across : along, Tile::owns_a ? along : across, stride,
                            layout);
  }
};

// Each begins with all lanes there, as CUDA says. What was stored can be read by every lane at once.
template <class Use, int m, int n, int k, class T, class Layout>
__TREADLE_FUNCTION void load_matrix_sync(
    fragment<Use, m, n, k, T, Layout>& into,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type* from,
    unsigned stride) {
  __syncwarp();
  into.__treadle_load(from, stride);
}
template <int m, int n, int k, class T>
__TREADLE_FUNCTION void load_matrix_sync(
    fragment<accumulator, m, n, k, T>& into,
    const typename fragment<accumulator, m, n, k, T>::storage_element_type* from, unsigned stride,
    layout_t layout) {
  __syncwarp();
  for (int i = 0; i < into.num_elements; ++i) into.x[i] = from[into.__treadle_place(i, stride, layout)];
}
template <int m, int n, int k, class T>
__TREADLE_FUNCTION void store_matrix_sync(
    typename fragment<accumulator, m, n, k, T>::storage_element_type* to,
    const fragment<accumulator, m, n, k, T>& from, unsigned stride, layout_t layout) {
  __syncwarp();
  for (int i = 0; i < from.num_elements; ++i) to[from.__treadle_place(i, stride, layout)] = from.x[i];
  __syncwarp();
}
template <class Use, int m, int n, int k, class T, class Layout>
__TREADLE_FUNCTION void fill_fragment(
    fragment<Use, m, n, k, T, Layout>& into,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type& value) {
  for (int i = 0; i < into.num_elements; ++i) into.x[i] = value;
}

/// To the nearest number with 10 digits, of two the one away from zero.
__TREADLE_FUNCTION float __float_to_tf32(float x) {
  const unsigned bits = __float_as_uint(x);
  if ((bits & 0x7f800000u) == 0x7f800000u) return x;
  return __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

/// An element as it is computed with: the last 13 bits of a tf32 count for nothing.
template <class T>
__TREADLE_FUNCTION typename __treadle_element<T>::computed __treadle_widened(
    typename __treadle_element<T>::stored x) {
  return static_cast<typename __treadle_element<T>::computed>(x);
}
template <>
__TREADLE_FUNCTION float __treadle_widened<precision::tf32>(float x) {
  return __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}
// An element of C and a sum of products. With satf the nearest number there is, and 0 for NaN.
template <class D>
__TREADLE_FUNCTION D __treadle_sum(float c, float products, bool satf) {
  const float sum = c + products;
  if (!satf) return static_cast<D>(sum);
  constexpr float largest = sizeof(D) == 2 ? 65504.0f : 3.402823466e+38f;
  return static_cast<D>(sum != sum ? 0.0f : fminf(fmaxf(sum, -largest), largest));
}
template <class D>
__TREADLE_FUNCTION D __treadle_sum(double c, double products, bool) {
  return c + products;
}
template <class D>
__TREADLE_FUNCTION D __treadle_sum(int c, int products, bool satf) {
  const long long sum = static_cast<long long>(c) + products;
  return satf ? static_cast<int>(min(max(sum, -0x80000000ll), 0x7fffffffll)) : static_cast<int>(sum);
}
__TREADLE_FUNCTION void* __treadle_tile_memory() {
  __shared__ double __treadle_tiles[32][128];
  return __treadle_tiles[__treadle_linear_thread() / 32u];
}

template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
__TREADLE_FUNCTION void mma_sync(fragment<accumulator, m, n, k, D>& d,
                                 const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                                 const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                                 const fragment<accumulator, m, n, k, C>& c, bool satf = false) {
  typedef __treadle_tile<m, n, k> Tile;
  typedef typename __treadle_element<T>::computed Number;
  typedef Number Numbers __attribute__((ext_vector_type(Tile::width)));
  Number* spread = static_cast<Number*>(__treadle_tile_memory());
  for (int i = 0; i < Tile::share; ++i)
    spread[__treadle_lane() * Tile::share + i] = __treadle_widened<T>(Tile::owns_a ? b.x[i] : a.x[i]);
  __syncwarp();
  Numbers products = 0;
  for (int i = 0; i < k; ++i) {
    Numbers row;
    __builtin_memcpy(&row, spread + i * Tile::others + Tile::first(), sizeof(row));
    products += __treadle_widened<T>(Tile::owns_a ? a.x[i] : b.x[i]) * row;
  }
  for (int i = 0; i < Tile::width; ++i)
    d.x[i] = __treadle_sum<D>(static_cast<Number>(c.x[i]), products[i], satf);
  __syncwarp();
}

}  // namespace wmma
}  // namespace nvcuda
}
