// SPDX-License-Identifier: MIT
#include "treadle/cuda/driver.hpp"

#include <atomic>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include "treadle/cuda/device.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/process/device_request.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::cuda {

Driver::Driver(std::shared_ptr<const Table> table) : table_(std::move(table)) {
  if (table_ == nullptr)
    throw InvalidArgument("a Driver needs a table of entry points", "Driver::nvidia() or cpu()");
}
Driver Driver::nvidia() { return Driver(load_nvidia_driver()); }
Driver Driver::cpu() { return Driver(load_cpu_driver()); }

void Driver::initialize(unsigned flags) const { check(*table_, table_->cuInit(flags), "cuInit"); }

int Driver::version() const {
  int version = 0;
  check(*table_, table_->cuDriverGetVersion(&version), "cuDriverGetVersion");
  return version;
}

int Driver::device_count() const {
  initialize();
  int count = 0;
  check(*table_, table_->cuDeviceGetCount(&count), "cuDeviceGetCount");
  return count;
}

Device Driver::device(int ordinal) const {
  initialize();
  RawDevice raw = 0;
  check(*table_, table_->cuDeviceGet(&raw, ordinal), "cuDeviceGet", [&] {
    const int count = device_count();
    return "there is no device " + std::to_string(ordinal) + "; " +
           (count == 0 ? "there are none" : "they are 0 to " + std::to_string(count - 1));
  });
  return {*this, raw};
}

std::vector<Device> Driver::devices() const {
  std::vector<Device> all;
  const int count = device_count();
  for (int ordinal = 0; ordinal < count; ++ordinal) all.push_back(device(ordinal));
  return all;
}

Provider Driver::provider() const noexcept { return table_->provider; }
const std::filesystem::path& Driver::library() const noexcept { return table_->library; }

int header_version() noexcept { return CUDA_VERSION; }

namespace {

/// What TREADLE_DEVICE says. Throws InvalidArgument if it names a device that is none of CUDA's.
DeviceRequest requested_device() {
  const std::string& text = settings().device;
  auto request = parse_device_id(text);
  if (request &&
      (request->runtime.empty() || request->runtime == "cuda" || request->runtime == "cpu"))
    return *std::move(request);
  throw InvalidArgument("TREADLE_DEVICE=\"" + text + "\" names no CUDA device",
                        "TREADLE_DEVICE=cuda:0 for the first NVIDIA GPU, TREADLE_DEVICE=cpu for "
                        "the CPU device");
}

struct Choice {
  Driver driver;
  std::string reason;
};

std::optional<Choice> choose_nvidia(std::string& why_not) {
  try {
    const Driver driver = Driver::nvidia();
    const int count = driver.device_count();
    if (count > 0)
      return Choice{driver, "the NVIDIA driver has " + std::to_string(count) + " device" +
                                (count == 1 ? "" : "s")};
    why_not = "the NVIDIA driver has no device";
  } catch (const LibraryNotFound& error) {
    why_not = "there is no NVIDIA driver (" + error.tried().front() + ")";
  } catch (const DeviceError& error) {
    why_not = "the NVIDIA driver does not start (" + error.message() + ")";
  }
  return std::nullopt;
}

Choice choose() {
  const DeviceRequest request = requested_device();
  if (!request.runtime.empty())
    return {request.runtime == "cpu" ? Driver::cpu() : Driver::nvidia(),
            "TREADLE_DEVICE=" + settings().device};
  std::string why_not;
  if (auto nvidia = choose_nvidia(why_not)) return *std::move(nvidia);
  return {Driver::cpu(), why_not};
}

/// Every choice made so far. None is ever deleted: references to an earlier one stay good, and
/// static objects' destructors use them.
struct Choices {
  std::mutex mutex;
  std::list<Choice> made;
  std::atomic<const Choice*> current = nullptr;
};

Choices& choices() {
  static Choices& instance = *new Choices;
  return instance;
}

const Choice& choice() {
  Choices& c = choices();
  if (const Choice* made = c.current.load(std::memory_order_acquire)) return *made;
  const std::lock_guard lock(c.mutex);
  if (c.current == nullptr) c.current = &c.made.emplace_back(choose());
  return *c.current;
}

}  // namespace

void set_default_driver(const Driver& driver, const std::string& reason) {
  Choices& c = choices();
  const std::lock_guard lock(c.mutex);
  c.current = &c.made.emplace_back(Choice{driver, reason});
}

const Driver& default_driver() { return choice().driver; }
const std::string& default_driver_reason() { return choice().reason; }

std::optional<int> requested_ordinal() {
  if (const DeviceRequest request = requested_device(); request.ordinal) return request.ordinal;
  // The user's number is that of a GPU; the CPU device stands in for whichever it was.
  if (default_driver().provider() == Provider::cpu) return std::nullopt;
  const auto gpu = requested_gpu();
  return gpu ? std::optional(gpu->ordinal) : std::nullopt;
}

Device default_device() { return default_driver().device(requested_ordinal().value_or(0)); }

}  // namespace treadle::cuda
