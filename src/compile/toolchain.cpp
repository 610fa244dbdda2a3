// SPDX-License-Identifier: MIT
// Which compiler a target gets, and what there is to choose from.
#include <dlfcn.h>

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <mutex>

#include "compile/compiler.hpp"
#include "compile/identity.hpp"
#include "compile/nvcc.hpp"
#include "compile/nvrtc.hpp"
#include "compile/nvrtc_search.hpp"
#include "compile/process.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/toolchain.hpp"
#include "treadle/process/library.hpp"
#include "treadle/process/library_search.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::compile {
namespace {

constexpr const char* cpu_compiler = "libtreadle_clang.so";
constexpr const char* install_nvrtc =
    "pip install \"nvidia-cuda-nvrtc>=13,<14\" (or nvidia-cuda-nvrtc-cu12 for a CUDA 12 driver), "
    "or set "
    "TREADLE_LIBNVRTC to a libnvrtc.so";
constexpr const char* install_cpu_compiler =
    "reinstall treadle, or set TREADLE_LIBRARY_DIR to the folder that holds it";

/// What was found so far. Compilers are chosen once; a search folder added later serves later
/// choices.
struct Choices {
  std::mutex mutex;
  std::atomic<int> given_driver_version{-1};
  std::map<std::string, std::shared_ptr<Compiler>> compilers;  ///< by target or nvcc's name
  std::map<std::filesystem::path, std::shared_ptr<Compiler>> libraries;
};
Choices& choices() {
  static auto* const instance = new Choices;
  return *instance;
}

// "sm_90a" and "compute_90" -> 90.
int capability_of(const std::string& target) {
  const std::size_t digits = target.find_first_of("0123456789");
  int capability = 0;
  if (digits != std::string::npos)
    std::from_chars(target.data() + digits, target.data() + target.size(), capability);
  return capability;
}

int version_of_loaded_driver() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (driver == nullptr) return 0;
  int version = 0;
  using GetVersion = int (*)(int*);
  const auto get = reinterpret_cast<GetVersion>(::dlsym(driver, "cuDriverGetVersion"));
  if (get == nullptr || get(&version) != 0) version = 0;
  ::dlclose(driver);
  return version;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.82.07  ..." : the first word that is a
// release number.
int version_of_kernel_module() {
  std::string text;
  try {
    text = read_text_file("/proc/driver/nvidia/version");
  } catch (const FileError&) {
    return 0;
  }
  for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
    const std::string word = text.substr(at, end - at);
    if (word.find('.') != std::string::npos && at > 0 && text[at - 1] == ' ')
      return cuda_version_of_driver(word);
    at = end;
  }
  return 0;
}

struct NvrtcFindings {
  std::vector<NvrtcLibrary> libraries;
  std::vector<std::string> tried;
};

NvrtcFindings look_for_nvrtc(const Machine& machine,
                             std::span<const std::filesystem::path> site_packages) {
  NvrtcFindings found;
  const std::filesystem::path& given = settings().compiler_library;
  if (given.empty()) {
    found.libraries =
        find_nvrtc(machine, cuda_library_folders(machine, site_packages), found.tried);
    return found;
  }
  const bool exists = machine.exists(given);
  found.tried.push_back(
      fmt::format("{} (TREADLE_LIBNVRTC){}", given.string(), exists ? "" : ": no such file"));
  if (exists) found.libraries.push_back(nvrtc_at(machine, std::filesystem::absolute(given)));
  return found;
}

std::shared_ptr<Compiler> make_nvrtc(Choices& all, int capability) {
  const Machine& machine = this_machine();
  const std::vector<std::filesystem::path> site_packages = package_folders();
  const NvrtcFindings found = look_for_nvrtc(machine, site_packages);
  // A library the user names is taken as it is.
  const int driver = settings().compiler_library.empty() ? driver_version() : 0;
  const NvrtcLibrary* library = choose_nvrtc(found.libraries, driver, capability);
  if (library == nullptr) {
    std::vector<std::string> tried = found.tried;
    if (!found.libraries.empty())
      tried.push_back(
          fmt::format("none of these makes code for sm_{} that a CUDA {}.{} driver loads",
                      capability, driver / 1000, driver % 1000 / 10));
    throw LibraryNotFound("libnvrtc", std::move(tried), install_nvrtc);
  }
  std::shared_ptr<Compiler>& shared = all.libraries[library->path];
  if (!shared)
    shared = std::make_shared<NvrtcCompiler>(*library,
                                             toolkit_headers(machine, *library, site_packages));
  return shared;
}

std::shared_ptr<Compiler> make_cpu() {
  LibrarySearch search = find_own_library(cpu_compiler);
  if (!search.path)
    throw LibraryNotFound(cpu_compiler, std::move(search.tried), install_cpu_compiler);
  return std::make_shared<NvrtcCompiler>(*search.path);
}

std::string nvcc_name(const std::string& given) {
  if (!given.empty()) return given;
  return settings().nvcc.empty() ? "nvcc" : settings().nvcc.string();
}

bool wants_nvcc(const Options& options) {
  const std::string& setting = settings().compiler;
  if (!setting.empty() && setting != "nvrtc" && setting != "nvcc")
    throw InvalidArgument("TREADLE_COMPILER=\"" + setting + "\" names no compiler",
                          "TREADLE_COMPILER=nvrtc or TREADLE_COMPILER=nvcc");
  if (options.toolchain != Toolchain::automatic) return options.toolchain == Toolchain::nvcc;
  return setting == "nvcc";
}

/// What to try after a refusal; empty: nothing but what the log says.
std::string hint_for(std::string_view log, std::string_view target) {
  const auto says = [log](std::string_view words) { return log.find(words) != log.npos; };
  const bool on_cpu = target == "cpu";
  for (const char* library : {"'cub", "'thrust", "<cub/", "<thrust/"})
    if (on_cpu && says(library))
      return "CUB and Thrust are not for the CPU device, from wherever their headers come: "
             "cooperative_groups/reduce.h and scan.h reduce and scan warps and tiles on every "
             "device";
  if (!says("open source file") && !says("file not found")) return {};
  std::string hint =
      "folders of headers are given by Options::include_dirs (include_dirs= in Python)";
  if (!on_cpu)
    hint +=
        "; NVIDIA's own headers come with pip install nvidia-cuda-runtime nvidia-cuda-crt "
        "nvidia-cuda-cccl, or a CUDA toolkit";
  return hint;
}

CompilerStatus nvrtc_status(const std::vector<std::filesystem::path>& site_packages) {
  const Machine& machine = this_machine();
  CompilerStatus status;
  status.name = "NVRTC";
  NvrtcFindings found = look_for_nvrtc(machine, site_packages);
  status.tried = std::move(found.tried);
  const int driver = settings().compiler_library.empty() ? driver_version() : 0;
  const NvrtcLibrary* library = choose_nvrtc(found.libraries, driver, 0);
  if (library == nullptr) {
    status.problem = found.libraries.empty() ? "not found" : "none fits the driver";
    status.hint = install_nvrtc;
    return status;
  }
  status.path = library->path;
  status.version = fmt::format("{}.{}", library->version.major, library->version.minor);
  status.header_dirs = toolkit_headers(machine, *library, site_packages);
  status.identity = file_identity(library->path);
  return status;
}

CompilerStatus cpu_status() {
  CompilerStatus status;
  status.name = "CPU compiler";
  LibrarySearch search = find_own_library(cpu_compiler);
  status.tried = std::move(search.tried);
  if (!search.path) {
    status.problem = "not found";
    status.hint = install_cpu_compiler;
    return status;
  }
  status.path = *search.path;
  status.identity = file_identity(status.path);
  return status;
}

CompilerStatus nvcc_status() {
  CompilerStatus status;
  status.name = "nvcc";
  const std::string name = nvcc_name({});
  status.path = find_program(name);
  status.tried = {name + (status.path.empty() ? ": not on PATH" : ": " + status.path.string())};
  if (status.path.empty()) {
    status.problem = "not found";
    status.hint =
        "only programs that ask for nvcc need it: install a CUDA toolkit, or set TREADLE_NVCC";
  } else {
    status.identity = file_identity(status.path);
  }
  return status;
}

}  // namespace

void add_library_search_dir(const std::filesystem::path& folder) { add_package_folder(folder); }

void set_driver_version(int version) { choices().given_driver_version = version; }

int driver_version() {
  if (const int given = choices().given_driver_version; given >= 0) return given;
  if (const int loaded = version_of_loaded_driver()) return loaded;
  return version_of_kernel_module();
}

std::shared_ptr<Compiler> choose_compiler(const Target& target, const Options& options) {
  Choices& all = choices();
  const bool nvcc = !target.is_cpu() && wants_nvcc(options);
  const std::string name = nvcc ? "nvcc " + nvcc_name(options.nvcc) : target.name();
  const std::lock_guard lock(all.mutex);
  std::shared_ptr<Compiler>& compiler = all.compilers[name];
  if (compiler) return compiler;
  if (target.is_cpu()) return compiler = make_cpu();
  if (nvcc) return compiler = std::make_shared<NvccCompiler>(nvcc_name(options.nvcc));
  return compiler = make_nvrtc(all, capability_of(target.name()));
}

void throw_compile_error(const CompileJob& job, const std::string& title, const std::string& log) {
  // A CPU target's name is a set of features; what the reader knows it by stands before the colon.
  const std::string target = job.options.target.substr(0, job.options.target.find(':'));
  throw CompileError(fmt::format("{} refused {} for {}", title, job.source_name, target), log,
                     job.source, job.given_options, hint_for(log, target));
}

std::vector<CompilerStatus> compiler_status() {
  return {nvrtc_status(package_folders()), cpu_status(), nvcc_status()};
}

CompilerStatus compiler_status(const Target& target) {
  return target.is_cpu() ? cpu_status() : nvrtc_status(package_folders());
}

}  // namespace treadle::compile
