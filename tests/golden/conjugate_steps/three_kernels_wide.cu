// conjugate_gradients_float32, made by treadle's generator of conjugate gradients: wide schedule

extern "C" __global__ void __launch_bounds__(256) conjugate_gradients_float32_product(
    double *data, int *columns, long long *starts, float *x, float *q, float *r, float *solution,
    double *state, double *partials, unsigned int *meeting, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long interval,
    long long turns) {
  const long long begin = (long long)blockIdx.x * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  __shared__ double curvature_shared[8];
  if (state[3] == 1) {
    for (long long row = begin + threadIdx.x; row < behind; row += 256) {
      float sum = 0.0f;
      for (long long at = starts[row]; at < starts[row + 1]; ++at) {
        const long long column = columns[at];
        const double stored = data[at];
        const float value = (float)stored;
        const float other = x[column];
        const float product = value * other;
        const float before = sum;
        sum = before + product;
      }
      q[row] = sum;
      curvature += (double)x[row] * sum;
    }
    #pragma unroll
    for (unsigned int step = 16; step > 0; step /= 2) {
      const double curvature_other = __shfl_down_sync(0xffffffffu, curvature, step);
      curvature += curvature_other;
    }
    if (threadIdx.x % 32 == 0) {
      curvature_shared[threadIdx.x / 32] = curvature;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      #pragma unroll
      for (unsigned int other = 1; other < 8; ++other) {
        curvature += curvature_shared[threadIdx.x / 32 + other];
      }
    }
    if (threadIdx.x == 0) {
      partials[0 * gridDim.x + blockIdx.x] = curvature;
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) conjugate_gradients_float32_update(
    double *data, int *columns, long long *starts, float *x, float *q, float *r, float *solution,
    double *state, double *partials, unsigned int *meeting, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long interval,
    long long turns) {
  const long long begin = (long long)blockIdx.x * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  __shared__ double curvature_shared[8];
  double square = 0;
  __shared__ double square_shared[8];
  int goes = 0;
  __shared__ int goes_of_all;
  float alpha = 0;
  __shared__ float alpha_of_all;
  double rz = state[0];
  double norm = state[1];
  double steps = state[2];
  double end = state[3];
  double wanted = state[4];
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state[5] = rz;
    state[6] = norm;
    state[7] = steps;
    state[8] = end;
    state[9] = wanted;
  }
  if (end == 1) {
    curvature = 0;
    for (unsigned int group = threadIdx.x; group < gridDim.x; group += 256) {
      curvature += partials[0 * gridDim.x + group];
    }
    #pragma unroll
    for (unsigned int step = 16; step > 0; step /= 2) {
      const double curvature_other = __shfl_down_sync(0xffffffffu, curvature, step);
      curvature += curvature_other;
    }
    if (threadIdx.x % 32 == 0) {
      curvature_shared[threadIdx.x / 32] = curvature;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      #pragma unroll
      for (unsigned int other = 1; other < 8; ++other) {
        curvature += curvature_shared[threadIdx.x / 32 + other];
      }
    }
    if (threadIdx.x == 0) {
      goes = curvature > 0;
      alpha = (float)(rz / curvature);
      goes_of_all = goes;
      alpha_of_all = alpha;
    }
    __syncthreads();
    goes = goes_of_all;
    alpha = alpha_of_all;
    if (goes) {
      for (long long row = begin + threadIdx.x; row < behind; row += 256) {
        const float rest = r[row] - alpha * q[row];
        r[row] = rest;
        square += (double)rest * rest;
      }
    } else {
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        square = norm * norm;
      }
    }
    #pragma unroll
    for (unsigned int step = 16; step > 0; step /= 2) {
      const double square_other = __shfl_down_sync(0xffffffffu, square, step);
      square += square_other;
    }
    if (threadIdx.x % 32 == 0) {
      square_shared[threadIdx.x / 32] = square;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      #pragma unroll
      for (unsigned int other = 1; other < 8; ++other) {
        square += square_shared[threadIdx.x / 32 + other];
      }
    }
    if (threadIdx.x == 0) {
      partials[2 * gridDim.x + blockIdx.x] = square;
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) conjugate_gradients_float32_direction(
    double *data, int *columns, long long *starts, float *x, float *q, float *r, float *solution,
    double *state, double *partials, unsigned int *meeting, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long interval,
    long long turns) {
  const long long begin = (long long)blockIdx.x * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  double square = 0;
  __shared__ double curvature_shared[8];
  __shared__ double square_shared[8];
  int goes = 0;
  __shared__ int goes_of_all;
  float alpha = 0;
  __shared__ float alpha_of_all;
  __shared__ double end_of_all;
  float beta = 0;
  __shared__ float beta_of_all;
  double rz = state[5];
  double norm = state[6];
  double steps = state[7];
  double end = state[8];
  double wanted = state[9];
  if (end == 1) {
    curvature = 0;
    square = 0;
    for (unsigned int group = threadIdx.x; group < gridDim.x; group += 256) {
      curvature += partials[0 * gridDim.x + group];
      square += partials[2 * gridDim.x + group];
    }
    #pragma unroll
    for (unsigned int step = 16; step > 0; step /= 2) {
      const double curvature_other = __shfl_down_sync(0xffffffffu, curvature, step);
      const double square_other = __shfl_down_sync(0xffffffffu, square, step);
      curvature += curvature_other;
      square += square_other;
    }
    if (threadIdx.x % 32 == 0) {
      curvature_shared[threadIdx.x / 32] = curvature;
      square_shared[threadIdx.x / 32] = square;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      #pragma unroll
      for (unsigned int other = 1; other < 8; ++other) {
        curvature += curvature_shared[threadIdx.x / 32 + other];
        square += square_shared[threadIdx.x / 32 + other];
      }
    }
    if (threadIdx.x == 0) {
      goes = curvature > 0;
      alpha = (float)(rz / curvature);
      goes_of_all = goes;
      alpha_of_all = alpha;
    }
    __syncthreads();
    goes = goes_of_all;
    alpha = alpha_of_all;
    if (threadIdx.x == 0) {
      const double next = square;
      norm = sqrt(square);
      steps += 1;
      const int is_finite = curvature - curvature == 0 && norm - norm == 0;
      if (!is_finite) {
        end = 3;
      } else {
        if (!(goes && norm > wanted)) {
          end = goes && norm <= wanted ? 0 : 2;
        }
      }
      beta = (float)(next / rz);
      rz = next;
      end_of_all = end;
      beta_of_all = beta;
    }
    __syncthreads();
    end = end_of_all;
    beta = beta_of_all;
    if (goes) {
      for (long long row = begin + threadIdx.x; row < behind; row += 256) {
        const float way = x[row];
        solution[row] += alpha * way;
        x[row] = r[row] + beta * way;
      }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      state[0] = rz;
      state[1] = norm;
      state[2] = steps;
      state[3] = end;
      state[4] = wanted;
    }
  }
}
