/* SPDX-License-Identifier: MIT */
#include "fault_disk.h"

#include <stdio.h>

#include "fault_area.h"

/* From one page to the next. */
static size_t step(void)
{
	const size_t least = FILE_OWN_BYTES / FAULT_DISK_PAGES;

	return bench_page_bytes() > least ? bench_page_bytes() : least;
}

unsigned int fault_disk_pages(void)
{
	return (unsigned int)(FILE_OWN_BYTES / step());
}

void fault_disk_init(struct fault_disk *d, struct bench *b)
{
	file_data_init(&d->file);
	for (uint32_t i = 0; i < fault_disk_pages(); i++) {
		const uint32_t k = (uint32_t)(bench_random(b) % (i + 1));

		d->order[i] = d->order[k];
		d->order[k] = i;
	}
}

static int open_file(struct fault_disk *d, struct bench *b)
{
	char name[32];
	int err;

	snprintf(name, sizeof(name), FILE_OWN_NAME, 0);
	err = file_data_get(b, &d->file, name, FILE_OWN_BYTES);
	if (err)
		return err;
	if (file_place_find(&d->place, d->file.fd))
		return bench_fail(b, 0, "find where %s lies", d->file.path);
	if (d->place.kind == FILE_PLACE_MEMORY) {
		file_data_close(&d->file);
		return bench_skip(b,
				  "%s: nothing is read from a disk (try "
				  "--dir)",
				  d->place.where);
	}
	return 0;
}

int fault_disk_begin(struct fault_disk *d, struct bench *b,
		     const struct bench_case *c)
{
	const int err = d->file.fd < 0 ? open_file(d, b) : 0;
	int64_t cached;

	if (err)
		return err;
	cached = file_cache_drop(d->file.fd, 0, 0);
	if (cached < 0)
		return bench_fail(b, (int)-cached, "ask what is cached");
	if (cached > 0)
		return bench_skip(b, "%lld bytes of the file stay cached",
				  (long long)cached);
	bench_fact(b, c, "cached_bytes_before", (double)cached);
	bench_fact_text(b, c, "where", d->place.where);
	d->next = 0;
	return 0;
}

int64_t fault_disk_next(struct fault_disk *d)
{
	return d->next < fault_disk_pages()
		       ? (int64_t)(d->order[d->next++] * step())
		       : -1;
}
