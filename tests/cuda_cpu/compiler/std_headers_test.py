# SPDX-License-Identifier: MIT
"""C++'s standard headers in device code: ours, on every machine the same. An expression and its
value, on the CPU device and through NVRTC."""

import cmath
import re

import numpy as np
import pytest

HEADERS = """algorithm array bit complex functional initializer_list iterator limits memory new
numeric optional span tuple type_traits utility cmath cstdint cstdlib cstring climits
cfloat""".split()

# What host code includes: declarations only.
HOST_HEADERS = """atomic bitset cassert cctype cerrno chrono clocale condition_variable csignal
cstdio cstdarg ctime deque exception filesystem
forward_list fstream future iomanip ios iosfwd iostream
istream list locale map mutex numbers ostream queue random ratio regex set sstream stack
stdexcept string string_view system_error thread typeindex typeinfo unordered_map unordered_set
valarray variant vector
assert.h ctype.h errno.h fcntl.h float.h getopt.h inttypes.h limits.h locale.h malloc.h math.h
memory.h omp.h pthread.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h
strings.h sys/stat.h sys/time.h sys/types.h time.h unistd.h
cuda.h cuda_profiler_api.h cuda_runtime.h cuda_runtime_api.h common_functions.h
device_launch_parameters.h""".split()

DECLARATIONS = """
struct Base { int a; __device__ virtual ~Base() {} };
struct Derived : Base { Derived() = default; };
struct NoCopy { NoCopy(const NoCopy&) = delete; };
enum class Small : unsigned char { one = 1 };
struct Twice { __device__ int operator()(int x) const { return 2 * x; } };
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
__device__ int kind(T) { return 1; }
template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
__device__ int kind(T) { return 2; }
template <class... Types> __device__ int sum_of(Types... values) { return (0 + ... + values); }
template <size_t... places>
__device__ int weighted(std::index_sequence<places...>) { return (0 + ... + (places * places)); }
template <class T>
struct HasSize {
  template <class U> static __device__ char test(decltype(&U::size));
  template <class U> static __device__ long test(...);
  static constexpr bool value = sizeof(test<T>(nullptr)) == 1;
};
static_assert(HasSize<std::array<int, 2>>::value && !HasSize<int2>::value, "");
__device__ int total(std::initializer_list<int> all) {
  int sum = 0;
  for (int x : all) sum += x;
  return sum;
}
static_assert(std::is_same_v<std::common_type_t<int, float, double>, double>);
static_assert(std::is_same_v<std::decay_t<int (&)[3]>, int*>);
static_assert(std::is_same_v<std::decay_t<int(float)>, int (*)(float)>);
static_assert(std::is_same_v<std::remove_cvref_t<const volatile int&>, int>);
static_assert(std::is_same_v<std::make_unsigned_t<long>, unsigned long>);
static_assert(std::is_same_v<std::underlying_type_t<Small>, unsigned char>);
static_assert(std::is_same_v<std::invoke_result_t<Twice, int>, int>);
static_assert(std::is_same_v<std::tuple_element_t<1, std::tuple<int, float>>, float>);
static_assert(std::is_same_v<std::add_lvalue_reference_t<void>, void>);
static_assert(std::is_base_of_v<Base, Derived> && !std::is_base_of_v<Derived, Base>);
static_assert(std::is_convertible_v<Derived*, Base*> && !std::is_convertible_v<Base*, Derived*>);
static_assert(std::is_constructible_v<Base> && !std::is_copy_constructible_v<NoCopy>);
static_assert(std::is_trivially_copyable_v<float4> && !std::is_trivially_copyable_v<Base>);
static_assert(std::is_destructible_v<Base> && !std::is_trivially_destructible_v<Base>);
static_assert(std::is_invocable_v<Twice, int> && !std::is_invocable_v<Twice, Base>);
static_assert(std::is_enum_v<Small> && std::is_class_v<Base> && std::is_polymorphic_v<Base>);
static_assert(std::is_function_v<void()> && !std::is_function_v<int>);
static_assert(std::is_unsigned_v<unsigned> && std::is_signed_v<float> && !std::is_signed_v<bool>);
static_assert(std::conjunction_v<std::true_type, std::is_void<void>>);
static_assert(!std::disjunction_v<std::false_type, std::negation<std::true_type>>);
static_assert(std::rank_v<int[2][3]> == 2 && std::extent_v<int[2][3], 1> == 3);
static_assert(std::numeric_limits<int>::max() == 2147483647);
static_assert(std::numeric_limits<unsigned char>::digits == 8);
static_assert(std::numeric_limits<float>::infinity() > std::numeric_limits<float>::max());
static_assert(std::numeric_limits<double>::lowest() == -std::numeric_limits<double>::max());
static_assert(sizeof(std::complex<float>) == 8 && alignof(std::complex<double>) == 16);
"""

# Statements that leave a value in `r`.
PROGRAMS = {
    "int a = 1, b = 2; std::swap(a, b); r = 10 * a + b + std::exchange(a, 5) + 100 * a;": 523,
    "r = kind(1.0f) + 10 * kind(1u) + 100 * sum_of(1, 2, 3);": 621,
    "r = weighted(std::make_index_sequence<5>()) + total({1, 2, 3});": 36,
    "auto p = std::make_pair(1, 2.5f); r = p.first + p.second + (p < std::make_pair(1, 3.f));": 4.5,
    "auto [x, y] = std::pair<int, int>(6, 7); r = x * y;": 42,
    "std::tuple<int, float, char> t(1, 2.5f, 3); r = std::get<0>(t) + std::get<float>(t)"
    " + std::get<2>(t) + std::tuple_size<decltype(t)>::value;": 9.5,
    "std::tuple<> none; auto t = std::tuple_cat(std::make_tuple(1), std::make_tuple(2, 3), none);"
    " r = std::apply([](int a, int b, int c) { return 100 * a + 10 * b + c; }, t);": 123,
    "int a; float b; std::tie(a, std::ignore, b) = std::make_tuple(1, 2, 3.5f); r = a + b;": 4.5,
    "auto t = std::make_tuple(1, 2); auto u = t; std::get<1>(u) = 3; r = (t < u) + 2 * (t == t)"
    " + 4 * (u != t) + 8 * (u <= t);": 7,
    "auto [a, b, c] = std::make_tuple(1, 2.5, 3u); r = a + b + c;": 6.5,
    "std::array<int, 4> a{1, 2, 3, 4}; a[2] = 7; for (int x : a) r += x; r += a.size() + a.back()"
    " + std::get<0>(a);": 23,
    "std::array a{3, 1, 2}; r = *std::max_element(a.begin(), a.end())"
    " + 10 * (a < std::array{3, 2, 0}) + 100 * *a.rbegin();": 213,
    "auto [a, b] = std::array<float, 2>{1.5f, 2.f}; r = a * b;": 3,
    "int v[5] = {1, 2, 2, 5, 9}; r = (std::lower_bound(v, v + 5, 2) - v)"
    " + 10 * (std::upper_bound(v, v + 5, 2) - v) + 100 * std::count(v, v + 5, 2)"
    " + 1000 * std::binary_search(v, v + 5, 5);": 1231,
    "int v[4]; std::iota(v, v + 4, 1); std::reverse(v, v + 4);"
    " r = v[0] + 10 * std::accumulate(v, v + 4, 0)"
    " + 1000 * std::inner_product(v, v + 4, v, 0);": 30104,
    "int v[3] = {1, 2, 3}, w[3]; std::transform(v, v + 3, w, [](int x) { return x * x; });"
    " std::partial_sum(w, w + 3, v); r = v[2] + 100 * std::equal(v, v + 3, v);": 114,
    "r = std::gcd(12, -18) + 10 * std::lcm(4, 6);": 126,
    "r = std::min({4, 2, 3}) + 10 * std::max(1, 2) + 100 * std::clamp(7, 1, 3)"
    " + 1000 * std::max(1, 2, std::greater<int>());": 1322,
    "r = std::plus<int>()(1, 2) + 10 * std::multiplies<>()(2, 3.5) + 100 * std::less<>()(1, 2)"
    " + 1000 * std::bit_xor<int>()(5, 6) + std::negate<>()(3);": 3170,
    "int x = 3; auto f = std::ref(x); f.get() = 4; r = x + 10 * std::invoke(Twice(), 4);": 84,
    "r = std::popcount(255u) + std::countl_zero((unsigned short)1) + std::countr_zero(8ull)"
    " + 100 * std::bit_width(5u) + 1000 * std::bit_ceil(5u)"
    " + 10000 * std::has_single_bit(4u);": 18326,
    "r = std::bit_cast<float>(0x3f800000) + std::rotl((unsigned char)0x81, 1)"
    " + std::rotr(3u, 1) / 2147483649.;": 5,
    "int v[4] = {1, 2, 3, 4}; std::span<int> s(v); std::span<const int> c = s.subspan(1, 2);"
    " for (int x : c) r += x;"
    " r += 10 * s.size() + 100 * s.back() + 1000 * s.first(2).size();": 2445,
    "std::optional<int> none, one = 1; none.value_or(2); r = none.value_or(2) + 10 * *one"
    " + 100 * (none == std::nullopt) + 1000 * one.has_value();"
    " one = std::nullopt; if (one) r = 0;": 1112,
    "alignas(8) char room[8]; int* p = new (room) int(5); r = *p + (std::addressof(*p) == p);": 6,
    "r = std::numeric_limits<float>::infinity() > 1e38f ? 1 : 0;"
    " r += 2 * std::isnan(std::numeric_limits<double>::quiet_NaN());": 3,
    "std::uint8_t b = 255; std::int64_t w = -1; r = b + std::abs(w);": 256,
}

Z, W = 0.8 - 0.6j, -1.5 + 2.25j
COMPLEX = {
    "z + w": Z + W,
    "z - w": Z - W,
    "z * w": Z * W,
    "z / w": Z / W,
    "2.0 * z + 1.0": 2 * Z + 1,
    "1.0 / z": 1 / Z,
    "-z": -Z,
    "std::conj(z)": Z.conjugate(),
    "std::polar(2.0, 0.5)": cmath.rect(2, 0.5),
    "C(std::abs(w), std::arg(w))": complex(abs(W), cmath.phase(W)),
    "C(std::norm(w), std::real(w) + w.imag())": complex(abs(W) ** 2, W.real + W.imag),
    "std::pow(w, 3)": W**3,
    "std::pow(w, -2)": W**-2,
    "std::pow(z, w)": Z**W,
    "std::pow(z, 1.5)": Z**1.5,
    "std::pow(2.0, z)": 2**Z,
    "C(std::complex<float>(1, 2)) * z": (1 + 2j) * Z,
    "C(z == w, z != w)": 1j,
    **{
        f"std::{name}(w)": getattr(cmath, name)(W)
        for name in "sqrt exp log log10 sin cos tan sinh cosh tanh asin acos atan asinh acosh"
        " atanh".split()
    },
}


def program_text(programs, complex_programs):
    lines = DECLARATIONS
    for k, statements in enumerate(programs):
        lines += f"__device__ double f{k}() {{ double r = 0; {statements} return r; }}\n"
    stores = "".join(f"  out[{k}] = f{k}();\n" for k in range(len(programs)))
    lines += f'extern "C" __global__ void values(double* out) {{\n{stores}}}\n'
    for kind in "double", "float":
        stores = ""
        for k, expression in enumerate(complex_programs):
            if kind == "float":
                expression = re.sub(r"\d\.\d", r"\g<0>f", expression)
            stores += f"  out[{k}] = static_cast<C>({expression});\n"
        lines += (
            f'extern "C" __global__ void complex_{kind}(std::complex<{kind}> w, '
            f"std::complex<{kind}>* out) {{\n  using C = std::complex<{kind}>;\n"
            f"  C z = {kind}(0.6); z.real({kind}(0.8)); z.imag({kind}(-0.6));\n{stores}}}\n"
        )
    return lines


def program():
    headers = "".join(f"#include <{name}>\n" for name in HEADERS)
    return headers + program_text(PROGRAMS, COMPLEX)


def check_values(module, programs):
    out = np.zeros(len(programs))
    module.kernel("values")(out, block=(1,), grid=(1,))
    for found, (statements, expected) in zip(out, programs.items(), strict=True):
        assert found == pytest.approx(expected, 1e-12), statements


def check_complex(module, programs, kind):
    dtype = np.complex64 if kind == "float" else np.complex128
    out = np.zeros(len(programs), dtype)
    module.kernel(f"complex_{kind}")(np.array(W, dtype).tobytes(), out, block=(1,), grid=(1,))
    tolerance = 1e-5 if kind == "float" else 1e-13
    for found, (expression, expected) in zip(out, programs.items(), strict=True):
        assert abs(found - expected) <= tolerance * max(1, abs(expected)), expression


@pytest.fixture
def module(machine):
    if "std" not in machine.modules:
        machine.modules["std"] = machine.compile(program())
    return machine.modules["std"]


def test_standard_headers_work_in_kernels(module):
    check_values(module, PROGRAMS)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_complex_numbers_of_the_standard_library(module, kind):
    check_complex(module, COMPLEX, kind)


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++17", "c++20"])
def test_every_header_can_be_included_under_each_standard(machine, standard):
    names = [*HEADERS, *HOST_HEADERS]
    text = "".join(f"#include <{name}>\n" for name in names * 2)
    machine.compile(
        text + 'extern "C" __global__ void k(int* a) { a[0] = 1; }', f"--std={standard}"
    )


def test_code_is_chosen_by_where_it_runs(device):
    source = """#include <nv/target>
    extern "C" __global__ void k(int* o) {
      NV_IF_TARGET(NV_IS_DEVICE, (o[0] = 1;)) NV_IF_TARGET(NV_IS_HOST, (o[0] = 2;), (o[1] = 3;))
      NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (o[2] = 4;), (o[2] = 5; o[3] = 6;)) }"""
    assert device.run(source, 4, np.int32, block=(1,)).tolist() == [1, 3, 5, 6]


def test_types_of_host_code_stand_in_declarations(machine):
    source = "".join(f"#include <{name}>\n" for name in HOST_HEADERS)
    source += """
    struct Options {
      std::string name; std::vector<int> sizes; std::map<std::string, std::vector<float>> tables;
      std::unique_ptr<float[]> data; std::function<void(int)> done; FILE* log; timeval started;
      std::chrono::high_resolution_clock::time_point begin; std::mt19937 random; std::mutex lock;
    };
    class Failure : public std::runtime_error { using std::runtime_error::runtime_error; };
    typedef std::vector<float>::const_iterator Place;
    __host__ __device__ inline void check(bool good) {
      if (good) return;
    #ifndef __CUDA_ARCH__
      fprintf(stderr, "failed"); exit(EXIT_FAILURE);
    #endif
    }
    extern "C" __global__ void k(int* a) { check(true); a[0] = sizeof(Options) > 0; }"""
    out = np.zeros(1, np.int32)
    machine.compile(source).kernel("k")(out, block=(1,), grid=(1,))
    assert out[0] == 1
