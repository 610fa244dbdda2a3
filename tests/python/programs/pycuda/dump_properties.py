# SPDX-License-Identifier: MIT
"""Every attribute of every device."""

import pycuda.driver as drv

drv.init()
print("CUDA version:", ".".join(str(part) for part in drv.get_version()))
print("driver:", drv.get_driver_version())
print("%d device(s) found." % drv.Device.count())

for ordinal in range(drv.Device.count()):
    dev = drv.Device(ordinal)
    print("Device #%d: %s" % (ordinal, dev.name()))
    print("  Compute Capability: %d.%d" % dev.compute_capability())
    print("  Total Memory: %s KB" % (dev.total_memory() // 1024))
    print("  PCI:", dev.pci_bus_id())
    atts = [(str(att), value) for att, value in list(dev.get_attributes().items())]
    atts.sort()
    for att, value in atts:
        print(f"  {att}: {value}")
    assert dict(atts)["WARP_SIZE"] == dev.get_attribute(drv.device_attribute.WARP_SIZE) == 32
    assert dev.max_threads_per_block == dict(atts)["MAX_THREADS_PER_BLOCK"]
    assert dev == drv.Device(ordinal) and hash(dev) == hash(drv.Device(ordinal))
    assert dev == drv.Device(dev.pci_bus_id())
    print("  compute mode:", dev.get_attribute(drv.device_attribute.COMPUTE_MODE))
    devdata = {}
    for name in ["MAX_BLOCK_DIM_X", "MULTIPROCESSOR_COUNT", "CLOCK_RATE"]:
        devdata[name.lower()] = dev.get_attribute(getattr(drv.device_attribute, name))
    print(" ", devdata)
