// SPDX-License-Identifier: MIT
// The C++ side of worker.py: answers `prepare NAME`, `measure REPEATS NAME` and `release NAME` on
// stdin.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace bench {

/// Something to measure: returns the seconds of one repeat.
using Case = std::function<double()>;

/// Seconds `action` takes.
template <class Action>
double seconds(Action&& action) {
  const auto began = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

inline void answer_seconds(const Case& measured, int repeats) {
  std::printf("{\"seconds\": [");
  for (int i = 0; i < repeats; ++i) std::printf("%s%.9g", i == 0 ? "" : ", ", measured());
  std::printf("]}\n");
}

/// `text` without the characters that would end a JSON string.
inline std::string quotable(std::string text) {
  for (char& c : text)
    if (c == '"' || c == '\\' || c == '\n') c = ' ';
  return text;
}

/// Answers until stdin ends.
inline void serve(const std::map<std::string, Case>& cases) {
  for (std::string line; std::getline(std::cin, line); std::fflush(stdout)) {
    std::istringstream words(line);
    std::string verb, name;
    int repeats = 1;
    words >> verb;
    if (verb == "measure") words >> repeats;
    std::getline(words >> std::ws, name);
    const auto found = cases.find(name);
    try {
      if (found == cases.end())
        std::printf("{\"absent\": \"no such case here\"}\n");
      else if (verb == "measure")
        answer_seconds(found->second, repeats);
      else {
        if (verb == "prepare") found->second();  // warms up
        std::printf("{\"ready\": true, \"check\": null}\n");
      }
    } catch (const std::exception& error) {
      std::printf("{\"failed\": \"%s\"}\n", quotable(error.what()).c_str());
    }
  }
}

}  // namespace bench
