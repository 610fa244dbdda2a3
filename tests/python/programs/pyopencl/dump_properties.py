# SPDX-License-Identifier: MIT
"""Everything that platforms and devices say about themselves."""

import pyopencl as cl


def print_info(obj, info_cls):
    for info_name in sorted(dir(info_cls)):
        if not info_name.startswith("_") and info_name != "to_string":
            info = getattr(info_cls, info_name)
            try:
                info_value = obj.get_info(info)
            except cl.LogicError:
                info_value = "<error>"
            if info_cls == cl.device_info and info_name == "TYPE":
                info_value = cl.device_type.to_string(info_value)
            elif info_name in ("SINGLE_FP_CONFIG", "DOUBLE_FP_CONFIG") and info_value != "<error>":
                info_value = cl.device_fp_config.to_string(info_value)
            print(f"{info_name}: {info_value}")


for platform in cl.get_platforms():
    print(75 * "=")
    print(platform)
    print(75 * "=")
    print_info(platform, cl.platform_info)

    for device in platform.get_devices():
        print(75 * "-")
        print(device)
        print(75 * "-")
        print_info(device, cl.device_info)
        ctx = cl.Context([device])
        for mf in [
            cl.mem_flags.READ_ONLY,
            # cl.mem_flags.READ_WRITE,
        ]:
            print(cl.mem_flags.to_string(mf))
        print(f"Device name: {device.name}, {device.get_info(cl.device_info.VENDOR)}")
        print("Memory: %.1f GB" % (device.global_mem_size / 1024**3))
        print(
            "Local: %d KB of type %s"
            % (
                device.local_mem_size // 1024,
                cl.device_local_mem_type.to_string(device.local_mem_type),
            )
        )
        print("Cache:", cl.device_mem_cache_type.to_string(device.global_mem_cache_type, "%d"))
        print("Sizes:", device.max_work_item_sizes, device.max_work_group_size)
        print("fp64:", "cl_khr_fp64" in device.extensions.split())
        print(cl.command_queue_properties.to_string(device.queue_properties, "0x%x"))
        assert len(device.max_work_item_sizes) == device.max_work_item_dimensions
        assert device.platform == platform
        assert isinstance(device.version, str) and device.version.startswith("OpenCL ")
