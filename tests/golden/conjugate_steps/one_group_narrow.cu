// conjugate_gradients_float64, made by treadle's generator of conjugate gradients: narrow schedule

extern "C" __global__ void __launch_bounds__(1) conjugate_gradients_float64(
    double *data, int *columns, long long *starts, double *x, double *q, double *r,
    double *solution, double *factor, double *state, double *partials, unsigned int *meeting,
    long long row_count, long long column_count, long long pitch, long long depth, long long width,
    long long interval, long long turns) {
  const long long begin = (long long)blockIdx.x * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  double next = 0;
  double square = 0;
  int goes = 0;
  double alpha = 0;
  double beta = 0;
  double rz = state[0];
  double norm = state[1];
  double steps = state[2];
  double end = state[3];
  double wanted = state[4];
  for (long long step_number = 0; step_number < turns && end == 1; ++step_number) {
    curvature = 0;
    for (long long row = begin + threadIdx.x; row < behind; row += 1) {
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
    goes = curvature > 0;
    alpha = (double)(rz / curvature);
    next = 0;
    square = 0;
    if (goes) {
      double next_lanes[32];
      double square_lanes[32];
      #ifdef __clang__
      #pragma clang loop vectorize(assume_safety)
      #endif
      for (unsigned int lane = 0; lane < 32; ++lane) {
        next_lanes[lane] = 0;
        square_lanes[lane] = 0;
      }
      long long at = begin;
      for (; at + 32 <= behind; at += 32) {
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (unsigned int lane = 0; lane < 32; ++lane) {
          const long long row = at + lane;
          const double rest = r[row] - alpha * q[row];
          r[row] = rest;
          square_lanes[lane] += (double)rest * rest;
          next_lanes[lane] += (double)(factor[row] * rest) * rest;
        }
      }
      for (long long row = at; row < behind; ++row) {
        const double rest = r[row] - alpha * q[row];
        r[row] = rest;
        square += (double)rest * rest;
        next += (double)(factor[row] * rest) * rest;
      }
      for (unsigned int lane = 0; lane < 32; ++lane) {
        next += next_lanes[lane];
        square += square_lanes[lane];
      }
    } else {
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        square = norm * norm;
        next = rz;
      }
    }
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
    if (goes) {
      long long at = begin;
      for (; at + 32 <= behind; at += 32) {
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (unsigned int lane = 0; lane < 32; ++lane) {
          const long long row = at + lane;
          const double way = x[row];
          solution[row] += alpha * way;
          x[row] = factor[row] * r[row] + beta * way;
        }
      }
      for (long long row = at; row < behind; ++row) {
        const double way = x[row];
        solution[row] += alpha * way;
        x[row] = factor[row] * r[row] + beta * way;
      }
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
