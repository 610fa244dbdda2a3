// SPDX-License-Identifier: MIT
#include "treadle/codegen/dialect.hpp"

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect_header.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

// `long` has 64 bits in both languages on the systems we run on; CUDA C has other systems, where
// it has 32, so `long long` is what we write.
constexpr TypeName cuda_names[] = {
    {"bool", Scalar::boolean},
    {"signed char", Scalar::int8},
    {"char", Scalar::int8},
    {"int8_t", Scalar::int8},
    {"unsigned char", Scalar::uint8},
    {"uchar", Scalar::uint8},
    {"uint8_t", Scalar::uint8},
    {"short", Scalar::int16},
    {"int16_t", Scalar::int16},
    {"unsigned short", Scalar::uint16},
    {"ushort", Scalar::uint16},
    {"uint16_t", Scalar::uint16},
    {"int", Scalar::int32},
    {"int32_t", Scalar::int32},
    {"unsigned int", Scalar::uint32},
    {"uint", Scalar::uint32},
    {"uint32_t", Scalar::uint32},
    {"long long", Scalar::int64},
    {"long", Scalar::int64},
    {"int64_t", Scalar::int64},
    {"ptrdiff_t", Scalar::int64},
    {"unsigned long long", Scalar::uint64},
    {"unsigned long", Scalar::uint64},
    {"ulong", Scalar::uint64},
    {"uint64_t", Scalar::uint64},
    {"size_t", Scalar::uint64},
    {"__half", Scalar::float16},
    {"half", Scalar::float16},
    {"float", Scalar::float32},
    {"double", Scalar::float64},
};

// No bool and no size_t: OpenCL C forbids them as kernel arguments.
constexpr TypeName opencl_names[] = {
    {"char", Scalar::int8},
    {"signed char", Scalar::int8},
    {"uchar", Scalar::uint8},
    {"unsigned char", Scalar::uint8},
    {"short", Scalar::int16},
    {"ushort", Scalar::uint16},
    {"unsigned short", Scalar::uint16},
    {"int", Scalar::int32},
    {"uint", Scalar::uint32},
    {"unsigned int", Scalar::uint32},
    {"long", Scalar::int64},
    {"ulong", Scalar::uint64},
    {"unsigned long", Scalar::uint64},
    {"half", Scalar::float16},
    {"float", Scalar::float32},
    {"double", Scalar::float64},
};

constexpr TypeName cuda_vector_names[] = {
    {"char", Scalar::int8},      {"uchar", Scalar::uint8},      {"short", Scalar::int16},
    {"ushort", Scalar::uint16},  {"int", Scalar::int32},        {"uint", Scalar::uint32},
    {"longlong", Scalar::int64}, {"ulonglong", Scalar::uint64}, {"float", Scalar::float32},
    {"double", Scalar::float64},
};

std::string before_a_word(std::string text) { return text.empty() ? text : text + " "; }

Dialect read(Language language) {
  const std::string_view header = dialect_header(language);
  const std::vector<Word> words = read_words(header);
  const auto of = [&](std::string_view name) {
    const Word* word = find_word(words, name);
    if (word != nullptr) return word->text;
    throw InvalidState("treadle/dialect.h does not define " + std::string(name) + " for " +
                           std::string(language_name(language)),
                       "define it there, in a line");
  };
  const bool cuda = language == Language::cuda_c;
  return {
      .kernel = of("TREADLE_KERNEL"),
      .function = of("TREADLE_FUNCTION"),
      .global = before_a_word(of("TREADLE_GLOBAL")),
      .local = of("TREADLE_LOCAL"),
      .restrict = of("TREADLE_RESTRICT"),
      .barrier = of("treadle_barrier"),
      .fence = of("treadle_fence"),
      .group_id = cuda ? "blockIdx.x" : "(uint)get_group_id(0)",
      .local_id = cuda ? "threadIdx.x" : "(uint)get_local_id(0)",
      .group_count = cuda ? "gridDim.x" : "(uint)get_num_groups(0)",
      .local_size = cuda ? "blockDim.x" : "(uint)get_local_size(0)",
      .shuffle_down = cuda ? "__shfl_down_sync(0xffffffffu, {0}, {1})" : "",
      .atomic_add = cuda ? "atomicAdd" : "atomic_add",
      .high_product = cuda ? "__umulhi" : "mul_hi",
      .group_size =
          cuda ? "__launch_bounds__({0})" : "__attribute__((reqd_work_group_size({0}, 1, 1)))",
      .aligned = cuda ? "__align__({0})" : "__attribute__((aligned({0})))",
      .has_addresses = cuda,
      .type_names =
          cuda ? std::span<const TypeName>(cuda_names) : std::span<const TypeName>(opencl_names),
      .vector_names = cuda ? std::span<const TypeName>(cuda_vector_names)
                           : std::span<const TypeName>(opencl_names),
      .words = words,
      .header = header,
      .exact_preamble = cuda ? "" : "#pragma OPENCL FP_CONTRACT OFF\n",
      .exact_flags = cuda ? std::vector<std::string>{"--fmad=false"} : std::vector<std::string>{},
      .exact_division_flag = cuda ? "" : "-cl-fp32-correctly-rounded-divide-sqrt",
      .brings_math = !cuda};
}

}  // namespace

const Dialect& dialect_of(Language language) {
  static const auto* const cuda = new Dialect(read(Language::cuda_c));
  static const auto* const opencl = new Dialect(read(Language::opencl_c));
  return language == Language::cuda_c ? *cuda : *opencl;
}

std::string expand_words(std::string_view text, const Dialect& dialect) {
  return expand_words(text, dialect.words);
}

}  // namespace treadle::codegen
