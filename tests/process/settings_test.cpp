// SPDX-License-Identifier: MIT
#include "treadle/process/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

using Variables = std::map<std::string, std::string>;

Settings settings_of(const Variables& variables) {
  return read_settings([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Settings, DefaultsHoldWhereNothingIsSet) {
  const Settings s = settings_of({{"TREADLE_CACHE_DIR", ""}});
  EXPECT_TRUE(s.cache);
  EXPECT_FALSE(s.sync);
  EXPECT_FALSE(s.strict);
  EXPECT_TRUE(s.device.empty());
  EXPECT_TRUE(s.cache_dir.empty());
  EXPECT_EQ(s.cache_max_bytes, 1u << 30);
  EXPECT_TRUE(s.measure);
  EXPECT_EQ(s.cpu_threads, 0u);
  EXPECT_EQ(s.cpu_memory_bytes, 0u);
}

TEST(Settings, ChecksAreNamedInOneOrder) {
  EXPECT_EQ(Checks().names(), "");
  EXPECT_FALSE(Checks().any());
  EXPECT_EQ(Checks::parse("sync,init,memory")->names(), "memory,init,sync");
  EXPECT_EQ(*Checks::parse("race"), Checks{.race = true});
  EXPECT_EQ(Checks::parse("Memory"), std::nullopt);
}

TEST(Settings, ListsAreSeparatedByColons) {
  using Paths = std::vector<Settings::Path>;
  EXPECT_EQ(settings_of({}).shared_cache_dirs, Paths{});
  EXPECT_EQ(settings_of({{"TREADLE_SHARED_CACHE_DIR", "/a:b c::/d/"}}).shared_cache_dirs,
            (Paths{"/a", "b c", "/d/"}));
}

TEST(Settings, LibrariesAreNamed) {
  using Libraries = std::map<std::string, Settings::Path>;
  EXPECT_EQ(settings_of({}).libraries, Libraries{});
  EXPECT_EQ(settings_of({{"TREADLE_LIBRARIES", "blas=/a/b.so,cublas=c=d.so"}}).libraries,
            (Libraries{{"blas", "/a/b.so"}, {"cublas", "c=d.so"}}));
}

TEST(Settings, ValuesAreRead) {
  const Settings s = settings_of({{"TREADLE_DEVICE", "cuda:1"},
                                  {"TREADLE_CACHE", "off"},
                                  {"TREADLE_SYNC", "1"},
                                  {"TREADLE_STRICT", "1"},
                                  {"TREADLE_CACHE_MAX_BYTES", "5000000000"},
                                  {"TREADLE_MEASURE", "0"},
                                  {"TREADLE_CPU_THREADS", "3"},
                                  {"TREADLE_CPU_MEMORY_BYTES", "6000000000"},
                                  {"TREADLE_CHECK", "sync,memory"},
                                  {"TREADLE_WATCHDOG", "5"},
                                  {"TREADLE_PYCUDA_CUDA_VERSION", "11.8"},
                                  {"TREADLE_OPENCL_CPU_AS_GPU", "1"},
                                  {"TREADLE_LIBNVRTC", "/x/lib.so"}});
  EXPECT_EQ(s.device, "cuda:1");
  EXPECT_FALSE(s.cache);
  EXPECT_TRUE(s.sync);
  EXPECT_TRUE(s.strict);
  EXPECT_EQ(s.cache_max_bytes, 5'000'000'000u);
  EXPECT_FALSE(s.measure);
  EXPECT_EQ(s.cpu_threads, 3u);
  EXPECT_EQ(s.cpu_memory_bytes, 6'000'000'000u);
  EXPECT_EQ(s.checks, (Checks{.memory = true, .sync = true}));
  EXPECT_EQ(s.watchdog_seconds, 5u);
  EXPECT_EQ(s.pycuda_cuda_version, 11080);
  EXPECT_TRUE(s.opencl_cpu_as_gpu);
  EXPECT_EQ(s.compiler_library, "/x/lib.so");
}

TEST(Settings, AMalformedValueIsRefusedByVariableName) {
  const Variables bad[] = {{{"TREADLE_CACHE", "maybe"}},
                           {{"TREADLE_SYNC", "2"}},
                           {{"TREADLE_CPU_THREADS", "-1"}},
                           {{"TREADLE_CPU_THREADS", "4 "}},
                           {{"TREADLE_CHECK", "memory,speed"}},
                           {{"TREADLE_CHECK", ",memory"}},
                           {{"TREADLE_LIBRARIES", "/lib/libopenblas.so"}},
                           {{"TREADLE_LIBRARIES", "blas=,cublas=/x"}},
                           {{"TREADLE_WATCHDOG", "soon"}},
                           {{"TREADLE_CACHE_MAX_BYTES", "1e9"}},
                           {{"TREADLE_CPU_MEMORY_BYTES", "4GB"}},
                           {{"TREADLE_PYCUDA_CUDA_VERSION", "11"}},
                           {{"TREADLE_PYCUDA_CUDA_VERSION", "11.8.0"}},
                           {{"TREADLE_PYCUDA_CUDA_VERSION", "-1.0"}}};
  for (const Variables& variables : bad) {
    const auto& [name, value] = *variables.begin();
    try {
      settings_of(variables);
      FAIL() << name << "=" << value;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(error.message().find(name + "=\"" + value + "\""), std::string::npos);
      EXPECT_FALSE(error.hint().empty());
    }
  }
}

/// The names TREADLE_... that stand between `before` and `after` in a file of the source tree.
std::set<std::string> variables_in(const std::string& path, const std::string& before,
                                   const std::string& after) {
  const char* root = std::getenv("TREADLE_SOURCE_DIR");
  if (root == nullptr) return {};
  std::ifstream file(root + path);
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str(), start = before + "TREADLE_";
  std::set<std::string> found;
  for (std::size_t at = 0; (at = all.find(start, at)) != std::string::npos; ++at) {
    const std::size_t name = at + before.size();
    const std::size_t end =
        std::min(all.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", name), all.size());
    if (all.compare(end, after.size(), after) == 0) found.insert(all.substr(name, end - name));
  }
  return found;
}

TEST(Settings, TheDocumentedTableIsTheHeaders) {
  const auto declared = variables_in("/include/treadle/process/settings.hpp", "/// ", ":");
  if (declared.empty()) GTEST_SKIP() << "TREADLE_SOURCE_DIR does not name the source tree";
  EXPECT_GT(declared.size(), 10u);
  EXPECT_EQ(declared, variables_in("/docs/environment.md", "| `", "`"));
  EXPECT_EQ(declared, variables_in("/src/process/settings.cpp", "\"", "\""));
}

}  // namespace
}  // namespace treadle
