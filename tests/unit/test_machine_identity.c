/* SPDX-License-Identifier: MIT */
/* Processors and hypervisors, from what the kernel and lscpu said on some. */

#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "machine.h"
#include "tests.h"

/* Nothing of the machine before is left. */
static void forget(void)
{
	if (!*box)
		box_open(true);
	guard_remove_tree(in_box("proc"));
	guard_remove_tree(in_box("sys"));
}

/* Files of the device tree end in 0. */
#define SET(file, text) box_bytes(file, text, sizeof(text))

static void cpuinfo(const char *text)
{
	forget();
	box_put("proc/cpuinfo", text);
}

/* Whether @key of the processor is @want, as JSON. */
static int is(const char *key, const char *want, const char *lscpu)
{
	json_t *cpu = json_pack("{s:n, s:n}", "model", "vendor");
	char *seen;
	int same;

	identity_cpu(cpu, box, lscpu);
	seen = json_dumps(json_object_get(cpu, key), JSON_ENCODE_ANY);
	same = seen && !strcmp(seen, want);
	if (!same)
		printf("# %s: %s\n", key, seen ? seen : "none");
	free(seen);
	json_decref(cpu);
	return same;
}

static int says(json_t *said, const char *want)
{
	const char *text = json_string_value(said);
	const int same = text && want ? !strcmp(text, want) : text == want;

	if (!same)
		printf("# %s\n", text ? text : "null");
	json_decref(said);
	return same;
}

#define ARM(implementer, variant, part, revision)                   \
	"processor\t: 0\nBogoMIPS\t: 50.00\n"                       \
	"Features\t: fp asimd evtstrm crc32\n"                      \
	"CPU implementer\t: " implementer "\nCPU architecture: 8\n" \
	"CPU variant\t: " variant "\nCPU part\t: " part             \
	"\nCPU revision\t: " revision "\n\n"

TEST(arm)
{
	static const char lscpu[] = "Architecture:           aarch64\n"
				    "Vendor ID:              ARM\n"
				    "Model name:             Neoverse-N1\n"
				    "Model:                  1\n"
				    "Stepping:               r3p1\n";

	cpuinfo(ARM("0x41", "0x3", "0xd0c", "1"));
	OK(is("model", "\"Neoverse-N1\"", lscpu) &&
		   is("vendor", "\"ARM\"", lscpu),
	   "Graviton 2: a Neoverse-N1, by lscpu");
	OK(is("stepping", "\"r3p1\"", lscpu) &&
		   is("model_number", "3340", lscpu),
	   "with the manual's revision and part");
	OK(is("flags", "\"fp asimd evtstrm crc32\"", lscpu),
	   "and its features");
	OK(is("model", "\"0xd0c\"", "") && is("vendor", "\"0x41\"", ""),
	   "its numbers where there is no lscpu");
}

TEST(riscv)
{
	cpuinfo("processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\n"
		"mmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\n"
		"mvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\n"
		"mimpid\t\t: 0x4210427\n\n");
	OK(is("model", "\"sifive,u74-mc\"", "") &&
		   is("vendor", "\"0x489\"", ""),
	   "VisionFive 2: a U74");
	OK(is("stepping", "\"0x4210427\"", "") &&
		   is("flags", "\"rv64imafdc\"", ""),
	   "with its version and its instruction set");
	cpuinfo("processor\t: 0\nisa\t\t: rv64imafdcv\nmvendorid\t: 0x0\n"
		"marchid\t\t: 0x2a\nmimpid\t\t: 0x0\n\n");
	OK(is("model", "\"0x2a\"", ""), "one that only has a number");
}

TEST(others)
{
	cpuinfo("processor\t: 0\nvendor_id\t: GenuineIntel\n"
		"model name\t: Xeon\n\n");
	OK(is("model", "\"Xeon\"", "Model name: another") &&
		   is("vendor", "\"GenuineIntel\"", "") &&
		   is("stepping", "null", ""),
	   "x86-64 says it in words");
	forget();
	OK(is("model", "null", ""), "no /proc");
}

TEST(hypervisors)
{
	forget();
	SET("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0");
	OK(says(identity_hypervisor(box), NULL),
	   "a board that names no hypervisor");
	forget();
	SET("proc/device-tree/compatible", "linux,dummy-virt");
	OK(says(identity_hypervisor(box), "QEMU's virt, or one like it"),
	   "QEMU's machine");
	SET("proc/device-tree/hypervisor/compatible", "linux,kvm");
	OK(says(identity_hypervisor(box), "KVM"), "under KVM");
	forget();
	box_put("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	box_put("sys/class/dmi/id/product_name", "m6g.metal\n");
	OK(says(identity_hypervisor(box), NULL), "of a whole machine");
	box_put("sys/hypervisor/type", "xen\n");
	OK(says(identity_hypervisor(box), "Xen"), "Xen says so itself");
}
