// SPDX-License-Identifier: MIT
#include <algorithm>
#include <complex>
#include <cstring>
#include <string>

#include "linalg/blas_product.hpp"
#include "linalg/matrix_product.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/host_code.hpp"
#include "treadle/library/host_blas.hpp"

namespace treadle::linalg {
namespace {

using library::Cblas;
using library::HostBlas;

/// The library, or null; looked for once.
const HostBlas* host_blas() {
  static const std::shared_ptr<const HostBlas> found = []() -> std::shared_ptr<const HostBlas> {
    try {
      return HostBlas::load();
    } catch (const LibraryNotFound&) {
      return nullptr;  // generated kernels do it; `doctor` tells
    }
  }();
  return found.get();
}

/// All that a call needs, in the host's memory.
struct HostProduct {
  BlasProduct blas;
  int threads;
  std::optional<ElementBytes> scale = {};  ///< of the product's dtype
};

int cblas_operation(const BlasMatrix& matrix) {
  return matrix.is_transposed ? Cblas::transposed : Cblas::plain;
}

template <class T>
library::Factor<T> factor(const T& value) {
  if constexpr (std::is_floating_point_v<T>)
    return value;
  else
    return &value;
}

template <class T>
T* at(const device::Location& place, std::int64_t elements = 0) {
  return reinterpret_cast<T*>(place.handle + place.offset) + elements;
}

/// Whether memory of one vector can be passed to gemv, which counts negative strides from the end.
bool is_forward(std::int64_t stride) { return stride > 0; }

template <class T, class Int>
void multiply_one(const library::HostRoutines<T, Int>& blas, const BlasProduct& task, T scale,
                  const T* x, const T* y, T* z) {
  const kernel::Product& p = task.product;
  const T zero(0);
  const auto integer = [](auto value) { return static_cast<Int>(value); };
  const auto times_vector = [&](const BlasMatrix& matrix, const T* of, bool is_transposed,
                                const T* vector, std::int64_t stride) {
    blas.gemv(Cblas::column_major, is_transposed ? Cblas::transposed : Cblas::plain,
              integer(matrix.rows), integer(matrix.columns), factor(scale), of,
              integer(matrix.distance), vector, integer(stride), factor(zero), z, integer(1));
  };
  if (p.n == 1 && p.m > 1 && is_forward(p.y.row))
    return times_vector(task.x, x, !task.x.is_transposed, y, p.y.row);
  if (p.m == 1 && p.n > 1 && is_forward(p.x.column))
    return times_vector(task.y, y, task.y.is_transposed, x, p.x.column);
  blas.gemm(Cblas::column_major, cblas_operation(task.y), cblas_operation(task.x), integer(p.n),
            integer(p.m), integer(p.k), factor(scale), y, integer(task.y.distance), x,
            integer(task.x.distance), factor(zero), z, integer(p.n));
}

template <class T>
void multiply_all(const HostBlas& library, const HostProduct& task) {
  const kernel::Product& p = task.blas.product;
  const std::uint64_t size = p.m * p.n;
  if (p.k == 0) {
    std::memset(reinterpret_cast<void*>(p.z.handle + p.z.offset), 0,
                size * p.outer * p.inner * sizeof(T));
    return;
  }
  T scale(1);
  if (task.scale) std::memcpy(&scale, task.scale->data(), sizeof scale);
  const library::BlasThreads threads(library, task.threads);
  library.call<T>([&](const auto& blas) {
    T* z = at<T>(p.z);
    for (std::uint64_t outer = 0; outer < p.outer; ++outer)
      for (std::uint64_t inner = 0; inner < p.inner; ++inner, z += size) {
        const auto a = static_cast<std::int64_t>(outer), b = static_cast<std::int64_t>(inner);
        multiply_one(blas, task.blas, scale,
                     at<const T>(p.x.location, a * p.x.outer + b * p.x.inner),
                     at<const T>(p.y.location, a * p.y.outer + b * p.y.inner), z);
      }
  });
}

void multiply(const HostBlas& library, const HostProduct& task) {
  switch (task.blas.product.dtype) {
    case Scalar::float32:
      return multiply_all<float>(library, task);
    case Scalar::float64:
      return multiply_all<double>(library, task);
    case Scalar::complex64:
      return multiply_all<std::complex<float>>(library, task);
    default:
      return multiply_all<std::complex<double>>(library, task);
  }
}

/// Whether a generated kernel, which the waiting thread itself may run, has multiplied before the
/// thread that calls functions of the host has begun. The kernel is slow where one factor is a
/// vector, and for many matrices of a few rows or columns. Measured on two processors under load,
/// it took half the library's time for 20 products of 100 x 100 by 100 x 100, and 1 / 1.6 of it for
/// 500 of 64 x 64 by 64 x 64; more than some 2^28 multiplications in all were not measured.
bool is_small(const kernel::Product& product) {
  const std::uint64_t least = std::min(product.m, product.n);
  const std::uint64_t of_one = product.m * product.n * product.k;
  const std::uint64_t of_all = of_one * product.outer * product.inner;
  if (of_all <= (least == 1 ? 1u << 12 : 1u << 16)) return true;
  return least >= 8 && of_one >= 1u << 12 && of_one <= 1u << 20 && of_all <= 1u << 28;
}

/// The product in the library's words; none where it is not for the library.
std::optional<BlasProduct> host_product(const device::Device& device,
                                        const kernel::Product& product) {
  if (!is_blas_dtype(product.dtype) || !kernel::runs_host_code(device) || is_small(product))
    return std::nullopt;
  const HostBlas* const library = host_blas();
  if (library == nullptr) return std::nullopt;
  auto blas = blas_product(product);
  if (blas && library->integer_bytes() == 4 && !blas->fits_int()) return std::nullopt;
  return blas;
}

kernel::KernelNote host_note(const kernel::Product& product) {
  static const std::string name = "gemm of " + host_blas()->path().filename().string();
  static const std::string text = "CBLAS, version " + host_blas()->version();
  return product_note(product, name, text);
}

}  // namespace

std::optional<kernel::KernelNote> note_of_host(device::Device& device,
                                               const kernel::Product& product) {
  if (!host_product(device, product)) return std::nullopt;
  return host_note(product);
}

std::optional<kernel::KernelNote> multiply_on_host(device::Stream& stream,
                                                   const kernel::Product& product,
                                                   const ElementBytes* factor) {
  const device::Device& device = stream.device();
  const auto blas = host_product(device, product);
  if (!blas || product.epilogue != nullptr) return std::nullopt;
  HostProduct task{*blas, static_cast<int>(std::max(device.info().performance.compute_units, 1u))};
  if (factor != nullptr) task.scale = *factor;
  const device::LeaveDeferred leave;
  const std::uint64_t elements = product.outer * product.inner * product.m * product.n;
  kernel::announce_host_result(stream, product.z, elements * DType(product.dtype).size_bytes());
  stream.call_host([library = host_blas(), task] { multiply(*library, task); });
  return host_note(product);
}

}  // namespace treadle::linalg
