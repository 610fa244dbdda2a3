// SPDX-License-Identifier: MIT
// A machine on paper, for searches.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "treadle/process/library_search.hpp"

namespace treadle {

/// A machine that is a set of paths.
struct Described {
  std::set<std::string> files;
  std::map<std::string, std::string> environment, links;

  Machine machine() const {
    Machine m;
    m.exists = [this](const std::filesystem::path& path) {
      for (const std::string& file : files)
        if (file == path.string() || file.starts_with(path.string() + "/")) return true;
      return false;
    };
    m.resolve = [this](const std::filesystem::path& path) {
      const auto link = links.find(path.string());
      return link != links.end() ? std::filesystem::path(link->second) : path;
    };
    m.list = [this](const std::filesystem::path& folder) {
      std::set<std::filesystem::path> paths;
      for (const std::string& file : files)
        if (file.starts_with(folder.string() + "/"))
          paths.insert(folder /
                       *std::filesystem::path(file.substr(folder.string().size() + 1)).begin());
      return std::vector<std::filesystem::path>(paths.begin(), paths.end());
    };
    m.variable = [this](const char* name) {
      const auto found = environment.find(name);
      return found != environment.end() ? found->second : "";
    };
    return m;
  }
};

}  // namespace treadle
