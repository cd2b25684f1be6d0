/* The text of `perf script`: a line is a sample of a load or a store (command; called by pin_perf.c). Which columns
 * there are, the user says by -F. Needed are tid, time, event, addr and data_src, and others may stand between them:
 *
 *     [comm] tid time: [period] event: addr ... data_src |OP LOAD|...
 *
 * A line of another form tells nothing, such as that of a call chain. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PERF_LINE 512 /* characters that are read of a line: names of libraries may follow */

/* The command that makes such a text. */
#define PERF_COMMAND "perf script --ns -F tid,time,period,event,addr,data_src"

struct perf_sample {
	uint64_t time; /* ns */
	uint64_t address;
	uint64_t period; /* accesses for which it stands; 1 if the text does not tell */
	uint32_t tid;
	bool loads, writes; /* neither: it is no access of data, or the address is not known */
};

/* The first field that is missing. */
enum perf_field { PERF_TIME, PERF_TID, PERF_EVENT, PERF_ADDR, PERF_DATA_SRC, PERF_WHOLE };

enum perf_field perf_sample_read(const char *line, struct perf_sample *sample);
/* The next line, without its end and without what goes beyond PERF_LINE. False: there is none. *cut becomes true at a
 * last line that has no end. */
bool perf_line_next(FILE *file, char line[PERF_LINE], bool *cut);
const char *perf_field_name(enum perf_field field);
