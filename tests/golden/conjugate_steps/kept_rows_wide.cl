// conjugate_gradients_float64, made by treadle's generator of conjugate gradients: wide schedule

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) conjugate_gradients_float64(
    __global double *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global double *direction__base, long direction__offset, __global double *q__base,
    long q__offset, __global double *r__base, long r__offset, __global double *solution__base,
    long solution__offset, __global double *factor__base, long factor__offset,
    __global double *state__base, long state__offset, __global double *partials__base,
    long partials__offset, __global uint *meeting__base, long meeting__offset, long row_count,
    long column_count, long pitch, long depth, long width, long interval, long turns) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global double *direction = (__global double *)((__global char *)direction__base + direction__offset);
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
  __local double curvature_shared[256];
  double next = 0;
  double square = 0;
  __local double next_shared[256];
  __local double square_shared[256];
  int goes = 0;
  __local int goes_of_all;
  double alpha = 0;
  __local double alpha_of_all;
  __local double end_of_all;
  double beta = 0;
  __local double beta_of_all;
  double rz = state[0];
  double norm = state[1];
  double steps = state[2];
  double end = state[3];
  double wanted = state[4];
  __local double x[512];
  double r_own[2];
  double solution_own[2];
  double factor_own[2];
  double q_own[2];
  long begin_own[2];
  long behind_own[2];
  #pragma unroll
  for (int k = 0; k < 2; ++k) {
    const long row = (uint)get_local_id(0) + k * 256;
    const int is_there = row < behind;
    r_own[k] = is_there ? r[row] : 0;
    solution_own[k] = is_there ? solution[row] : 0;
    factor_own[k] = is_there ? factor[row] : 0;
    q_own[k] = 0;
    x[row] = is_there ? direction[row] : 0;
    begin_own[k] = is_there ? starts[row] : 0;
    behind_own[k] = is_there ? starts[row + 1] : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (long step_number = 0; step_number < turns && end == 1; ++step_number) {
    curvature = 0;
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
      const long row = (uint)get_local_id(0) + k * 256;
      if (row < behind) {
        double sum = 0.0;
        #pragma unroll 8
        for (long at = begin_own[k]; at < behind_own[k]; ++at) {
          const long column = columns[at];
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
    curvature_shared[(uint)get_local_id(0)] = curvature;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint step = 128; step > 0; step /= 2) {
      if ((uint)get_local_id(0) < step) {
        curvature += curvature_shared[(uint)get_local_id(0) + step];
        curvature_shared[(uint)get_local_id(0)] = curvature;
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if ((uint)get_local_id(0) == 0) {
      goes = curvature > 0;
      alpha = (double)(rz / curvature);
      goes_of_all = goes;
      alpha_of_all = alpha;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
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
      if ((uint)get_group_id(0) == 0 && (uint)get_local_id(0) == 0) {
        square = norm * norm;
        next = rz;
      }
    }
    next_shared[(uint)get_local_id(0)] = next;
    square_shared[(uint)get_local_id(0)] = square;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint step = 128; step > 0; step /= 2) {
      if ((uint)get_local_id(0) < step) {
        next += next_shared[(uint)get_local_id(0) + step];
        square += square_shared[(uint)get_local_id(0) + step];
        next_shared[(uint)get_local_id(0)] = next;
        square_shared[(uint)get_local_id(0)] = square;
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if ((uint)get_local_id(0) == 0) {
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
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    end = end_of_all;
    beta = beta_of_all;
    if (goes) {
      #pragma unroll
      for (int k = 0; k < 2; ++k) {
        const long row = (uint)get_local_id(0) + k * 256;
        const double way = x[row];
        solution_own[k] += alpha * way;
        x[row] = factor_own[k] * r_own[k] + beta * way;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  #pragma unroll
  for (int k = 0; k < 2; ++k) {
    const long row = (uint)get_local_id(0) + k * 256;
    if (row < behind) {
      r[row] = r_own[k];
      solution[row] = solution_own[k];
      direction[row] = x[row];
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
