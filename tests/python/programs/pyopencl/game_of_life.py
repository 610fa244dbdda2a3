# SPDX-License-Identifier: MIT
"""Conway's game of life on a torus, generations in two buffers."""

import sys

import numpy as np
import pyopencl as cl


class Life:
    def __init__(self, board):
        self.ctx = cl.create_some_context(interactive=False)
        self.queue = cl.CommandQueue(self.ctx)
        self.board = np.ascontiguousarray(board, np.uint8)
        mf = cl.mem_flags
        self.now = cl.Buffer(self.ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=self.board)
        self.next = cl.Buffer(self.ctx, mf.READ_WRITE, self.board.nbytes)
        self.program = cl.Program(
            self.ctx,
            """
        __kernel void live(__global const uchar *now, __global uchar *next) {
            const int x = get_global_id(0), y = get_global_id(1);
            const int w = get_global_size(0), h = get_global_size(1);
            int n = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dx || dy) n += now[(y + dy + h) % h * w + (x + dx + w) % w];
            next[y * w + x] = n == 3 || (n == 2 && now[y * w + x]);
        }""",
        ).build()
        self.live = self.program.live

    def step(self):
        self.live(self.queue, self.board.shape[::-1], None, self.now, self.next)
        self.now, self.next = self.next, self.now

    def fetch(self):
        cl.enqueue_copy(self.queue, self.board, self.now)
        return self.board


generations = int(sys.argv[1]) if len(sys.argv) > 1 else 40
start = np.zeros((24, 32), np.uint8)
start[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]  # a glider
life = Life(start)
for _ in range(generations):
    life.step()
moved = np.roll(start, (generations // 4, generations // 4), (0, 1))
assert (life.fetch() == moved).all()
print("\n".join("".join(".#"[c] for c in row) for row in life.fetch()[8:16, 8:20]))
