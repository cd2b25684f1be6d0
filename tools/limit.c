/* `forestgomp limit`: a program uses no more than so many PUs from now on. */
#include "command.h"
#include "manual.h"
#include "process.h"
#include "view.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* False: it is no number from 1 to `most`. */
static bool
read_number(const char *text, unsigned long most, unsigned long *number)
{
	char *end;
	errno = 0;
	*number = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *number >= 1 && *number <= most;
}

/* The user may limit the process. Returns 0, or an exit status after a complaint. */
static int
check(int number, struct process *process)
{
	process_look(number, process);
	if (!process->there) {
		complain("limit", "there is no process %d", number);
		return 1;
	}
	if (!process->own) {
		complain("limit", "process %d is another user's", number);
		return 1;
	}
	return 0;
}

/* An entry outlives its process, whose number may have gone to another one since. */
static bool
has(struct fg_board *board, unsigned entry, int number, const struct process *process)
{
	return (uint32_t)fg_load_relaxed(&board->entry[entry].taken) == (uint32_t)number &&
	       view_may_be_of(fg_load_relaxed(&board->entry[entry].stamp), process);
}

/* The PUs that the process has, as it tells; 0: it has not told. *bound: it gives none away. It may have left an entry
 * behind by exec: the one that looked last counts. */
static unsigned
pus_of(struct fg_board *board, int number, const struct process *process, bool *there, bool *bound)
{
	unsigned pus = 0;
	uint64_t last = 0;
	*there = *bound = false;
	for (unsigned i = 0; i < FG_BOARD_ENTRIES; i++) {
		uint64_t stamp = fg_load_relaxed(&board->entry[i].stamp);
		if (!has(board, i, number, process) || (*there && stamp < last))
			continue;
		last = stamp;
		uint64_t look = fg_load_relaxed(&board->entry[i].look);
		*there = true;
		*bound = look >> 48 & 1;
		pus = (uint16_t)(look >> 32);
	}
	return pus;
}

/* A process that was stopped for long may have two entries. False: it has none any more. */
static bool
set(struct fg_board *board, int number, const struct process *process, unsigned most)
{
	bool done = false;
	for (unsigned i = 0; i < FG_BOARD_ENTRIES; i++) {
		uint64_t word = fg_load_relaxed(&board->entry[i].taken);
		if (has(board, i, number, process))
			done |= fg_entry_limit(board, i, word, most);
	}
	return done;
}

static void
say(int number, const struct process *process, unsigned most, unsigned pus)
{
	printf("process %d (", number);
	for (const char *at = process->command; *at && at < process->command + 40; at++)
		putchar(*at >= ' ' && *at < 127 ? *at : '?');
	if (!most)
		printf(") uses its whole share from now on\n");
	else if (pus)
		printf(") uses at most %u of its %u PU%s from now on\n", most, pus, pus > 1 ? "s" : "");
	else
		printf(") uses at most %u PU%s from now on\n", most, most > 1 ? "s" : "");
}

static int
limit(struct fg_board *board, int number, const struct process *process, unsigned most)
{
	bool there, bound;
	unsigned pus = pus_of(board, number, process, &there, &bound);
	if (!there)
		complain("limit",
			 "process %d is not on the board: it shares with FGOMP_SHARE=on, from its first region of "
			 "more than one thread on; one that was alone for long comes back when it meets another one",
			 number);
	else if (bound)
		complain("limit", "process %d gives no PU away, because its threads are bound (OMP_PROC_BIND)", number);
	else if (pus && most > pus)
		return complain("limit", "process %d has %u PU%s; accepted: 1 to %u, or off", number, pus,
				pus > 1 ? "s" : "", pus);
	else if (!set(board, number, process, most))
		complain("limit", "process %d has just left the board", number);
	else {
		say(number, process, most, pus);
		return 0;
	}
	return 1;
}

int
command_limit(int argc, char **argv)
{
	const char *why;
	unsigned long number, most = 0;
	for (int i = 1; i < argc; i++) {
		if (manual_asked(argv[i])) {
			manual_help(manual_of("limit"));
			return 0;
		}
		if (argv[i][0] == '-' && (argv[i][1] < '0' || argv[i][1] > '9'))
			return manual_unknown(manual_of("limit"), argv[i]);
	}
	if (argc != 3)
		return complain("limit", "which process, and how many PUs? forestgomp limit PID N, or limit PID off");
	if (!read_number(argv[1], INT_MAX, &number))
		return complain("limit", "'%s' is no number of a process", argv[1]);
	if (strcmp(argv[2], "off") != 0 && !read_number(argv[2], FG_BOARD_PUS, &most))
		return complain("limit", "'%s' is no number of PUs; accepted: 1 to %d, or off", argv[2], FG_BOARD_PUS);
	struct process process;
	int status = check((int)number, &process);
	if (status)
		return status;
	struct fg_board *board = fg_board_find(view_folder(), &why);
	if (!board) {
		complain("limit", "there is no board: %s", why ? why : "no program has run with FGOMP_SHARE=on here");
		return 1;
	}
	status = limit(board, (int)number, &process, (unsigned)most);
	fg_board_close(board);
	return status;
}
