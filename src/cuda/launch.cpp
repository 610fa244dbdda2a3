// SPDX-License-Identifier: MIT
#include "treadle/cuda/launch.hpp"

#include <algorithm>

#include "cuda/function_state.hpp"
#include "treadle/cuda/launch_attributes.hpp"

namespace treadle::cuda {
namespace {

std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// More than any device takes for all parameters together, and little enough to compute with.
constexpr std::size_t largest_argument_bytes = 1u << 20;

std::string parameter_text(const KernelParameter& parameter) {
  if (parameter.name.empty()) return {};
  return " (" + (parameter.type.empty() ? "" : parameter.type + " ") + parameter.name + ")";
}

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

InvalidArgument wrong_argument_size(std::string_view kernel, const ParameterLayout& layout,
                                    std::size_t index, std::size_t given_bytes) {
  const KernelParameter& parameter = layout.parameters[index];
  return InvalidArgument("kernel \"" + std::string(kernel) + "\": argument " +
                         std::to_string(index) + " has " + bytes_text(given_bytes) +
                         ", parameter " + std::to_string(index) + parameter_text(parameter) +
                         " takes " + bytes_text(parameter.size));
}

InvalidArgument wrong_argument_count(std::string_view kernel, const ParameterLayout& layout,
                                     std::size_t given_count) {
  std::string text = "kernel \"" + std::string(kernel) + "\": " + std::to_string(given_count) +
                     (given_count == 1 ? " argument" : " arguments") + " for " +
                     std::to_string(layout.parameters.size()) +
                     (layout.parameters.size() == 1 ? " parameter" : " parameters");
  if (given_count < layout.parameters.size())
    text += "; the first missing one is parameter " + std::to_string(given_count) +
            parameter_text(layout.parameters[given_count]) + " of " +
            bytes_text(layout.parameters[given_count].size);
  return InvalidArgument(std::move(text));
}

ArgumentBuffer::ArgumentBuffer(const ParameterLayout& layout, std::string_view kernel)
    : layout_(layout), kernel_(kernel) {
  if (layout.buffer_bytes > capacity_bytes_) grow_bytes(layout.buffer_bytes);
  if (layout.parameters.size() > capacity_count_) grow_pointers(layout.parameters.size());
}

const KernelParameter* ArgumentBuffer::next() const {
  if (!layout_.known) return nullptr;
  if (count_ == layout_.parameters.size()) throw wrong_argument_count(kernel_, layout_, count_ + 1);
  return &layout_.parameters[count_];
}

void* ArgumentBuffer::reserve(std::size_t size, std::size_t alignment) {
  std::size_t offset = 0;
  if (const KernelParameter* parameter = next()) {
    if (parameter->size != size) throw wrong_argument_size(kernel_, layout_, count_, size);
    offset = parameter->offset;
  } else {
    if (size > largest_argument_bytes)
      throw InvalidArgument("kernel \"" + std::string(kernel_) + "\": argument " +
                            std::to_string(count_) + " has " + bytes_text(size) +
                            ", more than any kernel takes");
    offset = round_up(end_bytes_, alignment);
    if (offset + size > capacity_bytes_) grow_bytes(offset + size);
    if (count_ == capacity_count_) grow_pointers(count_ + 1);
  }
  end_bytes_ = offset + size;
  pointers_[count_++] = bytes_ + offset;
  return bytes_ + offset;
}

void** ArgumentBuffer::finish() {
  if (layout_.known && count_ != layout_.parameters.size())
    throw wrong_argument_count(kernel_, layout_, count_);
  return pointers_;
}

void ArgumentBuffer::grow_bytes(std::size_t needed) {
  const std::size_t capacity = std::max(needed, 2 * capacity_bytes_);
  auto storage = std::make_unique<std::byte[]>(capacity);
  std::copy_n(bytes_, end_bytes_, storage.get());
  for (std::size_t i = 0; i < count_; ++i)
    pointers_[i] = storage.get() + (static_cast<std::byte*>(pointers_[i]) - bytes_);
  bytes_ = storage.get();
  large_storage_ = std::move(storage);
  capacity_bytes_ = capacity;
}

void ArgumentBuffer::grow_pointers(std::size_t needed) {
  const std::size_t capacity = std::max(needed, 2 * capacity_count_);
  auto pointers = std::make_unique<void*[]>(capacity);
  std::copy_n(pointers_, count_, pointers.get());
  pointers_ = pointers.get();
  large_pointers_ = std::move(pointers);
  capacity_count_ = capacity;
}

namespace {

/// Which limits a launch exceeds, each with its numbers; queried after the driver has refused.
class Refusal {
 public:
  Refusal(const FunctionState& function, const LaunchConfig& config)
      : function_(function), config_(config), device_(function.context().device()) {}

  std::string text() {
    check_dimensions("grid", config_.grid,
                     {DeviceAttribute::max_grid_dim_x, DeviceAttribute::max_grid_dim_y,
                      DeviceAttribute::max_grid_dim_z});
    check_dimensions("block", config_.block,
                     {DeviceAttribute::max_block_dim_x, DeviceAttribute::max_block_dim_y,
                      DeviceAttribute::max_block_dim_z});
    check_threads();
    check_shared_memory();
    if (config_.cooperative) check_resident_blocks();
    if (config_.attributes != nullptr && config_.attributes->cluster) check_cluster();
    return std::move(text_);
  }

 private:
  void add(const std::string& reason) { text_ += "; " + reason; }

  void check_dimensions(const std::string& what, const Dim3& dim,
                        const std::array<DeviceAttribute, 3>& limits) {
    const unsigned sizes[] = {dim.x, dim.y, dim.z};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string name = what + "." + "xyz"[i];
      const auto limit = static_cast<unsigned>(device_.attribute(limits[i]));
      if (sizes[i] == 0) add(name + " is 0");
      if (sizes[i] > limit)
        add(name + " is " + std::to_string(sizes[i]) + ", the device allows " +
            std::to_string(limit));
    }
  }

  void check_threads() {
    const auto threads = std::size_t{config_.block.x} * config_.block.y * config_.block.z;
    const int device_limit = device_.attribute(DeviceAttribute::max_threads_per_block);
    const int kernel_limit = function_.attribute(FunctionAttribute::max_threads_per_block);
    const int limit = kernel_limit > 0 ? std::min(kernel_limit, device_limit) : device_limit;
    if (threads <= static_cast<std::size_t>(limit)) return;
    std::string reason = "a block of " + dim_text(config_.block) + " = " + std::to_string(threads) +
                         " threads, the ";
    reason += limit < device_limit ? "kernel allows " : "device allows ";
    reason += std::to_string(limit);
    const auto registers =
        static_cast<std::size_t>(std::max(0, function_.attribute(FunctionAttribute::num_regs)));
    const auto available = static_cast<std::size_t>(
        std::max(0, device_.attribute(DeviceAttribute::max_registers_per_block)));
    if (registers * threads > available)
      reason += " (" + std::to_string(registers) + " registers x " + std::to_string(threads) +
                " threads = " + std::to_string(registers * threads) + " of " +
                std::to_string(available) + ")";
    add(reason);
  }

  void check_shared_memory() {
    const int fixed = function_.attribute(FunctionAttribute::shared_size_bytes);
    const int allowed = function_.attribute(FunctionAttribute::max_dynamic_shared_size_bytes);
    const int opt_in = device_.attribute(DeviceAttribute::max_shared_memory_per_block_optin);
    if (config_.shared_bytes <= static_cast<unsigned>(std::max(0, allowed))) return;
    add(std::to_string(config_.shared_bytes) + " bytes of dynamic shared memory beside " +
        std::to_string(fixed) + " static ones, the kernel allows " + std::to_string(allowed) +
        " (set max_dynamic_shared_size_bytes for up to " + std::to_string(opt_in - fixed) + ")");
  }

  void check_resident_blocks() {
    int each = 0;
    const auto threads = static_cast<int>(config_.block.x * config_.block.y * config_.block.z);
    const int code = function_.table().cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &each, function_.raw(), threads, config_.shared_bytes);
    const int multiprocessors = device_.attribute(DeviceAttribute::multiprocessor_count);
    const auto blocks = std::uint64_t{config_.grid.x} * config_.grid.y * config_.grid.z;
    const auto most = static_cast<std::uint64_t>(each) * static_cast<unsigned>(multiprocessors);
    if (code != CUDA_SUCCESS || blocks <= most) return;
    add(std::to_string(blocks) + " blocks, the device holds " + std::to_string(most) +
        " of this kernel and shape at once (" + std::to_string(each) + " on each of " +
        std::to_string(multiprocessors) + " multiprocessors)");
  }

  void check_cluster() {
    if (device_.attribute(DeviceAttribute::cluster_launch) == 0)
      throw NotSupported("kernel \"" + function_.name() + "\" is launched in clusters, which " +
                             device_.name() + " does not have",
                         "launch it without, on a device older than compute capability 9.0");
    constexpr unsigned portable = 8;
    const Dim3& cluster = *config_.attributes->cluster;
    const std::uint64_t blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
    if (blocks > portable &&
        function_.attribute(FunctionAttribute::non_portable_cluster_size_allowed) == 0)
      add("a cluster of " + dim_text(cluster) + " = " + std::to_string(blocks) +
          " blocks, every device allows " + std::to_string(portable) +
          " (set non_portable_cluster_size_allowed for more)");
  }

  const FunctionState& function_;
  const LaunchConfig& config_;
  Device device_;
  std::string text_;
};

bool is_about_shape(int code) {
  return code == CUDA_ERROR_INVALID_VALUE || code == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
         code == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ||
         code == CUDA_ERROR_INVALID_CLUSTER_SIZE || code == CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace

void raise_launch(const FunctionState& function, const LaunchConfig& config, int code,
                  const char* call) {
  const Table& cu = function.table();
  std::string detail = "kernel \"" + function.name() + "\", " + shape_text(config);
  std::string reasons;
  try {
    if (is_about_shape(code)) reasons = Refusal(function, config).text();
  } catch (const NotSupported&) {
    throw;
  } catch (const Error&) {
    // The driver fails every further query: its first error is the one to report.
  }
  detail += reasons;
  if (reasons.empty()) raise(cu, code, call, std::move(detail));
  throw LaunchError(
      DeviceFailure{code, error_name(cu, code), call, error_text(cu, code), std::move(detail)});
}

}  // namespace treadle::cuda
