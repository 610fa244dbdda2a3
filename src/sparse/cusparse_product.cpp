// SPDX-License-Identifier: MIT
#include "sparse/cusparse_product.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "linalg/gpu_library.hpp"
#include "sparse/entries.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/memory/device_pool.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::sparse {
namespace {

using library::CusparseDense;
using library::CusparseRows;

bool fits_int32(std::int64_t number) { return number < std::numeric_limits<std::int32_t>::max(); }

std::uint64_t address_of(const device::Location& place) { return place.handle + place.offset; }

/// Memory for calls of the library, of the stream's pool.
class Scratch {
 public:
  explicit Scratch(device::Stream& stream) : stream_(stream) {}
  library::CusparseCall call(const DeviceCusparse& cusparse, void* handle, Scalar dtype) {
    return {*cusparse.handle, handle, *library::cusparse_type(dtype),
            [this](std::size_t bytes) { return allocate(bytes); }};
  }

 private:
  std::uint64_t allocate(std::size_t bytes) {
    const device::GrowAlone alone;  // the handle is locked, and a pending product may want it
    blocks_.push_back(
        memory::pool_of(stream_.device()).allocate(bytes, stream_.shared_from_this()));
    return address_of(blocks_.back().block().location());
  }
  device::Stream& stream_;
  std::vector<memory::Allocation<memory::DeviceAllocator>> blocks_;
};

/// The address of an array, computed by now, for a call that comes next on the stream.
std::uint64_t address_for(const Array& x, device::Stream& stream, device::MemoryUse use) {
  const auto [place, watched] = x.for_launch();
  if (watched != nullptr) watched->before_use(stream, use);
  return address_of(place);
}

/// A matrix by a dense operand. The inputs are data, columns, starts and x.
class CusparseComputation final : public array::Computation {
 public:
  CusparseComputation(const MatrixSize& size, std::int64_t entries, Scalar dtype)
      : size_(size), entries_(entries), dtype_(dtype) {}
  std::string_view name() const override { return "sparse product, cusparse"; }
  bool equals(const Computation& other) const noexcept override {
    const auto* const same = dynamic_cast<const CusparseComputation*>(&other);
    return same != nullptr && same->size_ == size_ && same->entries_ == entries_ &&
           same->dtype_ == dtype_;
  }
  kernel::KernelNote run(device::Stream& stream,
                         const array::ComputationLaunch& launch) const override {
    const auto result = launch.result(0);
    if (!result) return {};
    const auto input = [&](std::size_t which) { return address_of(launch.input(which).location); };
    const std::int64_t width = result->shape.size() == 2 ? result->shape[1] : 0;
    const CusparseRows a{size_.rows, size_.columns, entries_, input(2), input(1), input(0)};
    const CusparseDense x{size_.columns, width, input(3)},
        to{size_.rows, width, address_of(result->location)};
    const DeviceCusparse& cusparse = stream.device().slot<DeviceCusparse>();
    const device::LeaveDeferred leave;
    Scratch scratch(stream);
    cusparse.handle->on_stream(stream.raw(), {}, [&](void* raw) {
      multiply_by_cusparse(scratch.call(cusparse, raw, dtype_), a, x, to);
    });
    if (settings().sync) stream.synchronize();
    return {.name = &cusparse.name, .text = &cusparse.text};
  }

 private:
  MatrixSize size_;
  std::int64_t entries_;
  Scalar dtype_;
};

}  // namespace

DeviceCusparse::DeviceCusparse(device::Device& device) {
  use(linalg::on_gpu_of_nvidia<library::CusparseHandle>(device));
}

void DeviceCusparse::use(std::unique_ptr<library::CusparseHandle> opened) {
  handle = std::move(opened);
  if (handle == nullptr) return;
  name = "sparse product of " + handle->library().path().filename().string();
  text = "cuSPARSE, version " + handle->library().version();
}

bool is_for_cusparse(const CsrMatrix& a) {
  const MatrixSize& size = a.size();
  return a.dtype().kind() != ScalarKind::structure && library::cusparse_type(a.dtype().scalar()) &&
         fits_int32(std::max({size.rows, size.columns, a.entries()})) && a.entries() > 0 &&
         a.stream()->device().slot<DeviceCusparse>().handle != nullptr;
}

Array cusparse_starts(const CsrMatrix& a) { return packed(in_dtype(a.offsets(), Scalar::int32)); }

Array multiplied_by_cusparse(const CsrMatrix& a, const Array& starts, const Array& x) {
  const Array inputs[] = {a.data(), packed(in_dtype(a.indices(), Scalar::int32)), starts, x};
  array::Shape shape{a.size().rows};
  if (x.rank() == 2) shape.push_back(x.shape()[1]);
  const array::ResultSpec result[] = {{std::move(shape), a.dtype()}};
  return array::pending_results(
             std::make_shared<const CusparseComputation>(a.size(), a.entries(), a.dtype().scalar()),
             inputs, result)
      .front();
}

std::optional<CsrMatrix> CsrMatrix::multiplied_by_library(const CsrMatrix& other,
                                                          Scalar dtype) const {
  if (data_.dtype() != dtype || other.data_.dtype() != dtype || !is_for_cusparse(*this) ||
      !is_for_cusparse(other))
    return std::nullopt;
  device::Stream& queue = *stream();
  const DeviceCusparse& cusparse = queue.device().slot<DeviceCusparse>();
  if (cusparse.handle->is_captured(queue.raw())) return std::nullopt;  // the number is waited for
  const MatrixSize made{size().rows, other.size().columns};
  const array::Placement here{.stream = stream()};
  const auto rows_of = [&](const CsrMatrix& a, const Array& starts, const Array& columns,
                           device::MemoryUse use) {
    return CusparseRows{a.size().rows,
                        a.size().columns,
                        a.entries(),
                        address_for(starts, queue, use),
                        address_for(columns, queue, use),
                        address_for(a.data_, queue, use)};
  };
  const Array starts = cusparse_starts(*this), other_starts = cusparse_starts(other),
              columns = packed(in_dtype(indices_, Scalar::int32)),
              other_columns = packed(in_dtype(other.indices_, Scalar::int32));
  try {
    const CusparseRows a = rows_of(*this, starts, columns, device::MemoryUse::reads),
                       b = rows_of(other, other_starts, other_columns, device::MemoryUse::reads);
    Scratch scratch(queue);
    std::optional<library::CusparseProduct> product;
    const auto on_stream = [&](const std::function<void(void*)>& call) {
      const device::LeaveDeferred leave;
      cusparse.handle->on_stream(queue.raw(), {}, call);
    };
    on_stream([&](void* raw) { product.emplace(scratch.call(cusparse, raw, dtype), a, b); });
    const std::int64_t count = product->entries();
    if (!fits_int32(count)) return std::nullopt;
    const Array made_starts = array::empty({made.rows + 1}, Scalar::int32, here);
    CsrMatrix result(Checked{}, array::empty({count}, dtype, here),
                     array::empty({count}, Scalar::int32, here), made_starts, made);
    const CusparseRows place =
        rows_of(result, made_starts, result.indices_, device::MemoryUse::writes);
    on_stream([&](void* raw) { product->store(raw, place); });
    if (settings().sync) queue.synchronize();
    result.offsets_ = packed(in_dtype(made_starts, Scalar::int64));
    CsrMatrix sorted = result.sorted();
    array::set_maker(sorted.data_, {.name = &cusparse.name, .text = &cusparse.text});
    return sorted;
  } catch (const DeviceError&) {
    return std::nullopt;  // it refuses, or takes more memory than there is: our kernels multiply
  }
}

}  // namespace treadle::sparse
