// SPDX-License-Identifier: MIT
// Build step: write_preludes LIBRARY FOLDER. Asks the finished library for its precompiled
// preludes, so that they carry its build id and nothing of clang is linked a second time.
#include <dlfcn.h>

#include <cstdio>

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s LIBRARY FOLDER\n", arguments[0]);
    return 2;
  }
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  void* symbol = library ? dlsym(library, "treadle_clang_write_preludes") : nullptr;
  if (symbol == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto write = reinterpret_cast<int (*)(const char*)>(symbol);
  if (write(arguments[2]) != 0) {
    std::fprintf(stderr, "the preludes cannot be written into %s\n", arguments[2]);
    return 1;
  }
  return 0;
}
