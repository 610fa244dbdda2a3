// SPDX-License-Identifier: MIT
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <string>

#include "linalg/matrix_product.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
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

bool is_cpu_device(const device::Device& device) {
  return device.info().kind == device::DeviceKind::cpu && !device.info().traits.builds_text &&
         device.info().traits.unified_memory;
}

/// A matrix as BLAS takes it: the distance of rows, or that of columns of its transposed.
struct BlasMatrix {
  int transposes;
  std::int64_t distance;
};
std::optional<BlasMatrix> blas_matrix(const kernel::ProductOperand& operand, std::uint64_t rows,
                                      std::uint64_t columns) {
  const auto height = static_cast<std::int64_t>(rows), width = static_cast<std::int64_t>(columns);
  const std::int64_t row = rows <= 1 ? std::max<std::int64_t>(width, 1) : operand.row;
  const std::int64_t column = columns <= 1 ? 1 : operand.column;
  if (column == 1 && row >= std::max<std::int64_t>(width, 1)) return BlasMatrix{Cblas::plain, row};
  const std::int64_t own = rows <= 1 ? 1 : operand.row;
  if (own == 1 && column >= std::max<std::int64_t>(height, 1))
    return BlasMatrix{Cblas::transposed, column};
  return std::nullopt;
}

/// All that a call needs, in the host's memory.
struct HostProduct {
  kernel::Product product;
  BlasMatrix x, y;
  int threads;
};

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
void multiply_one(const library::HostRoutines<T, Int>& blas, const HostProduct& task, const T* x,
                  const T* y, T* z) {
  const kernel::Product& p = task.product;
  const T one(1), zero(0);
  const auto integer = [](auto value) { return static_cast<Int>(value); };
  if (p.n == 1 && p.m > 1 && is_forward(p.y.row)) {
    // BLAS is told the rows and columns of what lies in memory.
    const bool is_plain = task.x.transposes == Cblas::plain;
    return blas.gemv(Cblas::row_major, task.x.transposes, integer(is_plain ? p.m : p.k),
                     integer(is_plain ? p.k : p.m), factor(one), x, integer(task.x.distance), y,
                     integer(p.y.row), factor(zero), z, integer(1));
  }
  if (p.m == 1 && p.n > 1 && is_forward(p.x.column)) {
    const bool is_plain = task.y.transposes == Cblas::plain;
    return blas.gemv(Cblas::row_major, is_plain ? Cblas::transposed : Cblas::plain,
                     integer(is_plain ? p.k : p.n), integer(is_plain ? p.n : p.k), factor(one), y,
                     integer(task.y.distance), x, integer(p.x.column), factor(zero), z, integer(1));
  }
  blas.gemm(Cblas::row_major, task.x.transposes, task.y.transposes, integer(p.m), integer(p.n),
            integer(p.k), factor(one), x, integer(task.x.distance), y, integer(task.y.distance),
            factor(zero), z, integer(p.n));
}

template <class T>
void multiply_all(const HostBlas& library, const HostProduct& task) {
  const kernel::Product& p = task.product;
  const std::uint64_t size = p.m * p.n;
  if (p.k == 0) {
    std::memset(reinterpret_cast<void*>(p.z.handle + p.z.offset), 0,
                size * p.outer * p.inner * sizeof(T));
    return;
  }
  const library::BlasThreads threads(library, task.threads);
  library.call<T>([&](const auto& blas) {
    T* z = at<T>(p.z);
    for (std::uint64_t outer = 0; outer < p.outer; ++outer)
      for (std::uint64_t inner = 0; inner < p.inner; ++inner, z += size) {
        const auto a = static_cast<std::int64_t>(outer), b = static_cast<std::int64_t>(inner);
        multiply_one(blas, task, at<const T>(p.x.location, a * p.x.outer + b * p.x.inner),
                     at<const T>(p.y.location, a * p.y.outer + b * p.y.inner), z);
      }
  });
}

void multiply(const HostBlas& library, const HostProduct& task) {
  switch (task.product.dtype) {
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

bool is_blas_dtype(Scalar dtype) {
  return dtype == Scalar::float32 || dtype == Scalar::float64 || dtype == Scalar::complex64 ||
         dtype == Scalar::complex128;
}

bool fits(const HostBlas& library, const HostProduct& task) {
  if (library.integer_bytes() == 8) return true;
  const kernel::Product& p = task.product;
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  const auto far = static_cast<std::uint64_t>(std::max(task.x.distance, task.y.distance));
  return std::max({p.m, p.n, p.k, far}) <= most;
}

}  // namespace

std::optional<kernel::KernelNote> multiply_on_host(device::Stream& stream,
                                                   const kernel::Product& product) {
  device::Device& device = stream.device();
  if (!is_blas_dtype(product.dtype) || !is_cpu_device(device)) return std::nullopt;
  const HostBlas* const library = host_blas();
  if (library == nullptr) return std::nullopt;
  const auto x = blas_matrix(product.x, product.m, product.k);
  const auto y = blas_matrix(product.y, product.k, product.n);
  if (!x || !y) return std::nullopt;
  const HostProduct task{product, *x, *y,
                         static_cast<int>(std::max(device.info().performance.compute_units, 1u))};
  if (!fits(*library, task)) return std::nullopt;
  static const std::string name = "gemm of " + library->path().filename().string();
  static const std::string text = "CBLAS, version " + library->version();
  const device::LeaveDeferred leave;
  stream.call_host([library, task] { multiply(*library, task); });
  const std::uint64_t size = DType(product.dtype).size_bytes();
  const std::uint64_t matrices = product.outer * product.inner;
  return kernel::KernelNote{.name = &name,
                            .text = &text,
                            .bytes_read = matrices * (product.m + product.n) * product.k * size,
                            .bytes_written = matrices * product.m * product.n * size,
                            .instructions = 2 * matrices * product.m * product.n * product.k};
}

}  // namespace treadle::linalg
