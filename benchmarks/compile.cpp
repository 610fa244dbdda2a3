// SPDX-License-Identifier: MIT
// What a compile costs where nothing can be reused, and what the caches answer in; in bytes,
// nothing is loaded. For the part that no cache saves, the compiler library's own entry points are
// called beside it.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <treadle/treadle.hpp>

#include "serve.hpp"

namespace cuda = treadle::cuda;
namespace compile = treadle::compile;
namespace fs = std::filesystem;

namespace {

constexpr int entries = 100;  // of each kind on disk: a fresh process reads every one of them once

std::string simple(const std::string& unique) {
  return R"(
__global__ void twice(float* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
// )" + unique +
         "\n";
}

// A program compiled nowhere before. Another comment would not do: NVRTC 12.9 and later keep what
// they made (~/.nv/ComputeCache), and find it by the program, not by its text.
std::string unseen() {
  static std::atomic<int> count = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return simple("") + "__global__ void unseen_" + std::to_string(now) + "_" +
         std::to_string(count++) + "() {}\n";
}

compile::Target device_target() { return compile::Target::parse(cuda::default_device().target()); }

/// What the entries on disk are made from: one text each, alone or with ten headers of 4 KB.
struct DiskSet {
  fs::path folder;
  bool includes;

  std::string text(int number) const {
    std::string text;
    for (int i = 0; includes && i < 10; ++i)
      text += "#include \"header_" + std::to_string(i) + ".h\"\n";
    return text + simple("entry " + std::to_string(number));
  }
  compile::Options options() const {
    compile::Options options{.extern_c = true};
    if (includes) options.include_dirs = {folder};
    return options;
  }
  void fill(const compile::Target& target) const {
    fs::create_directories(folder);
    for (int i = 0; includes && i < 10; ++i) {
      std::ofstream header(folder / ("header_" + std::to_string(i) + ".h"));
      header << "#pragma once\n";
      for (int line = 0; line < 64; ++line)
        header << "#define HEADER_" << i << "_LINE_" << line << " /* " << std::string(32, 'x')
               << " */ 1\n";
    }
    for (int i = 0; i < entries; ++i) compile::compile_cuda(text(i), target, options());
  }
  /// Median seconds of finding one entry, each asked for once in this process.
  double read(const compile::Target& target) const {
    std::vector<double> taken;
    for (int i = 0; i < entries; ++i) {
      const auto program = compile::compile_cuda(text(i), target, options());
      if (program.origin != compile::Origin::disk_cache) throw treadle::Error("not found on disk");
      taken.push_back(program.seconds);
    }
    std::nth_element(taken.begin(), taken.begin() + entries / 2, taken.end());
    return taken[entries / 2];
  }
};

DiskSet disk_set(bool includes) {
  const std::string name = includes ? "bench-headers" : "bench-plain";
  return {treadle::settings().cache_dir / name, includes};
}

/// Has a fresh process of this program read the set; the first call fills it.
double read_in_fresh_process(bool includes) {
  static bool filled[2] = {false, false};
  if (!std::exchange(filled[includes], true)) disk_set(includes).fill(device_target());
  const std::string command =
      fs::read_symlink("/proc/self/exe").string() + (includes ? " --read-includes" : " --read");
  FILE* output = popen(command.c_str(), "r");
  double seconds = 0;
  const bool understood = output != nullptr && std::fscanf(output, "%lf", &seconds) == 1;
  if (output == nullptr || pclose(output) != 0 || !understood)
    throw treadle::Error("the process that reads the entries failed");
  return seconds;
}

double memory_hit(const compile::Target& target) {
  const std::string text = simple("memory");
  const compile::Options options{.extern_c = true};
  compile::compile_cuda(text, target, options);
  constexpr int count = 1000;
  return bench::seconds([&] {
           for (int i = 0; i < count; ++i) compile::compile_cuda(text, target, options);
         }) /
         count;
}

/// Opening, reading and closing a file as large as an entry: what a disk hit cannot be cheaper
/// than.
double read_file() {
  static const fs::path path = [] {
    const fs::path made = treadle::settings().cache_dir / "bench-file";
    fs::create_directories(made.parent_path());
    std::ofstream(made) << std::string(16384, 'x');
    return made;
  }();
  return bench::seconds([&] {
    std::ifstream file(path, std::ios::binary);
    std::string bytes(16384, '\0');
    file.read(bytes.data(), 16384);
    if (file.gcount() != 16384) throw treadle::Error("a short read");
  });
}

double cold(const compile::Target& target) {
  const std::string text = unseen();
  return bench::seconds([&] { compile::compile_cuda(text, target, {.extern_c = true}); });
}

/// The compiler library that treadle::compile opened, and the few of its entry points a compile
/// needs.
class BareCompiler {
 public:
  explicit BareCompiler(const compile::Target& target) {
    compile::compile_cuda(unseen(), target, {.extern_c = true});
    std::string path;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* found) {
          if (std::strstr(object->dlpi_name, "libnvrtc.so") ||
              std::strstr(object->dlpi_name, "libtreadle_clang"))
            *static_cast<std::string*>(found) = object->dlpi_name;
          return 0;
        },
        &path);
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library_ == nullptr) throw treadle::Error("no compiler library is loaded");
    architecture_ = "--gpu-architecture=" + target.name().substr(0, target.name().find(':'));
  }

  double compile_once() const {
    const std::string text = "extern \"C\" {\n" + unseen() + "}\n";
    return bench::seconds([&] { compile_to_bytes(text); });
  }

 private:
  using Program = void*;
  template <class Signature>
  Signature* entry(const char* name) const {
    return reinterpret_cast<Signature*>(dlsym(library_, name));
  }

  void compile_to_bytes(const std::string& text) const {
    const auto create =
        entry<int(Program*, const char*, const char*, int, const char**, const char**)>(
            "nvrtcCreateProgram");
    const auto run = entry<int(Program, int, const char* const*)>("nvrtcCompileProgram");
    const auto size_of = entry<int(Program, std::size_t*)>("nvrtcGetCUBINSize");
    const auto bytes_of = entry<int(Program, char*)>("nvrtcGetCUBIN");
    const auto destroy = entry<int(Program*)>("nvrtcDestroyProgram");
    const char* options[] = {architecture_.c_str(), "--std=c++17"};
    Program program = nullptr;
    std::size_t size = 0;
    int worst = create(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr);
    worst |= run(program, 2, options);
    worst |= size_of(program, &size);
    std::string bytes(size, '\0');
    worst |= bytes_of(program, bytes.data());
    worst |= destroy(&program);
    if (worst != 0) throw treadle::Error("a bare compile failed");
  }

  void* library_ = nullptr;
  std::string architecture_;
};

const BareCompiler& bare_compiler(const compile::Target& target) {
  static const BareCompiler compiler(target);
  return compiler;
}

double cold_bare(const compile::Target& target) { return bare_compiler(target).compile_once(); }

/// Seconds in which `threads` threads do eight compiles between them: what a compiler's own locks
/// leave of several threads is seen in the bare one.
template <class Compile>
double eight_in_threads(int threads, const Compile& compile_one) {
  return bench::seconds([&] {
    std::vector<std::jthread> all;
    for (int thread = 0; thread < threads; ++thread)
      all.emplace_back([&] {
        for (int i = 0; i < 8 / threads; ++i) compile_one();
      });
  });
}

}  // namespace

int main(int count, char** words) try {
  if (count == 2) {
    const bool includes = std::strcmp(words[1], "--read-includes") == 0;
    std::printf("%.9g\n", disk_set(includes).read(device_target()));
    return 0;
  }
  const compile::Target target = device_target();
  bench::serve({
      {"cold", [&] { return cold(target); }},
      {"cold bare", [&] { return cold_bare(target); }},
      {"threads 1", [&] { return eight_in_threads(1, [&] { cold(target); }); }},
      {"threads 2", [&] { return eight_in_threads(2, [&] { cold(target); }); }},
      {"bare threads 1", [&] { return eight_in_threads(1, [&] { cold_bare(target); }); }},
      {"bare threads 2", [&] { return eight_in_threads(2, [&] { cold_bare(target); }); }},
      {"memory hit", [&] { return memory_hit(target); }},
      {"disk hit", [] { return read_in_fresh_process(false); }},
      {"disk hit includes", [] { return read_in_fresh_process(true); }},
      {"read file", [] { return read_file(); }},
  });
  return 0;
} catch (const std::exception& error) {
  std::printf("{\"absent\": \"%s\"}\n", bench::quotable(error.what()).c_str());
  return 1;
}
