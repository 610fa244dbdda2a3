// conjugate_gradients_float64, made by treadle's generator of conjugate gradients: wide schedule

extern "C" __global__ void __launch_bounds__(256) conjugate_gradients_float64(
    double *data, int *columns, long long *starts, double *x, double *q, double *r,
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
  for (long long step_number = 0; step_number < turns && end == 1; ++step_number) {
    curvature = 0;
    for (long long row = begin + threadIdx.x; row < behind; row += 256) {
      double sum = 0.0;
      for (long long at = starts[row]; at < starts[row + 1]; ++at) {
        const long long column = columns[at];
        const double stored = data[at];
        const double value = stored;
        const double other = x[column];
        const double product = value * other;
        const double before = sum;
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
      for (long long row = begin + threadIdx.x; row < behind; row += 256) {
        const double rest = r[row] - alpha * q[row];
        r[row] = rest;
        square += (double)rest * rest;
        next += (double)(factor[row] * rest) * rest;
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
      for (long long row = begin + threadIdx.x; row < behind; row += 256) {
        const double way = x[row];
        solution[row] += alpha * way;
        x[row] = factor[row] * r[row] + beta * way;
      }
    }
    __syncthreads();
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state[0] = rz;
    state[1] = norm;
    state[2] = steps;
    state[3] = end;
    state[4] = wanted;
  }
}
