# SPDX-License-Identifier: MIT
"""loopy: loops that are transformed to OpenCL C and called through pyopencl."""

import loopy as lp
import numpy as np
import pyopencl.array as cla
import pytest

lp.set_caching_enabled(False)


def kernel(*args, **options):
    return lp.make_kernel(*args, lang_version=(2018, 2), **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32])
def test_arrays_and_numbers_are_arguments(queue, rng, dtype):
    scale = kernel("{[i]: 0<=i<n}", "out[i] = b*a[i] + c", name="scale")
    scale = lp.add_and_infer_dtypes(scale, {"a": dtype, "b": dtype, "c": np.int8})
    scale = lp.split_iname(scale, "i", 16, outer_tag="g.0", inner_tag="l.0")
    a = rng.integers(0, 9, 1001).astype(dtype)
    _, (out,) = scale(queue, a=cla.to_device(queue, a), b=dtype(3), c=2)
    np.testing.assert_allclose(out.get(), 3 * a + 2)


def test_arrays_of_the_host(queue, rng):
    twice = kernel("{[i,j]: 0<=i,j<n}", "out[j, i] = 2*a[i, j]")
    twice = lp.tag_inames(twice, {"i": "g.0", "j": "l.0"})
    twice = lp.assume(lp.fix_parameters(twice, n=16), "")
    a = rng.random((16, 16))
    _, (out,) = twice(queue, a=a)
    np.testing.assert_array_equal(out.T, 2 * a)


def test_a_product_of_matrices(queue, rng):
    n = 64
    product = kernel(
        f"{{[i,j,k]: 0<=i,j,k<{n}}}", "c[i, j] = sum(k, a[i, k]*b[k, j])", name="product"
    )
    product = lp.add_and_infer_dtypes(product, {"a": np.float32, "b": np.float32})
    product = lp.split_iname(product, "i", 8, outer_tag="g.0", inner_tag="l.1")
    product = lp.split_iname(product, "j", 8, outer_tag="g.1", inner_tag="l.0")
    product = lp.split_iname(product, "k", 8)
    a, b = rng.random((2, n, n)).astype(np.float32)
    device = [cla.to_device(queue, x) for x in (a, b)]
    _, (c,) = product(queue, a=device[0], b=device[1])
    np.testing.assert_allclose(c.get(), a @ b, rtol=1e-5)


def test_rows_in_local_memory(queue, rng):
    total = kernel("{[i,j]: 0<=i<16 and 0<=j<32}", "out[i] = sum(j, a[i, j])")
    total = lp.add_and_infer_dtypes(total, {"a": np.float64})
    total = lp.add_prefetch(total, "a", ["j"], default_tag="l.auto")
    total = lp.tag_inames(total, {"i": "g.0"})
    a = rng.random((16, 32))
    _, (out,) = total(queue, a=cla.to_device(queue, a))
    np.testing.assert_allclose(out.get(), a.sum(axis=1))
