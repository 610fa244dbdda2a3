// SPDX-License-Identifier: MIT
// lld reads and writes files; ours live in memory. The input is a memfd. The output is a pipe,
// because a regular file would be made by way of a temporary one, whose clean-up registers signal
// handlers: a library in someone else's process has no business with those. lld's state is global,
// so one link runs at a time.
#include "cuda_cpu/compiler/link_module.hpp"

#include <fcntl.h>
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/host_libraries.hpp"
#include "treadle/process/write_all.hpp"

LLD_HAS_DRIVER(elf)

namespace treadle::cuda_cpu {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int number() const { return number_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

Descriptor memory_file(llvm::ArrayRef<char> bytes) {
  Descriptor file(::memfd_create("treadle-object", MFD_CLOEXEC));
  if (!write_all(::write, file.number(), bytes.data(), bytes.size()))
    throw BackendError("error: no memory for the linker's input");
  return file;
}

/// Where lld writes to; a thread empties it, so that nothing blocks however much comes.
class OutputPipe {
 public:
  OutputPipe() : OutputPipe(open_pipe()) {}
  ~OutputPipe() { finish(); }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  std::string path() const { return write_end_.path(); }

  /// All that was written. Call it once, after the writers have closed.
  std::vector<char> finish() {
    write_end_.close();
    if (reader_.joinable()) reader_.join();
    return std::move(bytes_);
  }

 private:
  explicit OutputPipe(std::array<int, 2> ends)
      : read_end_(ends[0]), write_end_(ends[1]), reader_([this] { read_all(); }) {}

  static std::array<int, 2> open_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw BackendError("error: no pipe for the linker's output");
    return ends;
  }

  void read_all() {
    std::array<char, 1 << 16> piece;
    for (;;) {
      const ::ssize_t got = ::read(read_end_.number(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;
      bytes_.insert(bytes_.end(), piece.data(), piece.data() + got);
    }
  }

  Descriptor read_end_, write_end_;
  std::vector<char> bytes_;
  std::thread reader_;
};

struct SymbolNames {
  llvm::StringSet<> defined, undefined;
};

/// False if `object` cannot be read.
bool collect_symbols(const ObjectCode& object, SymbolNames& names) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "object"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name && !name->empty())
      (*flags & llvm::object::SymbolRef::SF_Undefined ? names.undefined : names.defined)
          .insert(*name);
    if (!flags) llvm::consumeError(flags.takeError());
    if (!name) llvm::consumeError(name.takeError());
  }
  return true;
}

/// A module that calls nothing outside need not have the libraries' symbol tables read.
bool uses_libraries(llvm::ArrayRef<ObjectCode> objects) {
  SymbolNames names;
  for (const ObjectCode& object : objects)
    if (!collect_symbols(object, names)) return true;
  return llvm::any_of(names.undefined.keys(),
                      [&](llvm::StringRef name) { return !names.defined.contains(name); });
}

std::vector<std::string> arguments_for(llvm::ArrayRef<Descriptor> objects,
                                       const std::string& output, bool use_libraries) {
  std::vector<std::string> arguments{"ld.lld",
                                     "-shared",
                                     "-Bsymbolic",
                                     "--no-undefined",
                                     "--threads=1",
                                     "--build-id=none",
                                     "--hash-style=gnu",
                                     "-znoexecstack",
                                     "--gc-sections",
                                     "--soname=treadle-module",
                                     "-o",
                                     output};
  for (const Descriptor& object : objects) arguments.push_back(object.path());
  arguments.emplace_back("--as-needed");
  if (use_libraries) {
    const HostLibraries& libraries = host_libraries();
    for (const std::string* library : {&libraries.math, &libraries.vector_math, &libraries.c})
      if (!library->empty()) arguments.push_back(*library);
  }
  return arguments;
}

/// "ld.lld: error: undefined symbol: __udivti3\n>>> referenced by ..." -> the first line's essence.
std::string link_error(const std::string& log) {
  std::string line = log.substr(0, log.find('\n'));
  if (const auto at = line.find("error: "); at != std::string::npos) line.erase(0, at + 7);
  return "error: linking the module failed: " + line;
}

}  // namespace

std::vector<char> link_shared_object(llvm::ArrayRef<ObjectCode> objects) {
  static std::mutex one_at_a_time;
  static bool usable = true;
  const std::lock_guard lock(one_at_a_time);
  if (!usable) throw BackendError("error: the linker crashed earlier in this process");

  std::vector<Descriptor> inputs;
  for (const ObjectCode& object : objects) inputs.push_back(memory_file(object));
  OutputPipe output;
  const std::vector<std::string> arguments =
      arguments_for(inputs, output.path(), uses_libraries(objects));
  std::vector<const char*> raw;
  for (const std::string& argument : arguments) raw.push_back(argument.c_str());
  std::string log;
  llvm::raw_string_ostream stream(log);
  const lld::Result result = lld::lldMain(raw, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0) throw BackendError(link_error(log));
  return output.finish();
}

}  // namespace treadle::cuda_cpu
