/* ABI: lock routines, C and Fortran (floor: gomp). The lock functions exist in two versions: in OMP_1.0 a nest lock belongs to a
 * thread, in OMP_3.0 to a task. A plain lock has 4 bytes in all of them, so its forms are one function. A nest lock has 16 in C since
 * OMP_3.0; in Fortran, and before, it has 8, which hold the address of one. */
#include "team/lock/owner.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "gomp/abi.h"

/* name_new is NAME@@OMP_3.0, name_old is NAME@OMP_1.0, and the same with the Fortran underscore. */
#define VERSIONS(name)                                                                                                 \
	__asm__(".symver " #name "_new, " #name "@@OMP_3.0\n\t"                                                        \
		".symver " #name "_old, " #name "@OMP_1.0\n\t"                                                         \
		".symver " #name "_new_fortran, " #name "_@@OMP_3.0\n\t"                                               \
		".symver " #name "_old_fortran, " #name "_@OMP_1.0")
#define SAME_FOR_ALL(type, name, arguments)                                                                            \
	FG_ABI_ALIAS(type, name##_old, arguments, name##_new)                                                          \
	FG_ABI_ALIAS(type, name##_new_fortran, arguments, name##_new)                                                  \
	FG_ABI_ALIAS(type, name##_old_fortran, arguments, name##_new)                                                  \
	VERSIONS(name)

FG_EXPORT void
omp_init_lock_new(struct fg_lock *lock)
{
	assert(fg_lock_owner_forgets(lock));
	fg_lock_init(lock);
}
SAME_FOR_ALL(void, omp_init_lock, (struct fg_lock * lock));

FG_EXPORT void
omp_destroy_lock_new(struct fg_lock *lock)
{
	assert(fg_lock_owner_forgets(lock));
	(void)lock;
}
SAME_FOR_ALL(void, omp_destroy_lock, (struct fg_lock * lock));

FG_EXPORT void
omp_set_lock_new(struct fg_lock *lock)
{
	fg_lock_set(lock);
	assert(fg_lock_owner_took(lock));
}
SAME_FOR_ALL(void, omp_set_lock, (struct fg_lock * lock));

FG_EXPORT void
omp_unset_lock_new(struct fg_lock *lock)
{
	assert(fg_lock_owner_gives(lock));
	fg_lock_unset(lock);
}
SAME_FOR_ALL(void, omp_unset_lock, (struct fg_lock * lock));

FG_EXPORT int
omp_test_lock_new(struct fg_lock *lock)
{
	int got = fg_lock_test(lock);
	assert(!got || fg_lock_owner_took(lock));
	return got;
}
SAME_FOR_ALL(int, omp_test_lock, (struct fg_lock * lock));

/* A lock's 8 bytes may stand at an address for words of 4. */
static struct fg_nest_lock *
at(const void *place)
{
	struct fg_nest_lock *lock;
	memcpy(&lock, place, sizeof lock);
	return lock;
}

static void
make_at(void *place)
{
	struct fg_nest_lock *lock = malloc(sizeof *lock);
	if (!lock)
		fg_fatal("Out of memory for a nest lock");
	fg_nest_lock_init(lock);
	memcpy(place, &lock, sizeof lock);
}

/* Debug builds tell of a lock that is free, or another's, and leave it alone. */
static void
unset(struct fg_nest_lock *lock)
{
#ifndef NDEBUG
	if (!fg_nest_lock_owner_gives(lock))
		return;
#endif
	fg_nest_lock_unset(lock);
}

/* Three of the four forms of a function that does not ask who the caller is. */
#define SAME_BY_ADDRESS(type, name)                                                                                    \
	FG_ABI_ALIAS(type, name##_old, (void *place), name##_new_fortran)                                              \
	FG_ABI_ALIAS(type, name##_old_fortran, (void *place), name##_new_fortran)                                      \
	VERSIONS(name)

FG_EXPORT void
omp_init_nest_lock_new(struct fg_nest_lock *lock)
{
	fg_nest_lock_init(lock);
}
FG_EXPORT void
omp_init_nest_lock_new_fortran(void *place)
{
	make_at(place);
}
SAME_BY_ADDRESS(void, omp_init_nest_lock);

FG_EXPORT void
omp_destroy_nest_lock_new(struct fg_nest_lock *lock)
{
	(void)lock;
}
FG_EXPORT void
omp_destroy_nest_lock_new_fortran(void *place)
{
	free(at(place));
}
SAME_BY_ADDRESS(void, omp_destroy_nest_lock);

FG_EXPORT void
omp_unset_nest_lock_new(struct fg_nest_lock *lock)
{
	unset(lock);
}
FG_EXPORT void
omp_unset_nest_lock_new_fortran(void *place)
{
	unset(at(place));
}
SAME_BY_ADDRESS(void, omp_unset_nest_lock);

FG_EXPORT void
omp_set_nest_lock_new(struct fg_nest_lock *lock)
{
	fg_nest_lock_set(lock, fg_lock_owner_task());
}
FG_EXPORT void
omp_set_nest_lock_new_fortran(void *place)
{
	fg_nest_lock_set(at(place), fg_lock_owner_task());
}
FG_EXPORT void
omp_set_nest_lock_old(void *place)
{
	fg_nest_lock_set(at(place), fg_lock_owner_thread());
}
FG_ABI_ALIAS(void, omp_set_nest_lock_old_fortran, (void *place), omp_set_nest_lock_old)
VERSIONS(omp_set_nest_lock);

FG_EXPORT int
omp_test_nest_lock_new(struct fg_nest_lock *lock)
{
	return fg_nest_lock_test(lock, fg_lock_owner_task());
}
FG_EXPORT int
omp_test_nest_lock_new_fortran(void *place)
{
	return fg_nest_lock_test(at(place), fg_lock_owner_task());
}
FG_EXPORT int
omp_test_nest_lock_old(void *place)
{
	return fg_nest_lock_test(at(place), fg_lock_owner_thread());
}
FG_ABI_ALIAS(int, omp_test_nest_lock_old_fortran, (void *place), omp_test_nest_lock_old)
VERSIONS(omp_test_nest_lock);

/* The hint is advice for locks of another kind than ours. */
FG_EXPORT void
omp_init_lock_with_hint(struct fg_lock *lock, int hint)
{
	(void)hint;
	omp_init_lock_new(lock);
}
FG_EXPORT void
omp_init_nest_lock_with_hint(struct fg_nest_lock *lock, int hint)
{
	(void)hint;
	fg_nest_lock_init(lock);
}

FG_EXPORT void
omp_init_lock_with_hint_(struct fg_lock *lock, const int32_t *hint)
{
	omp_init_lock_with_hint(lock, *hint);
}
FG_EXPORT void
omp_init_nest_lock_with_hint_(void *place, const int32_t *hint)
{
	(void)hint;
	make_at(place);
}
