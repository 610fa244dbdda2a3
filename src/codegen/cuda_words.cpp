// SPDX-License-Identifier: MIT
#include "treadle/codegen/cuda_words.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/characters.hpp"
#include "treadle/base/c_declaration.hpp"

namespace treadle::codegen {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// CUDA words with a replacement in both languages. Vectors of three are not listed: both languages
/// have the same names, although the memory layouts differ.
constexpr Pair replaced_words[] = {
    {"__global__", "TREADLE_KERNEL"},
    {"__device__", "TREADLE_FUNCTION"},
    {"__shared__", "TREADLE_LOCAL"},
    {"__constant__", "TREADLE_CONSTANT"},
    {"__restrict__", "TREADLE_RESTRICT"},
    {"__restrict", "TREADLE_RESTRICT"},
    {"__forceinline__", "TREADLE_ALWAYS_INLINE"},
    {"__launch_bounds__", "TREADLE_GROUP_SIZE"},
    {"__syncthreads", "treadle_barrier"},
    {"__threadfence", "treadle_fence"},
    {"__threadfence_block", "treadle_fence"},
    {"atomicAdd", "treadle_atomic_add"},
    {"atomicSub", "treadle_atomic_sub"},
    {"atomicMin", "treadle_atomic_min"},
    {"atomicMax", "treadle_atomic_max"},
    {"atomicAnd", "treadle_atomic_and"},
    {"atomicOr", "treadle_atomic_or"},
    {"atomicXor", "treadle_atomic_xor"},
    {"atomicExch", "treadle_atomic_exchange"},
    {"atomicCAS", "treadle_atomic_compare_exchange"},
    {"__shfl_sync", "treadle_sub_group_shuffle"},
    {"__shfl_xor_sync", "treadle_sub_group_shuffle_xor"},
    {"__shfl_down_sync", "treadle_sub_group_shuffle_down"},
    {"__shfl_up_sync", "treadle_sub_group_shuffle_up"},
    {"__any_sync", "treadle_sub_group_any"},
    {"__all_sync", "treadle_sub_group_all"},
    {"__ballot_sync", "treadle_sub_group_ballot"},
    {"__syncwarp", "treadle_sub_group_barrier"},
    {"warpSize", "treadle_sub_group_size"},
    {"float3", "treadle_load3"},
    {"double3", "treadle_load3"},
    {"int3", "treadle_load3"},
    {"uint3", "treadle_load3"},
    {"__popc", "treadle_popcount"},
    {"__clz", "treadle_leading_zeros"},
    {"__float_as_uint", "treadle_as_uint"},
    {"__float_as_int", "treadle_as_int"},
    {"__uint_as_float", "treadle_as_float"},
    {"__int_as_float", "treadle_as_float"},
    {"__double_as_longlong", "treadle_as_uint64"},
    {"__longlong_as_double", "treadle_as_double"},
    {"__half2float", "treadle_half_to_float"},
    {"__float2half", "treadle_float_to_half"},
    {"CUDART_INF_F", "TREADLE_INFINITY"},
    {"CUDART_NAN_F", "TREADLE_NAN"},
};

/// Words with a dimension: threadIdx.x becomes treadle_local_id(0).
constexpr Pair index_words[] = {{"threadIdx", "treadle_local_id"},
                                {"blockIdx", "treadle_group_id"},
                                {"blockDim", "treadle_local_size"},
                                {"gridDim", "treadle_group_count"}};

/// C functions that OpenCL C has without the f, for every type.
constexpr std::string_view float_functions[] = {
    "acos",     "acosh", "asin",  "asinh", "atan",  "atan2", "atanh", "cbrt",  "ceil",
    "copysign", "cos",   "cosh",  "erf",   "erfc",  "exp",   "exp10", "exp2",  "expm1",
    "fabs",     "fdim",  "floor", "fma",   "fmax",  "fmin",  "fmod",  "hypot", "lgamma",
    "log",      "log10", "log1p", "log2",  "pow",   "rint",  "round", "rsqrt", "sin",
    "sinh",     "sqrt",  "tan",   "tanh",  "trunc", "tgamma"};

/// CUDA words without a replacement whose names do not begin with one of cuda_prefixes.
constexpr std::string_view lacking_words[] = {"template",
                                              "typename",
                                              "class",
                                              "namespace",
                                              "using",
                                              "operator",
                                              "auto",
                                              "constexpr",
                                              "nullptr",
                                              "static_cast",
                                              "const_cast",
                                              "reinterpret_cast",
                                              "decltype",
                                              "new",
                                              "delete",
                                              "this",
                                              "virtual",
                                              "public",
                                              "private",
                                              "try",
                                              "catch",
                                              "throw",
                                              "alignas",
                                              "static_assert",
                                              "dim3",
                                              "clock",
                                              "clock64",
                                              "asm",
                                              "malloc",
                                              "free",
                                              "memcpy",
                                              "memset",
                                              "assert",
                                              "texture",
                                              "surface",
                                              "half",
                                              "half2",
                                              "std",
                                              "sincosf",
                                              "sincos",
                                              "cooperative_groups"};

/// Prefixes of CUDA's names. Words listed above are exceptions.
constexpr std::string_view cuda_prefixes[] = {
    "__",     "atomic", "cuda",   "curand",      "tex1D", "tex2D",  "tex3D", "texCubemap",
    "surf1D", "surf2D", "surf3D", "surfCubemap", "make_", "cublas", "cufft"};

/// A name's replacement; no value: the name is not a word of CUDA.
struct Verdict {
  bool is_of_cuda = false;
  std::string replacement = {};
};

/// The replacement of make_float4 and similar functions.
std::string vector_word(std::string_view type) {
  for (const std::string_view known :
       {"float2", "float3", "float4", "double2", "double3", "double4", "int2", "int3", "int4",
        "uint2", "uint3", "uint4"})
    if (type == known) return "treadle_make_" + std::string(type);
  if (type.ends_with("3") || type.ends_with("1")) return {};
  return "treadle_make_vector(" + std::string(type) + ")";
}

Verdict judge(std::string_view word) {
  for (const auto& [cuda, ours] : replaced_words)
    if (word == cuda) return {true, std::string(ours)};
  for (const auto& [cuda, ours] : index_words)
    if (word == cuda) return {true, std::string(ours)};
  if (word.starts_with("make_")) return {true, vector_word(word.substr(5))};
  if (word.ends_with('f') && std::ranges::find(float_functions, word.substr(0, word.size() - 1)) !=
                                 std::end(float_functions))
    return {true, std::string(word.substr(0, word.size() - 1))};
  if (std::ranges::find(lacking_words, word) != std::end(lacking_words)) return {true};
  constexpr std::string_view of_c[] = {
      "__LINE__",      "__FILE__",           "__DATE__",
      "__TIME__",      "__CUDACC__",         "__CUDA_ARCH__",
      "__attribute__", "__OPENCL_VERSION__", "__OPENCL_C_VERSION__"};
  if (std::ranges::find(of_c, word) != std::end(of_c)) return {};
  return {
      std::ranges::any_of(cuda_prefixes, [&](auto prefix) { return word.starts_with(prefix); })};
}

/// The declared type of a name, which decides about atomics; `other` includes int and unsigned int.
enum class Element { other, single, real, wide };

/// Maps `float *x, double y[4], z[2]` to {x: single, y: real, z: real}. If a text declares a name
/// several times with different types, only the last declaration counts.
class Declarations {
 public:
  explicit Declarations(std::string_view text) : text_(text) {
    while (at_ < text_.size()) {
      if (!is_word_start(text_[at_])) {
        ++at_;
        continue;
      }
      const std::string_view word = take_word();
      if (const Element element = element_of(word); element != Element::other)
        read_names(element);
      else if (is_plain_type(word))
        read_names(Element::other);
    }
  }
  Element of(std::string_view name) const {
    const auto found = elements_.find(name);
    return found == elements_.end() ? Element::other : found->second;
  }

 private:
  Element element_of(std::string_view word) {
    if (word == "float") return Element::single;
    if (word == "double") return Element::real;
    for (const std::string_view wide : {"int64_t", "uint64_t", "size_t", "treadle_int64",
                                        "treadle_uint64", "longlong", "ulonglong"})
      if (word == wide) return Element::wide;
    return word == "long" && next_word() == "long" ? Element::wide : Element::other;
  }
  static bool is_plain_type(std::string_view word) {
    return word == "int" || word == "unsigned" || word == "uint" || word == "char" ||
           word == "short";
  }

  std::string_view take_word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  std::string_view next_word() {
    const std::size_t before = at_;
    skip_to_name();
    const std::string_view word = take_word();
    at_ = before;
    return word;
  }
  void skip_to_name() {
    while (at_ < text_.size() && (text_[at_] == '*' || is_blank(text_[at_]))) ++at_;
  }

  // Reads what follows a type: the rest of the type, qualifiers, a name, and further names after
  // commas.
  void read_names(Element element) {
    for (;;) {
      const std::string_view word = next_word();
      if (word.empty()) return;
      if (const Element more = element_of(word); more != Element::other && word != "long") return;
      skip_to_name();
      take_word();
      if (word == "const" || word == "volatile" || word.starts_with("__restrict")) continue;
      if (word == "long" || is_plain_type(word)) {  // as in unsigned long long int
        if (word == "long" && next_word() == "long") element = Element::wide;
        continue;
      }
      elements_.insert_or_assign(std::string(word), element);
      if (!skip_to_next()) return;
    }
  }
  // Skips `[4]` and a comma, unless a type follows the comma, as between parameters.
  bool skip_to_next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '[')) {
      if (text_[at_] == '[') at_ = std::min(text_.find(']', at_), text_.size() - 1);
      ++at_;
    }
    if (at_ >= text_.size() || text_[at_] != ',') return false;
    ++at_;
    const std::size_t before = at_;
    skip_to_name();
    take_word();
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const bool is_name = at_ < text_.size() && (text_[at_] == ',' || text_[at_] == ';' ||
                                                text_[at_] == '[' || text_[at_] == '=');
    at_ = before;
    return is_name;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::map<std::string, Element, std::less<>> elements_;
};

/// Reads a text without comments and remembers the line.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), declarations_(text) {}

  std::vector<CudaWord> read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
        seen_.clear();
      } else if (c == '"' || c == '\'') {
        skip_literal(c);
      } else if (c == '#') {
        read_directive();
      } else if (is_word_start(c)) {
        read_word();
      } else if (is_digit(c)) {
        while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) ++at_;
      } else if (text_.substr(at_).starts_with("<<<")) {
        add("<<<", "");
        at_ += 3;
      } else {
        ++at_;
      }
    }
    std::erase_if(found_, [&](const CudaWord& word) { return defined_.contains(word.word); });
    return std::move(found_);
  }

 private:
  void add(std::string_view word, std::string replacement) {
    if (seen_.emplace(word).second)
      found_.push_back({line_, std::string(word), std::move(replacement)});
  }

  void skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view take_word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  // Reads a directive: names of files, and names that it defines.
  void read_directive() {
    const std::size_t start = at_++;
    skip_blanks();
    const std::string_view directive = take_word();
    skip_blanks();
    if (directive == "define") {
      defined_.emplace(take_word());
    } else if (directive == "include") {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(start, end - start);
      while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
      if (line.find("treadle/dialect.h") == std::string_view::npos) add(line, "");
      at_ = end;
    }
  }

  void read_word() {
    const bool is_member =
        at_ > 0 && (text_[at_ - 1] == '.' || text_.substr(0, at_).ends_with("->"));
    const std::string_view word = take_word();
    if (is_member) return;
    if (word == "long" && follows("long")) return add("long long", "treadle_int64");
    if (word == "extern" && follows("__shared__"))  // the launch decides the array's length
      return add("extern __shared__", "TREADLE_LAUNCH_LOCAL");
    Verdict verdict = judge(word);
    if (!verdict.is_of_cuda) return;
    if (word.starts_with("atomic") && !verdict.replacement.empty())
      return add_atomic(word, std::move(verdict.replacement));
    for (const auto& [cuda, ours] : index_words) {
      if (word != cuda || at_ + 1 >= text_.size() || text_[at_] != '.') continue;
      const std::size_t dimension = std::string_view("xyz").find(text_[at_ + 1]);
      if (dimension == std::string_view::npos) break;
      at_ += 2;
      return add(std::string(word) + '.' + "xyz"[dimension],
                 std::string(ours) + "(" + std::to_string(dimension) + ")");
    }
    add(word, std::move(verdict.replacement));
  }

  bool follows(std::string_view wanted) {
    const std::size_t before = at_;
    skip_blanks();
    if (take_word() == wanted) return true;
    at_ = before;
    return false;
  }

  // The type of the pointer decides: for float and double the dialect has functions that add and
  // compare, for float also a function that exchanges.
  void add_atomic(std::string_view word, std::string replacement) {
    const Element element = element_of_argument();
    if (element == Element::other) return add(word, std::move(replacement));
    std::string name(word);
    if (element == Element::wide) return add(name + "(64 bits)", replacement + "_int64");
    const std::string_view type = element == Element::single ? "float" : "double";
    if (word == "atomicAdd" || word == "atomicMin" || word == "atomicMax")
      replacement.append("_").append(type);
    else if (word != "atomicExch" || element != Element::single)
      replacement.clear();
    add(name.append("(").append(type).append("*)"), std::move(replacement));
  }
  // The type of the first argument: `&x[i]`, `x + i`, `(unsigned long long *) x`.
  Element element_of_argument() const {
    const std::size_t end = std::min(text_.find_first_of(",;\n", at_), text_.size());
    std::string_view argument = text_.substr(at_, end - at_);
    while (!argument.empty()) {
      if (!is_word_start(argument.front())) {
        argument.remove_prefix(1);
        continue;
      }
      std::size_t length = 0;
      while (length < argument.size() && is_word(argument[length])) ++length;
      const std::string_view word = argument.substr(0, length);
      argument.remove_prefix(length);
      if (word == "long") return Element::wide;
      if (word == "double") return Element::real;
      if (word == "float") return Element::single;
      if (word == "unsigned" || word == "volatile") continue;
      if (word == "int" || word == "uint") return Element::other;
      return declarations_.of(word);
    }
    return Element::other;
  }

  std::string_view text_;
  Declarations declarations_;
  std::size_t at_ = 0;
  unsigned line_ = 1;
  std::vector<CudaWord> found_;
  std::set<std::string, std::less<>> seen_;     ///< words reported for this line
  std::set<std::string, std::less<>> defined_;  ///< names that the text itself defines
};

}  // namespace

std::vector<CudaWord> cuda_words(std::string_view text) {
  const std::string plain = without_comments(text);
  return Reader(plain).read();
}

}  // namespace treadle::codegen
