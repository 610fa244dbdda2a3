// SPDX-License-Identifier: MIT
// Gives: 2 3 4 5
// A whole program: what runs on the host is left out.
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
#include <chrono>
#include <cublas_v2.h>

#define CHECK(call)                                            \
  do {                                                         \
    cudaError_t status = (call);                               \
    if (status != cudaSuccess) {                               \
      fprintf(stderr, "%s\n", cudaGetErrorString(status));     \
      exit(EXIT_FAILURE);                                      \
    }                                                          \
  } while (0)
#define KERNEL(name) extern "C" __global__ void name

using namespace std;

static float* device_memory;
cudaStream_t streams[2];
std::vector<std::string> names;
int count = 3;

struct Timer {
  cudaEvent_t start, stop;
  Timer() : start(0), stop{} { CHECK(cudaEventCreate(&start)); }
  ~Timer() { CHECK(cudaEventDestroy(start)); }
  float elapsed() {
    float time;
    cudaEventElapsedTime(&time, start, stop);
    return time;
  }
};

// On both sides: its data are the kernel's, its memory the host's.
template <class T>
class Matrix {
 public:
  T* data;
  int rows, columns;
  Matrix(int rows, int columns) : data(nullptr), rows(rows), columns(columns) {
    CHECK(cudaMalloc(&data, rows * columns * sizeof(T)));
  }
  void free() { cudaFree(data); }
  __host__ __device__ int size() const { return rows * columns; }
  __device__ T& at(int row, int column) { return data[row * columns + column]; }
};

int plain(int a) {
  return a + 1;
}

KERNEL(k)(long long* out) {
  Matrix<long long>* matrix = nullptr;
  long long* data = (long long*)&matrix;
  (void)data;
  out[threadIdx.x] = plain(threadIdx.x) + 1;
}
template <class T>
__global__ void scale(Matrix<T> matrix, T by) {
  if (threadIdx.x < matrix.size()) matrix.at(0, threadIdx.x) *= by;
}

void run(cublasHandle_t handle, std::vector<float>& values, const char* const* arguments);

namespace reference {
template <typename Number = float, int n = (3 > 2)>
Number sum(const std::vector<Number>& values) {
  return std::accumulate(values.begin(), values.end(), Number());
}
}  // namespace reference

#ifdef WITH_TEST
void test()
#else
void run(cublasHandle_t handle, std::vector<float>& values, const char* const* arguments)
#endif
{
  auto begin = std::chrono::steady_clock::now();
  Matrix<float> matrix(1, values.size());
  dim3 block(256), grid((values.size() + block.x - 1) / block.x);
  scale<<<grid, block, 0, streams[0]>>>(matrix, 2.0f);
  scale<float><<<1, 1>>>(matrix, 1.f);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  const char* raw = R"(} " __global__ {)";
  const int digits = 1'000'000;  // it's one number
  std::cout << "took " << '"' << '{' << raw << digits << (std::chrono::steady_clock::now() - begin).count();
}

int main(int argc, char** argv) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  float* host = (float*)malloc(count * sizeof(float));
  long long* out;
  CHECK(cudaMalloc((void**)&out, 4 * sizeof(long long)));
  k<<<1, 4>>>(out);
  CHECK(cudaMemcpy(host, device_memory, 4, cudaMemcpyDeviceToHost));
#ifdef _OPENMP
#pragma omp parallel for
  for (int i = 0; i < count; i++) host[i] = 0;
#endif
#pragma unroll
  for (int i = 0; i < 4; i++) host[i] = 0;
  printf("%s %f\n", properties.name, reference::sum(std::vector<float>(host, host + count)));
  return 0;
}
