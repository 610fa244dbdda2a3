// SPDX-License-Identifier: MIT
#include "treadle/cuda/driver.hpp"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <list>
#include <mutex>
#include <optional>
#include <string_view>

#include "treadle/base/settings.hpp"
#include "treadle/cuda/device.hpp"
#include "treadle/cuda/table.hpp"

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

/// What the user's environment asks for.
struct DeviceRequest {
  std::optional<Provider> provider;
  std::optional<int> ordinal;
};

std::optional<int> parse_ordinal(std::string_view text) {
  int ordinal = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), ordinal);
  if (failure != std::errc{} || stop != text.data() + text.size() || ordinal < 0)
    return std::nullopt;
  return ordinal;
}

DeviceRequest parse_device_request(const std::string& text) {
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  const std::string_view number =
      name.size() == text.size() ? "" : std::string_view(text).substr(name.size() + 1);
  DeviceRequest request;
  if (name == "cuda") request.provider = Provider::nvidia;
  if (name == "cpu") request.provider = Provider::cpu;
  if (name.size() != text.size()) request.ordinal = parse_ordinal(number);
  const bool number_is_bad = name.size() != text.size() && !request.ordinal;
  if (!text.empty() && (!request.provider || number_is_bad))
    throw InvalidArgument("TREADLE_DEVICE=\"" + text + "\" names no CUDA device",
                          "TREADLE_DEVICE=cuda:0 for the first NVIDIA GPU, TREADLE_DEVICE=cpu for "
                          "the CPU device");
  return request;
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
  const DeviceRequest request = parse_device_request(settings().device);
  if (request.provider) {
    const Driver driver = *request.provider == Provider::cpu ? Driver::cpu() : Driver::nvidia();
    return {driver, "TREADLE_DEVICE=" + settings().device};
  }
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

/// The number that PyCUDA's users keep in CUDA_DEVICE or in the first line of ~/.cuda_device.
std::optional<int> ordinal_of_user() {
  const auto parse = [](const std::string& text, const std::string& source) {
    const auto ordinal = parse_ordinal(text);
    if (!ordinal)
      throw InvalidArgument(source + ": \"" + text + "\" is not the number of a device",
                            "give one of the numbers that `python -m treadle info` lists");
    return ordinal;
  };
  if (const char* value = std::getenv("CUDA_DEVICE"); value != nullptr && *value != '\0')
    return parse(value, "CUDA_DEVICE");
  const char* home = std::getenv("HOME");
  if (home == nullptr) return std::nullopt;
  const std::string path = std::string(home) + "/.cuda_device";
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const auto first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return parse(first == std::string::npos ? "" : line.substr(first, last - first + 1), path);
}

}  // namespace

void set_default_driver(const Driver& driver, const std::string& reason) {
  Choices& c = choices();
  const std::lock_guard lock(c.mutex);
  c.current = &c.made.emplace_back(Choice{driver, reason});
}

const Driver& default_driver() { return choice().driver; }
const std::string& default_driver_reason() { return choice().reason; }

Device default_device() {
  const Driver& driver = default_driver();
  if (const DeviceRequest request = parse_device_request(settings().device); request.ordinal)
    return driver.device(*request.ordinal);
  // The user's number is that of a GPU; the CPU device stands in for whichever it was.
  if (driver.provider() == Provider::cpu) return driver.device(0);
  return driver.device(ordinal_of_user().value_or(0));
}

}  // namespace treadle::cuda
