# SPDX-License-Identifier: MIT
# ruff: noqa: UP031 - as they are printed
"""Kernels that are generated as the papers print it: by a template, a tree, and keywords."""

import numpy
import pytest

import treadle.compat  # noqa: F401 - so that the imports are the papers'

THREAD_BLOCK_SIZE, BLOCK_SIZE = 64, 4


def added(module):
    import pycuda.gpuarray as gpuarray

    count = THREAD_BLOCK_SIZE * BLOCK_SIZE * 3
    a = numpy.arange(count, dtype=numpy.float32)
    b = numpy.full(count, 0.5, numpy.float32)
    a_gpu, b_gpu = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    c_gpu = gpuarray.empty_like(a_gpu)
    add = module.get_function("add")
    add(c_gpu, a_gpu, b_gpu, block=(THREAD_BLOCK_SIZE, 1, 1), grid=(3, 1))
    return c_gpu.get(), a + b


def by_template():
    """Figure 5a."""
    jinja2 = pytest.importorskip("jinja2")
    from pycuda.compiler import SourceModule

    thread_block_size, block_size = THREAD_BLOCK_SIZE, BLOCK_SIZE
    Template = jinja2.Template

    tpl = Template("""
        __global__ void add(
            {{ type_name }} *tgt,
            {{ type_name }} *op1,
            {{ type_name }} *op2)
        {
          int idx = threadIdx.x +
            {{ thread_block_size }} * {{ block_size }}
            * blockIdx.x;

          {% for i in range(block_size) %}
            {% set offset = i*thread_block_size %}
            tgt[idx + {{ offset }}] =
              op1[idx + {{ offset }}]
              + op2[idx + {{ offset }}];
          {% endfor %}
        }""")

    rendered_tpl = tpl.render(
        type_name="float", block_size=block_size, thread_block_size=thread_block_size
    )
    return SourceModule(rendered_tpl)


def by_tree():
    """Figure 5b."""
    from codepy.cgen import (
        POD,
        Assign,
        Block,
        FunctionBody,
        FunctionDeclaration,
        Initializer,
        Module,
        Pointer,
        Value,
    )
    from codepy.cgen.cuda import CudaGlobal
    from pycuda.compiler import SourceModule

    dtype, thread_block_size, block_size = numpy.float32, THREAD_BLOCK_SIZE, BLOCK_SIZE
    mod = Module(
        [
            FunctionBody(
                CudaGlobal(
                    FunctionDeclaration(
                        Value("void", "add"),
                        arg_decls=[Pointer(POD(dtype, name)) for name in ["tgt", "op1", "op2"]],
                    )
                ),
                Block(
                    [
                        Initializer(
                            POD(numpy.int32, "idx"),
                            "threadIdx.x + %d*blockIdx.x" % (thread_block_size * block_size),
                        )
                    ]
                    + [
                        Assign(
                            "tgt[idx+%d]" % (o * thread_block_size),
                            "op1[idx+%d] + op2[idx+%d]"
                            % (o * thread_block_size, o * thread_block_size),
                        )
                        for o in range(block_size)
                    ]
                ),
            )
        ]
    )
    return SourceModule(mod)


def test_the_template_and_the_tree_of_the_paper_give_the_same_result(context):
    from_template, expected = added(by_template())
    from_tree, _ = added(by_tree())
    assert numpy.array_equal(from_template, expected)
    assert numpy.array_equal(from_tree, from_template)


def test_both_names_of_the_trees_are_one_package():
    import cgen
    import cgen.cuda
    import cgen.opencl
    import codepy.cgen
    import codepy.cgen.cuda

    import treadle.cgen

    assert cgen is treadle.cgen
    assert codepy.cgen.Module is cgen.Module
    assert codepy.cgen.cuda.CudaGlobal is cgen.cuda.CudaGlobal
    assert cgen.opencl.CLKernel is treadle.cgen.opencl.CLKernel


def test_the_programs_of_the_talk_run(context):
    """The kernel that doubles, and the one whose loop a keyword unrolls."""
    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    a = numpy.random.randn(4, 4).astype(numpy.float32)
    a_gpu = cuda.mem_alloc(a.nbytes)
    cuda.memcpy_htod(a_gpu, a)
    mod = SourceModule("""
        __global__ void twice(float *a)
        {
          int idx = threadIdx.x + threadIdx.y*4;
          a[idx] *= 2;
        }
        """)
    func = mod.get_function("twice")
    func(a_gpu, block=(4, 4, 1))
    a_doubled = numpy.empty_like(a)
    cuda.memcpy_dtoh(a_doubled, a_gpu)
    assert numpy.array_equal(a_doubled, 2 * a)


def test_the_matrix_product_of_the_notebook_has_its_size_by_a_keyword(context):
    import pycuda.gpuarray as gpuarray
    from pycuda.compiler import SourceModule

    from treadle import templates

    text = """
    __global__ void product(float *a, float *b, float *c)
    {
      int tx = threadIdx.x, ty = threadIdx.y;
      float sum = 0;
      for (int k = 0; k < %(N)s; ++k)
        sum += a[ty * %(N)s + k] * b[k * %(N)s + tx];
      c[ty * %(N)s + tx] = sum;
    }
    """
    a = numpy.random.randint(0, 9, (4, 4)).astype(numpy.float32)
    for source in (text % {"N": 4}, templates.substitute(text, N=4)):
        a_gpu, c_gpu = gpuarray.to_gpu(a), gpuarray.empty((4, 4), numpy.float32)
        SourceModule(source).get_function("product")(a_gpu, a_gpu, c_gpu, block=(4, 4, 1))
        assert numpy.array_equal(c_gpu.get(), a @ a)
