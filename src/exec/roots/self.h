/* Self: the calling thread as the runtime knows it (floor: exec; called by team, omp and gomp). root.c makes it. Any
 * pthread may ask, inside or outside. One that is new is outside, holds no lock and is in no handler: to make its root
 * calls the C library. */
#pragma once
#include "exec/thread/identity.h"

/* The running identity; a pthread not met before becomes an initial thread (root.c). */
__attribute__((returns_nonnull)) struct fg_identity *fg_self_or_root_slow(void);
static inline struct fg_identity *
fg_self_or_root(void)
{
	struct fg_identity *self = fg_self_pointer;
	return __builtin_expect(self != NULL, 1) ? self : fg_self_or_root_slow();
}
