# SPDX-License-Identifier: MIT
"""The names of the faces' modules of arrays, with the parameters that programs rely on."""

PYCUDA = {
    "tools": """
context_dependent_memoized_functions base_dtype_to_ctype get_or_register_dtype register_dtype
_fill_dtype_registry VectorArg.struct_char bitlog2 DeviceMemoryPool PageLockedMemoryPool
PageLockedAllocator _exact_div DeviceMemoryPool.held_blocks DeviceMemoryPool.active_blocks
DeviceMemoryPool.managed_bytes DeviceMemoryPool.active_bytes DeviceMemoryPool.bin_number
DeviceMemoryPool.alloc_size DeviceMemoryPool.free_held DeviceMemoryPool.stop_holding
DeviceMemoryPool.allocate PageLockedMemoryPool.held_blocks PageLockedMemoryPool.active_blocks
PageLockedMemoryPool.managed_bytes PageLockedMemoryPool.active_bytes
PageLockedMemoryPool.bin_number PageLockedMemoryPool.alloc_size PageLockedMemoryPool.free_held
PageLockedMemoryPool.stop_holding PageLockedMemoryPool.allocate
make_default_context(ctx_maker=None)
get_default_device(default=0)
context_dependent_memoize(func)
clear_context_caches()
mark_cuda_test(inner_f)
init_cuda_context_fixture()
dtype_to_ctype(dtype, with_fp_tex_hack=False)
parse_c_arg(c_arg)
get_arg_type(c_arg)
Argument(dtype, name)
VectorArg(dtype, name)
VectorArg.declarator(self)
ScalarArg(dtype, name)
ScalarArg.declarator(self)
DebugMemoryPool(interactive=True, logfile=None)
DeviceData(dev=None)
DeviceData.align_bytes(self, word_size=4)
DeviceData.align(self, bytes, word_size=4)
DeviceData.align_words(self, word_size)
DeviceData.align_dtype(self, elements, dtype_size)
DeviceData.coalesce(self, thread_count)
DeviceData.make_valid_tex_channel_count(size)
OccupancyRecord(devdata, threads, shared_mem=0, registers=0)
_int_ceiling(value, multiple_of=1)
_int_floor(value, multiple_of=1)
""",
    "compyte.dtypes": """
TypeNameNotKnown TYPE_REGISTRY DTYPE_TO_NAME NAME_TO_DTYPE get_or_register_dtype
_fill_dtype_registry
DTypeRegistry()
DTypeRegistry.get_or_register_dtype(self, names, dtype=None)
DTypeRegistry.dtype_to_ctype(self, dtype)
fill_registry_with_c_types(reg, respect_windows, include_bool=True)
fill_registry_with_opencl_c_types(reg)
fill_registry_with_c99_stdint_types(reg)
fill_registry_with_c99_complex_types(reg)
dtype_to_ctype(dtype)
register_dtype(dtype, c_names, alias_ok=False)
parse_c_arg_backend(c_arg, scalar_arg_factory, vec_arg_factory, name_to_dtype=None)
""",
    "compyte.array": """
as_strided
f_contiguous_strides(itemsize, shape)
c_contiguous_strides(itemsize, shape)
equal_strides(strides1, strides2, shape)
is_f_contiguous_strides(strides, itemsize, shape)
is_c_contiguous_strides(strides, itemsize, shape)
ArrayFlags(ary)
get_common_dtype(obj1, obj2, allow_double)
""",
    "gpuarray": """
vec empty GPUArray.shape GPUArray.dtype GPUArray.strides GPUArray.size GPUArray.mem_size
GPUArray.nbytes GPUArray.itemsize GPUArray.allocator GPUArray.gpudata GPUArray.base GPUArray.ndim
GPUArray.flags GPUArray.T GPUArray.real GPUArray.imag GPUArray.ptr GPUArray._grid GPUArray._block
GPUArray.__array_priority__ GPUArray.__cuda_array_interface__ GPUArray.__getitem__
GPUArray.__setitem__ arange reshape _builtin_min _builtin_max _get_broadcasted_binary_op_result
_make_binary_op _compact_strides _array_like_helper
splay(n, dev=None)
GPUArray(shape, dtype, allocator=mem_alloc, base=None, gpudata=None, strides=None, order='C')
GPUArray.set(self, ary, async_=False, stream=None)
GPUArray.set_async(self, ary, stream=None)
GPUArray.get(self, ary=None, pagelocked=False, async_=False, stream=None)
GPUArray.get_async(self, stream=None, ary=None)
GPUArray.copy(self)
GPUArray._new_like_me(self, dtype=None, order='C')
GPUArray.mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None)
GPUArray._axpbyz(self, selffac, other, otherfac, out, add_timer=None, stream=None)
GPUArray._axpbz(self, selffac, other, out, stream=None)
GPUArray._elwise_multiply(self, other, out, stream=None)
GPUArray._rdiv_scalar(self, other, out, stream=None)
GPUArray._div(self, other, out, stream=None)
GPUArray._pow(self, other, new)
GPUArray.fill(self, value, stream=None)
GPUArray.astype(self, dtype, stream=None)
GPUArray.reverse(self, stream=None)
GPUArray.any(self, stream=None, allocator=None)
GPUArray.all(self, stream=None, allocator=None)
GPUArray.reshape(self, *shape, order='C')
GPUArray.ravel(self)
GPUArray.view(self, dtype=None)
GPUArray.squeeze(self)
GPUArray.transpose(self, axes=None)
GPUArray.conj(self, out=None)
GPUArray.conjugate(self, out=None)
GPUArray.bind_to_texref(self, texref, allow_offset=False)
GPUArray.bind_to_texref_ext(self, texref, channels=1, allow_double_hack=False,
    allow_complex_hack=False, allow_offset=False)
_memcpy_discontig(dst, src, async_=False, stream=None)
to_gpu(ary, allocator=mem_alloc)
to_gpu_async(ary, allocator=mem_alloc, stream=None)
zeros(shape, dtype=float64, allocator=mem_alloc, order='C')
ones(shape, dtype=float64, allocator=mem_alloc, order='C')
empty_like(other_ary, dtype=None, order='K')
zeros_like(other_ary, dtype=None, order='K')
ones_like(other_ary, dtype=None, order='K')
take(a, indices, out=None, stream=None)
multi_take(arrays, indices, out=None, stream=None)
multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None,
    src_offsets=None)
multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None)
concatenate(arrays, axis=0, allocator=None)
stack(arrays, axis=0, allocator=None)
transpose(a, axes=None)
if_positive(criterion, then_, else_, out=None, stream=None)
where(criterion, then_, else_, out=None, stream=None)
minimum(a, b, out=None, stream=None)
maximum(a, b, out=None, stream=None)
sum(a, dtype=None, stream=None, allocator=None)
any(a, stream=None, allocator=None)
all(a, stream=None, allocator=None)
dot(a, b, dtype=None, stream=None, allocator=None)
subset_sum(subset, a, dtype=None, stream=None, allocator=None)
subset_dot(subset, a, b, dtype=None, stream=None, allocator=None)
min(a, stream=None)
max(a, stream=None)
subset_min(subset, a, stream=None)
subset_max(subset, a, stream=None)
logical_and(x1, x2, out=None, allocator=None)
logical_or(x1, x2, out=None, allocator=None)
logical_not(x, out=None, allocator=mem_alloc)
_get_common_dtype(obj1, obj2)
""",
    "elementwise": """
ScalarArg VectorArg context_dependent_memoize dtype_to_ctype
get_elwise_module(arguments, operation, name='kernel', keep=False, options=None, preamble='',
    loop_prep='', after_loop='')
get_elwise_range_module(arguments, operation, name='kernel', keep=False, options=None,
    preamble='', loop_prep='', after_loop='')
get_elwise_kernel_and_types(arguments, operation, name='kernel', keep=False, options=None,
    use_range=False, **kwargs)
get_elwise_kernel(arguments, operation, name='kernel', keep=False, options=None,
    use_range=False, **kwargs)
ElementwiseKernel(arguments, operation, name='kernel', keep=False, options=None, **kwargs)
ElementwiseKernel.generate_stride_kernel_and_types(self, use_range)
ElementwiseKernel.get_texref(self, name, use_range=False)
ElementwiseKernel.__call__(self, *args, range=None, slice=None, stream=None)
get_take_kernel(dtype, idx_dtype, vec_count=1)
get_take_put_kernel(dtype, idx_dtype, with_offsets, vec_count=1)
get_put_kernel(dtype, idx_dtype, vec_count=1)
get_copy_kernel(dtype_dest, dtype_src)
get_linear_combination_kernel(summand_descriptors, dtype_z)
get_axpbyz_kernel(dtype_x, dtype_y, dtype_z, x_is_scalar=False, y_is_scalar=False)
get_axpbz_kernel(dtype_x, dtype_z)
get_binary_op_kernel(dtype_x, dtype_y, dtype_z, operator, x_is_scalar=False, y_is_scalar=False)
get_rdivide_elwise_kernel(dtype_x, dtype_z)
get_binary_func_kernel(func, dtype_x, dtype_y, dtype_z)
get_binary_func_scalar_kernel(func, dtype_x, dtype_y, dtype_z)
get_binary_minmax_kernel(func, dtype_x, dtype_y, dtype_z, use_scalar)
get_fill_kernel(dtype)
get_reverse_kernel(dtype)
get_real_kernel(dtype, real_dtype)
get_imag_kernel(dtype, real_dtype)
get_conj_kernel(dtype, conj_dtype)
get_arange_kernel(dtype)
get_pow_array_kernel(dtype_x, dtype_y, dtype_z, is_base_array, is_exp_array)
get_fmod_kernel()
get_modf_kernel()
get_frexp_kernel()
get_ldexp_kernel()
get_unary_func_kernel(func_name, in_dtype, out_dtype=None)
get_if_positive_kernel(crit_dtype, dtype)
get_where_kernel(crit_dtype, dtype)
get_scalar_op_kernel(dtype_x, dtype_a, dtype_y, operator)
get_logical_not_kernel(dtype_x, dtype_out)
""",
    "reduction": """
get_reduction_module get_reduction_kernel_and_types
ReductionKernel(dtype_out, neutral, reduce_expr, map_expr=None, arguments=None,
    name='reduce_kernel', keep=False, options=None, preamble='')
ReductionKernel.__call__(self, *args, stream=None, out=None, allocator=None,
    kernel_wrapper=None)
get_sum_kernel(dtype_out, dtype_in)
get_any_kernel(dtype_out, dtype_in)
get_all_kernel(dtype_out, dtype_in)
get_subset_sum_kernel(dtype_out, dtype_subset, dtype_in)
get_dot_kernel(dtype_out, dtype_a, dtype_b)
get_subset_dot_kernel(dtype_out, dtype_subset, dtype_a=None, dtype_b=None)
get_minmax_kernel(what, dtype)
get_subset_minmax_kernel(what, dtype, dtype_subset)
get_minmax_neutral(what, dtype)
""",
    "cumath": """
[fabs ceil floor exp log log10 sqrt sin cos tan asin acos atan sinh cosh tanh](array,
    stream_or_out=None)
fmod(arg, mod, stream=None)
ldexp(significand, exponent, stream=None)
frexp(arg, stream=None)
modf(arg, stream=None)
""",
    "curandom": """
get_curand_version Philox4_32_10RandomNumberGenerator.block_count
Philox4_32_10RandomNumberGenerator.generators_per_block
Philox4_32_10RandomNumberGenerator.generator_bits
Philox4_32_10RandomNumberGenerator.has_box_muller
rand(shape, dtype=float32, stream=None)
seed_getter_uniform(n)
seed_getter_unique(n)
Philox4_32_10RandomNumberGenerator(seed_getter=None, offset=0)
Philox4_32_10RandomNumberGenerator.fill_uniform(self, data, stream=None)
Philox4_32_10RandomNumberGenerator.gen_uniform(self, shape, dtype, stream=None)
Philox4_32_10RandomNumberGenerator.fill_normal(self, data, stream=None)
Philox4_32_10RandomNumberGenerator.gen_normal(self, shape, dtype, stream=None)
Philox4_32_10RandomNumberGenerator.fill_log_normal(self, data, mean, stddev, stream=None)
Philox4_32_10RandomNumberGenerator.gen_log_normal(self, shape, dtype, mean, stddev, stream=None)
Philox4_32_10RandomNumberGenerator.fill_poisson(self, data, lambda_value=None, stream=None)
Philox4_32_10RandomNumberGenerator.gen_poisson(self, shape, dtype, lambda_value, stream=None)
Philox4_32_10RandomNumberGenerator.call_skip_ahead(self, i, stream=None)
Philox4_32_10RandomNumberGenerator.call_skip_ahead_array(self, i, stream=None)
Philox4_32_10RandomNumberGenerator.call_skip_ahead_sequence(self, i, stream=None)
Philox4_32_10RandomNumberGenerator.call_skip_ahead_sequence_array(self, i, stream=None)
direction_vector_set.VECTOR_32 direction_vector_set.SCRAMBLED_VECTOR_32
direction_vector_set.VECTOR_64 direction_vector_set.SCRAMBLED_VECTOR_64
generate_direction_vectors(count, direction=None)
generate_scramble_constants32(count)
generate_scramble_constants64(count)
[XORWOWRandomNumberGenerator MRG32k3aRandomNumberGenerator](seed_getter=None, offset=0)
[Sobol32RandomNumberGenerator Sobol64RandomNumberGenerator](dir_vector=None, offset=0)
[ScrambledSobol32RandomNumberGenerator
    ScrambledSobol64RandomNumberGenerator](dir_vector=None, scramble_vector=None, offset=0)
_RandomNumberGeneratorBase.fill_uniform(self, data, stream=None)
_RandomNumberGeneratorBase.gen_uniform(self, shape, dtype, stream=None)
_RandomNumberGeneratorBase.fill_normal(self, data, stream=None)
_RandomNumberGeneratorBase.gen_normal(self, shape, dtype, stream=None)
_RandomNumberGeneratorBase.fill_log_normal(self, data, mean, stddev, stream=None)
_RandomNumberGeneratorBase.gen_log_normal(self, shape, dtype, mean, stddev, stream=None)
_RandomNumberGeneratorBase.fill_poisson(self, data, lambda_value=None, stream=None)
_RandomNumberGeneratorBase.gen_poisson(self, shape, dtype, lambda_value, stream=None)
_RandomNumberGeneratorBase.call_skip_ahead(self, i, stream=None)
_RandomNumberGeneratorBase.call_skip_ahead_array(self, i, stream=None)
_PseudoRandomNumberGeneratorBase.call_skip_ahead_sequence(self, i, stream=None)
_PseudoRandomNumberGeneratorBase.call_skip_ahead_sequence_array(self, i, stream=None)
MRG32k3aRandomNumberGenerator.call_skip_ahead_subsequence(self, i, stream=None)
MRG32k3aRandomNumberGenerator.call_skip_ahead_subsequence_array(self, i, stream=None)
_RandomNumberGeneratorBase.generators_per_block _RandomNumberGeneratorBase.state
_RandomNumberGeneratorBase.generator_bits _RandomNumberGeneratorBase.has_box_muller
_SobolRandomNumberGeneratorBase _ScrambledSobolRandomNumberGeneratorBase
""",
}

PYOPENCL = {
    "array": """
Array.shape Array.dtype Array.strides Array.nbytes Array.size Array.allocator Array.base_data
Array.offset Array.events Array.ndim Array.flags Array.data Array.T Array.real Array.imag
Array.__array_priority__ Array.copy Array.conjugate Array.__getitem__ Array.__setitem__
Array._new_with_changes Array._new_like_me Array._axpbyz Array._axpbz Array._copy Array._fill
Array._get_sizes empty arange vec ARRAY_KERNEL_EXEC_HOOK InconsistentOpenCLQueueWarning
DoubleDowncastWarning ArrayHasOffsetError VisibleDeprecationWarning
Array(cq, shape, dtype, order='C', allocator=None, data=None, offset=0, strides=None,
    events=None, _flags=None, _fast=False, _size=None, _context=None, _queue=None)
Array.safely_stringify_for_pudb(self)
Array.add_event(self, evt)
Array.finish(self)
Array.with_queue(self, queue)
Array.set(self, ary, queue=None, async_=False)
Array.get(self, queue=None, ary=None)
Array.get_async(self, queue=None, ary=None)
Array.map_to_host(self, queue=None, flags=3, is_blocking=True, wait_for=None)
Array.fill(self, value, queue=None, wait_for=None)
Array.astype(self, dtype, queue=None)
Array.reverse(self, queue=None)
Array.setitem(self, subscript, value, queue=None, wait_for=None)
Array.mul_add(self, selffac, other, otherfac, queue=None)
Array.conj(self)
Array.any(self, queue=None, wait_for=None)
Array.all(self, queue=None, wait_for=None)
Array.reshape(self, *shape, **kwargs)
Array.ravel(self, order='C')
Array.view(self, dtype=None)
Array.squeeze(self)
Array.transpose(self, axes=None)
as_strided(ary, shape=None, strides=None)
_get_common_dtype(obj1, obj2, queue)
to_device(queue, ary, allocator=None, async_=False, array_queue=<that of the array>)
zeros(queue, shape, dtype, order='C', allocator=None)
empty_like(ary, queue=<that of the array>, allocator=None)
zeros_like(ary)
take(a, indices, out=None, queue=None, wait_for=None)
multi_take(arrays, indices, out=None, queue=None)
multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, queue=None,
    src_offsets=None)
multi_put(arrays, dest_indices, dest_shape=None, out=None, queue=None, wait_for=None)
concatenate(arrays, axis=0, queue=None, allocator=None)
hstack(arrays, queue=None)
stack(arrays, axis=0, queue=None)
diff(array, queue=None, allocator=None)
transpose(a, axes=None)
reshape(a, shape)
if_positive(criterion, then_, else_, out=None, queue=None)
maximum(a, b, out=None, queue=None)
minimum(a, b, out=None, queue=None)
logical_and(x1, x2, out=None, queue=None)
logical_or(x1, x2, out=None, queue=None)
logical_not(x, out=None, queue=None)
elwise_kernel_runner(kernel_getter)
_splay(device, n, kernel_specific_max_wg_size=None)
sum(a, dtype=None, queue=None, slice=None)
any(a, queue=None, wait_for=None)
all(a, queue=None, wait_for=None)
dot(a, b, dtype=None, queue=None, slice=None)
vdot(a, b, dtype=None, queue=None, slice=None)
subset_dot(subset, a, b, dtype=None, queue=None, slice=None)
min(a, queue=None)
max(a, queue=None)
subset_min(subset, a, queue=None, slice=None)
subset_max(subset, a, queue=None, slice=None)
""",
    "elementwise": """
VectorArg ScalarArg DtypedArgument KernelTemplateBase context_dependent_memoize
dtype_to_ctype dtype_to_c_struct parse_arg_list
ElementwiseTemplate.build get_elwise_program get_elwise_kernel_and_types get_elwise_kernel
ArgumentKind ArgumentKind.ARRAY ArgumentKind.DEV_SCALAR ArgumentKind.SCALAR get_multiply_kernel
get_divide_kernel get_rdivide_elwise_kernel get_array_scalar_binop_kernel get_array_binop_kernel
get_array_scalar_comparison_kernel get_array_comparison_kernel get_binary_func_kernel
get_float_binary_func_kernel get_fmod_kernel get_modf_kernel get_frexp_kernel get_ldexp_kernel
get_minmaximum_kernel get_bessel_kernel get_hankel_01_kernel get_diff_kernel
get_if_positive_kernel get_logical_not_kernel
ElementwiseKernel(context, arguments, operation, name='elwise_kernel', options=None)
ElementwiseKernel.__call__(self, *args, range=None, slice=None, capture_as=None, queue=None,
    wait_for=None)
ElementwiseTemplate(arguments, operation, name='elwise', preamble='', template_processor=None)
get_argument_kind(v)
get_decl_and_access_for_kind(name, kind)
complex_dtype_to_name(dtype)
real_dtype(dtype)
get_take_kernel(context, dtype, idx_dtype, vec_count=1)
get_take_put_kernel(context, dtype, idx_dtype, with_offsets, vec_count=1)
get_put_kernel(context, dtype, idx_dtype, vec_count=1)
get_copy_kernel(context, dtype_dest, dtype_src)
get_axpbyz_kernel(context, dtype_x, dtype_y, dtype_z, x_is_scalar=False, y_is_scalar=False)
get_axpbz_kernel(context, dtype_a, dtype_x, dtype_b, dtype_z)
get_fill_kernel(context, dtype)
get_reverse_kernel(context, dtype)
get_arange_kernel(context, dtype)
get_pow_kernel(context, dtype_x, dtype_y, dtype_z, is_base_array, is_exp_array)
get_unop_kernel(context, operator, res_dtype, in_dtype)
get_unary_func_kernel(context, func_name, in_dtype, out_dtype=None)
""",
    "scan": """
VectorArg ScalarArg DtypedArgument KernelTemplateBase context_dependent_memoize
dtype_to_ctype dtype_to_c_struct parse_arg_list bitlog2
""",
    "algorithm": """
VectorArg ScalarArg DtypedArgument dtype_to_ctype context_dependent_memoize
GenericScanKernel ScanTemplate
""",
    "reduction": """
VectorArg ScalarArg DtypedArgument KernelTemplateBase context_dependent_memoize
dtype_to_ctype dtype_to_c_struct parse_arg_list
ReductionTemplate.build get_reduction_kernel get_dot_kernel get_subset_dot_kernel
ReductionKernel(ctx, dtype_out, neutral, reduce_expr, map_expr=None, arguments=None,
    name='reduce_kernel', options=None, preamble='')
ReductionKernel.__call__(self, *args, return_event=False, queue=None, allocator=None,
    wait_for=None, out=None, range=None, slice=None)
ReductionTemplate(arguments, neutral, reduce_expr, map_expr=None, is_segment_start_expr=None,
    input_fetch_exprs=None, name_prefix='reduce', preamble='', template_processor=None)
get_any_kernel(ctx, dtype_in)
get_all_kernel(ctx, dtype_in)
get_sum_kernel(ctx, dtype_out, dtype_in)
get_minmax_kernel(ctx, what, dtype)
get_subset_minmax_kernel(ctx, what, dtype, dtype_subset)
get_minmax_neutral(what, dtype)
""",
    "clmath": """
[acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp
    exp2 exp10 expm1 fabs floor ilogb lgamma log log2 log10 log1p logb nan rint round sin sinh sinpi
    sqrt tan tanh tanpi tgamma trunc](array, queue=None)
atan2(y, x, queue=None)
atan2pi(y, x, queue=None)
fmod(arg, mod, queue=None)
ldexp(significand, exponent, queue=None)
frexp(arg, queue=None)
modf(arg, queue=None)
bessel_jn(n, x, queue=None)
bessel_yn(n, x, queue=None)
hankel_01(x, queue=None)
""",
    "tools": """
AllocatorBase DeferredAllocator ImmediateAllocator MemoryPool PooledBuffer SVMAllocator SVMPool
PooledSVM bitlog2 TypeNameNotKnown Argument KernelTemplateBase.build_inner is_spirv
_NumpyTypesKeyBuilder _CDeclList
register_dtype(dtype, c_names, alias_ok=False)
get_or_register_dtype(c_names, dtype=None)
dtype_to_ctype(dtype)
first_arg_dependent_memoize(func)
context_dependent_memoize(func)
clear_first_arg_caches()
first_arg_dependent_memoize_nested(nested_func)
pytest_generate_tests_for_pyopencl(metafunc)
get_test_platforms_and_devices(plat_dev_string=None)
get_pyopencl_fixture_arg_names(metafunc, extra_arg_names=None)
get_pyopencl_fixture_arg_values()
Argument.declarator(self)
DtypedArgument(dtype, name)
VectorArg(dtype, name, with_offset=False)
ScalarArg(dtype, name)
OtherArg(decl, name)
parse_c_arg(c_arg, with_offset=False)
parse_arg_list(arguments, with_offset=False)
get_arg_list_arg_types(arg_types)
get_arg_list_scalar_arg_dtypes(arg_types)
get_arg_offset_adjuster_code(arg_types)
match_dtype_to_c_struct(device, name, dtype, context=None)
dtype_to_c_struct(device, dtype)
KernelTemplateBase(template_processor=None)
KernelTemplateBase.build(self, context, *args, **kwargs)
KernelTemplateBase.get_renderer(self, type_aliases, var_values, context=None, options=None)
get_gl_sharing_context_properties()
array_module(a)
""",
    "compyte.dtypes": """
TypeNameNotKnown TYPE_REGISTRY DTYPE_TO_NAME NAME_TO_DTYPE get_or_register_dtype
DTypeRegistry()
DTypeRegistry.get_or_register_dtype(self, names, dtype=None)
DTypeRegistry.dtype_to_ctype(self, dtype)
fill_registry_with_c_types(reg, respect_windows, include_bool=True)
fill_registry_with_opencl_c_types(reg)
fill_registry_with_c99_stdint_types(reg)
fill_registry_with_c99_complex_types(reg)
dtype_to_ctype(dtype)
register_dtype(dtype, c_names, alias_ok=False)
parse_c_arg_backend(c_arg, scalar_arg_factory, vec_arg_factory, name_to_dtype=None)
""",
    "compyte.array": """
as_strided
f_contiguous_strides(itemsize, shape)
c_contiguous_strides(itemsize, shape)
equal_strides(strides1, strides2, shape)
is_f_contiguous_strides(strides, itemsize, shape)
is_c_contiguous_strides(strides, itemsize, shape)
ArrayFlags(ary)
get_common_dtype(obj1, obj2, allow_double)
""",
    "bitonic_sort": """
BitonicSort(context)
BitonicSort.__call__(self, arr, idx=None, queue=None, wait_for=None, axis=0)
""",
    "typing": """
DTypeT HasBufferInterface SVMInnerT WaitList KernelArg Allocator
""",
    "version": """
VERSION VERSION_STATUS VERSION_TEXT
""",
    "clrandom": """
PhiloxGenerator.uniform PhiloxGenerator.normal
Random123GeneratorBase(context, key=None, counter=None, seed=None)
PhiloxGenerator(context, key=None, counter=None, seed=None)
ThreefryGenerator(context, key=None, counter=None, seed=None)
PhiloxGenerator.fill_uniform(self, ary, a=0, b=1, queue=None)
PhiloxGenerator.fill_normal(self, ary, mu=0, sigma=1, queue=None)
rand(queue, shape, dtype, luxury=None, a=0, b=1)
fill_rand(result, queue=None, a=0, b=1)
""",
}

SKCUDA = {
    "fft": """
Plan(shape, in_dtype, out_dtype, batch=1, stream=None, mode=1, inembed=None, istride=1, idist=0,
    onembed=None, ostride=1, odist=0, auto_allocate=True)
Plan.set_work_area(self, work_area)
fft(x_gpu, y_gpu, plan, scale=False)
ifft(x_gpu, y_gpu, plan, scale=False)
""",
    "linalg": """
LinAlgError init shutdown add_matvec div_matvec mult_matvec _has_cula
PCA(n_components=None, handle=None, epsilon=1e-07, max_iter=10000)
PCA.fit_transform(self, X_gpu, transposed_input=False)
PCA.set_n_components(self, n_components)
PCA.get_n_components(self)
dot(x_gpu, y_gpu, transa='N', transb='N', handle=None, out=None)
add_dot(a_gpu, b_gpu, c_gpu, transa='N', transb='N', alpha=1.0, beta=1.0, handle=None)
mdot(*args, handle=None)
dot_diag(d_gpu, a_gpu, trans='N', overwrite=False, handle=None)
add_diag(d_gpu, a_gpu, overwrite=False, handle=None)
multiply(x_gpu, y_gpu, overwrite=False)
scale(alpha, x_gpu, alpha_real=False, handle=None)
[norm trace](x_gpu, handle=None)
conj(x_gpu, overwrite=False)
[transpose hermitian](a_gpu, handle=None)
eye(N, dtype=float32)
diag(v_gpu)
tril(a_gpu, overwrite=False, handle=None)
triu(a_gpu, k=0, overwrite=False, handle=None)
vander(a_gpu, n=None, handle=None)
svd(a_gpu, jobu='A', jobvt='A', lib='cusolver')
pinv(a_gpu, rcond=1e-15, lib='cusolver')
[cho_factor cholesky](a_gpu, uplo='L', lib='cusolver')
cho_solve(a_gpu, b_gpu, uplo='L', lib='cusolver')
inv(a_gpu, overwrite=False, ipiv_gpu=None, lib='cusolver')
det(a_gpu, overwrite=False, workspace_gpu=None, ipiv_gpu=None, handle=None, lib='cusolver')
qr(a_gpu, mode='reduced', handle=None, lib='cusolver')
eig(a_gpu, jobvl='N', jobvr='V', imag='F', lib='cusolver')
dmd(a_gpu, k=None, modes='exact', return_amplitudes=False, return_vandermonde=False, handle=None)
""",
    "rlinalg": """
init hermitian transpose add_matvec div_matvec mult_matvec LinAlgError
rsvd(a_gpu, k=None, p=0, q=0, method='standard', handle=None)
rdmd(a_gpu, k=None, p=5, q=1, modes='exact', method_rsvd='standard', return_amplitudes=False,
    return_vandermonde=False, handle=None)
cdmd(a_gpu, k=None, c=None, modes='exact', return_amplitudes=False, return_vandermonde=False,
    handle=None)
""",
    "misc": """
shutdown num_types num_nbytes isdoubletype iscomplextype _has_cula _has_cusolver _has_magma
_global_cublas_allocator
init(allocator=mem_alloc)
init_device(n=0)
[init_context get_compute_capability get_dev_attrs](dev)
done_context(ctx)
get_current_device()
iceil(x)
select_block_grid_sizes(dev, data_shape, threads_per_block=None)
[zeros ones inf](shape, dtype, order='C', allocator=mem_alloc)
[zeros_like ones_like](a)
[maxabs cumsum diff](x_gpu)
get_by_index(src_gpu, ind)
set_by_index(dest_gpu, ind, src_gpu, ind_which='dest')
set_realloc(x_gpu, data)
[add subtract multiply divide](x_gpu, y_gpu)
binaryop_2d(c_op, py_op, commutative, x_gpu, y_gpu)
binaryop_matvec(binary_op, x_gpu, a_gpu, axis=None, out=None, stream=None)
[add_matvec div_matvec mult_matvec](x_gpu, a_gpu, axis=None, out=None, stream=None)
[sum mean](x_gpu, axis=None, out=None, keepdims=False)
[var std](x_gpu, ddof=0, axis=None, stream=None, keepdims=False)
[max min](a_gpu, axis=None, keepdims=False)
[argmax argmin](a_gpu, axis, keepdims=False)
""",
    "special": """
sici(x_gpu)
[exp1 expi](z_gpu)
""",
    "integrate": """
init shutdown
trapz(x_gpu, dx=1.0, handle=None)
simps(x_gpu, dx=1.0, even='avg', handle=None)
trapz2d(x_gpu, dx=1.0, dy=1.0, handle=None)
gen_trapz_mult(N, dtype)
gen_simps_mult(N, dtype, even='avg')
gen_trapz2d_mult(mat_shape, dtype)
""",
    "cudart": """
POINTER float2 double2 cuFloatComplex cuDoubleComplex cudaPointerAttributes cudaExceptions cudaError
cudaMalloc(count, ctype=None)
[cudaFree cudaPointerGetAttributes](ptr)
cudaMallocPitch(pitch, rows, cols, elesize)
[cudaMemcpy_htod cudaMemcpy_dtoh](dst, src, count)
cudaSetDevice(dev)
[cudaGetDevice cudaDriverGetVersion cudaRuntimeGetVersion cudaMemGetInfo]()
cudaGetErrorString(e)
gpuarray_ptr(g)
cudaCheckStatus(status)
""",
    "cudadrv": """
CUDA_ERROR CUDA_ERROR_INVALID_VALUE
cuCheckStatus(status)
cuPointerGetAttribute(attribute, ptr)
""",
    "cublasxt": """
[cublasXtCreate cublasXtMaxBoards]()
[cublasXtDestroy cublasXtGetBlockDim](handle)
cublasXtGetNumBoards(nbDevices, deviceId)
cublasXtDeviceSelect(handle, nbDevices, deviceId)
cublasXtSetBlockDim(handle, blockDim)
cublasXtSetCpuRoutine(handle, blasOp, type, blasFunctor)
cublasXtSetCpuRatio(handle, blasOp, type, ratio)
cublasXtSetPinningMemMode(handle, mode)
[cublasXtSgemm cublasXtDgemm cublasXtCgemm cublasXtZgemm](handle, transa, transb, m, n, k, alpha, A,
    lda, B, ldb, beta, C, ldc)
""",
    "utils": """
get_soname(filename)
find_lib_path(name)
""",
}
