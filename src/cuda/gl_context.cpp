// SPDX-License-Identifier: MIT
#include "cuda/gl_context.hpp"

#include <string>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/process/library.hpp"

namespace treadle::cuda {
namespace {

using CurrentGlContext = void* (*)();

/// What each library that is here says of the current context.
struct GlLibraries {
  std::vector<CurrentGlContext> questions;
  std::vector<std::string> missing;
};

/// Opened by the first call, and never closed: a program's contexts live in them.
const GlLibraries& gl_libraries() {
  static const GlLibraries libraries = [] {
    GlLibraries found;
    constexpr std::pair<const char*, const char*> candidates[] = {
        {"libEGL.so.1", "eglGetCurrentContext"},
        {"libGLX.so.0", "glXGetCurrentContext"},
        {"libGL.so.1", "glXGetCurrentContext"}};
    for (const auto& [file, symbol] : candidates) {
      try {
        const std::vector<std::string> names{file};
        SharedLibrary library(file, names, "");
        library.keep_loaded();
        if (void* const question = library.symbol(symbol); question != nullptr)
          found.questions.push_back(reinterpret_cast<CurrentGlContext>(question));
      } catch (const LibraryNotFound& error) {
        found.missing.insert(found.missing.end(), error.tried().begin(), error.tried().end());
      }
    }
    return found;
  }();
  return libraries;
}

}  // namespace

bool has_gl_library() { return !gl_libraries().questions.empty(); }

void require_gl_context() {
  const GlLibraries& libraries = gl_libraries();
  if (libraries.questions.empty())
    throw LibraryNotFound(
        "OpenGL", libraries.missing,
        "install EGL or GLX: the packages libegl1 or libgl1 of Debian and Ubuntu");
  for (const CurrentGlContext current : libraries.questions)
    if (current() != nullptr) return;
  throw InvalidState("no OpenGL context is current on this thread",
                     "make one current first, as glfwMakeContextCurrent and eglMakeCurrent do");
}

}  // namespace treadle::cuda
