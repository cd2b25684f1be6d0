/* The kernel's wait on a word (floor: platform; used by the live carrier and by parked donors). */
#pragma once
#include "base/atomic.h"

/* Sleeps while *word == value, at most timeout_ns (0: no limit). It may return early. */
void fg_futex_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns);
void fg_futex_wake(struct fg_atomic_u32 *word, unsigned count);
