/* The file of a trace (floor: trace; file.c writes it, src/draw/trace_read.c reads it; docs/tracing.md).
 *
 * The file is a head, then blocks, all in the byte order of the machines that ForestGOMP runs on: little endian. A
 * block tells its length, so that a reader can skip a kind that it does not know. Workers map their blocks of events,
 * so the file holds all that they wrote, however the process ends. Facts that are known only at the end (`end`, the
 * names) are missing if the process does not get there. */
#pragma once
#include <stdint.h>

#define FG_TRACE_MAGIC "FGTRACE\n"
#define FG_TRACE_VERSION 1
#define FG_TRACE_ALIGN 65536 /* blocks begin at multiples of it: a page of any machine */

struct fg_trace_head {
	char magic[8];
	uint32_t version;
	uint32_t record_bytes;
	uint64_t start, end; /* ns of the carrier's clock; end 0: the process did not get there */
	uint64_t wall;	     /* ns since 1970 at the start */
	uint32_t pid, n_lanes;
	uint64_t dropped; /* events that found no room */
	uint64_t reserved;
};

/* How a team runs. It is b of the event `team`. */
enum fg_trace_mode { FG_TRACE_ONE, FG_TRACE_FLAT, FG_TRACE_NESTED, FG_TRACE_KERNEL };

/* Why a member of a flat team sits on its PU. It is b of the event `seat`. */
enum fg_trace_seat {
	FG_TRACE_SEAT_ROUND,  /* the members go round the PUs */
	FG_TRACE_SEAT_POLICY, /* the policy has placed the members */
	FG_TRACE_SEAT_PLACES, /* OMP_PROC_BIND and OMP_PLACES say so */
};

/* The facts that are told of an area of memory. It is a of the event `area`. */
enum fg_trace_area {
	FG_TRACE_AREA_TEAM = 1, /* the next team uses it */
	FG_TRACE_AREA_MEMBER,	/* this member of it does */
	FG_TRACE_AREA_ATTACHED, /* the thread uses it from now on */
	FG_TRACE_AREA_DETACHED, /* and no longer */
	FG_TRACE_AREA_MADE,	/* an allocator that places its memory has made it */
	FG_TRACE_AREA_FREED,
};

/* The tasks that a thread waits for. It is a of the events `wait_tasks` and `go_tasks`. */
enum fg_trace_tasks {
	FG_TRACE_CHILDREN = 1, /* the children of its task: taskwait */
	FG_TRACE_GROUP,	       /* those of the innermost taskgroup */
};

/* The contents of a block. */
enum fg_trace_kind {
	FG_TRACE_EVENTS = 1, /* records of one worker, ordered by time */
	FG_TRACE_MACHINE,    /* levels, in depth-first order */
	FG_TRACE_FACTS,	     /* text, lines "name=value" */
	FG_TRACE_MODULES,    /* text, lines "LOW HIGH BIAS PATH" in hexadecimal: where programs and libraries lay */
	FG_TRACE_NAMES,	     /* text, lines "ADDRESS NAME" */
	FG_TRACE_TEXTS,	     /* text, lines "NUMBER TEXT", or empty: names of policies, and reasons (decision.h) */
};

struct fg_trace_block {
	char magic[4]; /* "BLOC" */
	uint32_t kind;
	uint64_t bytes;	   /* from this block to the next, with the header */
	uint64_t count;	   /* records, levels, or characters */
	uint64_t sequence; /* of events: place among the worker's blocks; the oldest may be overwritten */
	uint64_t lost;	   /* of events: records of this worker overwritten so far */
	uint32_t lane;	   /* of events: the worker's number */
	uint32_t reserved[5];
};

struct fg_trace_record {
	uint64_t time; /* ns of the carrier's clock */
	uint16_t event;
	uint16_t pu;	 /* the worker's PU, logical number */
	uint32_t bubble; /* the event's bubble, or the thread's bubble; 0: none */
	uint32_t member; /* the thread's number in its team */
	uint32_t a;	 /* the table of events gives a and b their meanings (trace.h) */
	uint64_t b;
};

struct fg_trace_level {
	uint32_t kind; /* enum fg_level_kind */
	uint32_t kinds;
	uint32_t os_index;
	uint32_t depth;
	uint32_t first_pu, n_pus;
	uint64_t cache_bytes, memory_bytes;
};

_Static_assert(sizeof(struct fg_trace_head) == 64 && sizeof(struct fg_trace_block) == 64 &&
		       sizeof(struct fg_trace_record) == 32 && sizeof(struct fg_trace_level) == 40,
	       "the file's format");
