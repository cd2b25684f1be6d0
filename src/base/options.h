/* Options: the FGOMP_ environment variables (floor: base; read by every floor above, shown by `forestgomp info`).
 *
 * There is one table. The struct of values, the parser and the help come from it. A constructor reads it before
 * main. Later all threads only read it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(type, field, name, default, accepted, help). The types:
 * - CHOICE: one of the words in `accepted`;
 * - FLAG;
 * - TIME and SECONDS (the unit of a plain number): in nanoseconds;
 * - SIZE: in bytes;
 * - SIGNAL: a signal's number;
 * - TEXT: anything;
 * - POLICY: a word of `accepted` or a path, and then anything behind a comma or a plus sign. */
#define FG_OPTIONS(X)                                                                                                  \
	X(POLICY, sched, "FGOMP_SCHED", "default",                                                                     \
	  "default, spread, compact, steal, random, global, affinity, cache, memory, or ./PLUGIN.so; then "            \
	  ",OPTION=VALUE and +LEVEL:POLICY (docs/schedulers.md)",                                                      \
	  "bubble scheduler; default: spread for flat teams, steal for nested ones")                                   \
	X(CHOICE, threads, "FGOMP_THREADS", "user", "user, kernel",                                                    \
	  "user-level threads, or one kernel thread for each member")                                                  \
	X(TIME, slice, "FGOMP_SLICE", "4ms", "0 (never preempt), or a time from 100us to 10s",                         \
	  "how long a thread computes while others wait for its PU")                                                   \
	X(TIME, spin, "FGOMP_SPIN", "5ms", "a time from 0 to 1h", "how long a waiting thread spins before it sleeps")  \
	X(SIGNAL, signal, "FGOMP_SIGNAL", "SIGURG", "a signal's name or number",                                       \
	  "signal that preempts a thread; one that has a handler is left alone, and the first free real-time one is "  \
	  "taken")                                                                                                     \
	X(SIZE, stacksize, "FGOMP_STACKSIZE", "0", "0 (as OMP_STACKSIZE), or a size from 64K to 64G",                  \
	  "stack of a member")                                                                                         \
	X(TEXT, topology, "FGOMP_TOPOLOGY", "",                                                                        \
	  "a synthetic machine such as 'node:2 l3:1 core:4 pu:1', or an hwloc XML file",                               \
	  "take this machine's tree for the real one")                                                                 \
	X(TEXT, carrier, "FGOMP_CARRIER", "live", "live, virtual, virtual:SEED",                                       \
	  "virtual: all on one kernel thread, in an order the seed decides")                                           \
	X(TEXT, trace, "FGOMP_TRACE", "", "a file's name", "write what the workers did: see `forestgomp trace`")       \
	X(SIZE, trace_size, "FGOMP_TRACE_SIZE", "64M", "a size from 64K to 64G",                                       \
	  "how much of a trace is kept of each worker: the newest")                                                    \
	X(FLAG, trace_uses, "FGOMP_TRACE_USES", "false", "true, false",                                                \
	  "with FGOMP_TRACE: sample which member uses which data, for `forestgomp pin --from`")                        \
	X(TEXT, stats, "FGOMP_STATS", "", "a file's name",                                                             \
	  "sum up what each region costs: see `forestgomp run --stats`")                                               \
	X(SECONDS, stuck, "FGOMP_STUCK", "0", "0 (never), or a time from 1s to 24h; a plain number is in seconds",     \
	  "after so long without a move, tell once what the members of a region wait for")                             \
	X(CHOICE, memory, "FGOMP_MEMORY", "auto", "auto, auto+report, hints, report, off",                             \
	  "auto: bring pages to the NUMA node that uses them; report: tell at the end what was "                       \
	  "remote; hints: only what the program tells of its memory counts; off: nothing does")                        \
	X(CHOICE, share, "FGOMP_SHARE", "off", "on, server, off",                                                      \
	  "share the PUs with the user's other programs that have it on, while regions run; server: "                  \
	  "`forestgomp serve` says how many PUs each uses, where it answers")                                          \
	X(FLAG, jobserver, "FGOMP_JOBSERVER", "false", "true, false",                                                  \
	  "with FGOMP_SHARE: a program that `make -jN` starts keeps one PU busy, and one more for each token that "    \
	  "it takes of make")                                                                                          \
	X(TEXT, learnt, "FGOMP_LEARNT", "", "a file's name",                                                           \
	  "with FGOMP_SHARE: keep what was learnt of each region for later runs")                                      \
	X(TEXT, pin, "FGOMP_PIN", "", "a file's name",                                                                 \
	  "seat the members of each region as `forestgomp pin` found best")                                            \
	X(FLAG, pin_guard, "FGOMP_PIN_GUARD", "false", "true, false",                                                  \
	  "with FGOMP_PIN: find out, as the program runs, whether layouts by region pay, and drop those that do not")  \
	X(FLAG, verbose, "FGOMP_VERBOSE", "false", "true, false", "tell what the runtime decides")

enum fg_option_type {
	FG_OPTION_CHOICE,
	FG_OPTION_FLAG,
	FG_OPTION_TIME,
	FG_OPTION_SECONDS,
	FG_OPTION_SIZE,
	FG_OPTION_SIGNAL,
	FG_OPTION_TEXT,
	FG_OPTION_POLICY
};

#define FG_OPTION_FIELD_CHOICE const char *
#define FG_OPTION_FIELD_TEXT const char *
#define FG_OPTION_FIELD_POLICY const char *
#define FG_OPTION_FIELD_FLAG bool
#define FG_OPTION_FIELD_TIME uint64_t
#define FG_OPTION_FIELD_SECONDS uint64_t
#define FG_OPTION_FIELD_SIZE uint64_t
#define FG_OPTION_FIELD_SIGNAL int

struct fg_options {
#define FG_OPTION_FIELD(type, field, name, preset, accepted, help) FG_OPTION_FIELD_##type field;
	FG_OPTIONS(FG_OPTION_FIELD)
#undef FG_OPTION_FIELD
	bool quiet; /* print nothing about bad values, for a program that only passes the environment on */
};
extern struct fg_options fg_options;

enum fg_option_index {
#define FG_OPTION_INDEX(type, field, name, preset, accepted, help) FG_OPTION_##field,
	FG_OPTIONS(FG_OPTION_INDEX) FG_OPTION_COUNT
#undef FG_OPTION_INDEX
};

struct fg_option {
	enum fg_option_type type;
	const char *name, *preset, *accepted, *help;
	void *value;	  /* the field of fg_options */
	const char *text; /* as given, or the default's text */
	bool given;	  /* from the environment, and valid */
	char word[24];	  /* of a CHOICE: as `accepted` spells it */
};
extern struct fg_option fg_option_table[FG_OPTION_COUNT];

/* Reads all options from an environment block. It prints on stderr what is wrong with a bad value and takes the
 * default. A program with rights that its caller does not have (secure.h) gets the defaults. */
void fg_options_read(char **environment);

/* Gives an option's field the value that `text` stands for. false: it stands for none, and nothing changes. */
bool fg_option_set(struct fg_option *option, const char *text);

/* Times are "250", "4ms", "1.5s" ...; without a unit in milliseconds. false: the text is no time. */
bool fg_parse_time(const char *text, uint64_t *ns);
