/* The part of QEMU's interface for plug-ins that ours use (floor: record; used by qemu.c and qemu_plugin.c, and by
 * tests/numa/tools/count_plugin.c). One object serves each QEMU whose interface is one of these, or goes back to 2:
 *
 *     version 1: QEMU up to 8.2, such as 7.2
 *     version 2: QEMU 9.0. It refuses plug-ins of version 1, and has no qemu_plugin_n_vcpus
 *     version 3: QEMU 9.1 and later. They take version 2, too, and qemu_plugin_insn_data copies
 *
 * Debian's packages have the interface but no header. The declarations here are ours, written for these functions
 * alone. QEMU and its own header are under the GPL, version 2 or later. Our licence allows to load it there. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;	   // a block of translated code
struct qemu_plugin_insn;   // an instruction of such a block
struct qemu_plugin_hwaddr; // where the emulated machine has the byte that an access meets

// What QEMU tells of itself. Other fields follow, and nobody here reads them.
typedef struct {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
} qemu_info_t;

enum { QEMU_PLUGIN_CB_NO_REGS = 0 }; // the callback does not look at registers
enum { QEMU_PLUGIN_MEM_RW = 3 };     // loads and stores; QEMU 7.2 calls nobody who asks for loads alone

typedef void (*qemu_plugin_translated)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*qemu_plugin_accessed)(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data);

typedef void (*qemu_plugin_ended)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_ended callback, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translated callback);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn); // where the emulator has the code
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_accessed callback, int registers,
				      int kinds, void *data);

unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *place);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *place);

// The instruction's first bytes, whatever the interface that QEMU has (qemu_info_t.version.cur): at most `size`.
// Returns how many.
size_t qemu_plugin_insn_bytes(const struct qemu_plugin_insn *insn, int interface, void *bytes, size_t size);

// A plug-in defines this one, which QEMU calls as it starts.
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int n_words, char **words);
