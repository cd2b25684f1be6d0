/* ABI: ordered and doacross regions (floor: gomp). The files loop.c and loop_ull.c have the doacross loops. Compiled
 * code calls these, as team/inside.h says. team/share/ordered.h and doacross.h have the invariants. */
#include "team/share/ordered.h"
#include "base/export.h"
#include "exec/roots/self.h"
#include "team/share/doacross.h"

FG_EXPORT void
GOMP_ordered_start(void)
{
	fg_ordered_begin(fg_self_or_root());
}

FG_EXPORT void
GOMP_ordered_end(void)
{
	fg_ordered_end(fg_self_or_root());
}

_Static_assert(sizeof(long) == sizeof(uint64_t), "iteration vectors are read as 64-bit words");

FG_EXPORT void
GOMP_doacross_post(long *vector)
{
	fg_doacross_post(fg_self_or_root(), (const uint64_t *)vector);
}
FG_EXPORT void
GOMP_doacross_ull_post(unsigned long long *vector)
{
	fg_doacross_post(fg_self_or_root(), (const uint64_t *)vector);
}

FG_EXPORT void
GOMP_doacross_wait(long first, ...)
{
	va_list rest;
	va_start(rest, first);
	fg_doacross_wait(fg_self_or_root(), (uint64_t)first, rest);
	va_end(rest);
}
FG_EXPORT void
GOMP_doacross_ull_wait(unsigned long long first, ...)
{
	va_list rest;
	va_start(rest, first);
	fg_doacross_wait(fg_self_or_root(), first, rest);
	va_end(rest);
}
