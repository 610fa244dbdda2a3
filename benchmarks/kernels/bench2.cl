// SPDX-License-Identifier: MIT
// bench2.cu in OpenCL C, for PoCL. OpenCL C 1.2 has no shuffles: shuffle_sum goes through local
// memory and barriers.
__kernel void nbody(__global float4* acceleration, __global const float4* body, int n,
                    __local float4* tile) {
  int i = get_global_id(0), t = get_local_id(0), size = get_local_size(0);
  float4 own = body[i];
  float ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += size) {
    tile[t] = body[start + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < size; j++) {
      float4 other = tile[j];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
      float weight = other.w * inverse * inverse * inverse;
      ax += dx * weight;
      ay += dy * weight;
      az += dz * weight;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  acceleration[i] = (float4)(ax, ay, az, 0);
}

__kernel void naive_matmul(__global float* c, __global const float* a, __global const float* b,
                           int n) {
  int column = get_global_id(0), row = get_global_id(1);
  if (row < n && column < n) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}

__kernel void histogram(__global uint* counts, __global const uchar* data, int n) {
  __local uint mine[256];
  int t = get_local_id(0);
  mine[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[data[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[t], mine[t]);
}

__kernel void transpose(__global float* out, __global const float* in, int n) {
  __local float tile[32][33];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;
  for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = in[(y + j) * n + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + tx;
  y = get_group_id(0) * 32 + ty;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[tx][ty + j];
}

__kernel void scan(__global int* out, __global const int* in) {
  __local int sums[2][256];
  int t = get_local_id(0), base = get_group_id(0) * 256, now = 0;
  sums[0][t] = in[base + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < 256; distance <<= 1) {
    sums[1 - now][t] = t >= distance ? sums[now][t] + sums[now][t - distance] : sums[now][t];
    now = 1 - now;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[base + t] = sums[now][t];
}

__kernel void mandelbrot(__global int* out, int width, int height, int limit) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float cr = -2.f + 3.f * x / width, ci = -1.f + 2.f * y / height, zr = 0, zi = 0;
  int steps = 0;
  while (steps < limit && zr * zr + zi * zi < 4.f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    steps++;
  }
  out[y * width + x] = steps;
}

__kernel void shuffle_sum(__global float* out, __global const float* in, int n) {
  __local float sums[256];
  int t = get_local_id(0);
  float sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  sums[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 16; d > 0; d >>= 1) {
    if ((t & 31) < d) sums[t] += sums[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) {
    sum = sums[0];
    for (int warp = 1; warp < 8; warp++) sum += sums[32 * warp];
    out[get_group_id(0)] = sum;
  }
}
