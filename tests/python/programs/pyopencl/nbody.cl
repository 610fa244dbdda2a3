// SPDX-License-Identifier: MIT
__kernel void advance(__global const float4 *from, __global float4 *to, __global float4 *velocity,
                   float dt, float softening) {
  __local float4 tile[32];
  const int i = get_global_id(0);
  const float4 here = from[i];
  float4 pull = (float4)(0.0f);
  for (int start = 0; start < COUNT; start += 32) {
    tile[get_local_id(0)] = from[start + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 32; ++j) {
      float4 d = tile[j] - here;
      d.w = 0.0f;
      const float r2 = dot(d, d) + softening;
      pull += d * (tile[j].w / (r2 * sqrt(r2)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  velocity[i] += pull * dt;
  float4 there = here + velocity[i] * dt;
  there.w = here.w;
  to[i] = there;
}
