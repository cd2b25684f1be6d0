/* Grants: how many PUs a process might keep busy at each time, and which it had chosen (command; read from the events
 * `grant` and `set`; used by page_model.c and perfetto.c). Times are the trace's. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "draw/trace_read.h"

#define FG_GRANT_WORDS 16 /* of a set: PUs by the kernel's numbers */

/* From this time on. */
struct fg_grant {
	uint64_t time;
	uint32_t pus;
	uint64_t set[FG_GRANT_WORDS]; /* all 0: there is none */
};

/* Finds what held at `from`, and each change up to `to`. The list is from malloc. Returns its length; 0: `to` comes
 * before `from`. */
size_t fg_grants_of(const struct fg_trace *trace, uint64_t from, uint64_t to, struct fg_grant **list);
