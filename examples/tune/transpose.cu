// SPDX-License-Identifier: MIT
// A square matrix transposed by squares of TILE x TILE. To find the best of them here:
//   python -m treadle tune examples/tune/transpose.cu --space examples/tune/transpose.json
#include <treadle/dialect.h>
TREADLE_KERNEL transpose(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *in, int n)
{
  TREADLE_LOCAL float square[TILE][TILE + PADDING];
  const int x = treadle_local_id(0), y = treadle_local_id(1);
  const int column = treadle_group_id(0) * TILE, row = treadle_group_id(1) * TILE;
  square[y][x] = in[(row + y) * n + column + x];
  treadle_barrier();
  out[(column + y) * n + row + x] = square[x][y];
}
