/* ABI: lock routines, C and Fortran (floor: gomp). The lock functions exist in two versions: in OMP_1.0 a nest lock belongs to a
 * thread, in OMP_3.0 to a task. Fortran keeps its locks, 4 and 8 bytes, in place; so all forms of a plain lock are one function. */
#include "team/lock_owner.h"
#include <assert.h>
#include "gomp/abi.h"

/* name_new is NAME@@OMP_3.0, name_old is NAME@OMP_1.0, and the same with the Fortran underscore. */
#define VERSIONS(name)                                                                                                 \
	__asm__(".symver " #name "_new, " #name "@@OMP_3.0\n\t"                                                        \
		".symver " #name "_old, " #name "@OMP_1.0\n\t"                                                         \
		".symver " #name "_new_fortran, " #name "_@@OMP_3.0\n\t"                                               \
		".symver " #name "_old_fortran, " #name "_@OMP_1.0")
#define SAME_FOR_FORTRAN(type, name, arguments)                                                                        \
	FG_ABI_ALIAS(type, name##_new_fortran, arguments, name##_new)                                                  \
	FG_ABI_ALIAS(type, name##_old_fortran, arguments, name##_old)                                                  \
	VERSIONS(name)
#define SAME_FOR_ALL(type, name, arguments)                                                                            \
	FG_ABI_ALIAS(type, name##_old, arguments, name##_new)                                                          \
	SAME_FOR_FORTRAN(type, name, arguments)

FG_ABI(void, omp_init_lock_new, (struct fg_lock * lock))
{
	assert(fg_lock_owner_forgets(lock));
	fg_lock_init(lock);
}
SAME_FOR_ALL(void, omp_init_lock, (struct fg_lock * lock));

FG_ABI(void, omp_destroy_lock_new, (struct fg_lock * lock))
{
	assert(fg_lock_owner_forgets(lock));
	(void)lock;
}
SAME_FOR_ALL(void, omp_destroy_lock, (struct fg_lock * lock));

FG_ABI(void, omp_set_lock_new, (struct fg_lock * lock))
{
	fg_lock_set(lock);
	assert(fg_lock_owner_took(lock));
}
SAME_FOR_ALL(void, omp_set_lock, (struct fg_lock * lock));

FG_ABI(void, omp_unset_lock_new, (struct fg_lock * lock))
{
	assert(fg_lock_owner_gives(lock));
	fg_lock_unset(lock);
}
SAME_FOR_ALL(void, omp_unset_lock, (struct fg_lock * lock));

FG_ABI(int, omp_test_lock_new, (struct fg_lock * lock))
{
	int got = fg_lock_test(lock);
	assert(!got || fg_lock_owner_took(lock));
	return got;
}
SAME_FOR_ALL(int, omp_test_lock, (struct fg_lock * lock));

FG_ABI(void, omp_init_nest_lock_new, (struct fg_nest_lock * lock))
{
	fg_nest_lock_init(lock);
}
SAME_FOR_ALL(void, omp_init_nest_lock, (struct fg_nest_lock * lock));

FG_ABI(void, omp_destroy_nest_lock_new, (struct fg_nest_lock * lock))
{
	(void)lock;
}
SAME_FOR_ALL(void, omp_destroy_nest_lock, (struct fg_nest_lock * lock));

FG_ABI(void, omp_set_nest_lock_new, (struct fg_nest_lock * lock))
{
	fg_nest_lock_set(lock, fg_lock_owner_task());
}
FG_ABI(void, omp_set_nest_lock_old, (struct fg_nest_lock * lock))
{
	fg_nest_lock_set(lock, fg_lock_owner_thread());
}
SAME_FOR_FORTRAN(void, omp_set_nest_lock, (struct fg_nest_lock * lock));

FG_ABI(void, omp_unset_nest_lock_new, (struct fg_nest_lock * lock))
{
#ifndef NDEBUG
	if (!fg_nest_lock_owner_gives(lock))
		return;
#endif
	fg_nest_lock_unset(lock);
}
SAME_FOR_ALL(void, omp_unset_nest_lock, (struct fg_nest_lock * lock));

FG_ABI(int, omp_test_nest_lock_new, (struct fg_nest_lock * lock))
{
	return fg_nest_lock_test(lock, fg_lock_owner_task());
}
FG_ABI(int, omp_test_nest_lock_old, (struct fg_nest_lock * lock))
{
	return fg_nest_lock_test(lock, fg_lock_owner_thread());
}
SAME_FOR_FORTRAN(int, omp_test_nest_lock, (struct fg_nest_lock * lock));

/* The hint is advice for locks of another kind than ours. */
FG_ABI(void, omp_init_lock_with_hint, (struct fg_lock * lock, int hint))
{
	(void)hint;
	omp_init_lock_new(lock);
}
FG_ABI(void, omp_init_nest_lock_with_hint, (struct fg_nest_lock * lock, int hint))
{
	(void)hint;
	fg_nest_lock_init(lock);
}

FG_ABI(void, omp_init_lock_with_hint_, (struct fg_lock * lock, const int32_t *hint))
{
	omp_init_lock_with_hint(lock, *hint);
}
FG_ABI(void, omp_init_nest_lock_with_hint_, (struct fg_nest_lock * lock, const int32_t *hint))
{
	omp_init_nest_lock_with_hint(lock, *hint);
}
