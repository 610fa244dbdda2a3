// SPDX-License-Identifier: MIT
#include "treadle/codegen/device_functions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/base/embedded.hpp"
#include "treadle/codegen/element_text.hpp"
#include "tree_text.hpp"
#include "words.hpp"

namespace treadle::codegen {

extern const std::span<const EmbeddedFile> embedded_files;  // kernels/dialect, kernels/elements

namespace {

/// A function as its file contains it; placeholder words stand for types.
struct Template {
  std::string_view text;  ///< from the first line of its comment to its closing brace
  Scalar dtype;  ///< the dtype of this instance; Scalar::structure: the function has no dtype
};

/// A file and the dtypes for which it is instantiated.
struct Source {
  std::string_view path;
  std::span<const Scalar> dtypes;
};
constexpr Scalar floats[] = {Scalar::float32, Scalar::float64};
constexpr Scalar complex_numbers[] = {Scalar::complex64, Scalar::complex128};
constexpr Scalar integers[] = {Scalar::int8,  Scalar::int16,  Scalar::int32,  Scalar::int64,
                               Scalar::uint8, Scalar::uint16, Scalar::uint32, Scalar::uint64};
constexpr Scalar no_dtype[] = {Scalar::structure};
constexpr Source sources[] = {
    {"floats.h", floats},
    {"complex_arithmetic.h", complex_numbers},
    {"complex_math.h", complex_numbers},
    {"complex_inverse.h", complex_numbers},
    {"complex_extended.h", complex_numbers},
    {"integers.h", integers},
    {"signed_integers.h", std::span(integers).first(4)},
    {"unsigned_integers.h", std::span(integers).last(4)},
    {"halves.h", no_dtype},
    {"random.h", no_dtype},
    {"distributions.h", no_dtype},
    {"own_math.h", no_dtype},
};

/// The platforms on which own_math.h replaces a function. PoCL computes most of these functions for
/// one work-item at a time; the atan of NVIDIA's OpenCL is less exact than that of its CUDA.
std::string_view replaced_where(std::string_view function) {
  constexpr std::string_view pocl = "defined(POCL_DEVICE_ADDRESS_BITS)";
  constexpr std::string_view pocl_and_nvidia =
      "defined(POCL_DEVICE_ADDRESS_BITS) || defined(__NV_CL_C_VERSION)";
  return function == "atan" ? pocl_and_nvidia : pocl;
}

/// The type in which integers of a dtype wrap around.
Scalar unsigned_of(Scalar dtype) {
  return DType(dtype).size_bytes() == 8 ? Scalar::uint64 : Scalar::uint32;
}

/// Replaces placeholder words such as _DTYPE, which may stand inside a name.
void replace_all(std::string& text, std::string_view word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
}

std::string name_for(std::string_view name, Scalar dtype) {
  std::string result(name);
  if (dtype == Scalar::structure) return result;
  const auto replace = [&](std::string_view word, Scalar by) {
    replace_all(result, word, std::string(1, '_').append(DType(by).name()));
  };
  replace("_DTYPE", dtype);
  replace("_UNSIGNED", unsigned_of(dtype));
  replace("_REAL", DType(dtype).real_type().scalar());
  return result;
}

/// Calls `take(name, text)` for each function of a file.
template <class Take>
void each_function(std::string_view file, Take take) {
  for (std::size_t at = 0; (at = file.find("\nTREADLE_FUNCTION ", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(file.find("\n}", at) + 2, file.size());
    std::size_t start = at + 1;
    while (start > 1) {
      const std::size_t line = file.rfind('\n', start - 2) + 1;
      if (line == 0 || !file.substr(line).starts_with("//")) break;
      start = line;
    }
    const std::string_view head = file.substr(at + 1, file.find('(', at) - at - 1);
    take(head.substr(head.rfind(' ') + 1), file.substr(start, end - start));
    at = end;
  }
}

using Templates = std::map<std::string, Template, std::less<>>;

const Templates& templates() {
  static const auto* const found = [] {
    auto* all = new Templates;
    for (const Source& source : sources) {
      const auto file = std::ranges::find(embedded_files, source.path, &EmbeddedFile::path);
      each_function(file->text, [&](std::string_view name, std::string_view text) {
        for (const Scalar dtype : source.dtypes) (*all)[name_for(name, dtype)] = {text, dtype};
      });
    }
    return all;
  }();
  return *found;
}

/// The replacement of a placeholder word in a template.
std::string word_for(std::string_view word, Scalar dtype, const Dialect& dialect) {
  constexpr std::pair<std::string_view, Scalar> types[] = {{"INT32", Scalar::int32},
                                                           {"UINT32", Scalar::uint32},
                                                           {"INT64", Scalar::int64},
                                                           {"UINT64", Scalar::uint64}};
  if (word == "TYPE") return value_type(dtype, dialect);
  if (word == "UNSIGNED") return value_type(unsigned_of(dtype), dialect);
  if (word == "REAL") return value_type(DType(dtype).real_type().scalar(), dialect);
  if (word == "WIDTH") return std::to_string(8 * DType(dtype).size_bytes());
  for (const auto& [name, type] : types)
    if (word == name) return value_type(type, dialect);
  return name_for(word, dtype);
}

/// Adds the suffix of single precision to constants with a point, except in comments.
std::string with_single_constants(std::string_view text) {
  const auto has_digit = [&](std::size_t at) { return at < text.size() && is_digit(text[at]); };
  std::string result;
  for (std::size_t at = 0, start = 0; at < text.size(); start = at) {
    at += std::max<std::size_t>(identifier_length(text.substr(at)), 1);
    if (text.substr(start).starts_with("//")) at = std::min(text.find('\n', start), text.size());
    bool is_real = false;
    if (has_digit(start)) {
      while (has_digit(at)) ++at;
      is_real = text.substr(at).starts_with('.');
      if (is_real) ++at;
      while (is_real && has_digit(at)) ++at;
      if (is_real && text.substr(at).starts_with('e')) at += 2;
      while (is_real && has_digit(at)) ++at;
    }
    result += text.substr(start, at - start);
    if (is_real) result += 'f';
  }
  return result;
}

std::string written_for(const Template& source, const Dialect& dialect) {
  std::string text = replace_identifiers(
      source.text, [&](std::string_view word) { return word_for(word, source.dtype, dialect); });
  if (source.dtype == Scalar::float32 || source.dtype == Scalar::complex64)
    text = with_single_constants(text);
  return expand_words(text, dialect);
}

bool is_called_as_ours(std::string_view name) noexcept {
  return name.size() > 8 && name[0] == 't' && name.starts_with("treadle_");
}

/// The functions of a language; each is written when it is first needed.
class Library {
 public:
  struct Function {
    std::string text;
    std::vector<std::string> words;  ///< words that may be names of functions that it calls
  };
  explicit Library(const Dialect& dialect) : dialect_(dialect) {
    each_function(dialect.header, [&](std::string_view name, std::string_view text) {
      of_header_[std::string(name)] = {text, Scalar::structure};
    });
    constexpr std::string_view own = "treadle_own_";
    for (const auto& [name, source] : templates())
      if (dialect.brings_math && name.starts_with(own)) replaced_.insert(name.substr(own.size()));
  }
  /// The library of a dialect; the dialect must live as long as the process.
  static Library& of(const Dialect& dialect) {
    static std::mutex lock;
    static auto* const all = new std::map<const char*, Library>;
    const std::scoped_lock hold(lock);
    return all->try_emplace(dialect.header.data(), dialect).first->second;
  }

  /// Whether a function of Treadle replaces the run-time's function `name`.
  bool replaces(std::string_view name) const {
    return !replaced_.empty() && replaced_.contains(name);
  }
  /// The function with this name; null: Treadle has none. Any thread.
  const Function* find(std::string_view name) {
    const std::scoped_lock hold(lock_);
    const auto known = written_.find(name);
    if (known != written_.end()) return &known->second;
    const Template* const source = source_of(name);
    if (source == nullptr) return nullptr;
    Function made{written_for(*source, dialect_), {}};
    each_identifier(made.text, [&](std::string_view word) {
      if (source_of(word) != nullptr || replaces(word)) made.words.emplace_back(word);
    });
    return &written_.emplace(name, std::move(made)).first->second;
  }

 private:
  const Template* source_of(std::string_view name) const {
    if (!is_called_as_ours(name)) return nullptr;
    for (const Templates* all : {&templates(), &of_header_})
      if (const auto found = all->find(name); found != all->end()) return &found->second;
    return nullptr;
  }

  const Dialect dialect_;
  Templates of_header_;
  std::set<std::string, std::less<>> replaced_;
  std::mutex lock_;
  std::map<std::string, Function, std::less<>> written_;
};

/// Collects the definitions of functions, callees before callers.
class Collector {
 public:
  explicit Collector(const Dialect& dialect) : dialect_(dialect), library_(Library::of(dialect)) {}

  void add_calls_of_text(std::string_view text) {
    each_identifier(text, [&](std::string_view word) { add_word(word); });
  }
  void add_calls_of(const tree::Part& code, std::size_t depth = 0) {
    if (code.node() == nullptr) return add_calls_of_text(code.text());
    const tree::Node& node = *code.node();
    tree::require_depth(node, depth);
    if (node.kind() == tree::Kind::comment) return;
    for (const tree::Part& part : node.parts()) add_calls_of(part, depth + 1);
    for (const tree::Part& part : node.list()) add_calls_of(part, depth + 1);
  }
  std::string text() const { return replacements_ + text_; }

 private:
  void add_word(std::string_view word) {
    if (is_called_as_ours(word)) add(word);
    if (!replacing_ && library_.replaces(word)) replace(word);
  }
  /// Writes `#define sinh treadle_own_sinh` and the functions that treadle_own_sinh calls, for the
  /// platforms of replaced_where(). Functions of doubles stay the run-time's.
  void replace(std::string_view name) {
    const std::string own = joined({"treadle_own_", name});
    if (added_.contains(own)) return;
    Collector functions(dialect_);
    functions.replacing_ = true;
    functions.added_ = added_;
    functions.add(own);
    added_ = functions.added_;
    std::string& text = functions.text_;
    const bool is_binary = text.find(own + "(float x, float y)") != std::string::npos ||
                           text.find(own + "(float y, float x)") != std::string::npos;
    const std::string_view parameters = is_binary ? "(double x, double y)" : "(double x)";
    const std::string_view arguments = is_binary ? "(x, y)" : "(x)";
    text.replace(text.find(own), own.size(), joined({"__attribute__((overloadable)) ", own}));
    // Fused operations make these functions twice as fast and as exact; the rest of the text is not
    // fused.
    replace_all(text, "\n{\n", "\n{\n#pragma OPENCL FP_CONTRACT ON\n");
    replacements_ += joined({"#if ",
                             replaced_where(name),
                             "\n",
                             text,
                             "#ifdef cl_khr_fp64\n",
                             dialect_.function,
                             " double __attribute__((overloadable)) ",
                             own,
                             parameters,
                             "\n{\n  return ",
                             name,
                             arguments,
                             ";\n}\n#endif\n",
                             "#undef ",
                             name,
                             "\n#define ",
                             name,
                             " ",
                             own,
                             "\n#endif\n\n"});
  }
  void add(std::string_view name) {
    const Library::Function* const found = library_.find(name);
    if (found == nullptr || !added_.emplace(name).second) return;
    for (const std::string& word : found->words) add_word(word);
    text_.append(found->text).append("\n\n");
  }

  const Dialect& dialect_;
  Library& library_;
  std::set<std::string, std::less<>> added_;
  std::string text_, replacements_;
  bool replacing_ = false;
};

}  // namespace

std::string device_functions(const tree::Part& code, const Dialect& dialect) {
  Collector functions(dialect);
  functions.add_calls_of(code);
  return functions.text();
}

}  // namespace treadle::codegen
