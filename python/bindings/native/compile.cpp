// SPDX-License-Identifier: MIT
#include <nanobind/stl/chrono.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "errors.hpp"
#include "image.hpp"
#include "kept.hpp"
#include "native/terminal_bar.hpp"
#include "python_names.hpp"
#include "python_parts.hpp"
#include "rooms.hpp"
#include "treadle/compile/cache.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/compile/toolchain.hpp"
#include "treadle/compile/variants.hpp"

namespace treadle::bindings {

using namespace treadle::compile;

void add_python_folders() {
  static bool done = false;  // guarded by the GIL
  if (done) return;
  done = true;
  const nb::object path = nb::module_::import_("sys").attr("path");
  for (const nb::handle entry : nb::borrow<nb::iterable>(path)) {
    if (PyUnicode_Check(entry.ptr()) == 0) continue;
    const auto folder = nb::cast<std::string>(entry);
    if (folder.ends_with("site-packages") || folder.ends_with("dist-packages"))
      add_library_search_dir(folder);
  }
}

namespace {

Target target_argument(const nb::object& target) {
  return nb::isinstance<Target>(target) ? nb::cast<Target>(target)
                                        : Target::parse(nb::cast<std::string>(nb::str(target)));
}

CompileResult compile_text(const std::string& source, const nb::object& target,
                           const Options& options) {
  add_python_folders();
  const Target parsed = target_argument(target);
  nb::gil_scoped_release released;
  return compile_cuda(source, parsed, options);
}

template <class E>
E one_of(const nb::object& name, std::initializer_list<std::pair<const char*, E>> names,
         const char* what) {
  const auto text = nb::cast<std::string>(nb::str(name));
  std::string known;
  for (const auto& [candidate, value] : names) {
    if (text == candidate) return value;
    known += std::string(known.empty() ? "" : ", ") + candidate;
  }
  throw InvalidArgument(std::string(what) + "=\"" + text + "\" is none of " + known);
}

void bind_target(nb::module_& m) {
  nb::class_<Target>(m, "Target", "What code is compiled for: \"sm_90\", \"compute_80\", \"cpu\".")
      .def(nb::new_([](const std::string& name) { return Target::parse(name); }), nb::arg("name"))
      .def_static("host_cpu", &Target::host_cpu,
                  "The processor this process runs on; loads no compiler.")
      .def_prop_ro("name", &Target::name)
      .def_prop_ro("is_cpu", &Target::is_cpu)
      .def("__str__", &Target::name)
      .def("__repr__", [](const Target& self) { return "Target(\"" + self.name() + "\")"; });
}

void bind_result(nb::module_& m) {
  nb::class_<PyImage>(m, "ModuleImage", "A compiled module, with the names of its C++ kernels.")
      .def_prop_ro("code",
                   [](const PyImage& self) {
                     return nb::bytes(self.image.code.data(), self.image.code.size());
                   })
      .def_prop_ro("lowered_names", [](const PyImage& self) { return self.image.lowered_names; });
  nb::class_<CompileResult>(m, "CompileResult", "What compile_cuda made, and how.")
      .def_prop_ro("image", [](const CompileResult& self) { return PyImage{self.image}; })
      .def_ro("log", &CompileResult::log, "What the compiler said although it succeeded.")
      .def_prop_ro("warnings",
                   [](const CompileResult& self) {
                     std::vector<std::string> texts;
                     for (const std::string& text : self.warnings)
                       texts.push_back(with_python_names(text));
                     return texts;
                   })
      .def_prop_ro("origin",
                   [](const CompileResult& self) {
                     return self.origin == Origin::compiled       ? "compiled"
                            : self.origin == Origin::memory_cache ? "memory cache"
                                                                  : "disk cache";
                   })
      .def_ro("seconds", &CompileResult::seconds, "Wall time of the call.")
      .def_ro("kept_in", &CompileResult::kept_in)
      .def_ro("not_cached", &CompileResult::not_cached,
              "Why nothing was kept for later; empty if it was.");
}

// Both faces have this function; only the classes of its exceptions differ.
constexpr auto compile_function = [](const std::string& source, const nb::object& target,
                                     std::vector<std::string> flags,
                                     std::vector<std::filesystem::path> include_dirs,
                                     std::vector<std::string> name_expressions,
                                     std::string source_name, const nb::object& output,
                                     const nb::object& toolchain, std::string nvcc, bool cache,
                                     std::optional<std::filesystem::path> cache_dir, bool extern_c,
                                     bool keep) {
  Options options;
  options.flags = std::move(flags);
  options.include_dirs = std::move(include_dirs);
  options.name_expressions = std::move(name_expressions);
  options.source_name = std::move(source_name);
  options.output = one_of<Output>(
      output, {{"cubin", Output::cubin}, {"ptx", Output::ptx}, {"fatbin", Output::fatbin}},
      "output");
  options.toolchain = one_of<Toolchain>(
      toolchain,
      {{"automatic", Toolchain::automatic}, {"nvrtc", Toolchain::nvrtc}, {"nvcc", Toolchain::nvcc}},
      "toolchain");
  options.nvcc = std::move(nvcc);
  options.cache = cache ? CacheUse::enabled : CacheUse::disabled;
  options.cache_dir = cache_dir.value_or(std::filesystem::path());
  options.extern_c = extern_c;
  options.keep = keep;
  return compile_text(source, target, options);
};

template <class F>
void define_compile(nb::module_& m, const char* name, F function) {
  m.def(name, function, nb::arg("source"), nb::arg("target"), nb::kw_only(),
        nb::arg("flags") = std::vector<std::string>(),
        nb::arg("include_dirs") = std::vector<std::filesystem::path>(),
        nb::arg("name_expressions") = std::vector<std::string>(),
        nb::arg("source_name") = "kernel.cu", nb::arg("output") = "cubin",
        nb::arg("toolchain") = "automatic", nb::arg("nvcc") = "", nb::arg("cache") = true,
        nb::arg("cache_dir") = nb::none(), nb::arg("extern_c") = false, nb::arg("keep") = false,
        "Compiles CUDA C++ text, or returns what an earlier compile of the same inputs made.");
}

/// Python's listener: None is the bar of a notebook or a terminal, False is no listener.
ProgressListener progress_listener(nb::object progress) {
  if (progress.is(nb::bool_(false))) return [](const VariantProgress&) {};
  if (progress.is_none()) progress = python_part("progress in notebooks")();
  if (progress.is_none())
    return [bar = std::make_shared<TerminalBar>()](const VariantProgress& now) { bar->show(now); };
  if (PyCallable_Check(progress.ptr()) == 0)
    raise_python(PyExc_TypeError, std::string("progress is None, False or to be called, and ") +
                                      Py_TYPE(progress.ptr())->tp_name + " is none of them");
  return [kept = keep(progress)](const VariantProgress& now) {
    const nb::gil_scoped_acquire gil;
    kept_object(kept)(now.done, now.total, now.seconds);
  };
}

/// Ctrl-C ends the call, with any listener.
ProgressListener interruptible(ProgressListener listener) {
  return [listener = std::move(listener)](const VariantProgress& now) {
    listener(now);
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
}

std::vector<Variant> variants_argument(nb::handle given, const std::vector<std::string>& flags) {
  std::vector<Variant> variants;
  for (const nb::handle one : nb::borrow<nb::iterable>(given)) {
    Variant variant;
    if (nb::isinstance<Variant>(one))
      variant = nb::cast<const Variant&>(one);
    else if (PyUnicode_Check(one.ptr()) != 0)
      variant.source = nb::cast<std::string>(one);
    else
      raise_python(PyExc_TypeError, "variants[" + std::to_string(variants.size()) + "] is an " +
                                        Py_TYPE(one.ptr())->tp_name +
                                        ", and a text or a Variant is wanted");
    variant.options.flags.insert(variant.options.flags.begin(), flags.begin(), flags.end());
    variants.push_back(std::move(variant));
  }
  return variants;
}

void bind_variants(nb::module_& m) {
  nb::class_<Variant>(m, "Variant", "One text of compile_variants, and how it is compiled.")
      .def(
          "__init__",
          [](Variant* self, std::string source, std::vector<std::string> flags,
             std::vector<std::string> name_expressions, std::string source_name, bool extern_c) {
            Options options;
            options.flags = std::move(flags);
            options.name_expressions = std::move(name_expressions);
            options.source_name = std::move(source_name);
            options.extern_c = extern_c;
            new (self) Variant{std::move(source), std::move(options)};
          },
          nb::arg("source"), nb::kw_only(), nb::arg("flags") = std::vector<std::string>(),
          nb::arg("name_expressions") = std::vector<std::string>(),
          nb::arg("source_name") = "kernel.cu", nb::arg("extern_c") = false)
      .def_prop_ro("source", [](const Variant& self) { return self.source; })
      .def_prop_ro("flags", [](const Variant& self) { return self.options.flags; });
  m.def(
      "compile_variants",
      [](nb::handle variants, const nb::object& target, const std::vector<std::string>& flags,
         unsigned threads, bool cache, nb::object progress) {
        add_python_folders();
        std::vector<Variant> given = variants_argument(variants, flags);
        for (Variant& variant : given)
          variant.options.cache = cache ? CacheUse::enabled : CacheUse::disabled;
        const Target parsed = target_argument(target);
        const VariantsOptions how{threads, interruptible(progress_listener(std::move(progress)))};
        const nb::gil_scoped_release released;
        return compile_variants(given, parsed, how);
      },
      nb::arg("variants"), nb::arg("target"), nb::kw_only(),
      nb::arg("flags") = std::vector<std::string>(), nb::arg("threads") = 0,
      nb::arg("cache") = true, nb::arg("progress") = nb::none(),
      nb::sig("def compile_variants(variants: Sequence[str | Variant], target: str | Target, *, "
              "flags: Sequence[str] = (), threads: int = 0, cache: bool = True, progress: "
              "typing.Callable[[int, int, float], object] | bool | None = None) -> "
              "list[CompileResult]"),
      "Compiles many texts on all cores. `flags` are for all of them. `progress(done, total, "
      "seconds)` is called meanwhile; None: a bar on a terminal and in notebooks; False: nothing.");
  m.def("show_progress", &show_progress, nb::arg("shown"),
        "Whether compile_variants shows a bar on a terminal.");
  m.def("shows_progress", &shows_progress, "Whether it does.");
  m.def(
      "_progress_text",
      [](std::size_t done, std::size_t total, double seconds, unsigned columns) {
        return progress_text({done, total, seconds}, columns);
      },
      nb::arg("done"), nb::arg("total"), nb::arg("seconds"), nb::arg("columns"),
      "The bar of a terminal, for a line of so many columns.");
}

void bind_statistics(nb::module_& m) {
  nb::class_<Statistics>(m, "Statistics", "Counters of this process.")
      .def_ro("memory_hits", &Statistics::memory_hits)
      .def_ro("disk_hits", &Statistics::disk_hits)
      .def_ro("misses", &Statistics::misses)
      .def_ro(
          "not_cached", &Statistics::not_cached,
          "Of the misses: sources that are compiled each time, CompileResult.not_cached says why.")
      .def_ro("healed", &Statistics::healed)
      .def_ro("io_errors", &Statistics::io_errors)
      .def_ro("compile_seconds", &Statistics::compile_seconds, "Spent in compilers, on misses.")
      .def_ro("lookup_seconds", &Statistics::lookup_seconds, "Spent on hits.")
      .def(
          "as_dict",
          [](const Statistics& self) {
            nb::dict d;
            d["memory_hits"] = self.memory_hits;
            d["disk_hits"] = self.disk_hits;
            d["misses"] = self.misses;
            d["not_cached"] = self.not_cached;
            d["healed"] = self.healed;
            d["io_errors"] = self.io_errors;
            d["compile_seconds"] = self.compile_seconds;
            d["lookup_seconds"] = self.lookup_seconds;
            return d;
          },
          "The counters by name.");
  m.def("statistics", &statistics,
        "Counters of this process since its start or reset_statistics().");
  m.def("reset_statistics", &reset_statistics, "Sets every counter to zero.");
}

// None means the default folder. An empty path would arrive as ".".
template <class R>
void define_on_folder(nb::module_& m, const char* name, R (*function)(const std::filesystem::path&),
                      const char* doc) {
  m.def(
      name,
      [function](const std::optional<std::filesystem::path>& folder) {
        return function(folder.value_or(std::filesystem::path()));
      },
      nb::arg("folder") = nb::none(), nb::call_guard<nb::gil_scoped_release>(), doc);
}

void bind_cache(nb::module_& m) {
  nb::class_<CacheState>(m, "CacheState", "The disk cache from outside.")
      .def_ro("folder", &CacheState::folder)
      .def_ro("enabled", &CacheState::enabled)
      .def_ro("exists", &CacheState::exists)
      .def_ro("problem", &CacheState::problem, "Why the folder is refused; empty if it is not.")
      .def_ro("programs", &CacheState::programs)
      .def_ro("manifests", &CacheState::manifests)
      .def_ro("bytes", &CacheState::bytes)
      .def_ro("max_bytes", &CacheState::max_bytes)
      .def_ro("debug_files", &CacheState::debug_files, "How many debuggers and profilers read.")
      .def_ro("debug_bytes", &CacheState::debug_bytes, "Of those files; `bytes` is without them.");
  nb::class_<CacheEntry>(m, "CacheEntry", "One file of the disk cache.")
      .def_ro("name", &CacheEntry::name)
      .def_ro("is_manifest", &CacheEntry::is_manifest)
      .def_ro("damaged", &CacheEntry::damaged)
      .def_ro("bytes", &CacheEntry::bytes)
      .def_ro("last_used", &CacheEntry::last_used)
      .def_ro("target", &CacheEntry::target)
      .def_ro("source_name", &CacheEntry::source_name)
      .def_ro("compiler", &CacheEntry::compiler)
      .def_ro("source", &CacheEntry::source)
      .def_ro("language", &CacheEntry::language)
      .def_ro("options", &CacheEntry::options)
      .def_ro("image_bytes", &CacheEntry::image_bytes);
  nb::class_<CacheCheck>(m, "CacheCheck", "What verify_cache found.")
      .def_ro("sound", &CacheCheck::sound)
      .def_ro("damaged", &CacheCheck::damaged);
  define_on_folder(m, "cache_state", cache_state, "The disk cache from outside; opens no entry.");
  m.def("shared_cache_states", shared_cache_states,
        "The same of each folder that TREADLE_SHARED_CACHE_DIR names.");
  define_on_folder(m, "list_cache", list_cache, "Every entry, the most recently used first.");
  define_on_folder(m, "verify_cache", verify_cache, "Reads every entry and deletes damaged ones.");
  m.def(
      "prune_cache",
      [](std::uint64_t max_bytes, const std::optional<std::filesystem::path>& folder) {
        return prune_cache(max_bytes, folder.value_or(std::filesystem::path()));
      },
      nb::arg("max_bytes"), nb::arg("folder") = nb::none(),
      nb::call_guard<nb::gil_scoped_release>(),
      "Deletes the least recently used entries until the others fit; the bytes that are left.");
  define_on_folder(m, "clear_cache", clear_cache,
                   "Deletes every entry and the files for debuggers; the bytes freed.");
}

void bind_miss_explanation(nb::module_& m) {
  nb::class_<KeyDifference>(m, "KeyDifference", "One part of two keys that is not the same.")
      .def_ro("field", &KeyDifference::field)
      .def_ro("before", &KeyDifference::before)
      .def_ro("after", &KeyDifference::after);
  nb::class_<MissExplanation>(m, "MissExplanation", "Why a program was compiled.")
      .def_ro("entry", &MissExplanation::entry)
      .def_ro("nearest", &MissExplanation::nearest, "Empty: nothing is like it.")
      .def_ro("differences", &MissExplanation::differences);
  m.def(
      "explain_miss",
      [](const std::string& entry, const std::optional<std::filesystem::path>& folder) {
        return explain_miss(entry, folder.value_or(std::filesystem::path()));
      },
      nb::arg("entry") = "", nb::arg("folder") = nb::none(),
      nb::call_guard<nb::gil_scoped_release>(),
      "What differs between an entry (default: the latest) and the one most like it.");
}

void bind_toolchains(nb::module_& m) {
  nb::class_<CompilerStatus>(m, "CompilerStatus", "A compiler, or why there is none.")
      .def_ro("name", &CompilerStatus::name)
      .def_ro("path", &CompilerStatus::path)
      .def_ro("version", &CompilerStatus::version)
      .def_ro("identity", &CompilerStatus::identity)
      .def_ro("header_dirs", &CompilerStatus::header_dirs)
      .def_ro("tried", &CompilerStatus::tried)
      .def_ro("problem", &CompilerStatus::problem)
      .def_ro("hint", &CompilerStatus::hint);
  m.def(
      "compiler_status",
      [] {
        add_python_folders();
        return compiler_status();
      },
      "Each compiler, or why there is none. Looks, loads nothing.");
  m.def("add_library_search_dir", &add_library_search_dir, nb::arg("folder"),
        "One more folder for compiler libraries, before the system's. Call it before the first "
        "compile.");
}

}  // namespace

void bind_compile(nb::module_& m) {
  bind_target(m);
  bind_result(m);
  define_compile(m, "compile_cuda", compile_function);
  bind_variants(m);
  bind_statistics(m);
  bind_cache(m);
  bind_miss_explanation(m);
  bind_toolchains(m);
}

void bind_pycuda_compile(nb::module_& m) {
  define_compile(m, "_compile_cuda", pycuda(compile_function));
}

}  // namespace treadle::bindings
