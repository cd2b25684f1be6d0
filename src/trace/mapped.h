/* Mapped: the blocks of the trace's file that are mapped, and the end of the trace if somebody truncates the file
 * (floor: trace; called by file.c, and by libc/signals.c for the program's handler).
 *
 * A store to a page behind the end of a file raises SIGBUS. So a handler puts memory in the place of the block, and the
 * trace ends. The program may have a handler of its own, or install one later. Ours then takes its place in the kernel,
 * with the flags and the mask of the program's, and passes all other signals on to it. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Installs the handler. It calls `cut` once, when the first such store happens. */
void fg_mapped_begin(void (*cut)(void));
/* The block may be stored to from now on, or no longer. False: there is no memory to note it. */
bool fg_mapped_add(void *block, size_t bytes);
void fg_mapped_remove(const void *block);
/* The handler is installed, so it must learn of the program's actions for SIGBUS: as sigaction. */
bool fg_mapped_uses(int number);
int fg_mapped_sigaction(const struct sigaction *action, struct sigaction *old);
