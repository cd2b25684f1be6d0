/* Texts that occur in a trace: names of policies, and the reasons of their decisions (floor: trace; sched/decision.c
 * uses it). A policy's thread calls, perhaps with a lock held. The block only grows, so a number stays that of its
 * text. */
#pragma once
#include <stdint.h>

/* The number of a text that lives for ever. The file gets the text at the first call. NULL has the number 0, and so
 * have texts for which there is no room. Any thread may call it. */
uint32_t fg_trace_text(const char *text);
/* Makes the block of the texts. It is called once, when the file is there. */
void fg_trace_texts_begin(void);
