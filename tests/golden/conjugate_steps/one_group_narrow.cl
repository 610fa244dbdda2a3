// conjugate_gradients_float64, made by treadle's generator of conjugate gradients: narrow schedule

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) conjugate_gradients_float64(
    __global double *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global double *x__base, long x__offset, __global double *q__base, long q__offset,
    __global double *r__base, long r__offset, __global double *solution__base,
    long solution__offset, __global double *factor__base, long factor__offset,
    __global double *state__base, long state__offset, __global double *partials__base,
    long partials__offset, __global uint *meeting__base, long meeting__offset, long row_count,
    long column_count, long pitch, long depth, long width, long interval, long turns) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global double *x = (__global double *)((__global char *)x__base + x__offset);
  __global double *q = (__global double *)((__global char *)q__base + q__offset);
  __global double *r = (__global double *)((__global char *)r__base + r__offset);
  __global double *solution = (__global double *)((__global char *)solution__base + solution__offset);
  __global double *factor = (__global double *)((__global char *)factor__base + factor__offset);
  __global double *state = (__global double *)((__global char *)state__base + state__offset);
  __global double *partials = (__global double *)((__global char *)partials__base + partials__offset);
  __global uint *meeting = (__global uint *)((__global char *)meeting__base + meeting__offset);
  const long begin = (long)(uint)get_group_id(0) * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
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
  for (long step_number = 0; step_number < turns && end == 1; ++step_number) {
    curvature = 0;
    for (long row = begin + (uint)get_local_id(0); row < behind; row += 1) {
      double sum = 0.0;
      for (long at = starts[row]; at < starts[row + 1]; ++at) {
        const long column = columns[at];
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
      for (uint lane = 0; lane < 32; ++lane) {
        next_lanes[lane] = 0;
        square_lanes[lane] = 0;
      }
      long at = begin;
      for (; at + 32 <= behind; at += 32) {
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (uint lane = 0; lane < 32; ++lane) {
          const long row = at + lane;
          const double rest = r[row] - alpha * q[row];
          r[row] = rest;
          square_lanes[lane] += (double)rest * rest;
          next_lanes[lane] += (double)(factor[row] * rest) * rest;
        }
      }
      for (long row = at; row < behind; ++row) {
        const double rest = r[row] - alpha * q[row];
        r[row] = rest;
        square += (double)rest * rest;
        next += (double)(factor[row] * rest) * rest;
      }
      for (uint lane = 0; lane < 32; ++lane) {
        next += next_lanes[lane];
        square += square_lanes[lane];
      }
    } else {
      if ((uint)get_group_id(0) == 0 && (uint)get_local_id(0) == 0) {
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
      long at = begin;
      for (; at + 32 <= behind; at += 32) {
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (uint lane = 0; lane < 32; ++lane) {
          const long row = at + lane;
          const double way = x[row];
          solution[row] += alpha * way;
          x[row] = factor[row] * r[row] + beta * way;
        }
      }
      for (long row = at; row < behind; ++row) {
        const double way = x[row];
        solution[row] += alpha * way;
        x[row] = factor[row] * r[row] + beta * way;
      }
    }
  }
  if ((uint)get_group_id(0) == 0 && (uint)get_local_id(0) == 0) {
    state[0] = rz;
    state[1] = norm;
    state[2] = steps;
    state[3] = end;
    state[4] = wanted;
  }
}
