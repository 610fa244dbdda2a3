# SPDX-License-Identifier: MIT
"""scikit-cuda's modules beside NumPy: transforms, and misc and integrate."""

import numpy as np
import pytest

FLOATS = ["f4", "f8", "c8", "c16"]


@pytest.fixture
def gpuarray(context):
    import pycuda.gpuarray as gpuarray

    return gpuarray


def drawn(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype) if np.dtype(dtype).kind in "fc" else (x * 20).astype(dtype) + 40


def near(ours, theirs, dtype=None):
    """Equal but for rounding; in the dtype of NumPy's result unless another is named."""
    ours = ours.get() if hasattr(ours, "get") else np.asarray(ours)
    assert ours.shape == np.shape(theirs)
    if dtype is not None:
        assert ours.dtype == dtype
    bound = 1e-4 if ours.dtype.itemsize <= 4 * (1 + (ours.dtype.kind == "c")) else 1e-10
    np.testing.assert_allclose(ours, theirs, rtol=bound, atol=bound)


@pytest.mark.parametrize("real, other", [("f4", "c8"), ("f8", "c16")])
@pytest.mark.parametrize("shape", [8, (4, 6), (2, 3, 5)])
@pytest.mark.parametrize("batch", [1, 3])
def test_plans_transform_batches(gpuarray, real, other, shape, batch):
    from skcuda import fft

    lengths = (shape,) if isinstance(shape, int) else shape
    axes = tuple(range(1, 1 + len(lengths)))
    x = drawn((batch, *lengths), real)
    x_gpu, back = gpuarray.to_gpu(x), gpuarray.empty(x.shape, real)
    half = gpuarray.empty((batch, *lengths[:-1], lengths[-1] // 2 + 1), other)
    forward, inverse = fft.Plan(shape, real, other, batch), fft.Plan(shape, other, real, batch)
    assert fft.fft(x_gpu, half, forward) is None
    near(half, np.fft.rfftn(x, axes=axes))
    fft.ifft(half, back, inverse)
    near(back, x * np.prod(lengths))
    fft.ifft(half, back, inverse, True)
    near(back, x)
    z = drawn((batch, *lengths), other)
    z_gpu, plan = gpuarray.to_gpu(z), fft.Plan(shape, other, other, batch)
    fft.fft(z_gpu, z_gpu, plan)
    near(z_gpu, np.fft.fftn(z, axes=axes))
    fft.ifft(z_gpu, z_gpu, plan, scale=True)
    near(z_gpu, z)
    assert plan.batch == batch
    assert plan.worksize > 0


def test_embedded_elements_and_streams(gpuarray):
    import pycuda.driver as drv
    from skcuda import cufft, fft

    x = drawn((3, 10), "c8")
    x_gpu, made = gpuarray.to_gpu(x), gpuarray.zeros((3, 8), "c8")
    embed, stream = np.array([10], np.int32), drv.Stream()
    plan = fft.Plan(8, "c8", "c8", 3, stream, 1, embed, 1, 10, np.array([8], np.int32), 1, 8)
    fft.fft(x_gpu, made, plan)
    stream.synchronize()
    near(made, np.fft.fft(x[:, :8]))
    columns = gpuarray.to_gpu(drawn((8, 3), "c8"))
    plan = fft.Plan(8, "c8", "c8", 3, None, 1, np.array([8], np.int32), 3, 1, embed * 0 + 8, 1, 8)
    cufft.cufftSetStream(plan.handle, stream.handle)
    fft.fft(columns, made, plan, scale=True)
    stream.synchronize()
    near(made, np.fft.fft(columns.get(), axis=0).T / 8)
    own = cufft.cufftPlan1d(8, cufft.CUFFT_C2C, 3)
    cufft.cufftExecC2C(own, int(made.gpudata), int(made.gpudata), cufft.CUFFT_FORWARD)
    cufft.cufftDestroy(own)
    with pytest.raises(cufft.cufftInvalidPlan):
        cufft.cufftDestroy(own)


def test_real_transforms_in_one_place_have_padded_rows(gpuarray):
    from skcuda import cufft

    x = drawn((2, 5), "f4")
    rows = np.zeros((2, 6), "f4")
    rows[:, :5] = x
    memory, plan = gpuarray.to_gpu(rows), cufft.cufftPlan1d(5, cufft.CUFFT_R2C, 2)
    cufft.cufftExecR2C(plan, int(memory.gpudata), int(memory.gpudata))
    near(memory.view(np.complex64), np.fft.rfft(x))


def test_plans_refuse_what_they_are_not_for(gpuarray):
    from skcuda import fft

    x = gpuarray.zeros(8, "f4")
    for arguments in [((), "f4", "c8"), (8, "f4", "c16"), (8, "f4", "c8", 0), (0, "f4", "c8")]:
        with pytest.raises(ValueError, match=r"shape|dtype|batch|transforms"):
            fft.Plan(*arguments)
    forward, inverse = fft.Plan(8, "f4", "c8"), fft.Plan(8, "c8", "f4")
    with pytest.raises(ValueError, match="pass another array"):
        fft.fft(x, x, forward)
    with pytest.raises(ValueError, match="is for ifft"):
        fft.fft(x, x, inverse)
    with pytest.raises(ValueError, match="is for fft"):
        fft.ifft(x, x, forward)


@pytest.mark.parametrize("dtype", [*FLOATS, "i4"])
@pytest.mark.parametrize("order", "CF")
def test_operators_and_reductions_of_matrices(gpuarray, dtype, order):
    from skcuda import misc

    x = np.asarray(drawn((3, 4), dtype), order=order)
    y = np.asarray(drawn((3, 4), dtype, 1), order=order)
    x_gpu, y_gpu = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    is_whole = x.dtype.kind == "i"
    for name in ("add", "subtract", "multiply"):
        made = getattr(misc, name)(x_gpu, y_gpu)
        near(made, getattr(np, name)(x, y), dtype)
        assert made.flags.f_contiguous == (order == "F")
    near(misc.divide(x_gpu, y_gpu), x // y if is_whole else x / y, dtype)
    row, column = drawn(4, dtype, 2), drawn((3, 1), dtype, 3)
    near(misc.add_matvec(x_gpu, gpuarray.to_gpu(row)), x + row, dtype)
    near(misc.mult_matvec(x_gpu, gpuarray.to_gpu(column)), x * column, dtype)
    near(misc.div_matvec(x_gpu, gpuarray.to_gpu(column.ravel()), axis=0),
         x // column if is_whole else x / column, dtype)  # fmt: skip
    near(misc.add(x_gpu, gpuarray.to_gpu(row)), x + row)
    for axis in (None, 0, 1, -1):
        near(misc.sum(x_gpu, axis), x.sum(axis))
        near(misc.mean(x_gpu, axis, keepdims=True), x.mean(axis, keepdims=True))
        near(misc.var(x_gpu, 1, axis), x.var(axis, ddof=1))
        near(misc.std(x_gpu, axis=axis), x.std(axis))
    near(misc.maxabs(x_gpu), abs(x).max())
    if x.dtype.kind == "c":
        return
    near(misc.max(x_gpu), x.max(keepdims=True))
    near(misc.min(x_gpu, 1), x.min(1))
    near(misc.argmax(x_gpu, 0), x.argmax(0), "u4")
    near(misc.argmin(x_gpu, 1, True), x.argmin(1, keepdims=True), "u4")


def test_operators_by_their_names(gpuarray):
    from skcuda import misc

    x, y = drawn((3, 4), "f4"), drawn((3, 4), "f4", 1)
    x_gpu, y_gpu = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    near(misc.binaryop_2d("-", None, False, x_gpu, y_gpu), x - y, "f4")
    out = misc.zeros_like(x_gpu)
    assert misc.binaryop_matvec("-", x_gpu, gpuarray.to_gpu(y[0]), out=out) is out
    near(out, x - y[0])
    near(misc.ones_like(x_gpu) + misc.zeros((3, 4), "f4"), np.ones((3, 4)), "f4")
    whole = gpuarray.to_gpu(np.arange(12, dtype="i4").reshape(3, 4))
    row = gpuarray.to_gpu(np.array([1, 2, 3, 4], "i4"))
    near(misc.binaryop_matvec("%", whole, row, 1), whole.get() % row.get(), "i4")
    for wrong in [("^", x_gpu, row), ("%", x_gpu, row), ("+", x_gpu, row, 2), ("+", row, row)]:
        with pytest.raises((ValueError, TypeError), match=r"op|remainders|axis|matrix"):
            misc.binaryop_matvec(*wrong)


def test_devices_and_contexts():
    from skcuda import misc

    device = misc.init_device(0)
    context = misc.init_context(device)
    assert misc.get_current_device() == device
    major, minor = device.compute_capability()
    assert misc.get_compute_capability(device) == float(f"{major}.{minor}")
    most, blocks, grids = misc.get_dev_attrs(device)
    assert 1 <= most
    assert len(blocks) == len(grids) == 3
    misc.done_context(context)
    assert (misc.iceil(2.1), misc.iceil(2)) == (3, 2)
    assert misc.isdoubletype(np.complex128) and not misc.isdoubletype("f4")
    assert misc.iscomplextype("c8") and misc.num_nbytes[np.dtype("f4")] == 4
    assert np.float32 in misc.num_types


def test_elements_by_number_and_new_arrays(gpuarray):
    from skcuda import misc

    x = np.arange(5, dtype="f4")
    x_gpu, ind = gpuarray.to_gpu(x), np.array([0, 2, 4])
    near(misc.get_by_index(x_gpu, ind), x[ind], "f4")
    assert misc.get_by_index(x_gpu, ind[:0]).shape == (0,)
    misc.set_by_index(x_gpu, gpuarray.to_gpu(ind), gpuarray.to_gpu(np.ones(3, "f4")))
    near(x_gpu, [1, 1, 1, 3, 1])
    misc.set_by_index(x_gpu, ind[[0, 0, 0, 0, 1]], gpuarray.to_gpu(x), ind_which="src")
    near(x_gpu, [0, 0, 0, 0, 2])
    near(misc.cumsum(gpuarray.to_gpu(x)), x.cumsum(), "f4")
    near(misc.diff(gpuarray.to_gpu(x)), np.diff(x), "f4")
    near(misc.inf((2, 2), "f8"), np.full((2, 2), np.inf))
    assert misc.ones((2, 3), "c8", order="F").strides == (8, 16)
    with pytest.raises(OverflowError, match="int32"):
        misc.inf(2, "i4")
    misc.set_realloc(x_gpu, np.ones((2, 2), "f8"))
    near(x_gpu, np.ones((2, 2)), "f8")
    near(x_gpu + 1, np.full((2, 2), 2), "f8")
    block, grid = misc.select_block_grid_sizes(misc.get_current_device(), (1000, 7), 128)
    assert (block, grid) == ((128, 1, 1), (55, 1, 1))
    for wrong in [lambda: misc.diff(misc.ones((2, 2), "f4")), lambda: misc.max(misc.ones(2, "c8"))]:
        with pytest.raises((ValueError, TypeError), match=r"shape|complex"):
            wrong()


@pytest.mark.parametrize("dtype", FLOATS)
def test_integrals(gpuarray, dtype):
    from skcuda import integrate

    x, matrix = drawn(10, dtype), drawn((5, 4), dtype)
    near(integrate.trapz(gpuarray.to_gpu(x), 0.5), np.trapezoid(x, dx=0.5), dtype)
    near(integrate.trapz2d(gpuarray.to_gpu(matrix)), np.trapezoid(np.trapezoid(matrix)), dtype)
    nine = x[:9]
    simpson = (nine[0] + 4 * nine[1:-1:2].sum() + 2 * nine[2:-1:2].sum() + nine[-1]) / 3
    near(integrate.simps(gpuarray.to_gpu(nine)), simpson, dtype)
    last = (x[-1] + x[-2]) / 2
    near(integrate.simps(gpuarray.to_gpu(x), even="first"), simpson + last, dtype)
    both = [integrate.simps(gpuarray.to_gpu(x), even=name) for name in ("first", "last", "avg")]
    near(both[2], (both[0] + both[1]) / 2, dtype)
    with pytest.raises(ValueError, match="even"):
        integrate.simps(gpuarray.to_gpu(x), even="none")
    near(integrate.gen_trapz_mult(3, dtype), [0.5, 1, 0.5], dtype)
    near(integrate.gen_simps_mult(3, dtype), np.array([1, 4, 1]) / 3, dtype)
    near(integrate.gen_trapz2d_mult((2, 3), dtype), np.outer([0.5, 0.5], [0.5, 1, 0.5]), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("order", "CF")
def test_products(gpuarray, dtype, order):
    from skcuda import linalg

    a, b = (np.asarray(drawn(s, dtype, i), order=order) for i, s in enumerate([(3, 4), (4, 2)]))
    a_gpu, b_gpu = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    made = linalg.dot(a_gpu, b_gpu)
    near(made, a @ b, dtype)
    assert made.flags.f_contiguous == (order == "F")
    near(linalg.dot(b_gpu, a_gpu, "T", "c"), b.T @ a.conj().T, dtype)
    out = gpuarray.empty((3, 2), dtype, order=order)
    assert linalg.dot(a_gpu, b_gpu, out=out) is out
    near(out, a @ b)
    v = drawn(4, dtype, 7)
    v_gpu = gpuarray.to_gpu(v)
    near(linalg.dot(v_gpu, v_gpu), v @ v, dtype)
    near(linalg.dot(a_gpu, v_gpu), a @ v, dtype)
    c = np.asarray(drawn((3, 2), dtype, 5), order=order)
    c_gpu = gpuarray.to_gpu(c)
    assert linalg.add_dot(a_gpu, b_gpu, c_gpu, alpha=2, beta=-1) is c_gpu
    near(c_gpu, 2 * (a @ b) - c)
    near(linalg.mdot(a_gpu, b_gpu, linalg.transpose(b_gpu)), a @ b @ b.T)
    near(linalg.dot_diag(v_gpu, b_gpu), np.diag(v) @ b)
    near(linalg.dot_diag(v_gpu, a_gpu, "t", overwrite=True), a @ np.diag(v))
    near(a_gpu, a @ np.diag(v))
    near(linalg.norm(b_gpu), np.linalg.norm(b))
    linalg.scale(3, b_gpu)
    near(b_gpu, 3 * b)
    near(linalg.multiply(b_gpu, b_gpu), 9 * b * b)
    near(linalg.hermitian(b_gpu), 3 * b.conj().T)
    assert linalg.hermitian(b_gpu).flags.c_contiguous
    near(linalg.conj(b_gpu), 3 * b.conj())
    for wrong in [(b_gpu, a_gpu, "n", "n"), (a_gpu, b_gpu, "x", "n")]:
        with pytest.raises(ValueError, match=r"inner|transa"):
            linalg.dot(*wrong)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("order", "CF")
def test_matrices(gpuarray, dtype, order):
    from skcuda import linalg

    a = np.asarray(drawn((4, 4), dtype), order=order)
    a_gpu, v = gpuarray.to_gpu(a), drawn(4, dtype, 1)
    near(linalg.tril(a_gpu), np.tril(a), dtype)
    near(linalg.triu(a_gpu, 1), np.triu(a, 1), dtype)
    near(linalg.trace(a_gpu), np.trace(a), dtype)
    near(linalg.diag(a_gpu), np.diag(a), dtype)
    near(linalg.diag(gpuarray.to_gpu(v)), np.diag(v), dtype)
    near(linalg.add_diag(gpuarray.to_gpu(v), a_gpu), a + np.diag(v), dtype)
    near(linalg.eye(3, dtype), np.eye(3), dtype)
    powers = linalg.vander(gpuarray.to_gpu(v), 3)
    near(powers, np.vander(v, 3, increasing=True), dtype)
    assert powers.flags.f_contiguous
    row = gpuarray.to_gpu(drawn((1, 4), dtype))
    turned = linalg.transpose(row)
    turned.fill(0)
    near(row, drawn((1, 4), dtype))  # is not shared
    with pytest.raises(ValueError, match="square"):
        linalg.tril(gpuarray.to_gpu(drawn((2, 3), dtype)))


def definite(n, dtype, order):
    a = drawn((n, n), dtype)
    return np.asarray(a @ a.conj().T + n * np.eye(n, dtype=dtype), dtype, order=order)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("order", "CF")
def test_factors_of_definite_matrices(gpuarray, dtype, order):
    from skcuda import linalg

    a, b = definite(5, dtype, order), drawn(5, dtype, 3)
    lower = np.linalg.cholesky(a)
    in_upper = order == "C"
    a_gpu, b_gpu = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    assert linalg.cho_factor(a_gpu) is None
    if in_upper:
        near(a_gpu, lower.conj().T + np.tril(a, -1), dtype)
    else:
        near(a_gpu, lower + np.triu(a, 1), dtype)
    a_gpu = gpuarray.to_gpu(a)
    linalg.cholesky(a_gpu, "u")
    near(a_gpu, lower if in_upper else lower.conj().T, dtype)
    a_gpu = gpuarray.to_gpu(a)
    linalg.cho_solve(a_gpu, b_gpu)
    near(b_gpu, np.linalg.solve(a.T if in_upper else a, b), dtype)
    a_gpu = gpuarray.to_gpu(a)
    inverse = linalg.inv(a_gpu)
    near(inverse, np.linalg.inv(a), dtype)
    assert inverse.flags.f_contiguous == (order == "F")
    assert linalg.inv(a_gpu, overwrite=True) is a_gpu
    near(a_gpu, np.linalg.inv(a))
    near(linalg.det(gpuarray.to_gpu(a / 5)), np.linalg.det(a / 5), dtype)
    vectors, values = linalg.eig(gpuarray.to_gpu(a))
    near(values, np.linalg.eigvalsh(a))
    near(vectors.get() * values.get() @ vectors.get().conj().T, a)
    near(linalg.eig(gpuarray.to_gpu(a), jobvr="n"), np.linalg.eigvalsh(a))
    with pytest.raises(linalg.LinAlgError):
        linalg.inv(gpuarray.to_gpu(np.zeros((3, 3), dtype)))
    with pytest.raises(linalg.LinAlgError):
        linalg.cholesky(gpuarray.to_gpu(-a))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (5, 5)])
def test_singular_values_and_orthogonal_vectors(gpuarray, dtype, shape):
    from skcuda import linalg

    a = drawn(shape, dtype)
    a_gpu = gpuarray.to_gpu(a)
    u, s, vh = linalg.svd(a_gpu, "S", "s")
    near(u.get() * s.get() @ vh.get(), a)
    u, s, vh = linalg.svd(a_gpu)
    assert u.flags.c_contiguous
    assert vh.flags.c_contiguous
    assert (u.shape, vh.shape) == ((shape[0],) * 2, (shape[1],) * 2)
    near(linalg.svd(a_gpu, "N", "N"), np.linalg.svd(a, compute_uv=False))
    assert [x.shape for x in linalg.svd(a_gpu, "N", "A")] == [s.shape, vh.shape]
    near(linalg.pinv(a_gpu), np.linalg.pinv(a), dtype)
    f_gpu = gpuarray.to_gpu(np.asfortranarray(a))
    near(abs(linalg.qr(f_gpu, "r")), abs(np.linalg.qr(a)[1]))
    if shape[0] >= shape[1]:
        q, r = linalg.qr(f_gpu)
        near(q.get() @ r.get(), a)
        assert linalg.qr(f_gpu, "economic").shape == q.shape
    with pytest.raises(NotImplementedError, match="cusolver"):
        linalg.svd(a_gpu, lib="cula")


def test_principal_components(gpuarray):
    from skcuda import linalg

    x = drawn((30, 4), "f8")
    pca = linalg.PCA()
    assert pca.get_n_components() is None
    pca.set_n_components(3)
    scores = pca.fit_transform(gpuarray.to_gpu(x))
    products = scores.get().T @ scores.get()
    near(products, np.diag(np.diag(products)))
    centred = x - x.mean(1, keepdims=True)
    near(np.diag(products), np.linalg.svd(centred, compute_uv=False)[:3] ** 2)
    turned = linalg.PCA(3).fit_transform(gpuarray.to_gpu(x.T.copy()), transposed_input=True)
    near(abs(turned), abs(scores.get().T))
    with pytest.raises(ValueError, match="order"):
        linalg.PCA().fit_transform(gpuarray.to_gpu(np.asfortranarray(x)))
