/* Process: what the system tells of another process (process.h). */
#include "process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Returns the length; 0: there is nothing. */
static size_t
read_file(int number, const char *name, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", number, name);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, size - 1, file) : 0;
	if (file)
		fclose(file);
	text[length] = '\0';
	return length;
}

/* "Name:\tvalue" on a line of its own; "": there is none. The name of the program stands in the first line, and its
 * line feeds are written as "\n". */
static const char *
line_of(const char *status, const char *name)
{
	const char *found = strstr(status, name);
	return found ? found + strlen(name) : "";
}

static void
read_command(int number, struct process *process)
{
	char text[4096];
	size_t length = read_file(number, "cmdline", text, sizeof text);
	if (length == 0) {
		length = read_file(number, "comm", text, sizeof text);
		length -= length > 0; /* the line feed */
		text[length] = '\0';
	}
	const char *slash = strrchr(text, '/'), *start = slash && slash[1] ? slash + 1 : text;
	while (length > 0 && text[length - 1] == '\0')
		length--;
	char *to = process->command, *last = to + sizeof process->command - 1;
	for (const char *from = start; from < text + length && to < last; from++)
		*to++ = *from ? *from : ' ';
	*to = '\0';
}

static uint64_t
now_of(clockid_t clock)
{
	struct timespec now;
	return clock_gettime(clock, &now) == 0 ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec : 0;
}

/* The system counts the time that it slept, too. The name of the program stands in brackets, and may have any bytes. */
static uint64_t
start_of(int number)
{
	char text[1024];
	unsigned long long ticks;
	if (!read_file(number, "stat", text, sizeof text))
		return 0;
	const char *at = strrchr(text, ')');
	if (!at || sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			  &ticks) != 1)
		return 0;
	uint64_t since_boot = ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	uint64_t monotonic = now_of(CLOCK_MONOTONIC), asleep = now_of(CLOCK_BOOTTIME) - monotonic;
	return since_boot > asleep ? since_boot - asleep : 0;
}

void
process_look(int number, struct process *process)
{
	char status[4096];
	unsigned real, effective;
	clockid_t clock;
	struct timespec used;
	*process = (struct process){.cpu = -1};
	if (!read_file(number, "status", status, sizeof status) ||
	    sscanf(line_of(status, "\nUid:"), "%u %u", &real, &effective) != 2)
		return;
	const char *state = line_of(status, "\nState:\t");
	process->threads = (unsigned)strtoul(line_of(status, "\nThreads:"), NULL, 10);
	/* Its first thread may have ended before the others. */
	process->there = (*state != 'Z' || process->threads > 1) && *state != 'X';
	process->own = effective == geteuid();
	process->stopped = *state == 'T' || *state == 't';
	process->nice = getpriority(PRIO_PROCESS, (id_t)number);
	if (clock_getcpuclockid(number, &clock) == 0 && clock_gettime(clock, &used) == 0)
		process->cpu = (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
	process->started = start_of(number);
	read_command(number, process);
}
