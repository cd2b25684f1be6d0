/* The file of a trace (floor: trace; file.c writes it, tools/draw/trace_read.c reads it; docs/tracing.md).
 *
 * The file is a head, then blocks, all in the byte order of the machines that ForestGOMP runs on: little endian. A
 * block tells its length, so that a reader can skip a kind that it does not know. Workers map their blocks of events,
 * so the file holds all that they wrote, however the process ends. Facts that are known only at the end (`end`, the
 * names) are missing if the process does not get there.
 *
 * Here are types only. A record never changes its size, and new kinds of blocks come at the end. */
#pragma once
#include <stdint.h>

#define FG_TRACE_MAGIC "FGTRACE\n"
#define FG_TRACE_VERSION 2
#define FG_TRACE_ALIGN 65536 /* blocks begin at multiples of it: a page of any machine */

struct fg_trace_head {
	char magic[8];
	uint32_t version;
	uint32_t record_bytes;
	uint64_t start, end; /* ns of the carrier's clock; end 0: the process did not get there */
	uint64_t wall;	     /* ns since 1970 at the start */
	uint32_t pid, n_lanes;
	uint64_t dropped; /* events and regions that found no room */
	uint64_t loaded;  /* ns of the same clock: the library was loaded; 0: not known */
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

/* How a thread goes through data. The sum of these is a of the event `touch`. */
enum fg_trace_touch {
	FG_TRACE_TOUCH_WRITES = 1, /* else it reads */
	FG_TRACE_TOUCH_PLACED = 2, /* an allocator wants some of these pages on nodes of its choice */
};

/* What a recorder has counted at an address. a of the event `use` is the sum of some of these, and of FG_TRACE_USE_ONE
 * times the units of 8 bytes that the thread went through in the block of 64 bytes there. */
enum fg_trace_use {
	FG_TRACE_USE_WRITES = 1,  /* else it reads */
	FG_TRACE_USE_SAMPLED = 2, /* the units are a sample, so that only large numbers tell */
	FG_TRACE_USE_ONE = 4,
};

/* The contents of a block. */
enum fg_trace_kind {
	FG_TRACE_EVENTS = 1, /* records of one worker, ordered by time */
	FG_TRACE_MACHINE,    /* levels, in depth-first order */
	FG_TRACE_FACTS,	     /* text, lines "name=value" */
	FG_TRACE_MODULES,    /* text, lines "LOW HIGH BIAS PATH" in hexadecimal: where programs and libraries lay */
	FG_TRACE_NAMES,	     /* text, lines "ADDRESS NAME" */
	FG_TRACE_TEXTS,	     /* text, lines "NUMBER TEXT", or empty: names of policies, and reasons (decision.h) */
	/* 8 bytes: `forestgomp run` saw the process end at this time, which could not tell it itself. */
	FG_TRACE_SEEN_END,
	FG_TRACE_SUMS, /* sums of regions (sums.h), written over as the program runs */
};

struct fg_trace_block {
	char magic[4]; /* "BLOC" */
	uint32_t kind;
	uint64_t bytes;	      /* from this block to the next, with the header */
	uint64_t count;	      /* records, levels, or characters */
	uint64_t sequence;    /* of events: place among the worker's blocks; the oldest may be overwritten */
	uint64_t lost;	      /* of events: records of this worker overwritten so far */
	uint32_t lane;	      /* of events: the worker's number */
	uint32_t reserved[5]; /* of events, [0]: 1 where the disk was full, and so older ones were written over */
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

/* The kind of a record in a block of sums. */
enum fg_trace_sum_kind {
	FG_SUM_FREE,   /* not in use: pass over it */
	FG_SUM_ROW,    /* calls of one region that one worker has left */
	FG_SUM_CALL,   /* a call that is not left yet */
	FG_SUM_MEMBER, /* a member of such a call */
	FG_SUM_LANE,   /* a worker */
};

/* Sums are of the calls that were timed. Each timed call stands for `weight` calls, its own and those before it that
 * were not. Times are in ns. Sums may be short of zero for one worker, and are right over all. */
struct fg_trace_row {
	uint64_t met;		/* calls that the worker has met, timed or not, and `skip` */
	uint64_t timed, weight; /* timed calls that were left, and the calls for which they stand */
	uint64_t time, shortest, longest, outermost; /* outermost: the part of `time` in no other region */
	uint64_t known, covered; /* better than `time`: the time of so many calls, judged from what went by as well */
	uint64_t members;
	uint32_t fewest, most;
	uint32_t nested; /* some call was within another region */
	uint32_t skip;	 /* so many calls of `met` have not come yet; they will be skipped */
	uint64_t span, waited, off_pu;
	uint64_t work, most_work; /* members' work, and for each call that of the busiest one times their number */
	uint64_t cpu, whole;	  /* computing without, and with, the regions within it */
	uint64_t steals, migrations, suspensions, preemptions, tasks;
};

struct fg_trace_call {
	uint64_t meet;
	uint32_t members, mode, is_nested;
	uint32_t lane;			  /* the worker that met it, as in its rows */
	uint64_t work, most, ended, ends; /* of the members that have ended; `ends`: the times from meet to end */
	uint64_t within, within_whole;	  /* time of the regions met within it, and computing in them */
};

struct fg_trace_member {
	uint64_t begin, waited, off_pu, work;
	uint64_t within, within_whole;		      /* as in the call */
	uint64_t waits_since, away_since, task_since; /* 0: it does not */
	uint64_t went;				      /* when the last timed wait ended; 0: there was none */
	uint32_t barriers, gap; /* barriers so far, and those for which the next timed one stands */
	uint32_t suspensions, migrations, preemptions, tasks;
	uint32_t depth; /* tasks that it is within */
	uint16_t pu;
	uint8_t ended, waits; /* waits: at a barrier, and it is timed */
};

struct fg_trace_sum {
	uint32_t kind;
	uint32_t weight;   /* of a call and its members */
	uint64_t function; /* the region's */
	uint64_t call;	   /* names a call, and the call of a member; of a row, the worker */
	union {
		struct fg_trace_row row;
		struct fg_trace_call of_call;
		struct fg_trace_member member;
		uint64_t last; /* FG_SUM_LANE: time of the worker's last event */
		uint64_t words[29];
	};
};

_Static_assert(sizeof(struct fg_trace_sum) == 256, "the file's format");
_Static_assert(sizeof(struct fg_trace_head) == 64 && sizeof(struct fg_trace_block) == 64 &&
		       sizeof(struct fg_trace_record) == 32 && sizeof(struct fg_trace_level) == 40,
	       "the file's format");
