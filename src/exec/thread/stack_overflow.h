/* Stack overflow: a member that runs over its stack is told so by name before the process dies of it (floor: exec;
 * called where kernel threads and donors start). */
#pragma once

/* Installs the handler of SIGSEGV, unless the program has one of its own: then that one gets all, and nothing is said.
 * Once the program installs one later, ours is gone. */
void fg_stack_overflow_install(void);
/* The stack for the handler is to lie in this memory, of FG_FAULT_STACK bytes, which the calling kernel thread has as
 * long as it runs members. */
void fg_stack_overflow_room(void *memory);
/* The calling kernel thread, which is the runtime's own, is to run members: gives it a stack for the handler. */
void fg_stack_overflow_kernel_thread(void);
/* It ends. */
void fg_stack_overflow_kernel_thread_end(void);
