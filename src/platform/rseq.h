/* Restartable sequences: the area of a pthread in which the kernel writes the CPU of its kernel thread (floor:
 * platform; called by exec). sched_getcpu reads it. fg_rseq_find is called once. fg_rseq_unregister acts on the caller,
 * inside, perhaps in the preemption handler. */
#pragma once

/* Finds out where the C library keeps the area. It is called once, before any thread calls fg_rseq_unregister, which
 * must not allocate. */
void fg_rseq_find(void);
/* The caller, on its own kernel thread, will be carried by others, and the area would tell the wrong CPU for ever. From
 * here on the C library asks the kernel instead, and sequences of the program see that they cannot be used. Keeps
 * errno. */
void fg_rseq_unregister(void);
