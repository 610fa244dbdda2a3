// SPDX-License-Identifier: MIT
#include "treadle/base/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

template <class Text>
void read_text(const char* name, Text& into) {
  if (const char* value = variable(name)) into = value;
}

template <class Number>
void read_number(const char* name, Number& into) {
  const char* value = variable(name);
  if (value == nullptr) return;
  const char* end = value + std::strlen(value);
  Number number{};
  const auto [stop, failure] = std::from_chars(value, end, number);
  if (failure != std::errc{} || stop != end)
    throw InvalidArgument(std::string(name) + "=\"" + value + "\" is not a whole number >= 0",
                          std::string("unset ") + name + ", or give digits only");
  into = number;
}

void read_switch(const char* name, bool& into) {
  const char* value = variable(name);
  if (value == nullptr) return;
  const std::string_view text = value;
  if (text == "1" || text == "on" || text == "true" || text == "yes") {
    into = true;
  } else if (text == "0" || text == "off" || text == "false" || text == "no") {
    into = false;
  } else {
    throw InvalidArgument(std::string(name) + "=\"" + value + "\" is neither on nor off",
                          std::string(name) + "=1 or " + name + "=0");
  }
}

Settings read_environment() {
  Settings s;
  read_text("TREADLE_DEVICE", s.device);
  read_switch("TREADLE_CACHE", s.cache);
  read_text("TREADLE_CACHE_DIR", s.cache_dir);
  read_number("TREADLE_CACHE_MAX_BYTES", s.cache_max_bytes);
  read_text("TREADLE_COMPILER", s.compiler);
  read_text("TREADLE_NVCC", s.nvcc);
  read_text("TREADLE_LIBCUDA", s.libcuda);
  read_text("TREADLE_LIBNVRTC", s.compiler_library);
  read_text("TREADLE_LIBRARY_DIR", s.library_dir);
  read_number("TREADLE_CPU_THREADS", s.cpu_threads);
  read_switch("TREADLE_SYNC", s.sync);
  read_text("TREADLE_DUMP", s.dump);
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings instance = read_environment();
  return instance;
}

}  // namespace treadle
