// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/options.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "treadle/base/near_match.hpp"

namespace treadle::cuda_cpu {
namespace {

enum class Action {
  ignore,
  standard,
  define,
  undefine,
  include_dir,
  pre_include,
  fast_math,
  fmad,
  debug,
  line_info,
  no_warnings,
  warnings_as_errors,
  default_device,
  relocatable,
  check,
  coverage,
  fibers,
  disable_pass,
  print_after,
  must_be_false  ///< asks, when true, for a second stage that this device does not have
};
enum class Argument { none, optional, required };

struct OptionRow {
  std::string_view name;        ///< with "--"
  std::string_view short_name;  ///< with "-"; may be empty
  Argument value;
  Action action;
};

constexpr std::array option_rows = {
    OptionRow{"--std", "-std", Argument::required, Action::standard},
    OptionRow{"--define-macro", "-D", Argument::required, Action::define},
    OptionRow{"--undefine-macro", "-U", Argument::required, Action::undefine},
    OptionRow{"--include-path", "-I", Argument::required, Action::include_dir},
    OptionRow{"--pre-include", "-include", Argument::required, Action::pre_include},
    OptionRow{"--use_fast_math", "-use_fast_math", Argument::optional, Action::fast_math},
    OptionRow{"--fmad", "-fmad", Argument::required, Action::fmad},
    OptionRow{"--device-debug", "-G", Argument::none, Action::debug},
    OptionRow{"--generate-line-info", "-lineinfo", Argument::none, Action::line_info},
    OptionRow{"--disable-warnings", "-w", Argument::none, Action::no_warnings},
    OptionRow{"--Werror", "-Werror", Argument::optional, Action::warnings_as_errors},
    OptionRow{"--device-as-default-execution-space", "-default-device", Argument::none,
              Action::default_device},
    OptionRow{"--relocatable-device-code", "-rdc", Argument::required, Action::relocatable},
    OptionRow{"--dlink-time-opt", "-dlto", Argument::none, Action::must_be_false},
    OptionRow{"--optix-ir", "-optix-ir", Argument::none, Action::must_be_false},
    OptionRow{"--device-c", "-dc", Argument::none, Action::relocatable},
    OptionRow{"--treadle-check", "", Argument::required, Action::check},
    OptionRow{"--treadle-coverage", "", Argument::none, Action::coverage},
    OptionRow{"--treadle-fibers", "", Argument::none, Action::fibers},
    OptionRow{"--treadle-disable", "", Argument::required, Action::disable_pass},
    OptionRow{"--treadle-print-after", "", Argument::required, Action::print_after},
    // Spelled for other processors and other tools.
    OptionRow{"--gpu-architecture", "-arch", Argument::required, Action::ignore},
    OptionRow{"--device-w", "-dw", Argument::none, Action::ignore},
    OptionRow{"--extensible-whole-program", "-ewp", Argument::none, Action::ignore},
    OptionRow{"--dopt", "-dopt", Argument::required, Action::ignore},
    OptionRow{"--Ofast-compile", "-Ofc", Argument::required, Action::ignore},
    OptionRow{"--ptxas-options", "-Xptxas", Argument::required, Action::ignore},
    OptionRow{"--maxrregcount", "-maxrregcount", Argument::required, Action::ignore},
    OptionRow{"--ftz", "-ftz", Argument::required, Action::ignore},
    OptionRow{"--prec-sqrt", "-prec-sqrt", Argument::required, Action::ignore},
    OptionRow{"--prec-div", "-prec-div", Argument::required, Action::ignore},
    OptionRow{"--extra-device-vectorization", "-extra-device-vectorization", Argument::none,
              Action::ignore},
    OptionRow{"--modify-stack-limit", "-modify-stack-limit", Argument::required, Action::ignore},
    OptionRow{"--gen-opt-lto", "-gen-opt-lto", Argument::none, Action::ignore},
    OptionRow{"--jump-table-density", "-jtd", Argument::required, Action::ignore},
    OptionRow{"--device-stack-protector", "-device-stack-protector", Argument::required,
              Action::ignore},
    OptionRow{"--no-source-include", "-no-source-include", Argument::none, Action::ignore},
    OptionRow{"--builtin-move-forward", "-builtin-move-forward", Argument::required,
              Action::ignore},
    OptionRow{"--builtin-initializer-list", "-builtin-initializer-list", Argument::required,
              Action::ignore},
    OptionRow{"--restrict", "-restrict", Argument::none, Action::ignore},
    OptionRow{"--device-int128", "-device-int128", Argument::none, Action::ignore},
    OptionRow{"--device-float128", "-device-float128", Argument::none, Action::ignore},
    OptionRow{"--optimization-info", "-opt-info", Argument::required, Action::ignore},
    OptionRow{"--display-error-number", "-err-no", Argument::none, Action::ignore},
    OptionRow{"--no-display-error-number", "-no-err-no", Argument::none, Action::ignore},
    OptionRow{"--diag-error", "-diag-error", Argument::required, Action::ignore},
    OptionRow{"--diag-suppress", "-diag-suppress", Argument::required, Action::ignore},
    OptionRow{"--diag-warn", "-diag-warn", Argument::required, Action::ignore},
    OptionRow{"--brief-diagnostics", "-brief-diag", Argument::required, Action::ignore},
    OptionRow{"--time", "-time", Argument::required, Action::ignore},
    OptionRow{"--split-compile", "-split-compile", Argument::required, Action::ignore},
    OptionRow{"--minimal", "-minimal", Argument::none, Action::ignore},
    OptionRow{"--no-cache", "-no-cache", Argument::none, Action::ignore},
    OptionRow{"--frandom-seed", "-frandom-seed", Argument::required, Action::ignore},
    OptionRow{"--pch", "-pch", Argument::none, Action::ignore},
    OptionRow{"--use-pch", "-use-pch", Argument::required, Action::ignore},
    OptionRow{"--create-pch", "-create-pch", Argument::required, Action::ignore},
    OptionRow{"--pch-dir", "-pch-dir", Argument::required, Action::ignore},
    OptionRow{"--pch-verbose", "-pch-verbose", Argument::required, Action::ignore},
    OptionRow{"--pch-messages", "-pch-messages", Argument::required, Action::ignore},
};

/// One option of the list, with its value wherever that stands: "-I dir", "-Idir", "-I=dir",
/// "--include-path=dir".
struct Match {
  const OptionRow* row = nullptr;
  std::optional<std::string_view> value;
};

std::optional<Match> match_name(std::string_view argument, const OptionRow& row,
                                std::string_view name) {
  if (name.empty() || !argument.starts_with(name)) return std::nullopt;
  const std::string_view rest = argument.substr(name.size());
  if (rest.empty()) return Match{&row, std::nullopt};
  if (row.value == Argument::none) return std::nullopt;
  if (rest.front() == '=') return Match{&row, rest.substr(1)};
  const bool glued = name.size() == 2 && row.value == Argument::required;  // -Idir, -DN=1
  return glued ? std::optional(Match{&row, rest}) : std::nullopt;
}

std::optional<Match> find_option(std::string_view argument) {
  std::optional<Match> best;
  std::size_t best_length = 0;
  for (const OptionRow& row : option_rows) {
    for (const std::string_view name : {row.name, row.short_name}) {
      const std::optional<Match> match = match_name(argument, row, name);
      if (match && name.size() > best_length) {
        best = match;
        best_length = name.size();
      }
    }
  }
  return best;
}

std::optional<Standard> find_standard(std::string_view name) {
  if (name == "c++11" || name == "c++03") return Standard::cxx11;
  if (name == "c++14") return Standard::cxx14;
  if (name == "c++17") return Standard::cxx17;
  if (name == "c++20") return Standard::cxx20;
  return std::nullopt;
}

bool is_true(const std::optional<std::string_view>& value) {
  return !value || (*value != "false" && *value != "0");
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The names of those passes that an option takes.
std::vector<std::string> names_of_passes(bool speed_only) {
  std::vector<std::string> names;
  for (const Pass& pass : pass_table())
    if (!speed_only || pass.kind == PassKind::speed) names.emplace_back(pass.name);
  return names;
}

/// Adds the passes of `list`, names separated by commas, to `names`; the error text if one is none,
/// or cannot be disabled.
std::string add_passes(std::string_view list, bool speed_only, std::vector<std::string>& names) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string name(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    const Pass* pass = find_pass(name);
    const std::vector<std::string> all = names_of_passes(speed_only);
    if (pass && speed_only && pass->kind != PassKind::speed)
      return "the pass '" + name + "' is required; those that are not: " + joined(all);
    if (!pass) {
      const std::vector<std::string> near = near_matches(name, all);
      return "there is no pass '" + name + "'; " +
             (near.empty() ? "passes: " + joined(all) : "near names: " + joined(near));
    }
    names.push_back(name);
  }
  return {};
}

/// Applies one option; the error text if its value is not one.
std::string apply(const Match& match, CompileOptions& options) {
  LanguageOptions& language = options.language;
  const std::string value(match.value.value_or(""));
  switch (match.row->action) {
    case Action::ignore:
      break;
    case Action::standard:
      if (const auto standard = find_standard(value)) {
        language.dialect.standard = *standard;
      } else {
        return "'" + value + "' is not one of c++11, c++14, c++17, c++20";
      }
      break;
    case Action::define:
      language.macros.push_back("D" + value);
      break;
    case Action::undefine:
      language.macros.push_back("U" + value);
      break;
    case Action::include_dir:
      language.include_dirs.push_back(value);
      break;
    case Action::pre_include:
      language.forced_includes.push_back(value);
      break;
    case Action::fast_math:
      language.dialect.fast_math = is_true(match.value);
      break;
    case Action::fmad:
      language.dialect.fp_contract = is_true(match.value);
      break;
    case Action::debug:
      options.debug = true;
      language.dialect.optimized = false;
      language.line_info = true;
      break;
    case Action::line_info:
      language.line_info = true;
      break;
    case Action::no_warnings:
      language.warnings = false;
      break;
    case Action::warnings_as_errors:
      language.warnings_as_errors = true;
      break;
    case Action::default_device:
      language.forced_includes.emplace_back("treadle/default_device.h");
      break;
    case Action::relocatable:
      options.relocatable = is_true(match.value);
      break;
    case Action::check:
      if (const auto checks = Checks::parse(value))
        options.checks = *checks;
      else
        return "'" + value + "' is not a list of memory, race, init, sync and determinism";
      break;
    case Action::coverage:
      language.coverage = true;
      break;
    case Action::fibers:
      options.fibers = true;
      break;
    case Action::disable_pass:
      return add_passes(value, /*speed_only=*/true, options.passes.disabled);
    case Action::print_after:
      return add_passes(value, /*speed_only=*/false, options.passes.printed);
    case Action::must_be_false:
      if (is_true(match.value)) return "is not available on the CPU device";
      break;
  }
  return {};
}

}  // namespace

CompileOptions parse_options(std::span<const std::string_view> arguments) {
  CompileOptions options;
  for (std::size_t i = 0; i < arguments.size() && options.error.empty(); ++i) {
    const std::string name(arguments[i]);
    std::optional<Match> match = find_option(arguments[i]);
    if (!match) {
      options.error = "unrecognized option '" + name + "'";
      break;
    }
    if (!match->value && match->row->value == Argument::required) {
      if (++i == arguments.size()) {
        options.error = "option '" + name + "' needs a value";
        break;
      }
      match->value = arguments[i];
    }
    const std::string problem = apply(*match, options);
    if (!problem.empty()) options.error = "option '" + name + "': " + problem;
  }
  if (options.relocatable) {
    options.language.macros.emplace_back("D__CUDACC_RDC__");
    options.language.relocatable = options.language.has_launches = true;
    if (options.error.empty() &&
        !(options.passes.disabled.empty() && options.passes.printed.empty()))
      options.error =
          "options that name passes do not go with -rdc=true: passes run when the objects are "
          "linked";
  }
  return options;
}

}  // namespace treadle::cuda_cpu
