// SPDX-License-Identifier: MIT
#include "compile/host_code.hpp"

#include <gtest/gtest.h>

#include "scratch.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {
namespace {

/// What is left of a text whose compile has an error at each of `lines`, without blank ends.
std::string left(const std::string& text, const std::vector<int>& lines) {
  // The device code that a text must have, in its last line.
  HostCode host(text + "\n__device__ int z;", "a.cu");
  std::string log;
  for (const int line : lines) log += "a.cu(" + std::to_string(line) + "): error: no\n";
  host.leave_out(log);
  std::string result = host.text();
  EXPECT_EQ(result.size(), text.size() + 18);
  result.resize(text.size());
  for (std::size_t at; (at = result.find(" \n")) != std::string::npos;) result.erase(at, 1);
  result.resize(result.find_last_not_of(" \n") + 1);
  return result;
}

TEST(HostCode, a_refused_host_function_goes_and_lines_stay) {
  const std::string kernel = "__global__ void k(int* a) { a[0] = 1; }\n";
  EXPECT_EQ(left(kernel + "int main() {\n  no();\n}\n" + kernel, {3}),
            kernel + "\n\n\n" + kernel.substr(0, kernel.size() - 1));
  EXPECT_EQ(left("template <class T = float, int n = (3 > 2)>\nvoid f(T a) { no(); }\nint b;", {2}),
            "\n\nint b;");
  EXPECT_EQ(left("namespace a::b {\nvoid f() { no(); }\nint c;\n}", {2}),
            "namespace a::b {\n\nint c;\n}");
  EXPECT_EQ(left("extern \"C\" {\nvoid f() { no(); }\n}", {2}), "extern \"C\" {\n\n}");
}

TEST(HostCode, of_a_line_the_place_goes_that_has_the_error) {
  const std::string text = "typedef no (*F)(int*); struct S { int a; }; __device__ int z;\n";
  const std::string rest = " struct S { int a; }; __device__ int z;\n";
  const std::string blank(22, ' ');
  HostCode clang(text, "a.cu");
  EXPECT_TRUE(clang.leave_out("a.cu:1:9: error: no\n"));
  EXPECT_EQ(clang.text(), blank + rest);
  HostCode nvrtc(text, "a.cu");
  EXPECT_TRUE(nvrtc.leave_out("a.cu(1): error: no\n  " + text + "          ^\n"));
  EXPECT_EQ(nvrtc.text(), blank + rest);
  // In the device code: nothing of the host is to blame.
  HostCode device(text, "a.cu");
  EXPECT_FALSE(device.leave_out("a.cu:1:45: error: no\n"));
  EXPECT_EQ(device.text(), text);
}

TEST(HostCode, of_a_class_functions_go_and_else_the_whole) {
  const std::string text =
      "struct A {\n  T* data;\n  A(int n) : data{}, size(n) {\n    no();\n  }\n"
      "  __device__ int get() { return 1; }\n  void b() { no(); }\n};\nint after;";
  EXPECT_EQ(left(text, {4, 7}),
            "struct A {\n  T* data;\n\n\n\n  __device__ int get() { return 1; }\n\n};\nint after;");
  // Data decide where the others lie: what device code may use is not made smaller.
  EXPECT_EQ(left(text, {2}), text);
  EXPECT_EQ(left("struct H {\n  no x;\n  void f() {}\n};\nint after;", {2}), "\n\n\n\nint after;");
}

TEST(HostCode, what_has_a_word_of_the_device_stays) {
  for (const std::string text :
       {"__global__ void k() {\n  no();\n}", "__device__ int a[] = {1,\n no};",
        "template <class T>\n__device__ T f() { no(); }",
        "#define KERNEL(t) __global__ void k_##t() { no(); }\nKERNEL(int)",
        "#define K __global__\n#define L K\nL void k() { no(); }", "FROM_A_HEADER(\n  float);",
        "struct S {\n  no x;\n  __device__ int f();\n};"})
    EXPECT_EQ(left(text, {2}), text);
}

/// A text after __constant__ was put where nvcc puts it silently.
std::string marked(const std::string& text) {
  HostCode host(text, "a.cu");
  host.mark_references();
  return host.text();
}

TEST(HostCode, declarations_of_references_are_marked) {
  EXPECT_EQ(marked("texture<float, 2> a, b;"), "__constant__ texture<float, 2> a, b;");
  EXPECT_EQ(marked("int x;\nextern \"C\" {\nstatic surface<void, 2> s;\n}"),
            "int x;\nextern \"C\" {\n__constant__ static surface<void, 2> s;\n}");
  EXPECT_EQ(marked("namespace n { texture<A<B<int>>, 1> a(1, linear, wrap); }"),
            "namespace n { __constant__ texture<A<B<int>>, 1> a(1, linear, wrap); }");
  for (const std::string text :
       {"__constant__ texture<float> a;", "typedef texture<float> T;", "using T = texture<float>;",
        "__device__ texture<float>& f();", "texture<float>& f();",
        "struct S { texture<float> a; };",
        "template <class T> void f(texture<T> a) { texture<T>& b = a; }", "int texture = 1 < 2;",
        "// texture<float> a;\n", "const char* s = \"texture<float> a;\";"})
    EXPECT_EQ(marked(text), text);
}

TEST(HostCode, strings_comments_and_branches_do_not_mislead) {
  EXPECT_EQ(
      left("void f() { no(\"} \\\" {\", '{', R\"x(}\")x\", 1'000); /* } */\n// }\n}\nint a;", {1}),
      "\n\n\nint a;");
  EXPECT_EQ(left("#ifdef A\nvoid f()\n#else\nvoid g()\n#endif\n{ no(); }\nint a;", {6}),
            "#ifdef A\n\n#else\n\n#endif\n\nint a;");
  EXPECT_EQ(left("void f() {\n# pragma unroll\n  no();\n}\nint a;", {3}), "\n\n\n\nint a;");
  EXPECT_EQ(left("#line 7 \"a.cu\"\nvoid f() { no(); }\nint a;", {7}),
            "#line 7 \"a.cu\"\n\nint a;");
  for (const std::string text : {"", "{", "}", "((", "struct", "void f() {", "\"", "R\"(", "#",
                                 "/*", "template <", "namespace", "= {", "extern \"C\""})
    EXPECT_NO_THROW(left(text, {1})) << text;
}

TEST(HostCode, a_text_without_device_code_stays) {
  HostCode host("int main() { no(); }", "a.cu");
  EXPECT_FALSE(host.leave_out("a.cu(1): error: no\n"));
}

TEST(HostCode, a_header_that_is_missing_goes_if_it_is_nobodys_own) {
  EXPECT_EQ(left("#include <no>\nint a;", {1}), "\nint a;");
  EXPECT_EQ(left("#include \"mine.h\"\nint a;", {1}), "#include \"mine.h\"\nint a;");
  HostCode host(
      "#include <cublas_v2.h>\n#include <thrust/sort.h>\n#include <cuda_fp16.h>\n__device__ int z;",
      "a.cu");
  EXPECT_TRUE(
      host.leave_out("/x/cublas_api.h(12): error: no\n/y/thrust/detail/a.h(1): error: no\n"));
  EXPECT_FALSE(host.leave_out("/x/cublas_api.h(12): error: no\n"));
  EXPECT_EQ(host.text().find_first_not_of(" \n"), host.text().find("#include <cuda_fp16.h>"));
  // Of clang's no header: it reads those only that are in folders of the user's.
  EXPECT_FALSE(host.leave_out("/x/cuda_fp16.h:1:2: error: no\n"));
}

TEST(HostCode, a_library_of_the_host_may_bring_another) {
  HostCode host("#include <cusolverDn.h>\n#include <mine.h>\n__device__ int z;", "a.cu");
  EXPECT_FALSE(host.leave_out("/x/other.h(12): error: no\n"));
  EXPECT_TRUE(host.leave_out("/x/cublas_api.h(12): error: no\n"));
  EXPECT_EQ(host.text().find_first_not_of(" \n"), host.text().find("#include <mine.h>"));
}

TEST(HostCode, a_variable_of_a_function_gets_a_name_of_its_own_where_linkages_differ) {
  const std::string text =
      "__device__ void f() { extern __shared__ int s[]; }\n"
      "extern \"C\" __global__ void k() { extern __shared__ int s[]; s[0] = 1; }\n";
  HostCode host(text, "a.cu");
  EXPECT_FALSE(host.mend_linkage("a.cu:2:56: error: no\n"));
  const std::string log =
      "a.cu:2:56: error: declaration of 's' has a different language linkage\n"
      "    2 | " +
      text.substr(text.find('\n') + 1) + "\n";
  EXPECT_TRUE(host.mend_linkage(log));
  EXPECT_NE(host.text().find("int __extern_s[]; auto& s = __extern_s; s[0]"), std::string::npos)
      << host.text();
}

TEST(HostCode, literals_of_structs_lose_their_parentheses) {
  const auto mended = [](const std::string& line) {
    HostCode host(line, "a.cu");
    host.mend_literals("a.cu(1): error: expected an expression\n  " + line + "\n" +
                       std::string(2 + line.find('{', 1), ' ') + "^\n");
    return host.text();
  };
  EXPECT_EQ(mended("s = (S){1};"), "s =  S {1};");
  EXPECT_EQ(mended("f(( struct n::S ) {1});"), "f(         n::S   {1});");
  for (const std::string other :
       {"s = (S[]){1};", "u = (unsigned int){1};", "if (){1}", "){1}", "s = ({1});", "{"})
    EXPECT_EQ(mended(other), other);
}

TEST(HostCode, lambdas_lose_the_spaces_that_nvrtc_refuses) {
  const auto mended = [](const std::string& line) {
    HostCode host(line, "a.cu");
    host.mend_lambdas("a.cu(1): error: __host__ or __device__ annotation on lambda requires x\n");
    return host.text();
  };
  EXPECT_EQ(mended("f([=] __device__ (int i) {});"), "f([=]            (int i) {});");
  EXPECT_EQ(mended("f([x = a[0]] __host__ __device__ {});"),
            "f([x = a[0]]                     {});");
  EXPECT_EQ(mended("#define F [] __device__ {}\n"), "#define F []            {}\n");
  for (const std::string other :
       {"[[nodiscard]] __device__ int f();", "__device__ int a[3];", "]", "// [] __device__"})
    EXPECT_EQ(mended(other), other);
  HostCode host("f([] __device__ {});", "a.cu");
  EXPECT_FALSE(host.mend_lambdas("b.cu(1): error: annotation on lambda requires x\n"));
  EXPECT_FALSE(host.mend_lambdas("a.cu(1): error: another\n"));
}

std::string refusal(const std::string& source, const char* target) {
  try {
    compile_cuda(source, Target::parse(target), {.cache = CacheUse::disabled});
  } catch (const CompileError& error) {
    return error.what();
  }
  return {};
}

void expect_that_device_code_is_told_what_it_misses(const char* target) {
  const std::string message = refusal(
      "struct Particle {\n  missing_type x;\n};\nint main() {\n  return cudaMalloc();\n}\n"
      "__global__ void k(Particle* p) {\n  p->x = 1;\n}\n",
      target);
  EXPECT_NE(message.find("kernel.cu:1: note: Particle was left out as host code: "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("missing_type"), std::string::npos) << message;
  EXPECT_EQ(message.find("cudaMalloc"), std::string::npos) << message;
}

TEST(HostCode, device_code_is_told_what_it_misses) {
  TREADLE_NEEDS_CPU_COMPILER();
  expect_that_device_code_is_told_what_it_misses("cpu");
}

TEST(HostCode, device_code_is_told_what_it_misses_by_nvrtc) {
  TREADLE_NEEDS_NVRTC();
  expect_that_device_code_is_told_what_it_misses("sm_90");
}

TEST(HostCode, a_type_beside_an_error_of_device_code_stays) {
  TREADLE_NEEDS_CPU_COMPILER();
  const std::string message = refusal(
      "typedef void (*F)(int*); __device__ void f(int* a) { __syncthreads(); }\n"
      "__device__ F table[] = {f};\n"
      "__global__ void k(int* a) { table[a[0]](a); }\n",
      "cpu");
  EXPECT_NE(message.find("a barrier or warp operation inside 'f(int*)'"), std::string::npos)
      << message;
  EXPECT_EQ(message.find("'F'"), std::string::npos) << message;
}

void expect_a_warning_where_a_kernel_calls_a_host_function(const char* target) {
  const std::string source =
      "int helper(int a) {\n  return a + 1;\n}\nint unused(int a) { return a; }\n"
      "int main() {\n  return no();\n}\n"
      "extern \"C\" __global__ void k(int* a) {\n  a[0] = helper(1);\n}\n";
  const CompileResult result =
      compile_cuda(source, Target::parse(target), {.cache = CacheUse::disabled});
  EXPECT_EQ(result.log,
            "kernel.cu:1: warning: helper() is a host function to nvcc: it has no __device__");
}

TEST(HostCode, a_kernel_that_calls_a_host_function_is_a_warning) {
  TREADLE_NEEDS_CPU_COMPILER();
  expect_a_warning_where_a_kernel_calls_a_host_function("cpu");
}

TEST(HostCode, a_kernel_that_calls_a_host_function_is_a_warning_of_nvrtc) {
  TREADLE_NEEDS_NVRTC();
  expect_a_warning_where_a_kernel_calls_a_host_function("sm_90");
}

}  // namespace
}  // namespace treadle::compile
