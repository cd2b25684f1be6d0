/* The process of one simulated run (sim_child.h). */
#include "sim_child.h"
#include "sim.h"
#include "terminal.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TURN_US 250000
#define SHOWN_AFTER_S 1 /* a shorter run shows nothing */

static volatile pid_t child;
static volatile sig_atomic_t caught;
static struct {
	unsigned done, all;
	char what[64];
} name;

/* A terminal has sent its signals to the program, too. The second signal ends a program that goes on. */
static void
on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (child > 0 && caught)
		kill(child, SIGKILL);
	else if (child > 0 && info->si_code <= 0)
		kill(child, number);
	caught = number;
}

static void
on_alarm(int number)
{
	(void)number;
}

void
sim_interrupts_catch(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, old;
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

int
sim_interrupted(void)
{
	return caught;
}

void
sim_interrupts_end(void)
{
	if (!caught)
		return;
	fflush(NULL);
	signal(caught, SIG_DFL);
	raise(caught);
}

void
sim_progress(unsigned done, unsigned all, const char *what)
{
	name.done = done < all ? done : all - 1;
	name.all = all;
	snprintf(name.what, sizeof name.what, "%s", what);
}

static double
real_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void
show(int file, unsigned n_pus, double seconds)
{
	enum { BAR = 20 };
	char text[256], bar[BAR + 32] = "", time[32];
	uint64_t now = 0;
	if (pread(file, &now, sizeof now, 0) != sizeof now)
		now = 0;
	if (name.all > 1)
		snprintf(bar, sizeof bar, "[%.*s%*s] %u/%u ", (int)(name.done * BAR / name.all), "####################",
			 (int)(BAR - name.done * BAR / name.all), "", name.done + 1, name.all);
	snprintf(text, sizeof text, "%s%s%svirtual %s, %.0f s, %u PU%s", bar, name.what, *name.what ? ": " : "",
		 sim_time_text(now, time, sizeof time), seconds, n_pus, n_pus == 1 ? "" : "s");
	terminal_status(text);
}

int
sim_child_wait(pid_t pid, int file, unsigned n_pus)
{
	static const struct itimerval turn = {{0, TURN_US}, {0, TURN_US}}, never;
	struct sigaction action = {.sa_handler = on_alarm}, old;
	bool shown = terminal_shows_status();
	double began = real_seconds();
	int state = 0;
	child = pid;
	if (sim_interrupted()) /* it came before the program had started */
		kill(pid, SIGTERM);
	sigaction(SIGALRM, &action, &old);
	if (shown)
		setitimer(ITIMER_REAL, &turn, NULL);
	while (waitpid(pid, &state, 0) < 0 && errno == EINTR) {
		double seconds = real_seconds() - began;
		if (shown && seconds > SHOWN_AFTER_S)
			show(file, n_pus, seconds);
	}
	child = 0;
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	terminal_status("");
	return state;
}
