// SPDX-License-Identifier: MIT
#include "compile/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "treadle/base/error.hpp"

extern char** environ;

namespace treadle::compile {
namespace {

/// A pipe whose writing end becomes the program's stdout and stderr.
struct OutputPipe {
  int ends[2] = {-1, -1};
  OutputPipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw FileError(errno, "pipe", "opening a pipe to a compiler");
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;
  ~OutputPipe() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  std::string read_all() {
    ::close(std::exchange(ends[1], -1));
    std::string text;
    char buffer[4096];
    while (true) {
      const ssize_t got = ::read(ends[0], buffer, sizeof(buffer));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(got));
    }
  }
};

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  OutputPipe output;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw LibraryNotFound(arguments[0], {arguments[0] + ": " + std::strerror(failure)},
                          "install a CUDA toolkit, or set TREADLE_NVCC to its bin/nvcc");
  ProcessResult result;
  result.output = output.read_all();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

std::filesystem::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

TemporaryFolder::TemporaryFolder() {
  std::error_code failure;
  std::filesystem::path parent = std::filesystem::temp_directory_path(failure);
  if (failure) parent = "/tmp";
  std::string name = (parent / "treadle-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw FileError(errno, name, "making a temporary folder for a compiler");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!keep_) std::filesystem::remove_all(path_, ignored);
}

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof()) throw FileError(errno, path.string(), "reading a file");
  return text;
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw FileError(errno, path.string(), "writing a file");
}

}  // namespace treadle::compile
