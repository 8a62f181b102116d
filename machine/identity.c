/* SPDX-License-Identifier: MIT */
#include "identity.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* Names as lscpu has them.  Arm's implementers and parts: the manuals'
 * MIDR_EL1; RISC-V's vendors: JEDEC's numbers, as the kernel's vendorid_list.h.
 */
struct known {
	unsigned long vendor, part;
	const char *name;
};

#define ANY_PART (~0ul)

static const struct known arm[] = {
	{ 0x41, ANY_PART, "ARM" },
	{ 0x41, 0xd03, "Cortex-A53" },
	{ 0x41, 0xd04, "Cortex-A35" },
	{ 0x41, 0xd05, "Cortex-A55" },
	{ 0x41, 0xd07, "Cortex-A57" },
	{ 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },
	{ 0x41, 0xd0a, "Cortex-A75" },
	{ 0x41, 0xd0b, "Cortex-A76" },
	{ 0x41, 0xd0c, "Neoverse-N1" },
	{ 0x41, 0xd0d, "Cortex-A77" },
	{ 0x41, 0xd40, "Neoverse-V1" },
	{ 0x41, 0xd41, "Cortex-A78" },
	{ 0x41, 0xd44, "Cortex-X1" },
	{ 0x41, 0xd46, "Cortex-A510" },
	{ 0x41, 0xd47, "Cortex-A710" },
	{ 0x41, 0xd48, "Cortex-X2" },
	{ 0x41, 0xd49, "Neoverse-N2" },
	{ 0x41, 0xd4a, "Neoverse-E1" },
	{ 0x41, 0xd4b, "Cortex-A78C" },
	{ 0x41, 0xd4d, "Cortex-A715" },
	{ 0x41, 0xd4e, "Cortex-X3" },
	{ 0x41, 0xd4f, "Neoverse-V2" },
	{ 0x41, 0xd80, "Cortex-A520" },
	{ 0x41, 0xd81, "Cortex-A720" },
	{ 0x41, 0xd82, "Cortex-X4" },
	{ 0x41, 0xd84, "Neoverse-V3" },
	{ 0x41, 0xd85, "Cortex-X925" },
	{ 0x41, 0xd8e, "Neoverse-N3" },
	{ 0x43, ANY_PART, "Cavium" },
	{ 0x43, 0x0af, "ThunderX2" },
	{ 0x46, ANY_PART, "Fujitsu" },
	{ 0x46, 0x001, "A64FX" },
	{ 0x48, ANY_PART, "HiSilicon" },
	{ 0x48, 0xd01, "TaiShan-v110" },
	{ 0x4e, ANY_PART, "NVIDIA" },
	{ 0x4e, 0x004, "Carmel" },
	{ 0x50, ANY_PART, "APM" },
	{ 0x50, 0x000, "X-Gene" },
	{ 0x51, ANY_PART, "Qualcomm" },
	{ 0x51, 0x001, "Oryon" },
	{ 0x51, 0xc00, "Falkor" },
	{ 0x61, ANY_PART, "Apple" },
	{ 0x61, 0x022, "Icestorm-M1" },
	{ 0x61, 0x023, "Firestorm-M1" },
	{ 0x61, 0x032, "Blizzard-M2" },
	{ 0x61, 0x033, "Avalanche-M2" },
	{ 0xc0, ANY_PART, "Ampere" },
	{ 0xc0, 0xac3, "Ampere-1" },
	{ 0xc0, 0xac4, "Ampere-1a" },
	{ 0 },
};

static const struct known riscv[] = {
	{ 0x31e, ANY_PART, "Andes" },	 { 0x489, ANY_PART, "SiFive" },
	{ 0x5b7, ANY_PART, "T-Head" },	 { 0x61f, ANY_PART, "Ventana" },
	{ 0x710, ANY_PART, "SpacemiT" }, { 0 },
};

static const char *find(const struct known *k, unsigned long vendor,
			unsigned long part)
{
	for (; k->name; k++)
		if (k->vendor == vendor && k->part == part)
			return k->name;
	return NULL;
}

/* @value, which is taken over, where @o knows nothing yet. */
static void fill(json_t *o, const char *name, json_t *value)
{
	const json_t *old = json_object_get(o, name);

	if (!old || json_is_null(old))
		json_object_set_new(o, name, value);
	else
		json_decref(value);
}

/* A number of /proc/cpuinfo.  Return: false if it is not there. */
static bool number(const char *text, const char *key, unsigned long *n)
{
	char *v = machine_cpuinfo(text, key);
	const bool there = v;

	if (there)
		*n = strtoul(v, NULL, 0);
	free(v);
	return there;
}

/* Several kinds of core in one machine: all their names, the first CPU's
 * first. */
static char *arm_names(const char *text, unsigned long vendor)
{
	char *all = NULL;

	for (const char *at = text; at && (at = strstr(at, "CPU part"));
	     at += strlen("CPU part")) {
		unsigned long part = 0;
		const char *name;
		char *longer;

		number(at, "CPU part", &part);
		name = find(arm, vendor, part);
		longer = name ? text_format("%s", name)
			      : text_format("part 0x%03lx", part);
		if (all && strstr(all, longer)) {
			free(longer);
			continue;
		}
		if (all) {
			char *both = text_format("%s, %s", all, longer);

			free(all);
			free(longer);
			longer = both;
		}
		all = longer;
	}
	return all;
}

static void arm_cpu(json_t *cpu, const char *text)
{
	unsigned long vendor = 0, part, variant, revision;
	const char *name;

	if (!number(text, "CPU implementer", &vendor))
		return;
	name = find(arm, vendor, ANY_PART);
	fill(cpu, "vendor",
	     name ? json_string(name)
		  : machine_text(text_format("implementer 0x%02lx", vendor)));
	fill(cpu, "model", machine_text(arm_names(text, vendor)));
	if (number(text, "CPU part", &part))
		fill(cpu, "model_number", json_integer((json_int_t)part));
	if (number(text, "CPU variant", &variant) &&
	    number(text, "CPU revision", &revision))
		fill(cpu, "stepping",
		     machine_text(text_format("r%lup%lu", variant, revision)));
	fill(cpu, "flags", machine_text(machine_cpuinfo(text, "Features")));
}

static void riscv_cpu(json_t *cpu, const char *text)
{
	unsigned long vendor, part = 0;
	const char *name;

	if (!number(text, "mvendorid", &vendor))
		return;
	name = find(riscv, vendor, ANY_PART);
	if (name || vendor)
		fill(cpu, "vendor",
		     name ? json_string(name)
			  : machine_text(text_format("vendor 0x%lx", vendor)));
	fill(cpu, "model", machine_text(machine_cpuinfo(text, "uarch")));
	if (number(text, "marchid", &part)) {
		fill(cpu, "model",
		     machine_text(text_format("architecture 0x%lx", part)));
		fill(cpu, "model_number", json_integer((json_int_t)part));
	}
	fill(cpu, "stepping", machine_text(machine_cpuinfo(text, "mimpid")));
	fill(cpu, "flags", machine_text(machine_cpuinfo(text, "isa")));
}

void identity_cpu(json_t *cpu, const char *root)
{
	char *text = sysfile_text("%s/proc/cpuinfo", root);

	arm_cpu(cpu, text);
	riscv_cpu(cpu, text);
	free(text);
}

json_t *identity_hypervisor(const char *root)
{
	/* Each file begins so where it is a virtual machine. */
	static const struct {
		const char *file, *begins, *name;
	} signs[] = {
		{ "/sys/hypervisor/type", "xen", "Xen" },
		{ "/proc/device-tree/hypervisor/compatible", "linux,kvm",
		  "KVM" },
		{ "/proc/device-tree/hypervisor/compatible", "xen", "Xen" },
		{ "/proc/device-tree/hypervisor/compatible", "vmware",
		  "VMware" },
		{ "/proc/device-tree/compatible", "linux,dummy-virt",
		  "QEMU's virt, or one like it" },
		{ "/proc/device-tree/compatible", "riscv-virtio",
		  "QEMU's virt, or one like it" },
		{ "/sys/class/dmi/id/sys_vendor", "QEMU", "QEMU" },
		{ "/sys/class/dmi/id/product_name", "KVM", "KVM" },
		{ "/sys/class/dmi/id/sys_vendor", "VMware", "VMware" },
		{ "/sys/class/dmi/id/product_name", "VMware", "VMware" },
		{ "/sys/class/dmi/id/product_name", "VirtualBox",
		  "VirtualBox" },
		{ "/sys/class/dmi/id/sys_vendor", "Xen", "Xen" },
		{ "/sys/class/dmi/id/product_name", "Virtual Machine",
		  "Hyper-V" },
		{ "/sys/class/dmi/id/product_name", "Google Compute Engine",
		  "KVM" },
		{ "/sys/class/dmi/id/product_name", "Parallels", "Parallels" },
		{ "/sys/class/dmi/id/product_name", "Apple Virtual",
		  "Apple's Virtualization" },
		{ "/sys/class/dmi/id/product_name", "OpenStack", "OpenStack" },
	};
	json_t *found = NULL;

	for (size_t i = 0; !found && i < sizeof(signs) / sizeof(*signs); i++) {
		char *text = sysfile_first("%s%s", root, signs[i].file);

		if (text &&
		    !strncmp(text, signs[i].begins, strlen(signs[i].begins)))
			found = json_string(signs[i].name);
		free(text);
	}
	return found ? found : json_null();
}
