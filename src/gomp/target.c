/* ABI: target constructs, which the host runs (floor: gomp). A target region needs a fresh initial thread, so the
 * caller puts its whole OpenMP state aside. Mappings do nothing, because there is one memory. Compiled code calls
 * these, as team/inside.h says. The state that was put aside lies on the stack of the caller, and is back when the
 * region is over. */
#include <limits.h>
#include <string.h>

#include "base/export.h"
#include "exec/roots/self.h"
#include "exec/thread/identity.h"
#include "gomp/device.h"
#include "platform/memory.h"
#include "team/env/icv.h"
#include "team/tasks/depend_wait.h"
#include "team/tasks/memory.h"
#include "team/tasks/pool.h"
#include "team/tasks/pool_end.h"

#define MAP_FIRSTPRIVATE 12 /* the low byte of a kind; the next byte is log2 of the alignment */

/* In a word of `args`, bits 0 to 6 are the device (0 means all). If bit 7 is set, the value is the next word, else bits
 * 16 and up. */
#define ARG_DEVICES 0x7f
#define ARG_VALUE_FOLLOWS 0x80
#define ARG_ID 0xff00
#define ARG_THREAD_LIMIT 0x200
#define ARG_VALUE_SHIFT 16

static void
read_thread_limit(struct fg_icv *icv, void **args)
{
	while (args && *args) {
		intptr_t word = (intptr_t)*args++;
		intptr_t value = word & ARG_VALUE_FOLLOWS ? (intptr_t)*args++ : word >> ARG_VALUE_SHIFT;
		if (!(word & ARG_DEVICES) && (word & ARG_ID) == ARG_THREAD_LIMIT && value > 0)
			icv->thread_limit = value > INT_MAX ? INT_MAX : (unsigned)value;
	}
}

static void
run_on_host(struct fg_identity *self, void (*fn)(void *), void **addresses, void **args)
{
	struct fg_thread before = self->thread;
	struct fg_icv icv = fg_env.icv;
	icv.private_copy = false;
	read_thread_limit(&icv, args);
	struct fg_task_pool *pool = fg_task_pool_swap(NULL);
	memset(&self->thread, 0, sizeof self->thread);
	self->thread.size = 1;
	self->thread.icv = &icv;
	fn(addresses);
	if (self->thread.icv != &icv)
		fg_icv_release(self);
	fg_task_pool_trim(self);
	fg_task_pool_swap(pool);
	self->thread = before;
}

/* An optional argument that is absent has no address. */
static bool
is_firstprivate(const void *address, unsigned short kind)
{
	return address && (kind & 0xff) == MAP_FIRSTPRIVATE;
}

/* Makes private copies of the firstprivate items. Returns the memory that the caller must free, or NULL. */
static char *
copy_firstprivate(size_t count, void **addresses, const size_t *sizes, const unsigned short *kinds)
{
	size_t total = 0;
	for (size_t i = 0; i < count; i++)
		if (is_firstprivate(addresses[i], kinds[i]))
			total += sizes[i] + ((size_t)1 << (kinds[i] >> 8));
	if (!total)
		return NULL;
	char *memory = fg_task_memory(total);
	uintptr_t at = (uintptr_t)memory;
	for (size_t i = 0; i < count; i++) {
		if (!is_firstprivate(addresses[i], kinds[i]))
			continue;
		uintptr_t align = (uintptr_t)1 << (kinds[i] >> 8);
		at = (at + align - 1) & ~(align - 1);
		memcpy((void *)at, addresses[i], sizes[i]);
		addresses[i] = (void *)at;
		at += sizes[i];
	}
	return memory;
}

/* The task of a nowait clause is undeferred here, so the flag needs nothing more. */
static void
wait_depend(void **depend)
{
	if (!depend)
		return;
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_task_wait_depend(self, depend);
	fg_leave(self);
}

FG_EXPORT void
GOMP_target_ext(int device, void (*fn)(void *), size_t count, void **addresses, size_t *sizes, unsigned short *kinds,
		unsigned flags, void **depend, void **args)
{
	fg_device_resolve(device);
	/* The region gets the values of now, because predecessors may still write. */
	char *memory = copy_firstprivate(count, addresses, sizes, kinds);
	wait_depend(depend);
	run_on_host(fg_self_or_root(), fn, addresses, args);
	fg_memory_free(memory);
}

/* Compilers before GCC 6 call this form. It has no firstprivate items and no dependences. */
FG_EXPORT void
GOMP_target(int device, void (*fn)(void *), const void *unused, size_t count, void **addresses, size_t *sizes,
	    unsigned char *kinds)
{
	fg_device_resolve(device);
	run_on_host(fg_self_or_root(), fn, addresses, NULL);
}

FG_EXPORT void
GOMP_target_data(int device, const void *unused, size_t count, void **addresses, size_t *sizes, unsigned char *kinds)
{
	fg_device_resolve(device);
}

FG_EXPORT void
GOMP_target_data_ext(int device, size_t count, void **addresses, size_t *sizes, unsigned short *kinds)
{
	fg_device_resolve(device);
}

FG_EXPORT void
GOMP_target_end_data(void)
{
}

FG_EXPORT void
GOMP_target_update(int device, const void *unused, size_t count, void **addresses, size_t *sizes, unsigned char *kinds)
{
	fg_device_resolve(device);
}

FG_EXPORT void
GOMP_target_update_ext(int device, size_t count, void **addresses, size_t *sizes, unsigned short *kinds, unsigned flags,
		       void **depend)
{
	fg_device_resolve(device);
	wait_depend(depend);
}

FG_EXPORT void
GOMP_target_enter_exit_data(int device, size_t count, void **addresses, size_t *sizes, unsigned short *kinds,
			    unsigned flags, void **depend)
{
	fg_device_resolve(device);
	wait_depend(depend);
}

/* Returns the host's address of a function that a device would call. */
FG_EXPORT void *
GOMP_target_map_indirect_ptr(void *address)
{
	return address;
}
