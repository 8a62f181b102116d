/* SPDX-License-Identifier: MIT */
/*
 * What a static libhwloc asks for, and nobody here needs.
 *
 * Its readers of topologies in XML, 70 KB: none starts.  These are weak, so if
 * the library links its own for another reason, it has them.  And udev, which
 * it asks for the names of block devices, and of which there is no static
 * archive: it knows nothing.
 */
#include <stddef.h>

/* Others declare what is defined here. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static int refuse(unsigned long flags)
{
	return -1;
}

/* struct hwloc_component, hwloc/plugins.h: libltdl's header, which that may
 * include, is not everywhere.  hwloc_components_init() passes over a component
 * that does not start. */
#define ABSENT(name)                        \
	extern const struct component name; \
	__attribute__((weak)) const struct component name = { .init = refuse }

struct component {
	unsigned int abi;
	int (*init)(unsigned long flags);
	void (*finalize)(unsigned long flags);
	int type;
	unsigned long flags;
	void *data;
};

ABSENT(hwloc_xml_component);
ABSENT(hwloc_xml_nolibxml_component);

__attribute__((weak)) void hwloc_xml_callbacks_reset(void)
{
}

__attribute__((weak)) void hwloc_xml_callbacks_register(void *component)
{
}

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
