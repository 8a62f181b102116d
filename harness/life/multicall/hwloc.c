/* SPDX-License-Identifier: MIT */
/*
 * udev, which a static libhwloc asks for the names of block devices, and of
 * which there is no static archive: it knows nothing.
 */
#include <stddef.h>

/* Others declare what is defined here. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define NONE(name, ...)         \
	void *name(__VA_ARGS__) \
	{                       \
		return NULL;    \
	}

NONE(udev_new, void)
NONE(udev_unref, void *udev)
NONE(udev_device_new_from_subsystem_sysname, void *udev, const char *subsystem,
     const char *name)
NONE(udev_device_get_property_value, void *device, const char *key)
NONE(udev_device_unref, void *device)
