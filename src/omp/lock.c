/* Lock routines for C and Fortran (floor: omp; OpenMP 5.2, 18.9). The routines exist in two versions: in OMP_1.0 a
 * thread owns a nest lock, in OMP_3.0 a task. A plain lock has 4 bytes in all forms, so one function serves them all. A
 * nest lock has 16 bytes in C since OMP_3.0. In Fortran, and in OMP_1.0, it has 8 bytes, which hold the address of such
 * a lock. The program calls these on any pthread, and its malloc may call them inside. team/lock/lock.h has the
 * invariants. No lock of the runtime is held. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "base/log.h"
#include "team/lock/owner.h"

/* name_new becomes NAME@@OMP_3.0 and name_old becomes NAME@OMP_1.0. Fortran's forms get an underscore after NAME. */
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

/* memcpy, because the 8 bytes may be aligned to 4 only. */
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

/* A debug build reports a lock that is free or that another owner holds, and leaves it alone. */
static void
unset(struct fg_nest_lock *lock)
{
#ifndef NDEBUG
	if (!fg_nest_lock_owner_gives(lock))
		return;
#endif
	fg_nest_lock_unset(lock);
}

/* Three of the four forms are one function where the owner does not matter. */
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

/* A hint selects among kinds of lock, and this library has one kind only. */
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
