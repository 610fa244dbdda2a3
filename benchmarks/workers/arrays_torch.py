# SPDX-License-Identifier: MIT
"""PyTorch's tensors, as written and through torch.compile. BENCH_TORCH_DEVICE: other than cuda."""

import functools
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from array_cases import TASKS, ArrayCase, Library
from worker import serve


class Torch(Library):
    def __init__(self):
        import torch

        self.xp = torch
        self.device = torch.device(os.environ.get("BENCH_TORCH_DEVICE", "cuda"))
        torch.zeros(1, device=self.device)  # no such device: this back end is absent

    def put(self, values):
        return self.xp.from_numpy(values).to(self.device)

    def get(self, result):
        return result.cpu().numpy()

    def wait(self):
        if self.device.type == "cuda":
            self.xp.cuda.synchronize()

    def seconds(self, action, count):
        if self.device.type != "cuda":
            return super().seconds(action, count)
        start, end = (self.xp.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(count):
            action()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e-3 / count


def compiled_case(library, task):
    torch = library.xp
    torch.compiler.reset()  # it counts how often one function is compiled, and then stops

    def formula(*operands):
        return task.formula(torch, *operands)

    return ArrayCase(library, task, torch.compile(formula, dynamic=False))


def make_cases():
    library = Torch()
    compiled = {
        f"compiled {name}": functools.partial(compiled_case, library, task)
        for name, task in TASKS.items()
    }
    return library.cases() | compiled


serve(make_cases)
