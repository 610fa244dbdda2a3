# SPDX-License-Identifier: MIT
"""The switches of profilers, in pycuda.driver and in treadle.cuda."""

import pycuda.driver as cuda
import pytest

import treadle.cuda


def test_switches_are_harmless_without_a_profiler(context):
    cuda.start_profiler()
    cuda.start_profiler()
    cuda.stop_profiler()
    with treadle.cuda.ProfilerRange():
        cuda.Context.synchronize()
    treadle.cuda.start_profiler()
    treadle.cuda.stop_profiler()


def test_the_profiler_inside_the_driver_is_gone(context):
    with pytest.raises(cuda.LogicError, match="cuProfilerInitialize"):
        cuda.initialize_profiler("config", "output", cuda.profiler_output_mode.CSV)
    with pytest.raises(TypeError, match="output_mode"):
        cuda.initialize_profiler("config", "output", "csv")


def test_switches_need_a_context():
    cuda.init()
    for switch in (cuda.start_profiler, cuda.stop_profiler):
        with pytest.raises(cuda.LogicError, match="no currently active context"):
            switch()
