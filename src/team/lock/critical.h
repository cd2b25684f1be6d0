/* Critical: the locks of critical and atomic constructs (floor: team; called by gomp/critical.c). The lock of a named
 * critical is the first word of a zeroed common symbol of the program. lock.h tells which thread may call and what the
 * words mean. */
#pragma once
#include "team/lock/lock.h"

/* Each lock has a cache line of its own. */
struct fg_global_lock {
	_Alignas(64) struct fg_lock lock;
};
extern struct fg_global_locks {
	struct fg_global_lock critical, atomic;
} fg_global_locks;
