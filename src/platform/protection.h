/* Protection: closing and opening pages of the program's memory (floor: platform; called by memory/window_set.c and
 * memory/windows.c). All are system calls that keep errno. Any thread may call, with any lock and in a signal
 * handler. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fg_protection { FG_OPEN, FG_CLOSED_TO_WRITES, FG_CLOSED };

/* False: some pages are not mapped, or the process has too many mappings. Pages before the first such one have got the
 * protection. */
bool fg_protect(uintptr_t start, size_t bytes, enum fg_protection how);
/* All of it is private memory that may be read and written. False: it cannot be known, too. */
bool fg_protection_is_open(uintptr_t start, size_t bytes);
/* The mapping of the address, if it was writable once and is closed now, as mremap leaves closed pages elsewhere. A
 * guard that was never writable is none, because the kernel does not account for it. */
bool fg_protection_lost(uintptr_t address, uintptr_t *start, uintptr_t *end);
/* The kernel may make huge pages for this process. */
bool fg_protection_meets_huge_pages(void);
