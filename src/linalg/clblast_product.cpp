// SPDX-License-Identifier: MIT
#include "linalg/clblast_product.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "linalg/blas_product.hpp"
#include "linalg/matrix_product.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/process/settings.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::linalg {
namespace {

using library::Clblast;
using library::ClblastWords;

/// Multiplications below which nobody looks for CLBlast: its calls cost the host more than a
/// launch, and what it takes to be measured is not won back.
constexpr std::uint64_t least_work = std::uint64_t{1} << 24;
/// How much sooner it has to be done.
constexpr double least_gain = 1.1;

int clblast_operation(bool is_transposed) {
  return is_transposed ? ClblastWords::transposed : ClblastWords::plain;
}

/// A place as CLBlast counts it.
struct Place {
  void* buffer;
  std::size_t offset;  // in elements
};

// Products with one vector, whose neighbours lie forwards, are gemv's.
bool is_by_column(const kernel::Product& p, const BlasRow& each) {
  return each.count == 1 && p.n == 1 && p.m > 1 && p.y.row > 0;
}
bool is_row_by(const kernel::Product& p, const BlasRow& each) {
  return each.count == 1 && p.m == 1 && p.n > 1 && p.x.column > 0;
}

template <class T>
class ClblastCalls {
 public:
  ClblastCalls(const Clblast& library, void* queue, const BlasProduct& blas)
      : table_(library.routines<T>()), queue_(queue), blas_(blas) {}

  void queue_all(const BlasCalls& calls) {
    for (std::uint64_t i = 0; i < calls.call.count; ++i) queue_one(calls, i);
  }

 private:
  static Place at(const device::Location& place, std::int64_t elements) {
    return {reinterpret_cast<void*>(place.handle),
            place.offset / sizeof(T) + static_cast<std::size_t>(elements)};
  }
  static std::size_t whole(std::int64_t value) { return static_cast<std::size_t>(value); }

  void queue_one(const BlasCalls& calls, std::uint64_t which) {
    const kernel::Product& p = blas_.product;
    const auto step = static_cast<std::int64_t>(which);
    const Place x = at(p.x.location, step * calls.call.x),
                y = at(p.y.location, step * calls.call.y), z = at(p.z, step * calls.call.z);
    const BlasRow& each = calls.each;
    const auto text = [&] { return product_words(p, each.count); };
    if (is_by_column(p, each))
      return times_vector(blas_.x, x, !blas_.x.is_transposed, y, p.y.row, z);
    if (is_row_by(p, each))
      return times_vector(blas_.y, y, blas_.y.is_transposed, x, p.x.column, z);
    const int of_y = clblast_operation(blas_.y.is_transposed),
              of_x = clblast_operation(blas_.x.is_transposed);
    if (each.count == 1)
      return Clblast::check(
          table_.gemm(ClblastWords::column_major, of_y, of_x, p.n, p.m, p.k, T(1), y.buffer,
                      y.offset, whole(blas_.y.distance), x.buffer, x.offset,
                      whole(blas_.x.distance), T(0), z.buffer, z.offset, p.n, &queue_, nullptr),
          "CLBlast's gemm", text);
    Clblast::check(
        table_.gemm_of_many(ClblastWords::column_major, of_y, of_x, p.n, p.m, p.k, T(1), y.buffer,
                            y.offset, whole(blas_.y.distance), whole(each.y), x.buffer, x.offset,
                            whole(blas_.x.distance), whole(each.x), T(0), z.buffer, z.offset, p.n,
                            whole(each.z), each.count, &queue_, nullptr),
        "CLBlast's gemmStridedBatched", text);
  }
  void times_vector(const BlasMatrix& matrix, const Place& of, bool is_transposed,
                    const Place& vector, std::int64_t step, const Place& to) {
    Clblast::check(table_.gemv(ClblastWords::column_major, clblast_operation(is_transposed),
                               whole(matrix.rows), whole(matrix.columns), T(1), of.buffer,
                               of.offset, whole(matrix.distance), vector.buffer, vector.offset,
                               whole(step), T(0), to.buffer, to.offset, 1, &queue_, nullptr),
                   "CLBlast's gemv", [&] { return product_words(blas_.product); });
  }

  const library::ClblastRoutines<T>& table_;
  void* queue_;
  const BlasProduct& blas_;
};

bool is_on_elements(const kernel::Product& product) {
  const std::uint64_t size = DType(product.dtype).size_bytes();
  return (product.x.location.offset | product.y.location.offset | product.z.offset) % size == 0;
}

bool is_large(const kernel::Product& product) {
  const auto product_of = [](std::initializer_list<std::uint64_t> all) {
    double work = 1;
    for (const std::uint64_t length : all) work *= static_cast<double>(length);
    return work;
  };
  return product_of({product.outer, product.inner, product.m, product.n, product.k}) >=
         static_cast<double>(least_work);
}

/// Whether CLBlast may be asked for it at all.
bool is_for_clblast(const device::Device& device, const kernel::Product& product) {
  return product.epilogue == nullptr && is_blas_dtype(product.dtype) && is_large(product) &&
         is_on_elements(product) && device::opencl_device(device) != nullptr &&
         blas_product(product) && blas_calls(product);
}

/// The best of three, behind one for compilers and caches.
double best_seconds(device::Stream& stream, const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 4; ++round) {
    stream.synchronize();
    const auto start = Clock::now();
    run();
    stream.synchronize();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (round > 0) best = std::min(best, seconds);
  }
  return best;
}

}  // namespace

DeviceClblast::DeviceClblast(device::Device& device) : device_(device) {
  try {
    use(Clblast::load(), nullptr);
  } catch (const LibraryNotFound&) {
    // Generated kernels multiply; `doctor` tells.
  }
}

void DeviceClblast::use(std::shared_ptr<const Clblast> library,
                        std::shared_ptr<tune::Store> store) {
  library_ = std::move(library);
  ways_.emplace("product by clblast", device_, std::move(store));
  if (library_ == nullptr) return;
  name_ = "gemm of " + library_->path().filename().string();
  text_ = "CLBlast, version " + library_->version();
}

kernel::KernelNote DeviceClblast::note(const kernel::Product& product) const {
  return product_note(product, name_, text_);
}

tune::ProblemSignature DeviceClblast::problem_of(const kernel::Product& product) const {
  const auto about = [](std::uint64_t length) {
    return static_cast<std::int64_t>(std::bit_width(length));
  };
  const auto blas = blas_product(product);
  const auto letter = [](const BlasMatrix& matrix) { return matrix.is_transposed ? "t" : "n"; };
  return {{"dtype", DType(product.dtype).name()},
          {"clblast", library_->version()},
          {"m", about(product.m)},
          {"n", about(product.n)},
          {"k", about(product.k)},
          {"matrices", about(product.outer * product.inner)},
          {"read", std::string(letter(blas->x)) + letter(blas->y)}};
}

std::optional<bool> DeviceClblast::is_faster(const kernel::Product& product) {
  const auto known = ways_->find(problem_of(product));
  return known ? std::optional(known->way == "clblast") : std::nullopt;
}

bool DeviceClblast::is_faster(const kernel::Product& product,
                              const std::function<Seconds()>& seconds) {
  const tune::ProblemSignature problem = problem_of(product);
  const auto measure = [&]() -> std::vector<tune::WayTime> {
    const Seconds took = seconds();
    return {{"generated", took.generated}, {"clblast", took.clblast}};
  };
  try {
    const auto fastest = ways_->choose(problem, measure, least_gain);
    return fastest && fastest->way == "clblast";
  } catch (const DeviceError& error) {
    warn(std::string("CLBlast is found and not used: ") + error.what());
    ways_->settle(problem, "generated");
    return false;
  }
}

bool multiply_by_clblast(const Clblast& library, void* queue, const kernel::Product& product) {
  const auto blas = blas_product(product);
  const auto calls = blas_calls(product);
  if (!blas || !calls || product.k == 0 || !is_on_elements(product)) return false;
  switch (product.dtype) {
    case Scalar::float32:
      ClblastCalls<float>(library, queue, *blas).queue_all(*calls);
      return true;
    case Scalar::float64:
      ClblastCalls<double>(library, queue, *blas).queue_all(*calls);
      return true;
    case Scalar::complex64:
      ClblastCalls<std::complex<float>>(library, queue, *blas).queue_all(*calls);
      return true;
    case Scalar::complex128:
      ClblastCalls<std::complex<double>>(library, queue, *blas).queue_all(*calls);
      return true;
    default:
      return false;
  }
}

bool queue_by_clblast(const Clblast& library, device::Stream& stream,
                      const kernel::Product& product) {
  const auto calls = blas_calls(product);
  // gemv multiplies what is there by 0, and NaN stays.
  if (calls && (is_by_column(product, calls->each) || is_row_by(product, calls->each))) {
    constexpr std::byte zero{0};
    stream.fill(
        product.z, {&zero, 1},
        product.outer * product.inner * product.m * product.n * DType(product.dtype).size_bytes());
  }
  device::opencl_queue(stream);  // from now on others queue work there, too
  const bool is_queued =
      multiply_by_clblast(library, reinterpret_cast<void*>(stream.raw()), product);
  device::opencl_queue(stream);  // markers that were made before are too early
  return is_queued;
}

std::optional<kernel::KernelNote> note_of_opencl(device::Device& device,
                                                 const kernel::Product& product) {
  if (!is_for_clblast(device, product)) return std::nullopt;
  DeviceClblast& clblast = device.slot<DeviceClblast>();
  if (clblast.library() == nullptr || !clblast.is_faster(product).value_or(false))
    return std::nullopt;
  return clblast.note(product);
}

std::optional<kernel::KernelNote> multiply_on_opencl(device::Stream& stream,
                                                     const kernel::Product& product) {
  device::Device& device = stream.device();
  if (!is_for_clblast(device, product) || !stream.is_in_order()) return std::nullopt;
  DeviceClblast& clblast = device.slot<DeviceClblast>();
  if (clblast.library() == nullptr) return std::nullopt;
  const device::LeaveDeferred leave;
  const auto run = [&] { return queue_by_clblast(*clblast.library(), stream, product); };
  const auto measure = [&]() -> DeviceClblast::Seconds {
    const double generated = best_seconds(stream, [&] { kernel::launch_product(stream, product); });
    return {.clblast = best_seconds(stream, run), .generated = generated};
  };
  const bool is_faster = settings().measure ? clblast.is_faster(product, measure)
                                            : clblast.is_faster(product).value_or(false);
  if (!is_faster || !run()) return std::nullopt;
  if (settings().sync) stream.synchronize();
  return clblast.note(product);
}

}  // namespace treadle::linalg
