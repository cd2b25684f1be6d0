/* `forestgomp top`: the programs that share their PUs now, and who uses what. The board is only read. */
#include "top.h"
#include "command.h"
#include "manual.h"
#include "platform/clock.h"
#include "terminal.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS 1000000000
#define FIRST_NS 250000000 /* rates need two looks: so long lies between the first two */
#define BUSY 0.05	   /* PUs: who uses less is idle */
#define STAT_BYTES 512	   /* the first line of /proc/stat */

/* What one look found. */
struct look {
	uint64_t when;
	double busy; /* seconds of PUs since the system's start; negative: not known */
	unsigned n;
	struct view_program program[FG_BOARD_ENTRIES];
	struct process process[FG_BOARD_ENTRIES];
};

struct call {
	bool once, json;
};

/* "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...", in ticks */
static double
machine_busy(void)
{
	unsigned long long user, nice, system, idle, wait, irq, soft, steal = 0;
	char text[STAT_BYTES];
	FILE *file = fopen("/proc/stat", "re");
	bool read = file && fgets(text, sizeof text, file);
	if (file)
		fclose(file);
	if (!read || sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait,
			    &irq, &soft, &steal) < 7)
		return -1;
	return (double)(user + nice + system + irq + soft + steal) / (double)sysconf(_SC_CLK_TCK);
}

/* A program of which nothing is left but its entry is not shown, nor one whose number another process has now. */
static bool
is_there(const struct view_program *program, const struct process *process)
{
	return process->there ? process->own && view_may_be_of(program->stamp, process) : program->active;
}

static bool
look(struct look *look, const char **why)
{
	static struct fg_board copy;
	if (!fg_board_read(view_folder(), &copy, why))
		return false;
	look->when = fg_clock_ns(CLOCK_MONOTONIC);
	look->busy = machine_busy();
	unsigned all = view_programs(&copy, look->when, look->program);
	look->n = 0;
	for (unsigned i = 0; i < all; i++) {
		process_look(look->program[i].process, &look->process[look->n]);
		if (is_there(&look->program[i], &look->process[look->n]))
			look->program[look->n++] = look->program[i];
	}
	return true;
}

/* NULL: the program was not there. */
static const struct view_program *
earlier(const struct look *before, uint64_t word, unsigned *at)
{
	for (*at = 0; *at < before->n; ++*at)
		if (before->program[*at].word == word)
			return &before->program[*at];
	return NULL;
}

/* The PUs of a sum of ns; negative: it cannot be. */
static double
rate(uint64_t before, uint64_t now, double seconds, unsigned pus)
{
	double mean = (double)(now - before) * 1e-9 / seconds;
	return now >= before && mean <= 1.5 * pus + 1 ? mean : -1;
}

static enum top_state
state_of(const struct top_row *row)
{
	if (!row->process.there)
		return TOP_ELSEWHERE;
	if (row->process.stopped)
		return TOP_STOPPED;
	if (row->program.active)
		return TOP_REGION;
	return row->cpu >= BUSY ? TOP_BUSY : TOP_IDLE;
}

static void
compare(const struct look *before, const struct look *now, struct top_picture *picture)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	picture->seconds = (double)(now->when - before->when) * 1e-9;
	picture->pus = online > 0 ? (unsigned)online : 1;
	picture->busy = before->busy >= 0 && now->busy >= 0 ? (now->busy - before->busy) / picture->seconds : -1;
	picture->n = now->n;
	for (unsigned i = 0; i < now->n; i++) {
		struct top_row *row = &picture->row[i];
		unsigned at;
		*row = (struct top_row){now->program[i], now->process[i], TOP_IDLE, -1, -1, -1};
		const struct view_program *was = earlier(before, row->program.word, &at);
		if (was && row->program.active) {
			row->used = rate(was->used, row->program.used, picture->seconds, row->program.pus);
			row->lost = rate(was->lost, row->program.lost, picture->seconds, row->program.pus);
		}
		if (was && row->process.cpu >= before->process[at].cpu && before->process[at].cpu >= 0)
			row->cpu = (row->process.cpu - before->process[at].cpu) / picture->seconds;
		row->state = state_of(row);
	}
}

double
top_outside(const struct top_picture *picture)
{
	double outside = picture->busy;
	if (outside < 0)
		return -1;
	for (unsigned i = 0; i < picture->n; i++)
		outside -= picture->row[i].cpu > 0 ? picture->row[i].cpu : 0;
	return outside > 0 ? outside : 0;
}

/* In place of the last picture, without what a program has drawn meanwhile. */
static void
redraw(const struct top_picture *picture)
{
	static unsigned lines;
	static char text[1 << 18];
	FILE *file = fmemopen(text, sizeof text, "w");
	if (!file)
		return;
	if (lines)
		fprintf(file, "\033[%uA\r", lines);
	lines = top_print(file, picture, terminal_columns(), terminal_rows(), "\033[K\n");
	fprintf(file, "\033[J");
	long length = ftell(file);
	fclose(file);
	fwrite(text, 1, length > 0 ? (size_t)length : 0, stdout);
}

static void
show(const struct top_picture *picture, const struct call *call, bool first)
{
	if (call->json)
		top_print_json(stdout, picture);
	else if (!call->once && terminal_redraws())
		redraw(picture);
	else {
		if (!first)
			putchar('\n');
		top_print(stdout, picture, terminal_columns(), 0, "\n");
	}
}

static void
wait_until(uint64_t when)
{
	struct timespec at = {(time_t)(when / 1000000000), (long)(when % 1000000000)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static int
no_board(const char *why)
{
	complain("top", "there is no board: %s", why ? why : "no program has run with FGOMP_SHARE=on here");
	return 1;
}

/* The board may go, or be made anew, while this goes on. Then there is no program. */
static int
watch(const struct call *call)
{
	static struct look looks[2];
	static struct top_picture picture;
	const char *why;
	if (!look(&looks[0], &why))
		return no_board(why);
	uint64_t next = looks[0].when + FIRST_NS;
	for (unsigned i = 1;; i++, next += EVERY_NS) {
		struct look *before = &looks[(i + 1) % 2], *now = &looks[i % 2];
		wait_until(next);
		uint64_t late = fg_clock_ns(CLOCK_MONOTONIC);
		if (late > next + EVERY_NS) /* it was stopped, or its reader was slow */
			next = late;
		if (!look(now, &why)) {
			if (call->once)
				return no_board(why);
			*now = (struct look){.when = fg_clock_ns(CLOCK_MONOTONIC), .busy = machine_busy()};
		}
		compare(before, now, &picture);
		show(&picture, call, i == 1);
		if (call->once || fflush(stdout) != 0)
			return 0;
	}
}

int
command_top(int argc, char **argv)
{
	struct call call = {0};
	for (int i = 1; i < argc; i++) {
		if (manual_asked(argv[i])) {
			manual_help(manual_of("top"));
			return 0;
		}
		if (strcmp(argv[i], "--json") == 0)
			call.json = true;
		else if (strcmp(argv[i], "--once") == 0)
			call.once = true;
		else if (argv[i][0] == '-')
			return manual_unknown(manual_of("top"), argv[i]);
		else
			return complain("top", "it takes no word: what is '%s'?", argv[i]);
	}
	return watch(&call);
}
