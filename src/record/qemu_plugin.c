/* What differs between versions of QEMU's interface for plug-ins (floor: record): see qemu_plugin.h. */
#include "record/qemu_plugin.h"

#include <string.h>

enum { COPIES_FROM = 3 };

/* One function of QEMU, as versions 1 and 2 have it, and as later ones do. */
const void *in_place(const struct qemu_plugin_insn *insn) __asm__("qemu_plugin_insn_data");
size_t copy(const struct qemu_plugin_insn *insn, void *bytes, size_t size) __asm__("qemu_plugin_insn_data");
/* Only version 1 has it. */
__attribute__((weak)) int qemu_plugin_n_vcpus(void);

/* QEMU reads it once the plug-in is loaded. */
QEMU_PLUGIN_EXPORT int qemu_plugin_version = 2;

__attribute__((constructor)) static void
choose_version(void)
{
	if (qemu_plugin_n_vcpus)
		qemu_plugin_version = 1;
}

size_t
qemu_plugin_insn_bytes(const struct qemu_plugin_insn *insn, int interface, void *bytes, size_t size)
{
	size_t whole = qemu_plugin_insn_size(insn), n = whole < size ? whole : size;
	if (interface >= COPIES_FROM)
		return copy(insn, bytes, n);
	memcpy(bytes, in_place(insn), n);
	return n;
}
