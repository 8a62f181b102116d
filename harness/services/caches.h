/* SPDX-License-Identifier: MIT */
#ifndef CACHES_H
#define CACHES_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* cache_size_is_hidden() - the oldest description of AMD's caches (CPUID
 * 8000_0006h) gives what all third caches of a package have together, and
 * instead of their associativity that it is to be found elsewhere.  A
 * hypervisor may hide the elsewhere; hwloc then states the sum as the size of
 * one. */
static inline bool cache_size_is_hidden(hwloc_obj_t cache)
{
	const hwloc_obj_t package =
		hwloc_get_ancestor_obj_by_type(NULL, HWLOC_OBJ_PACKAGE, cache);
	const char *vendor =
		package ? hwloc_obj_get_info_by_name(package, "CPUVendor")
			: NULL;

	return vendor && cache->attr->cache.depth == 3 &&
	       !cache->attr->cache.associativity &&
	       (!strcmp(vendor, "AuthenticAMD") ||
		!strcmp(vendor, "HygonGenuine"));
}

/* cache_bytes() - the size of @cache; 0: unknown, or NULL. */
static inline uint64_t cache_bytes(hwloc_obj_t cache)
{
	return cache && !cache_size_is_hidden(cache) ? cache->attr->cache.size
						     : 0;
}

#endif
