// SPDX-License-Identifier: MIT
#include "linalg/cublas_product.hpp"

#include <functional>
#include <memory>
#include <string>

#include "linalg/blas_product.hpp"
#include "linalg/cublaslt_product.hpp"
#include "linalg/gpu_library.hpp"
#include "linalg/matrix_product.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/workspace.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::linalg {
namespace {

using library::Cublas;
using library::CublasWords;

int integer(auto value) { return static_cast<int>(value); }
int cublas_operation(const BlasMatrix& matrix) {
  return matrix.is_transposed ? CublasWords::transposed : CublasWords::plain;
}
std::uint64_t address(const device::Location& place) { return place.handle + place.offset; }

/// One product in all of its calls.
struct Calls {
  const BlasProduct& blas;
  library::CublasType type;
  BlasRow call, each;

  void queue(const library::CublasTable& table, void* handle) const {
    const auto size = static_cast<std::int64_t>(DType(blas.product.dtype).size_bytes());
    for (std::uint64_t i = 0; i < call.count; ++i) {
      const auto at = [&](const device::Location& place, std::int64_t step) {
        return reinterpret_cast<void*>(
            address(place) +
            static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * step * size));
      };
      queue_one(table, handle, at(blas.product.x.location, call.x),
                at(blas.product.y.location, call.y), at(blas.product.z, call.z));
    }
  }
  void queue_one(const library::CublasTable& table, void* handle, const void* x, const void* y,
                 void* z) const {
    const kernel::Product& p = blas.product;
    const int m = integer(p.n), n = integer(p.m), k = integer(p.k);
    const int ldx = integer(blas.x.distance), ldy = integer(blas.y.distance);
    if (each.count == 1)
      return Cublas::check(
          table.gemm(handle, cublas_operation(blas.y), cublas_operation(blas.x), m, n, k, type.one,
                     y, type.stored, ldy, x, type.stored, ldx, type.zero, z, type.stored, m,
                     type.computed, CublasWords::default_algorithm),
          "cublasGemmEx", [&] { return text(); });
    Cublas::check(
        table.gemm_of_many(handle, cublas_operation(blas.y), cublas_operation(blas.x), m, n, k,
                           type.one, y, type.stored, ldy, each.y, x, type.stored, ldx, each.x,
                           type.zero, z, type.stored, m, each.z, integer(each.count), type.computed,
                           CublasWords::default_algorithm),
        "cublasGemmStridedBatchedEx", [&] { return text(); });
  }
  std::string text() const { return product_words(blas.product, each.count); }
};

bool is_aligned(const kernel::Product& product) {
  const std::uint64_t size = DType(product.dtype).size_bytes();
  return (address(product.x.location) | address(product.y.location) | address(product.z)) % size ==
         0;
}

}  // namespace

DeviceCublas::DeviceCublas(std::unique_ptr<library::CublasHandle> opened)
    : handle(std::move(opened)) {
  if (handle == nullptr) return;
  workspace_bytes = Cublas::workspace_bytes(handle->context());
  name = "gemm of " + handle->library().path().filename().string();
  text = "cuBLAS, version " + handle->library().version();
}
DeviceCublas::DeviceCublas(device::Device& device)
    : DeviceCublas(on_gpu_of_nvidia<library::CublasHandle>(device)) {}

bool multiply_by_cublas(const DeviceCublas& cublas, device::Stream& stream,
                        const kernel::Product& product) {
  const auto type = library::cublas_type(product.dtype);
  if (!type || product.k == 0 || !is_aligned(product)) return false;
  const auto blas = blas_product(product);
  if (!blas || !blas->fits_int()) return false;
  const auto split = blas_calls(product);
  if (!split) return false;
  const Calls calls{*blas, *type, split->call, split->each};
  library::CublasHandle& handle = *cublas.handle;
  const device::LeaveDeferred leave;
  const auto queue = [&](void* raw) { calls.queue(handle.library().table(), raw); };
  const auto launch = [&](const kernel::Workspace& workspace) {
    handle.on_stream(stream.raw(), {address(workspace.partials), cublas.workspace_bytes},
                     std::ref(queue));
  };
  // By reference: functions that hold more than two pointers allocate.
  kernel::with_workspace(stream, {.partial_bytes = cublas.workspace_bytes, .tickets = 0},
                         std::ref(launch));
  if (settings().sync) stream.synchronize();
  return true;
}

std::optional<kernel::KernelNote> note_of_gpu(device::Device& device,
                                              const kernel::Product& product) {
  if (!library::cublas_type(product.dtype)) return std::nullopt;
  const DeviceCublas& cublas = device.slot<DeviceCublas>();
  if (cublas.handle == nullptr) return std::nullopt;
  return product_note(product, cublas.name, cublas.text);
}

std::optional<kernel::KernelNote> multiply_on_gpu(device::Stream& stream,
                                                  const kernel::Product& product) {
  if (product.epilogue != nullptr) return std::nullopt;
  const auto note = note_of_gpu(stream.device(), product);
  if (!note) return std::nullopt;
  device::Device& device = stream.device();
  DeviceCublasLt& cublaslt = device.slot<DeviceCublasLt>();
  if (multiply_small_by_cublaslt(cublaslt, stream, product))
    return product_note(product, cublaslt.plain_name, cublaslt.text);
  return multiply_by_cublas(device.slot<DeviceCublas>(), stream, product) ? note : std::nullopt;
}

}  // namespace treadle::linalg
