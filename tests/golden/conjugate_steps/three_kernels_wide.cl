// conjugate_gradients_float32, made by treadle's generator of conjugate gradients: wide schedule

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) conjugate_gradients_float32_product(
    __global double *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global float *x__base, long x__offset, __global float *q__base, long q__offset,
    __global float *r__base, long r__offset, __global float *solution__base, long solution__offset,
    __global double *state__base, long state__offset, __global double *partials__base,
    long partials__offset, __global uint *meeting__base, long meeting__offset, long row_count,
    long column_count, long pitch, long depth, long width, long interval, long turns) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *q = (__global float *)((__global char *)q__base + q__offset);
  __global float *r = (__global float *)((__global char *)r__base + r__offset);
  __global float *solution = (__global float *)((__global char *)solution__base + solution__offset);
  __global double *state = (__global double *)((__global char *)state__base + state__offset);
  __global double *partials = (__global double *)((__global char *)partials__base + partials__offset);
  __global uint *meeting = (__global uint *)((__global char *)meeting__base + meeting__offset);
  const long begin = (long)(uint)get_group_id(0) * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  __local double curvature_shared[256];
  if (state[3] == 1) {
    for (long row = begin + (uint)get_local_id(0); row < behind; row += 256) {
      float sum = 0.0f;
      for (long at = starts[row]; at < starts[row + 1]; ++at) {
        const long column = columns[at];
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
      partials[0 * (uint)get_num_groups(0) + (uint)get_group_id(0)] = curvature;
    }
  }
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) conjugate_gradients_float32_update(
    __global double *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global float *x__base, long x__offset, __global float *q__base, long q__offset,
    __global float *r__base, long r__offset, __global float *solution__base, long solution__offset,
    __global double *state__base, long state__offset, __global double *partials__base,
    long partials__offset, __global uint *meeting__base, long meeting__offset, long row_count,
    long column_count, long pitch, long depth, long width, long interval, long turns) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *q = (__global float *)((__global char *)q__base + q__offset);
  __global float *r = (__global float *)((__global char *)r__base + r__offset);
  __global float *solution = (__global float *)((__global char *)solution__base + solution__offset);
  __global double *state = (__global double *)((__global char *)state__base + state__offset);
  __global double *partials = (__global double *)((__global char *)partials__base + partials__offset);
  __global uint *meeting = (__global uint *)((__global char *)meeting__base + meeting__offset);
  const long begin = (long)(uint)get_group_id(0) * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  __local double curvature_shared[256];
  double square = 0;
  __local double square_shared[256];
  int goes = 0;
  __local int goes_of_all;
  float alpha = 0;
  __local float alpha_of_all;
  double rz = state[0];
  double norm = state[1];
  double steps = state[2];
  double end = state[3];
  double wanted = state[4];
  if ((uint)get_group_id(0) == 0 && (uint)get_local_id(0) == 0) {
    state[5] = rz;
    state[6] = norm;
    state[7] = steps;
    state[8] = end;
    state[9] = wanted;
  }
  if (end == 1) {
    curvature = 0;
    for (uint group = (uint)get_local_id(0); group < (uint)get_num_groups(0); group += 256) {
      curvature += partials[0 * (uint)get_num_groups(0) + group];
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
      alpha = (float)(rz / curvature);
      goes_of_all = goes;
      alpha_of_all = alpha;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    goes = goes_of_all;
    alpha = alpha_of_all;
    if (goes) {
      for (long row = begin + (uint)get_local_id(0); row < behind; row += 256) {
        const float rest = r[row] - alpha * q[row];
        r[row] = rest;
        square += (double)rest * rest;
      }
    } else {
      if ((uint)get_group_id(0) == 0 && (uint)get_local_id(0) == 0) {
        square = norm * norm;
      }
    }
    square_shared[(uint)get_local_id(0)] = square;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint step = 128; step > 0; step /= 2) {
      if ((uint)get_local_id(0) < step) {
        square += square_shared[(uint)get_local_id(0) + step];
        square_shared[(uint)get_local_id(0)] = square;
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if ((uint)get_local_id(0) == 0) {
      partials[2 * (uint)get_num_groups(0) + (uint)get_group_id(0)] = square;
    }
  }
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) conjugate_gradients_float32_direction(
    __global double *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global float *x__base, long x__offset, __global float *q__base, long q__offset,
    __global float *r__base, long r__offset, __global float *solution__base, long solution__offset,
    __global double *state__base, long state__offset, __global double *partials__base,
    long partials__offset, __global uint *meeting__base, long meeting__offset, long row_count,
    long column_count, long pitch, long depth, long width, long interval, long turns) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *q = (__global float *)((__global char *)q__base + q__offset);
  __global float *r = (__global float *)((__global char *)r__base + r__offset);
  __global float *solution = (__global float *)((__global char *)solution__base + solution__offset);
  __global double *state = (__global double *)((__global char *)state__base + state__offset);
  __global double *partials = (__global double *)((__global char *)partials__base + partials__offset);
  __global uint *meeting = (__global uint *)((__global char *)meeting__base + meeting__offset);
  const long begin = (long)(uint)get_group_id(0) * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
  double curvature = 0;
  double square = 0;
  __local double curvature_shared[256];
  __local double square_shared[256];
  int goes = 0;
  __local int goes_of_all;
  float alpha = 0;
  __local float alpha_of_all;
  __local double end_of_all;
  float beta = 0;
  __local float beta_of_all;
  double rz = state[5];
  double norm = state[6];
  double steps = state[7];
  double end = state[8];
  double wanted = state[9];
  if (end == 1) {
    curvature = 0;
    square = 0;
    for (uint group = (uint)get_local_id(0); group < (uint)get_num_groups(0); group += 256) {
      curvature += partials[0 * (uint)get_num_groups(0) + group];
      square += partials[2 * (uint)get_num_groups(0) + group];
    }
    curvature_shared[(uint)get_local_id(0)] = curvature;
    square_shared[(uint)get_local_id(0)] = square;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint step = 128; step > 0; step /= 2) {
      if ((uint)get_local_id(0) < step) {
        curvature += curvature_shared[(uint)get_local_id(0) + step];
        square += square_shared[(uint)get_local_id(0) + step];
        curvature_shared[(uint)get_local_id(0)] = curvature;
        square_shared[(uint)get_local_id(0)] = square;
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if ((uint)get_local_id(0) == 0) {
      goes = curvature > 0;
      alpha = (float)(rz / curvature);
      goes_of_all = goes;
      alpha_of_all = alpha;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    goes = goes_of_all;
    alpha = alpha_of_all;
    if ((uint)get_local_id(0) == 0) {
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
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    end = end_of_all;
    beta = beta_of_all;
    if (goes) {
      for (long row = begin + (uint)get_local_id(0); row < behind; row += 256) {
        const float way = x[row];
        solution[row] += alpha * way;
        x[row] = r[row] + beta * way;
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
}
