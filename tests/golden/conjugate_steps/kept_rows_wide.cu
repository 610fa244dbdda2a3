// conjugate_gradients_float64, made by treadle's generator of conjugate gradients: wide schedule

extern "C" __global__ void __launch_bounds__(256) conjugate_gradients_float64(
    double *data, int *columns, long long *starts, double *direction, double *q, double *r,
    double *solution, double *factor, double *state, double *partials, unsigned int *meeting,
    long long row_count, long long column_count, long long pitch, long long depth, long long width,
    long long interval, long long turns) {
  const long long begin = (long long)blockIdx.x * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  __shared__ double curvature_shared[8];
  double next = 0;
  double square = 0;
  __shared__ double next_shared[8];
  __shared__ double square_shared[8];
  int goes = 0;
  __shared__ int goes_of_all;
  double alpha = 0;
  __shared__ double alpha_of_all;
  __shared__ double end_of_all;
  double beta = 0;
  __shared__ double beta_of_all;
  double rz = state[0];
  double norm = state[1];
  double steps = state[2];
  double end = state[3];
  double wanted = state[4];
  __shared__ double x[512];
  double r_own[2];
  double solution_own[2];
  double factor_own[2];
  double q_own[2];
  long long begin_own[2];
  long long behind_own[2];
  #pragma unroll
  for (int k = 0; k < 2; ++k) {
    const long long row = threadIdx.x + k * 256;
    const int is_there = row < behind;
    r_own[k] = is_there ? r[row] : 0;
    solution_own[k] = is_there ? solution[row] : 0;
    factor_own[k] = is_there ? factor[row] : 0;
    q_own[k] = 0;
    x[row] = is_there ? direction[row] : 0;
    begin_own[k] = is_there ? starts[row] : 0;
    behind_own[k] = is_there ? starts[row + 1] : 0;
  }
  __syncthreads();
  for (long long step_number = 0; step_number < turns && end == 1; ++step_number) {
    curvature = 0;
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
      const long long row = threadIdx.x + k * 256;
      if (row < behind) {
        double sum = 0.0;
        #pragma unroll 8
        for (long long at = begin_own[k]; at < behind_own[k]; ++at) {
          const long long column = columns[at];
          const double stored = data[at];
          const double value = stored;
          const double other = x[column];
          const double product = value * other;
          const double before = sum;
          sum = before + product;
        }
        q_own[k] = sum;
        curvature += (double)x[row] * sum;
      }
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
      alpha = (double)(rz / curvature);
      goes_of_all = goes;
      alpha_of_all = alpha;
    }
    __syncthreads();
    goes = goes_of_all;
    alpha = alpha_of_all;
    next = 0;
    square = 0;
    if (goes) {
      #pragma unroll
      for (int k = 0; k < 2; ++k) {
        const double rest = r_own[k] - alpha * q_own[k];
        r_own[k] = rest;
        square += (double)rest * rest;
        next += (double)(factor_own[k] * rest) * rest;
      }
    } else {
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        square = norm * norm;
        next = rz;
      }
    }
    #pragma unroll
    for (unsigned int step = 16; step > 0; step /= 2) {
      const double next_other = __shfl_down_sync(0xffffffffu, next, step);
      const double square_other = __shfl_down_sync(0xffffffffu, square, step);
      next += next_other;
      square += square_other;
    }
    if (threadIdx.x % 32 == 0) {
      next_shared[threadIdx.x / 32] = next;
      square_shared[threadIdx.x / 32] = square;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      #pragma unroll
      for (unsigned int other = 1; other < 8; ++other) {
        next += next_shared[threadIdx.x / 32 + other];
        square += square_shared[threadIdx.x / 32 + other];
      }
    }
    if (threadIdx.x == 0) {
      norm = sqrt(square);
      steps += 1;
      const int is_finite = curvature - curvature == 0 && norm - norm == 0;
      if (!is_finite) {
        end = 3;
      } else {
        if (!(goes && norm > wanted && next > 0)) {
          end = goes && norm <= wanted ? 0 : 2;
        }
      }
      beta = (double)(next / rz);
      rz = next;
      end_of_all = end;
      beta_of_all = beta;
    }
    __syncthreads();
    end = end_of_all;
    beta = beta_of_all;
    if (goes) {
      #pragma unroll
      for (int k = 0; k < 2; ++k) {
        const long long row = threadIdx.x + k * 256;
        const double way = x[row];
        solution_own[k] += alpha * way;
        x[row] = factor_own[k] * r_own[k] + beta * way;
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int k = 0; k < 2; ++k) {
    const long long row = threadIdx.x + k * 256;
    if (row < behind) {
      r[row] = r_own[k];
      solution[row] = solution_own[k];
      direction[row] = x[row];
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
