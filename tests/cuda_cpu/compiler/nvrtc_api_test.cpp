// SPDX-License-Identifier: MIT
// The NVRTC interface of libtreadle_clang: programs, options, diagnostics, names, headers,
// robustness.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "cuda_cpu/compiler/nvrtc_program.hpp"

namespace treadle::cuda_cpu::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* saxpy = R"(
extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
})";

std::string kernel(const std::string& body) {
  return "extern \"C\" __global__ void k(float* a, int* b, int n) {\n" + body + "\n}\n";
}

TEST(NvrtcApi, says_version_13) {
  int major = 0, minor = -1;
  EXPECT_EQ(nvrtc().nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
  EXPECT_EQ(major, 13);
  EXPECT_EQ(minor, 0);
}

TEST(NvrtcApi, names_its_error_codes) {
  EXPECT_STREQ(nvrtc().nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION");
}

TEST(NvrtcApi, compiles_to_a_module_image) {
  const CompileOutput output = compile({.source = saxpy});
  EXPECT_EQ(output.result, NVRTC_SUCCESS) << output.log;
  EXPECT_EQ(output.log, "");
  EXPECT_EQ(output.image.substr(0, 8), "TRDLCPU1");
}

TEST(NvrtcApi, the_same_source_gives_the_same_bytes) {
  EXPECT_EQ(compile({.source = saxpy}).image, compile({.source = saxpy}).image);
}

TEST(NvrtcApi, an_error_carries_the_users_line_and_column) {
  const CompileOutput output = compile(
      {.source = "// one\nextern \"C\" __global__ void k(float* a)\n{\n  int x = wrong;\n}\n"});
  EXPECT_EQ(output.result, NVRTC_ERROR_COMPILATION);
  EXPECT_THAT(output.log, HasSubstr("kernel.cu:4:11: error: "));
  EXPECT_THAT(output.log, HasSubstr("int x = wrong;"));  // the line itself, and a caret
  EXPECT_THAT(output.log, HasSubstr("^"));
  EXPECT_THAT(output.log, Not(HasSubstr("\033")));
}

TEST(NvrtcApi, a_line_directive_counts_as_the_users_line) {
  const CompileOutput output = compile(
      {.source =
           "extern \"C\" {\n#line 1 \"mine.cu\"\n__global__ void k(int* a) { a[0] = zz; }\n}\n"});
  EXPECT_THAT(output.log, HasSubstr("mine.cu:1:36: error: "));
}

TEST(NvrtcApi, a_warning_is_in_the_log_of_a_success) {
  const std::string source = kernel("a[0] = 1 / 0;");
  EXPECT_THAT(compile({.source = source}).log, HasSubstr("kernel.cu:2:10: warning: "));
  EXPECT_EQ(compile({.source = source, .options = {"-w"}}).log, "");
}

TEST(NvrtcApi, finds_headers_that_came_with_the_program) {
  CompileInput input{.source =
                         "#include \"my/f.h\"\n#include <o.h>\n" + kernel("a[0] = F(1) + O;")};
  input.headers = {{"my/f.h", "#define F(x) ((x) + 1)\n"}, {"o.h", "#define O 3\n"}};
  EXPECT_EQ(compile(input).result, NVRTC_SUCCESS);
}

TEST(NvrtcApi, an_error_in_such_a_header_names_it) {
  CompileInput input{.source = "#include \"my/f.h\"\n"};
  input.headers = {{"my/f.h", "__device__ int f() {\n  return wrong;\n}\n"}};
  EXPECT_THAT(compile(input).log, HasSubstr("\nmy/f.h:2:10: error: "));
}

TEST(NvrtcApi, lowers_name_expressions) {
  const CompileOutput output = compile({
      .source = "template <class T, int N> __global__ void scale(T* a) { a[0] *= N; }\n"
                "namespace space { __constant__ int table[4]; __device__ float value;\n"
                "__global__ void plain(int* p) { p[0] = table[0]; } }\n",
      .name_expressions = {"scale<float, 4>", "scale<double, (2 > 1)>", "space::plain",
                           "&space::table", "space::value"},
  });
  ASSERT_EQ(output.result, NVRTC_SUCCESS) << output.log;
  const std::map<std::string, std::string> expected = {
      {"scale<float, 4>", "_Z5scaleIfLi4EEvPT_"},
      {"scale<double, (2 > 1)>", "_Z5scaleIdLi1EEvPT_"},
      {"space::plain", "_ZN5space5plainEPi"},
      {"&space::table", "_ZN5space5tableE"},
      {"space::value", "_ZN5space5valueE"}};
  EXPECT_EQ(output.lowered_names, expected);
}

TEST(NvrtcApi, a_wrong_name_expression_is_named_in_the_log) {
  const CompileOutput output = compile({.source = saxpy, .name_expressions = {"nothing<int>"}});
  EXPECT_EQ(output.result, NVRTC_ERROR_COMPILATION);
  EXPECT_THAT(output.log, HasSubstr("name expression nothing<int>"));
}

TEST(NvrtcApi, takes_nvrtc_spellings_of_options) {
  const CompileOutput output = compile({
      .source = kernel("static_assert(__cplusplus == 202002L, \"\"); a[0] = N + M + sinf(a[1]);"),
      .options = {"--std=c++20", "-DN=3", "--define-macro=M=4", "-I", "/tmp", "-I/tmp",
                  "--use_fast_math", "--gpu-architecture=cpu", "-Xptxas", "-v", "-maxrregcount=32",
                  "-lineinfo", "--fmad=false", "--restrict"},
  });
  EXPECT_EQ(output.result, NVRTC_SUCCESS) << output.log;
}

TEST(NvrtcApi, refuses_an_unknown_option_by_name) {
  const CompileOutput output = compile({.source = saxpy, .options = {"--frobnicate"}});
  EXPECT_EQ(output.result, NVRTC_ERROR_INVALID_OPTION);
  EXPECT_THAT(output.log, HasSubstr("'--frobnicate'"));
}

TEST(NvrtcApi, every_standard_and_mode_has_its_prelude) {
  for (const char* standard : {"-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"}) {
    for (const char* mode : {"--fmad=true", "--fmad=false", "--use_fast_math", "-G"}) {
      const CompileOutput output = compile({.source = saxpy, .options = {standard, mode}});
      EXPECT_EQ(output.result, NVRTC_SUCCESS) << standard << ' ' << mode << ": " << output.log;
    }
  }
}

/// Texts that name <cuda_fp16.h> get a prelude that has it; what they may find out must be as ever.
TEST(NvrtcApi, headers_of_small_floats_are_as_if_they_were_read_where_they_are_included) {
  const auto log = [](const std::string& text, std::vector<std::string> options = {}) {
    const CompileOutput output = compile({.source = text, .options = std::move(options)});
    return (output.result == NVRTC_SUCCESS ? "compiled\n" : "refused\n") + output.log;
  };
  const std::string uses = "__global__ void k(half* a) { a[0] = a[1] + a[2]; }\n";
  EXPECT_EQ(log("  # include <cuda_fp16.h>\n" + uses), "compiled\n");
  EXPECT_EQ(log("#include \"cuda_bf16.h\"\n" + uses, {"--use_fast_math"}), "compiled\n");
  EXPECT_EQ(log("#include <cuda_bf16.h>\n" + uses, {"-std=c++11"}), "compiled\n");
  // None of these includes it.
  const std::string own = "struct half { int x; };\n";
  EXPECT_EQ(log("// #include <cuda_fp16.h>\n" + own), "compiled\n");
  EXPECT_EQ(log("#if 0\n#include <cuda_fp16.h>\n#endif\n" + own), "compiled\n");
  EXPECT_EQ(log("/*\n#include <cuda_bf16.h>\n*/\n" + own), "compiled\n");
  EXPECT_THAT(log("#if 0\n#include <cuda_fp16.h>\n#endif\n" + own + own),
              HasSubstr("kernel.cu:5:8: error: redefinition of 'half'"));
  // Macros that change what it declares.
  const std::string plus = "__device__ half operator+(half a, half) { return a; }\n";
  EXPECT_EQ(log("#define __CUDA_NO_HALF_OPERATORS__\n#include <cuda_fp16.h>\n" + plus + uses),
            "compiled\n");
  EXPECT_EQ(log("#include <cuda_fp16.h>\n" + plus + uses, {"-D__CUDA_NO_HALF_OPERATORS__"}),
            "compiled\n");
  // <cuda_fp16.h> alone does not declare what <cuda_bf16.h> does.
  EXPECT_EQ(log("#include <cuda_fp16.h>\nstruct nv_bfloat16 {};\n" + uses), "compiled\n");
}

TEST(NvrtcApi, a_programs_own_header_comes_before_ours) {
  CompileInput input{
      .source = "#include <cuda_fp16.h>\n__global__ void k(half a, int* b) { *b = a.mine; }\n"};
  input.headers = {{"cuda_fp16.h", "struct half { int mine; };\n"}};
  const CompileOutput output = compile(input);
  EXPECT_EQ(output.result, NVRTC_SUCCESS) << output.log;
}

TEST(NvrtcApi, NDEBUG_turns_assert_off) {
  EXPECT_EQ(compile({.source = kernel("assert(wrong);"), .options = {"-DNDEBUG"}}).result,
            NVRTC_SUCCESS);
}

TEST(NvrtcApi, what_the_device_lacks_is_named_with_its_place) {
  const auto log = [](const std::string& body) { return compile({.source = kernel(body)}).log; };
  EXPECT_THAT(log("int x;\nasm(\"getctarank.u32 %0, 0;\" : \"=r\"(x)); b[0] = x;"),
              HasSubstr("kernel.cu:3:5: error: inline PTX cannot run on the CPU device"));
  EXPECT_THAT(compile({.source = "texture<float, 2> t;\n"}).log,
              HasSubstr("kernel.cu:1:1: error: no template named 'texture'"));
  EXPECT_THAT(compile({.source = "#include <cub/cub.cuh>\n"}).log,
              HasSubstr("kernel.cu:1:10: fatal error: 'cub/cub.cuh' file not found"));
  EXPECT_THAT(
      compile({.source = "__global__ void c() {}\n__global__ void k() {\n  c<<<1, 1>>>();\n}"}).log,
      HasSubstr("kernel.cu:3:3: error: "));
}

TEST(NvrtcApi, clusters_are_refused_at_their_line) {
  const auto compiled = [](const std::string& size) {
    const CompileOutput output =
        compile({.source = "template <int n> __global__ void\n" + size +
                           " k(int* o) { *o = n; }\ntemplate __global__ void k<2>(int*);\n"});
    return output.result == NVRTC_SUCCESS ? "compiled" : output.log;
  };
  for (const char* const size :
       {"__cluster_dims__(2, 1, 1)", "__cluster_dims__(n)", "__block_size__((32), (1, n))"})
    EXPECT_THAT(compiled(size), HasSubstr("kernel.cu:2:1: error: clusters of blocks cannot run on "
                                          "the CPU device, which has capability 7.0: kernel 'k'"))
        << size;
  for (const char* const size : {"__cluster_dims__(1, 1, 1)", "__cluster_dims__(n - 1)",
                                 "__block_size__((32, 1, 1))", "__block_size__((32), (1, 1))"})
    EXPECT_EQ(compiled(size), "compiled") << size;
}

TEST(NvrtcApi, passes_are_named_by_options) {
  const auto with = [](const std::string& option) {
    return compile({.source = saxpy, .options = {option}});
  };
  const CompileOutput plain = with("--treadle-disable=");
  const CompileOutput without = with("--treadle-disable=index-set-splitting,block-rows");
  EXPECT_EQ(without.result, NVRTC_SUCCESS) << without.log;
  EXPECT_NE(without.image, plain.image);
  const CompileOutput printed = with("--treadle-print-after=kernel-bodies");
  EXPECT_EQ(printed.result, NVRTC_SUCCESS);
  EXPECT_THAT(printed.log, HasSubstr("; kernel-bodies\n"));
  EXPECT_THAT(printed.log, HasSubstr("define internal void @body."));
  EXPECT_EQ(printed.image, plain.image) << "printing changes nothing";

  const CompileOutput debugged =
      compile({.source = saxpy, .options = {"-G", "--treadle-print-after=block-rows"}});
  EXPECT_THAT(debugged.log, HasSubstr("; block-rows, which is off")) << "only speed";

  for (const auto& [option, says] :
       {std::pair("--treadle-disable=block-row",
                  "there is no pass 'block-row'; near names: block-rows"),
        {"--treadle-disable=block-rows,xyz", "there is no pass 'xyz'; passes: "},
        {"--treadle-disable=optimize", "the pass 'optimize' is required; those that are not: "},
        {"--treadle-print-after=optimise", "near names: optimize"}}) {
    const CompileOutput refused = with(option);
    EXPECT_EQ(refused.result, NVRTC_ERROR_INVALID_OPTION) << option;
    EXPECT_THAT(refused.log, HasSubstr(says));
  }
}

TEST(NvrtcApi, assembly_without_text_is_a_barrier_to_the_compiler_only) {
  EXPECT_EQ(compile({.source = kernel("asm volatile(\"\" ::: \"memory\");")}).result,
            NVRTC_SUCCESS);
}

TEST(NvrtcApi, a_sum_of_100000_terms_compiles) {
  std::string sum = "n";
  for (int i = 1; i < 100000; ++i) sum += " + n";
  const CompileOutput output = compile({.source = kernel("b[0] = " + sum + ";")});
  EXPECT_EQ(output.result, NVRTC_SUCCESS) << output.log.substr(0, 1000);
}

TEST(NvrtcApi, what_overwhelms_the_compiler_is_an_error_and_no_signal_handler_stays) {
  struct sigaction before{}, after{};
  sigaction(SIGSEGV, nullptr, &before);
  const std::string depth(3000000, '!');
  const CompileOutput output = compile({.source = kernel("b[0] = " + depth + "n;")});
  EXPECT_EQ(output.result, NVRTC_ERROR_COMPILATION);
  EXPECT_THAT(output.log, HasSubstr("kernel.cu: error: the compiler could not finish"));
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  EXPECT_EQ(compile({.source = saxpy}).result, NVRTC_SUCCESS);
}

TEST(NvrtcApi, two_threads_compile_different_programs) {
  std::vector<CompileOutput> outputs(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([t, &outputs] {
      for (int i = t; i < 8; i += 2) {
        const std::string number = std::to_string(i % 4);
        outputs.at(static_cast<std::size_t>(i)) =
            compile({.source = kernel("b[n] = " + number + ";")});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(outputs[i].result, NVRTC_SUCCESS) << outputs[i].log;
    EXPECT_EQ(outputs[i].image, outputs[i + 4].image);
  }
  EXPECT_NE(outputs[0].image, outputs[1].image);
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
