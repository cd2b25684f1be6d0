/* The rights of the process: setuid and functions like it (floor: libc). The C library sends a signal to the kernel
 * thread of each pthread but the caller's, and makes the system call itself. The caller may be a member on another
 * kernel thread than its pthread's own. Then the latter would keep its rights, and the C library ends the process where
 * two differ. So the call is made as the pthread of the kernel thread (platform/setxid.h). The names are as in
 * signals.c.
 *
 * The program calls these on any pthread, outside. No lock of the runtime is taken, and nothing is kept but
 * addresses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/export.h"
#include "exec/ground/hooks.h"
#include "exec/thread/identity.h"
#include "platform/kernel_mask.h"
#include "platform/setxid.h"

#ifdef __x86_64__
#define FIRST "GLIBC_2.2.5"
#else
#define FIRST "GLIBC_2.17"
#endif

/* Number, name, and the types of the arguments. */
#define CALLS(X)                                                                                                       \
	X(0, setuid)                                                                                                   \
	X(1, setgid)                                                                                                   \
	X(2, seteuid)                                                                                                  \
	X(3, setegid)                                                                                                  \
	X(4, setreuid)                                                                                                 \
	X(5, setregid)                                                                                                 \
	X(6, setresuid)                                                                                                \
	X(7, setresgid)                                                                                                \
	X(8, setgroups)
#define NAME(number, name) #name,
static const char *const names[] = {CALLS(NAME)};
#define N_CALLS (sizeof names / sizeof *names)

/* The C library's function. Constructors of other libraries may call before this one's. */
static fg_setxid_function *
others(unsigned which)
{
	static struct fg_atomic_ptr found[N_CALLS];
	void *function = fg_load_relaxed(&found[which]);
	if (__builtin_expect(!function, 0)) {
		function = dlsym(RTLD_NEXT, names[which]);
		fg_store_relaxed(&found[which], function);
	}
	return (fg_setxid_function *)function;
}

/* The caller is outside the runtime, but no tick preempts it. If it waits for a lock, a spare takes its worker. */
static int
change(unsigned which, unsigned long a, unsigned long b, unsigned long c)
{
	fg_setxid_function *function = others(which);
	if (!fg_self())
		return function(a, b, c);
	int error = 0;
	uint64_t mask = fg_mask_now();
	fg_mask_set(FG_MASK_ALL);
	int result = fg_setxid_call(fg_exec_hooks.own_tls(), function, (unsigned long[]){a, b, c}, &error);
	fg_mask_set(mask);
	if (result)
		errno = error;
	return result;
}

#define ONE(number, name, type)                                                                                        \
	__asm__(".symver fg_program_" #name ", " #name "@" FIRST);                                                     \
	FG_EXPORT int fg_program_##name(type a)                                                                        \
	{                                                                                                              \
		return change(number, a, 0, 0);                                                                        \
	}
#define TWO(number, name, type)                                                                                        \
	__asm__(".symver fg_program_" #name ", " #name "@" FIRST);                                                     \
	FG_EXPORT int fg_program_##name(type a, type b)                                                                \
	{                                                                                                              \
		return change(number, a, b, 0);                                                                        \
	}
#define THREE(number, name, type)                                                                                      \
	__asm__(".symver fg_program_" #name ", " #name "@" FIRST);                                                     \
	FG_EXPORT int fg_program_##name(type a, type b, type c)                                                        \
	{                                                                                                              \
		return change(number, a, b, c);                                                                        \
	}
ONE(0, setuid, uid_t)
ONE(1, setgid, gid_t)
ONE(2, seteuid, uid_t)
ONE(3, setegid, gid_t)
TWO(4, setreuid, uid_t)
TWO(5, setregid, gid_t)
THREE(6, setresuid, uid_t)
THREE(7, setresgid, gid_t)

__asm__(".symver fg_program_setgroups, setgroups@" FIRST);
FG_EXPORT int
fg_program_setgroups(size_t n, const gid_t *groups)
{
	return change(8, n, (unsigned long)groups, 0);
}

#define GROUPS_FIRST 64

/* The C library's own does not call setgroups by its name. */
__asm__(".symver fg_program_initgroups, initgroups@" FIRST);
FG_EXPORT int
fg_program_initgroups(const char *user, gid_t group)
{
	gid_t *groups = NULL;
	int n = GROUPS_FIRST, room, result = -1;
	do {
		room = n;
		gid_t *more = realloc(groups, (size_t)room * sizeof *groups);
		if (!more)
			break;
		groups = more;
		if (getgrouplist(user, group, groups, &n) >= 0) {
			result = fg_program_setgroups((size_t)n, groups);
			break;
		}
	} while (n > room);
	free(groups);
	return result;
}

__attribute__((constructor(105))) static void
find(void)
{
	for (unsigned i = 0; i < N_CALLS; i++)
		others(i);
}
