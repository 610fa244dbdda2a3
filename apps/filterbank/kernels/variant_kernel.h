// SPDX-License-Identifier: MIT
// A variant of the filter bank for one shape. What writes it puts treadle/dialect.h, a table of the
// weights if they are in the text, and macros before it: the shape
//
//   HEIGHT WIDTH CHANNELS  of the image;  FILTERS FILTER_HEIGHT FILTER_WIDTH  of the bank
//
// and the parameters
//
//   ACROSS DOWN            work-items of a group; SERIAL 1: it is one, which has the work of all
//   LANES                  pixels of a vector: 1 on GPUs, 4, 8 or 16 on processors
//   PIXELS_X PIXELS_Y      vectors of a work-item: beside each other, and below each other
//   FILTERS_EACH TURNS    filters at a time, and how often a group goes on to the next ones
//   STEP                   channels in local memory at a time
//   BANK                   where weights are: IN_LOCAL, IN_TABLE (of the text), IN_GLOBAL
//   WINDOW                 1: a column of the image stays in registers for all rows of a filter
//   UNROLL                 how many columns of a filter are unrolled
//   PADDING                elements behind a row in local memory
//   RESIDENT               groups that a compute unit is to hold
//
// A group has a tile of the results, and the piece of the image that the tile needs in local
// memory, a plane for each channel:
//
//     |<- LANES * ACROSS * PIXELS_X ->|<- FILTER_WIDTH - 1 ->|
//     | item 0 | item 1 |  ...        |                      |  PIXELS_Y rows for each of DOWN,
//     |  ...                                                 |  and FILTER_HEIGHT - 1 more
//
// Example: ACROSS = 32, DOWN = 4, PIXELS_Y = 8, FILTERS_EACH = 8, WINDOW = 1: a work-item has 64
// sums. Of filters 9 high it reads a column of 16 pixels and 72 weights for 576 multiply-adds.
#define IN_GLOBAL 0
#define IN_LOCAL 1
#define IN_TABLE 2

#if SERIAL
#define ITEMS_DOWN 1
#define EACH_ITEM for (int item_y = 0; item_y < DOWN; ++item_y)
#define WAIT()
#else
#define ITEMS_DOWN DOWN
#define EACH_ITEM
#define WAIT() treadle_barrier()
#endif

#define OUT_WIDTH (WIDTH - FILTER_WIDTH + 1)
#define OUT_HEIGHT (HEIGHT - FILTER_HEIGHT + 1)
#define TILE_WIDTH (LANES * ACROSS * PIXELS_X)
#define TILE_HEIGHT (DOWN * PIXELS_Y)
#define PIECE_WIDTH (TILE_WIDTH + FILTER_WIDTH - 1)
#define PIECE_HEIGHT (TILE_HEIGHT + FILTER_HEIGHT - 1)
#define PIECE_STRIDE (PIECE_WIDTH + PADDING)
#define FILTER_SIZE (FILTER_HEIGHT * FILTER_WIDTH * CHANNELS)
// Of large filters a sum over some channels is added to the result, and the next one begins at 0:
// one sum of all would have larger errors.
// A serial work-item does so, too: it has no sums of several places at a time.
#define ADDS_UP (SERIAL || FILTER_SIZE > 700)
// Results of four filters at a time: neighbouring pixels are FILTERS apart, so that a store of one
// number each would write a sector of memory for every number.
#define STORES_FOURS (LANES == 1 && FILTERS % 4 == 0 && FILTERS_EACH % 4 == 0)

#if LANES == 1
typedef float lanes;
#define LOAD(pointer) (*(pointer))
#define SPREAD(value) (value)
#define LANE(vector, k) (vector)
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define JOINED(a, b) JOINED_(a, b)
#define JOINED_(a, b) a##b
#ifdef __OPENCL_VERSION__
typedef JOINED(float, LANES) lanes;
#define LOAD(pointer) JOINED(vload, LANES)(0, pointer)
#else
typedef float lanes __attribute__((ext_vector_type(LANES)));
typedef float loose_lanes __attribute__((ext_vector_type(LANES), aligned(4)));
#define LOAD(pointer) ((lanes) * (const loose_lanes*)(pointer))
#endif
#define SPREAD(value) ((lanes)(value))
#define LANE(vector, k) ((vector)[k])
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

// Weights lie filter beside filter where a variant puts them, and channel beside channel in `bank`.
#define PLACE(c, i, j) ((((c) * FILTER_WIDTH + (i)) * FILTER_HEIGHT + (j)) * FILTERS_EACH)
#define AT_FILTER(f, c, i, j) \
  ((f) * FILTER_SIZE + ((j) * FILTER_WIDTH + (i)) * CHANNELS + channel + (c))
#if BANK == IN_LOCAL
#define WEIGHT(f, c, i, j) weights[PLACE(c, i, j) + (f)]
#elif BANK == IN_TABLE
#define WEIGHT(f, c, i, j) bank_table[first * FILTER_SIZE + PLACE(channel + (c), i, j) + (f)]
#else
#define WEIGHT(f, c, i, j) bank[AT_FILTER(min(first + (f), FILTERS - 1), c, i, j)]
#endif

// The channels from `channel` on at a place of an array, four with a load where that is possible.
#define IS_CHANNEL(c) (CHANNELS % STEP == 0 || channel + (c) < CHANNELS)
#if CHANNELS % 4 == 0 && STEP % 4 == 0
#define LOAD_CHANNELS(values, array, at)                                         \
  for (int c = 0; c < STEP; c += 4) {                                            \
    float4 four = treadle_make_float4(0, 0, 0, 0);                               \
    if (IS_CHANNEL(c)) four = *(TREADLE_GLOBAL const float4*)(array + (at) + c); \
    values[c] = four.x;                                                          \
    values[c + 1] = four.y;                                                      \
    values[c + 2] = four.z;                                                      \
    values[c + 3] = four.w;                                                      \
  }
#else
#define LOAD_CHANNELS(values, array, at) \
  for (int c = 0; c < STEP; ++c) values[c] = IS_CHANNEL(c) ? array[(at) + c] : 0.0f;
#endif

// What is copied to local memory: BATCH loads are under way before the first is stored. Behind the
// last place it is that one again: a condition would come before its load.
#define PIECE_SIZE (PIECE_HEIGHT * PIECE_WIDTH)
#define BATCH (STEP <= 4 ? 4 : 2)
#define IN_BATCH(begin, b, count) min((begin) + (b) * ACROSS * ITEMS_DOWN, (count) - 1)
#define OF_WIDTH(k) ((k) % FILTER_WIDTH)
#define OF_HEIGHT(k) ((k) / FILTER_WIDTH % FILTER_HEIGHT)
#define OF_FILTERS(k) ((k) / (FILTER_WIDTH * FILTER_HEIGHT))

// over 80 lines because its loops share sums that stay in registers
TREADLE_KERNEL TREADLE_GROUPS_OF((ACROSS) * (ITEMS_DOWN), RESIDENT)
    filterbank(TREADLE_GLOBAL float* TREADLE_RESTRICT out,
               TREADLE_GLOBAL const float* TREADLE_RESTRICT image,
               TREADLE_GLOBAL const float* TREADLE_RESTRICT bank) {
  TREADLE_LOCAL float piece[STEP * PIECE_HEIGHT * PIECE_STRIDE];
#if BANK == IN_LOCAL
  TREADLE_LOCAL float weights[PLACE(STEP, 0, 0)] __attribute__((aligned(16)));
#endif
  const int item = treadle_local_id(0), item_x = item % ACROSS;
  const int tile_x = treadle_group_id(0) * TILE_WIDTH, tile_y = treadle_group_id(1) * TILE_HEIGHT;
  // Beyond the image is what only results need that are not stored.
#if SERIAL
  const int inside_x = min(PIECE_WIDTH, WIDTH - tile_x);
#else
  const int item_y = item / ACROSS;
#endif

  const int begin = treadle_group_id(2) * TURNS * FILTERS_EACH;
  const int end = min(begin + TURNS * FILTERS_EACH, FILTERS);

  for (int first = begin; first < end; first += FILTERS_EACH) {
    lanes sum[PIXELS_Y][PIXELS_X][FILTERS_EACH];
#pragma unroll
    for (int y = 0; y < PIXELS_Y; ++y)
#pragma unroll
      for (int x = 0; x < PIXELS_X; ++x)
#pragma unroll
        for (int f = 0; f < FILTERS_EACH; ++f) sum[y][x][f] = SPREAD(0.0f);

    for (int channel = 0; channel < CHANNELS; channel += STEP) {
      // Where all channels fit, later turns find the image in place.
      if (first == begin || STEP < CHANNELS)
#if SERIAL
        for (int y = 0; y < PIECE_HEIGHT; ++y) {
          TREADLE_LOCAL_POINTER float* to = piece + y * PIECE_STRIDE;
          TREADLE_GLOBAL const float* from =
              image + ((treadle_int64)min(tile_y + y, HEIGHT - 1) * WIDTH + tile_x) * CHANNELS;
          for (int x = 0; x < inside_x; ++x)
#pragma unroll
            for (int c = 0; c < STEP; ++c)
              to[c * PIECE_HEIGHT * PIECE_STRIDE + x] =
                  IS_CHANNEL(c) ? from[x * CHANNELS + channel + c] : 0.0f;
          for (int x = inside_x; x < PIECE_WIDTH; ++x)
            for (int c = 0; c < STEP; ++c) to[c * PIECE_HEIGHT * PIECE_STRIDE + x] = 0.0f;
        }
#else
        for (int from_here = item; from_here < PIECE_SIZE; from_here += BATCH * ACROSS * DOWN) {
          float values[BATCH][STEP];
#pragma unroll
          for (int b = 0; b < BATCH; ++b) {
            const int k = IN_BATCH(from_here, b, PIECE_SIZE);
            const int y = min(tile_y + k / PIECE_WIDTH, HEIGHT - 1);
            const int x = min(tile_x + k % PIECE_WIDTH, WIDTH - 1);
            const treadle_int64 at = ((treadle_int64)y * WIDTH + x) * CHANNELS + channel;
            LOAD_CHANNELS(values[b], image, at);
          }
#pragma unroll
          for (int b = 0; b < BATCH; ++b) {
            const int k = IN_BATCH(from_here, b, PIECE_SIZE);
            TREADLE_LOCAL_POINTER float* to =
                piece + k / PIECE_WIDTH * PIECE_STRIDE + k % PIECE_WIDTH;
#pragma unroll
            for (int c = 0; c < STEP; ++c) to[c * PIECE_HEIGHT * PIECE_STRIDE] = values[b][c];
          }
        }
#endif
#if BANK == IN_LOCAL
      for (int from_here = item; from_here < PLACE(1, 0, 0);
           from_here += BATCH * ACROSS * ITEMS_DOWN) {
        float values[BATCH][STEP];
#pragma unroll
        for (int b = 0; b < BATCH; ++b) {
          const int k = IN_BATCH(from_here, b, PLACE(1, 0, 0)), f = first + OF_FILTERS(k);
          LOAD_CHANNELS(values[b], bank,
                        AT_FILTER(min(f, FILTERS - 1), 0, OF_WIDTH(k), OF_HEIGHT(k)));
        }
#pragma unroll
        for (int b = 0; b < BATCH; ++b) {
          const int k = IN_BATCH(from_here, b, PLACE(1, 0, 0)), f = OF_FILTERS(k);
#pragma unroll
          for (int c = 0; c < STEP; ++c)
            WEIGHT(f, c, OF_WIDTH(k), OF_HEIGHT(k)) = first + f < FILTERS ? values[b][c] : 0.0f;
        }
      }
#endif
      WAIT();
      EACH_ITEM {
#pragma unroll 1
        for (int c = 0; c < STEP && channel + c < CHANNELS; ++c) {
          TREADLE_LOCAL_POINTER const float* place =
              piece + (c * PIECE_HEIGHT + item_y * PIXELS_Y) * PIECE_STRIDE + item_x * LANES;
#pragma unroll UNROLL
          for (int i = 0; i < FILTER_WIDTH; ++i) {
#if WINDOW
            lanes column[PIXELS_Y + FILTER_HEIGHT - 1][PIXELS_X];
#pragma unroll
            for (int y = 0; y < PIXELS_Y + FILTER_HEIGHT - 1; ++y)
#pragma unroll
              for (int x = 0; x < PIXELS_X; ++x)
                column[y][x] = LOAD(place + y * PIECE_STRIDE + x * LANES * ACROSS + i);
#pragma unroll
#else
#pragma unroll 1
#endif
            for (int j = 0; j < FILTER_HEIGHT; ++j) {
#if !WINDOW
              lanes value[PIXELS_Y][PIXELS_X];
#pragma unroll
              for (int y = 0; y < PIXELS_Y; ++y)
#pragma unroll
                for (int x = 0; x < PIXELS_X; ++x)
                  value[y][x] = LOAD(place + (y + j) * PIECE_STRIDE + x * LANES * ACROSS + i);
#endif
#pragma unroll
              for (int f = 0; f < FILTERS_EACH; ++f) {
                const lanes weight = SPREAD(WEIGHT(f, c, i, j));
#pragma unroll
                for (int y = 0; y < PIXELS_Y; ++y)
#pragma unroll
                  for (int x = 0; x < PIXELS_X; ++x)
#if WINDOW
                    sum[y][x][f] = MULTIPLY_ADD(column[y + j][x], weight, sum[y][x][f]);
#else
                    sum[y][x][f] = MULTIPLY_ADD(value[y][x], weight, sum[y][x][f]);
#endif
              }
            }
          }
        }
        if (ADDS_UP || channel + STEP >= CHANNELS) {
#pragma unroll
          for (int y = 0; y < PIXELS_Y; ++y) {
            const int to_y = tile_y + item_y * PIXELS_Y + y;
#pragma unroll
            for (int x = 0; x < PIXELS_X; ++x)
#pragma unroll
              for (int lane = 0; lane < LANES; ++lane) {
                const int to_x = tile_x + (x * ACROSS + item_x) * LANES + lane;
                if (to_y < OUT_HEIGHT && to_x < OUT_WIDTH) {
                  const treadle_int64 at =
                      ((treadle_int64)to_y * OUT_WIDTH + to_x) * FILTERS + first;
#if STORES_FOURS
                  TREADLE_GLOBAL float4* fours = (TREADLE_GLOBAL float4*)out + at / 4;
#pragma unroll
                  for (int f = 0; f < FILTERS_EACH; f += 4)
                    if (FILTERS % FILTERS_EACH == 0 || first + f < FILTERS) {
                      const float4 total = treadle_make_float4(sum[y][x][f], sum[y][x][f + 1],
                                                               sum[y][x][f + 2], sum[y][x][f + 3]);
                      fours[f / 4] = channel > 0 && ADDS_UP ? fours[f / 4] + total : total;
                    }
#else
#pragma unroll
                  for (int f = 0; f < FILTERS_EACH; ++f)
                    if (first + f < FILTERS)
                      out[at + f] =
                          (channel > 0 && ADDS_UP ? out[at + f] : 0.0f) + LANE(sum[y][x][f], lane);
#endif
                }
              }
#pragma unroll
            for (int x = 0; x < PIXELS_X; ++x)
#pragma unroll
              for (int f = 0; f < FILTERS_EACH; ++f) sum[y][x][f] = SPREAD(0.0f);
          }
        }
      }
      WAIT();
    }
  }
}
