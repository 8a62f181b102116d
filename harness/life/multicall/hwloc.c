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

void hwloc_xml_callbacks_reset(void);
void hwloc_xml_callbacks_register(void *component);

__attribute__((weak)) void hwloc_xml_callbacks_reset(void)
{
}

__attribute__((weak)) void hwloc_xml_callbacks_register(void *component)
{
}

struct udev;
struct udev_device;

struct udev *udev_new(void);
struct udev *udev_unref(struct udev *udev);
struct udev_device *
udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem,
				       const char *name);
const char *udev_device_get_property_value(struct udev_device *device,
					   const char *key);
struct udev_device *udev_device_unref(struct udev_device *device);

struct udev *udev_new(void)
{
	return NULL;
}

struct udev *udev_unref(struct udev *udev)
{
	return NULL;
}

struct udev_device *
udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem,
				       const char *name)
{
	return NULL;
}

const char *udev_device_get_property_value(struct udev_device *device,
					   const char *key)
{
	return NULL;
}

struct udev_device *udev_device_unref(struct udev_device *device)
{
	return NULL;
}
