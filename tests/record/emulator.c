/* Plays QEMU for its plug-in, with the interface that INTERFACE says: emulator PLUGIN TRACE.
 *
 * It has a block of three instructions, a mark, a load of 8 bytes and a string operation, and then says which addresses
 * they met. As QEMU does, it refuses plug-ins of another version, and up to version 2 tells where the code lies. */
#include "record/qemu_plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "record/mark.h"

enum { MIN_VERSION = INTERFACE >= 2 ? 2 : 0, N_INSTRUCTIONS = 3, CALLS = 5, STORES = 2 };
enum { SHIFT = 3, STORE = 16 }; /* in qemu_plugin_meminfo_t */

struct qemu_plugin_insn {
	unsigned char code[16];
	size_t size;
	qemu_plugin_accessed on_access;
	void *data;
};

static struct qemu_plugin_insn instructions[N_INSTRUCTIONS] = {
	{{0xF6, 0x87, 0x4D, 0x4F, 0x47, 0x46, MARK_PART}, MARK_SIZE, NULL, NULL},
	{{0x48, 0x8B, 0x18}, 3, NULL, NULL},
	{{0xF3, 0xA4}, 2, NULL, NULL},
};
static qemu_plugin_translated on_translation;
static qemu_plugin_ended on_end;

void
qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_ended callback, void *data)
{
	(void)id, (void)data;
	on_end = callback;
}

void
qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translated callback)
{
	(void)id;
	on_translation = callback;
}

size_t
qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block)
{
	(void)block;
	return N_INSTRUCTIONS;
}

struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index)
{
	(void)block;
	return &instructions[index];
}

#if INTERFACE >= 3
size_t
qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *bytes, size_t size)
{
	size_t n = insn->size < size ? insn->size : size;
	memcpy(bytes, insn->code, n);
	return n;
}
#else
const void *
qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->code;
}
#endif

#if INTERFACE < 2
int
qemu_plugin_n_vcpus(void)
{
	return 1;
}
#endif

size_t
qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

/* The program's addresses are those of this process. */
uint64_t
qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return (uintptr_t)insn->code;
}

void *
qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn)
{
	return (void *)insn->code;
}

void
qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_accessed callback, int registers,
				 int kinds, void *data)
{
	(void)registers, (void)kinds;
	insn->on_access = callback;
	insn->data = data;
}

unsigned
qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info)
{
	return info & ~STORE;
}

bool
qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
	return info & STORE;
}

static void
access_by(unsigned which, qemu_plugin_meminfo_t info, const void *address)
{
	instructions[which].on_access(0, info, (uintptr_t)address, instructions[which].data);
}

int
main(int argc, char **argv)
{
	static _Alignas(64) char data[64];
	struct fgomp_part part = {.region = (void (*)(void *))main, .members = 8, .member = 3, .bubble = 1};
	qemu_info_t info = {.target_name = "x86_64", .version = {MIN_VERSION, INTERFACE}};
	char out[4096], *words[] = {out};
	void *plugin = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!plugin)
		return fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "emulator PLUGIN TRACE"), 1;
	int *version = dlsym(plugin, "qemu_plugin_version");
	if (!version || *version < MIN_VERSION || *version > INTERFACE)
		return fprintf(stderr, "its version is %d\n", version ? *version : -1), 1;
	int (*install)(qemu_plugin_id_t, const qemu_info_t *, int, char **) = dlsym(plugin, "qemu_plugin_install");
	snprintf(out, sizeof out, "out=%s", argv[2]);
	if (!install || install(1, &info, 1, words) != 0)
		return fprintf(stderr, "it cannot be installed\n"), 1;

	on_translation(1, NULL);
	access_by(0, 0, &part);
	for (unsigned i = 0; i < CALLS; i++)
		access_by(1, SHIFT, data);
	for (unsigned i = 0; i < STORES; i++)
		access_by(1, SHIFT | STORE, data + 8);
	for (unsigned i = 0; i < 2 * sizeof(uint64_t); i++) /* two units, by bytes */
		access_by(2, 0, data + 16 + i);
	on_end(1, NULL);
	printf("%p %u %u\n", (void *)data, CALLS + 2, STORES);
	return 0;
}
