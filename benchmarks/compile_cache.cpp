// SPDX-License-Identifier: MIT
// What the caches of compile/ answer in, and how two threads share a compiler. Needs a compiler for
// the target (first argument; "cpu" without one), no device.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <treadle/compile/cache.hpp>
#include <treadle/compile/compile.hpp>
#include <vector>

namespace compile = treadle::compile;
namespace fs = std::filesystem;

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(int repeats, const std::function<void()>& work) {
  std::vector<double> taken;
  for (int i = 0; i < repeats; ++i) taken.push_back(seconds_of(work));
  std::nth_element(taken.begin(), taken.begin() + repeats / 2, taken.end());
  return taken[static_cast<std::size_t>(repeats / 2)];
}

std::string kernel(int number) {
  return "__global__ void twice(float* a, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) a[i] = a[i] * 2 + " +
         std::to_string(number) + ";\n}\n";
}

std::string with_headers() {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "#include \"header_" + std::to_string(i) + ".h\"\n";
  return text + kernel(0);
}

void write_headers(const fs::path& folder) {
  for (int i = 0; i < 10; ++i) {
    std::ofstream header(folder / ("header_" + std::to_string(i) + ".h"));
    for (int line = 0; line < 64; ++line)
      header << "#define HEADER_" << i << "_" << line << " /* " << std::string(36, 'x')
             << " */ 1\n";
  }
}

/// Seconds for eight different compiles, spread over `threads`.
double eight_compiles(const compile::Target& target, unsigned threads) {
  return seconds_of([&] {
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        for (unsigned i = t; i < 8; i += threads)
          compile::compile_cuda(kernel(static_cast<int>(i)), target,
                                {.cache = compile::CacheUse::disabled, .extern_c = true});
      });
    for (std::thread& worker : workers) worker.join();
  });
}

void row(const char* what, double seconds, const char* bar) {
  std::printf("%-44s %10.4f ms   %s\n", what, 1e3 * seconds, bar);
}

}  // namespace

int main(int count, char** words) {
  const auto target = compile::Target::parse(count > 1 ? words[1] : "cpu");
  std::string scratch = (fs::temp_directory_path() / "treadle-bench-XXXXXX").string();
  if (::mkdtemp(scratch.data()) == nullptr) return 1;
  compile::Options plain{.extern_c = true};
  plain.cache_dir = fs::path(scratch) / "cache";
  compile::Options headers = plain;
  headers.include_dirs = {scratch};
  write_headers(scratch);
  // Headers that were written just now are read again at every look; the usual ones were not.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));

  const auto find = [&](const std::string& text, const compile::Options& options) {
    return [&target, &options, text] { compile::compile_cuda(text, target, options); };
  };
  const auto find_on_disk = [&](const std::string& text, const compile::Options& options) {
    return [&target, &options, text] {
      compile::clear_memory_cache();
      compile::compile_cuda(text, target, options);
    };
  };
  find(kernel(0), plain)();
  find(with_headers(), headers)();
  row("hit in memory", median(2000, find(kernel(0), plain)), "<= 0.005");
  row("hit in memory, ten headers of 4 KB", median(2000, find(with_headers(), headers)), "");
  row("hit on disk", median(1000, find_on_disk(kernel(0), plain)), "<= 0.05");
  row("hit on disk, ten headers of 4 KB", median(1000, find_on_disk(with_headers(), headers)),
      "<= 0.1");
  const double one = eight_compiles(target, 1), two = eight_compiles(target, 2);
  row("a compile, one thread", one / 8, "");
  row("a compile, two threads", two / 8, "");
  std::printf("%-44s %10.2f x    >= 1.8\n", "two threads are faster by", one / two);
  fs::remove_all(scratch);
  return 0;
}
