/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "vdso.h"

/* What the dynamic section says, as addresses in this process. */
struct image {
	const char *names;
	const Elf64_Sym *symbols;
	const uint32_t *hash;
	const uint32_t *gnu_hash;
	uintptr_t bias; /* what to add to an address in the file */
};

static const void *address_at(uintptr_t address)
{
	return (const void *)address; // NOLINT(performance-no-int-to-ptr)
}

static void read_dynamic(struct image *v, const Elf64_Dyn *d)
{
	for (; d->d_tag != DT_NULL; d++) {
		const void *at = address_at(v->bias + d->d_un.d_ptr);

		if (d->d_tag == DT_STRTAB)
			v->names = at;
		else if (d->d_tag == DT_SYMTAB)
			v->symbols = at;
		else if (d->d_tag == DT_HASH)
			v->hash = at;
		else if (d->d_tag == DT_GNU_HASH)
			v->gnu_hash = at;
	}
}

/* The program headers give the bias and the dynamic section. */
static int read_image(struct image *v, uintptr_t base)
{
	const Elf64_Ehdr *e = address_at(base);
	const Elf64_Phdr *p = address_at(base + e->e_phoff);
	const Elf64_Dyn *dynamic = NULL;
	int loaded = 0;

	if (memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	for (unsigned int i = 0; i < e->e_phnum; i++) {
		if (p[i].p_type == PT_LOAD && !loaded) {
			loaded = 1;
			v->bias = base + p[i].p_offset - p[i].p_vaddr;
		} else if (p[i].p_type == PT_DYNAMIC) {
			dynamic = address_at(base + p[i].p_offset);
		}
	}
	if (!loaded || !dynamic)
		return 0;
	read_dynamic(v, dynamic);
	return v->names && v->symbols && (v->hash || v->gnu_hash);
}

/* The GNU table does not say how many symbols there are: the last chain of
 * the bucket with the greatest start ends at the last one (bit 0 set). */
static uint32_t count_gnu(const uint32_t *table)
{
	const uint32_t buckets = table[0], first = table[1], words = table[2];
	const uint32_t *bucket = table + 4 + 2 * (size_t)words;
	const uint32_t *chain = bucket + buckets;
	uint32_t last = 0;

	for (uint32_t i = 0; i < buckets; i++)
		if (bucket[i] > last)
			last = bucket[i];
	if (last < first)
		return first;
	while (!(chain[last - first] & 1))
		last++;
	return last + 1;
}

void *vdso_find(const char *name)
{
	const uintptr_t base = getauxval(AT_SYSINFO_EHDR);
	struct image v = { 0 };
	uint32_t count;

	if (!base || !read_image(&v, base))
		return NULL;
	count = v.hash ? v.hash[1] : count_gnu(v.gnu_hash);
	for (uint32_t i = 0; i < count; i++) {
		const Elf64_Sym *s = &v.symbols[i];

		if (s->st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
		    strcmp(v.names + s->st_name, name) == 0)
			return (void *)address_at(v.bias + s->st_value);
	}
	return NULL;
}
