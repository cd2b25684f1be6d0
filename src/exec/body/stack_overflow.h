/* Stack overflow: when a member runs over its stack, a message names the member before the process ends (floor:
 * exec; called where kernel threads and donors start and end). The caller holds no lock, and is in no handler. Each
 * kernel thread has one stack for the handler at a time, and only it changes that. */
#pragma once
#include <stdbool.h>

/* Installs the handler of SIGSEGV, unless the program has a handler of its own. That one then gets all signals, and
 * there is no message. If the program installs a handler later, the runtime's is gone. */
void fg_stack_overflow_install(void);
/* The runtime's handler is the one of SIGSEGV, or is from now on. False: the program has another. */
bool fg_stack_overflow_handles(void);
/* A bubble scheduler of the user's has its code where `inside` lies: if it crashes there, a message names it. */
void fg_stack_overflow_plugin(const char *name, const void *inside);
/* The calling pthread is the runtime's own. memory: FG_FAULT_STACK bytes for the stack of the handler, as long as the
 * pthread's kernel thread runs members; NULL: that only lends its identity. */
void fg_stack_overflow_room(void *memory);
/* The calling pthread has made that call. */
bool fg_stack_overflow_of_runtime(void);
/* The calling kernel thread is the runtime's own and will run members: gives it a stack for the handler. */
void fg_stack_overflow_kernel_thread(void);
/* The calling kernel thread ends. */
void fg_stack_overflow_kernel_thread_end(void);
