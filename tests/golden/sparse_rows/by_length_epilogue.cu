// sparse_by_length_float64_multiply_subtract, made by treadle's generator of products by rows of each length: wide schedule

extern "C" __global__ void __launch_bounds__(256) sparse_by_length_float64_multiply_subtract(
    double *data, int *columns, long long *starts, double *x, double *result0, double *beside0,
    double scalar0, int *order, double *parts, long long pieces, long long count0,
    long long count1, long long count2, long long count3, long long count4) {
  __shared__ double sum_shared[8];
  long long group = blockIdx.x;
  long long place = 0;
  long long first_place = 0;
  long long begin = 0;
  long long behind = 0;
  unsigned int lanes = 1;
  int is_there = 0;
  const long long groups0 = count0 * pieces;
  if (group >= 0 && group < groups0) {
    lanes = 256;
    place = first_place + group / pieces;
    is_there = place < first_place + count0;
  }
  first_place += count0;
  group -= groups0;
  const long long groups1 = count1;
  if (group >= 0 && group < groups1) {
    lanes = 256;
    place = first_place + group;
    is_there = place < first_place + count1;
  }
  first_place += count1;
  group -= groups1;
  const long long groups2 = (count2 + 7) / 8;
  if (group >= 0 && group < groups2) {
    lanes = 32;
    place = first_place + group * 8 + threadIdx.x / lanes;
    is_there = place < first_place + count2;
  }
  first_place += count2;
  group -= groups2;
  const long long groups3 = (count3 + 31) / 32;
  if (group >= 0 && group < groups3) {
    lanes = 8;
    place = first_place + group * 32 + threadIdx.x / lanes;
    is_there = place < first_place + count3;
  }
  first_place += count3;
  group -= groups3;
  const long long groups4 = (count4 + 255) / 256;
  if (group >= 0 && group < groups4) {
    lanes = 1;
    place = first_place + group * 256 + threadIdx.x / lanes;
    is_there = place < first_place + count4;
  }
  first_place += count4;
  const int is_piece = blockIdx.x < groups0;
  const long long row = is_there ? order[place] : 0;
  if (is_there) {
    begin = starts[row];
    behind = starts[row + 1];
    if (is_piece) {
      const long long piece = blockIdx.x % pieces;
      const long long first = begin;
      const long long length = behind - begin;
      begin = first + length * piece / pieces;
      behind = first + length * (piece + 1) / pieces;
    }
  }
  const unsigned int lane = threadIdx.x % lanes;
  double sum = 0.0;
  #pragma unroll 4
  for (long long at = begin + lane; at < behind; at += lanes) {
    const long long column = columns[at];
    const double stored = data[at];
    const double value = stored;
    const double other = x[column];
    const double product = value * other;
    const double before = sum;
    sum = before + product;
  }
  #pragma unroll
  for (unsigned int step = lanes < 32 ? lanes / 2 : 16; step > 0; step /= 2) {
    const double sum_other = __shfl_down_sync(0xffffffffu, sum, step);
    sum = sum + sum_other;
  }
  if (lanes > 32) {
    if (lane % 32 == 0) {
      sum_shared[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (lane == 0) {
      #pragma unroll
      for (unsigned int other = 1; other < 8; ++other) {
        sum = sum + sum_shared[threadIdx.x / 32 + other];
      }
    }
  }
  if (lane == 0 && is_there) {
    if (is_piece) {
      parts[blockIdx.x] = sum;
    } else {
      const double product = sum;
      const long long i = row;
      const double beside0_i = beside0[i];
      const double multiply_3 = product * scalar0;
      const double subtract_4 = beside0_i - multiply_3;
      result0[i] = subtract_4;
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) sparse_by_length_float64_multiply_subtract_rest(
    double *data, int *columns, long long *starts, double *x, double *result0, double *beside0,
    double scalar0, int *order, double *parts, long long pieces, long long count0,
    long long count1, long long count2, long long count3, long long count4) {
  const long long place = (long long)blockIdx.x * 256 + threadIdx.x;
  if (place < count0) {
    const long long row = order[place];
    double sum = parts[place * pieces];
    for (long long k = 1; k < pieces; ++k) {
      sum = sum + parts[place * pieces + k];
    }
    const double product = sum;
    const long long i = row;
    const double beside0_i = beside0[i];
    const double multiply_3 = product * scalar0;
    const double subtract_4 = beside0_i - multiply_3;
    result0[i] = subtract_4;
  }
}
