// conjugate_gradients_float32, made by treadle's generator of conjugate gradients: narrow schedule

extern "C" __global__ void __launch_bounds__(1) conjugate_gradients_float32_product(
    double *data, int *columns, long long *starts, float *x, float *q, float *r, float *solution,
    double *state, double *partials, unsigned int *meeting, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long interval,
    long long turns) {
  const long long begin = (long long)blockIdx.x * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  if (state[3] == 1) {
    for (long long row = begin + threadIdx.x; row < behind; row += 1) {
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
    if (threadIdx.x == 0) {
      partials[0 * gridDim.x + blockIdx.x] = curvature;
    }
  }
}

extern "C" __global__ void __launch_bounds__(1) conjugate_gradients_float32_update(
    double *data, int *columns, long long *starts, float *x, float *q, float *r, float *solution,
    double *state, double *partials, unsigned int *meeting, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long interval,
    long long turns) {
  const long long begin = (long long)blockIdx.x * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  double square = 0;
  int goes = 0;
  float alpha = 0;
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
    for (unsigned int group = threadIdx.x; group < gridDim.x; group += 1) {
      curvature += partials[0 * gridDim.x + group];
    }
    goes = curvature > 0;
    alpha = (float)(rz / curvature);
    if (goes) {
      double square_lanes[32];
      #ifdef __clang__
      #pragma clang loop vectorize(assume_safety)
      #endif
      for (unsigned int lane = 0; lane < 32; ++lane) {
        square_lanes[lane] = 0;
      }
      long long at = begin;
      for (; at + 32 <= behind; at += 32) {
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (unsigned int lane = 0; lane < 32; ++lane) {
          const long long row = at + lane;
          const float rest = r[row] - alpha * q[row];
          r[row] = rest;
          square_lanes[lane] += (double)rest * rest;
        }
      }
      for (long long row = at; row < behind; ++row) {
        const float rest = r[row] - alpha * q[row];
        r[row] = rest;
        square += (double)rest * rest;
      }
      for (unsigned int lane = 0; lane < 32; ++lane) {
        square += square_lanes[lane];
      }
    } else {
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        square = norm * norm;
      }
    }
    if (threadIdx.x == 0) {
      partials[2 * gridDim.x + blockIdx.x] = square;
    }
  }
}

extern "C" __global__ void __launch_bounds__(1) conjugate_gradients_float32_direction(
    double *data, int *columns, long long *starts, float *x, float *q, float *r, float *solution,
    double *state, double *partials, unsigned int *meeting, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long interval,
    long long turns) {
  const long long begin = (long long)blockIdx.x * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  double square = 0;
  int goes = 0;
  float alpha = 0;
  float beta = 0;
  double rz = state[5];
  double norm = state[6];
  double steps = state[7];
  double end = state[8];
  double wanted = state[9];
  if (end == 1) {
    curvature = 0;
    square = 0;
    for (unsigned int group = threadIdx.x; group < gridDim.x; group += 1) {
      curvature += partials[0 * gridDim.x + group];
      square += partials[2 * gridDim.x + group];
    }
    goes = curvature > 0;
    alpha = (float)(rz / curvature);
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
    if (goes) {
      long long at = begin;
      for (; at + 32 <= behind; at += 32) {
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (unsigned int lane = 0; lane < 32; ++lane) {
          const long long row = at + lane;
          const float way = x[row];
          solution[row] += alpha * way;
          x[row] = r[row] + beta * way;
        }
      }
      for (long long row = at; row < behind; ++row) {
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
