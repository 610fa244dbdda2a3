// SPDX-License-Identifier: MIT
// One function for each format that we parse, taking any bytes. Built with clang and
// TREADLE_BUILD_FUZZERS each is a libFuzzer program; built with the tests all are in one program
// that feeds them their corpora, cut off and damaged (replay_test.cpp).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace treadle::fuzz {

using Function = void (*)(std::string_view input);

/// Name of the target, and of its folder in corpus/ -> what takes the bytes.
inline std::map<std::string, Function>& targets() {
  static std::map<std::string, Function> all;
  return all;
}

/// What must hold whatever the bytes are.
inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: broken: %s\n", what);
  std::abort();
}

/// Takes the first byte off: a choice that the input makes.
inline unsigned take_byte(std::string_view& input) {
  if (input.empty()) return 0;
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return byte;
}

/// The line that `text` begins with, without its end, which is taken off too.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace treadle::fuzz

#ifdef TREADLE_LIBFUZZER
#define TREADLE_FUZZ_TARGET(name)                                                     \
  static void name##_takes(std::string_view input);                                   \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    name##_takes({reinterpret_cast<const char*>(data), size});                        \
    return 0;                                                                         \
  }                                                                                   \
  static void name##_takes(std::string_view input)
#else
#define TREADLE_FUZZ_TARGET(name)                                   \
  static void name##_takes(std::string_view input);                 \
  static const bool name##_is_known =                               \
      treadle::fuzz::targets().emplace(#name, name##_takes).second; \
  static void name##_takes(std::string_view input)
#endif
