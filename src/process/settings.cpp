// SPDX-License-Identifier: MIT
#include "treadle/process/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "treadle/base/error.hpp"
#include "treadle/process/folders.hpp"

namespace treadle {
namespace {

/// Reads variables into fields; an empty value counts as unset.
class Reader {
 public:
  explicit Reader(const VariableLookup& lookup) : lookup_(lookup) {}

  template <class Text>
  void text(const char* name, Text& into) const {
    if (const auto value = find(name)) into = *value;
  }

  void paths(const char* name, std::vector<std::filesystem::path>& into) const {
    std::istringstream all(find(name).value_or(""));
    for (std::string path; std::getline(all, path, ':');)
      if (!path.empty()) into.emplace_back(path);
  }

  /// "name=path,other=path".
  void named_paths(const char* name, std::map<std::string, std::filesystem::path>& into) const {
    const std::string all = find(name).value_or("");
    std::istringstream pairs(all);
    for (std::string pair; std::getline(pairs, pair, ',');) {
      const std::size_t sign = pair.find('=');
      if (sign == std::string::npos || sign == 0 || sign + 1 == pair.size())
        throw InvalidArgument(std::string(name) + "=\"" + all + "\" is not a list of name=path",
                              std::string(name) + "=blas=/opt/lib/libopenblas.so");
      into[pair.substr(0, sign)] = pair.substr(sign + 1);
    }
  }

  template <class Number>
  void number(const char* name, Number& into) const {
    const auto value = find(name);
    if (!value) return;
    const char* end = value->data() + value->size();
    Number number{};
    const auto [stop, failure] = std::from_chars(value->data(), end, number);
    if (failure != std::errc{} || stop != end)
      throw InvalidArgument(std::string(name) + "=\"" + *value + "\" is not a whole number >= 0",
                            std::string("unset ") + name + ", or give digits only");
    into = number;
  }

  /// "11.8" as the number 11080.
  void cuda_version(const char* name, int& into) const {
    const auto value = find(name);
    if (!value) return;
    int major = 0, minor = 0, end = 0;
    const int read = std::sscanf(value->c_str(), "%2d.%1d%n", &major, &minor, &end);
    if (read < 2 || static_cast<std::size_t>(end) != value->size() || major < 1)
      throw InvalidArgument(std::string(name) + "=\"" + *value + "\" is no version such as 11.8",
                            std::string(name) + "=11.8");
    into = 1000 * major + 10 * minor;
  }

  void checks(const char* name, Checks& into) const {
    const auto value = find(name);
    if (!value) return;
    const auto parsed = Checks::parse(*value);
    if (!parsed)
      throw InvalidArgument(std::string(name) + "=\"" + *value +
                                "\" is not a list of memory, race, init, sync and determinism",
                            std::string(name) + "=memory,race");
    into = *parsed;
  }

  void flag(const char* name, bool& into) const {
    const auto value = find(name);
    if (!value) return;
    const std::string_view text = *value;
    if (text == "1" || text == "on" || text == "true" || text == "yes") {
      into = true;
    } else if (text == "0" || text == "off" || text == "false" || text == "no") {
      into = false;
    } else {
      throw InvalidArgument(std::string(name) + "=\"" + *value + "\" is neither on nor off",
                            std::string(name) + "=1 or " + name + "=0");
    }
  }

 private:
  std::optional<std::string> find(const char* name) const {
    const char* value = lookup_(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  }
  const VariableLookup& lookup_;
};

struct NamedCheck {
  std::string_view name;
  bool Checks::* on;
};
constexpr NamedCheck named_checks[] = {{"memory", &Checks::memory},
                                       {"race", &Checks::race},
                                       {"init", &Checks::init},
                                       {"sync", &Checks::sync},
                                       {"determinism", &Checks::determinism}};

}  // namespace

std::string Checks::names() const {
  std::string text;
  for (const auto& [name, on] : named_checks) {
    if (!(this->*on)) continue;
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

std::optional<Checks> Checks::parse(std::string_view names) {
  Checks checks;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    const auto* const found =
        std::find_if(std::begin(named_checks), std::end(named_checks),
                     [&](const NamedCheck& check) { return check.name == names.substr(0, end); });
    if (found == std::end(named_checks)) return std::nullopt;
    checks.*found->on = true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return checks;
}

Settings read_settings(const VariableLookup& lookup) {
  Settings s;
  const Reader read(lookup);
  read.text("TREADLE_DEVICE", s.device);
  read.flag("TREADLE_CACHE", s.cache);
  read.text("TREADLE_CACHE_DIR", s.cache_dir);
  read.paths("TREADLE_SHARED_CACHE_DIR", s.shared_cache_dirs);
  read.number("TREADLE_CACHE_MAX_BYTES", s.cache_max_bytes);
  read.text("TREADLE_COMPILER", s.compiler);
  read.text("TREADLE_NVCC", s.nvcc);
  read.text("TREADLE_LIBCUDA", s.libcuda);
  read.text("TREADLE_LIBOPENCL", s.libopencl);
  read.flag("TREADLE_OPENCL_CPU_AS_GPU", s.opencl_cpu_as_gpu);
  read.text("TREADLE_LIBNVRTC", s.compiler_library);
  read.named_paths("TREADLE_LIBRARIES", s.libraries);
  read.text("TREADLE_LIBRARY_DIR", s.library_dir);
  read.flag("TREADLE_MEASURE", s.measure);
  read.number("TREADLE_CPU_THREADS", s.cpu_threads);
  read.number("TREADLE_CPU_MEMORY_BYTES", s.cpu_memory_bytes);
  read.number("TREADLE_POOL_SECONDS", s.pool_seconds);
  read.number("TREADLE_POOL_PERCENT", s.pool_percent);
  read.checks("TREADLE_CHECK", s.checks);
  read.number("TREADLE_WATCHDOG", s.watchdog_seconds);
  read.flag("TREADLE_SYNC", s.sync);
  read.flag("TREADLE_STRICT", s.strict);
  read.cuda_version("TREADLE_PYCUDA_CUDA_VERSION", s.pycuda_cuda_version);
  read.text("TREADLE_DUMP", s.dump);
  read.text("TREADLE_TRACE", s.trace);
  read.text("TREADLE_COVERAGE", s.coverage);
  // Where it is now: programs change folders before they compile.
  if (!s.coverage.empty()) s.coverage = absolute_path(s.coverage).string();
  return s;
}

const Settings& settings() {
  static const Settings instance =
      read_settings([](const char* name) { return std::getenv(name); });
  return instance;
}

}  // namespace treadle
