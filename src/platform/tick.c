/* Tick (floor: platform): see tick.h. Each tick is a file of perf_event_open(2) that counts the task clock of one
 * kernel thread. */
#define _GNU_SOURCE
#include "platform/tick.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "platform/file.h"
#include "platform/perf_file.h"
#include "platform/sandbox.h"

#define FILES 1024
#define NAMELESS_MAX 4

/* A tick is lost if it comes while the last one is still being served. That takes 5 us on some machines and 25 on
 * others. The slowest are virtual machines, whose timers the host serves. So the runtime tries out the shortest
 * useful period all the time. */
#define BRIEF_MAX_NS 200000
#define JUDGED 8   /* ticks that are judged together */
#define LATE_MAX 5 /* if more of these are late, the shortest period grows */
#define VERY_LATE                                                                                                      \
	4 /* a tick that takes so many times as long counts as so many: the thread has no time between ticks */
#define RETRY_NS 50000000 /* so long after the last try a shorter period is tried */
#define RENEW_NS 1000000  /* four times as long after each renewal in vain */
#define RENEWALS_MAX 3
#define FAR_TIMES 4   /* two ticks are far apart if their distance is at least so many shortest periods */
#define MOVED_MAX 4   /* so many ticks that met another thread each are in vain */
#define PATIENCE 8    /* so many more are not, after one that was of use */
#define VAIN_TIMES 16 /* a renewal after one in vain begins with so many times the shortest period */

enum { COLD, READY, REFUSED };
#define LACKING_NS 100000000

static struct {
	struct fg_tick_brief brief;
	/* The first such file on a machine takes the kernel 10 to 30 ms. So a thread that may wait opens one for
	 * itself, and keeps it. Until then there are no ticks. After a refusal the system is not asked again. Where it
	 * only lacks descriptors or memory for the moment, it is asked again after a while. */
	struct fg_atomic_u32 state;
	struct fg_atomic_u64 ready_at;		/* not ready before, because something was lacking */
	struct fg_tick kept;			/* the file of the thread that prepared them */
	unsigned nameless;			/* files without a number; that thread's */
	struct fg_atomic_u32 known[FILES / 32]; /* bits; written by the thread that opens ticks, the monitor */
} ticks = {.brief = {.ns = {FG_TICK_BRIEF_MIN_NS}}};

/* ESRCH: the kernel thread has ended. That says nothing about others. */
static void
note_refusal(int error)
{
	bool lacks = error == EMFILE || error == ENFILE || error == ENOMEM || error == EBUSY || error == EINTR ||
		     error == EAGAIN;
	if (lacks)
		fg_store_relaxed(&ticks.ready_at, fg_carrier->now() + LACKING_NS);
	else if (error != ESRCH)
		fg_store_release(&ticks.state, REFUSED);
}

static int
file_open(int tid, uint64_t period_ns)
{
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof event,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int file = (int)syscall(SYS_perf_event_open, &event, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (file < 0)
		note_refusal(errno);
	return file;
}

void
fg_tick_prepare(void)
{
	if (fg_load_acquire(&ticks.state) != COLD || !fg_sandbox_allows(FG_SANDBOX_PERF))
		return;
	ticks.kept.file = file_open(0, BRIEF_MAX_NS);
	if (ticks.kept.file < 0)
		return;
	ticks.kept.id = fg_perf_id(ticks.kept.file);
	if (!ticks.kept.id) { /* the program has closed it, or the system numbers no files, which it would again */
		if (++ticks.nameless == NAMELESS_MAX)
			fg_store_release(&ticks.state, REFUSED);
		return;
	}
	fg_store_release(&ticks.state, READY);
}

void
fg_tick_forget(void)
{
	if (fg_load_acquire(&ticks.state) != READY)
		return;
	fg_store_release(&ticks.state, COLD);
	fg_tick_close(&ticks.kept);
}

bool
fg_tick_is_ready(void)
{
	return fg_load_acquire(&ticks.state) == READY && fg_carrier->now() >= fg_load_relaxed(&ticks.ready_at);
}

bool
fg_tick_open(struct fg_tick *tick, int tid, int signal)
{
	/* A real-time signal becomes SIGIO when its queue is full. */
	if (!fg_tick_is_ready() || signal >= __SIGRTMIN || !fg_sandbox_allows(FG_SANDBOX_PERF))
		return false;
	struct f_owner_ex owner = {F_OWNER_TID, tid};
	uint64_t period = VAIN_TIMES * fg_tick_brief();
	int file = file_open(tid, period);
	if (file < 0)
		return false;
	tick->file = file;
	tick->id = fg_perf_id(file);
	if (!tick->id) /* the program has closed all files meanwhile, and the number may be its own by now */
		return false;
	if (file >= FILES || fcntl(file, F_SETOWN_EX, &owner) || fcntl(file, F_SETSIG, signal) ||
	    fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK)) {
		fg_tick_close(tick);
		return false;
	}
	fg_store_relaxed(&ticks.known[file / 32], fg_load_relaxed(&ticks.known[file / 32]) | 1u << file % 32);
	fg_store_relaxed(&tick->period_ns, period);
	tick->renew_at = fg_carrier->now() + RENEW_NS;
	tick->renewals = 1;
	tick->moved = 0;
	tick->rest_ns = 0;
	return true;
}

bool
fg_tick_known(int file)
{
	return file >= 0 && file < FILES && fg_load_relaxed(&ticks.known[file / 32]) >> file % 32 & 1;
}

/* True: the file is still this tick's. A program may close all files that it has not opened, and get another one
 * under this number. */
bool
fg_tick_is_open(const struct fg_tick *tick)
{
	return tick->id && fg_perf_id(tick->file) == tick->id;
}

void
fg_tick_close(struct fg_tick *tick)
{
	if (fg_tick_is_open(tick))
		fg_file_close(tick->file);
}

static void
set_period(struct fg_tick *tick, uint64_t ns)
{
	if (ns != fg_load_relaxed(&tick->period_ns) && fg_tick_is_open(tick) &&
	    ioctl(tick->file, PERF_EVENT_IOC_PERIOD, &ns) == 0)
		fg_store_relaxed(&tick->period_ns, ns);
}

bool
fg_tick_run(struct fg_tick *tick, bool on)
{
	return fg_tick_is_open(tick) && ioctl(tick->file, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) == 0;
}

uint64_t
fg_tick_brief(void)
{
	return fg_load_relaxed(&ticks.brief.ns);
}

uint64_t
fg_tick_far(void)
{
	return FAR_TIMES * fg_tick_brief();
}

void
fg_tick_judge(struct fg_tick_brief *brief, struct fg_tick *tick, uint64_t took, uint64_t now)
{
	uint64_t ns = fg_load_relaxed(&brief->ns);
	if (fg_load_relaxed(&tick->period_ns) != ns)
		return;
	tick->late += took > VERY_LATE * ns ? VERY_LATE : took > ns + ns / 2;
	bool late = tick->late > LATE_MAX;
	if (++tick->seen < JUDGED && !late)
		return;
	if (late && ns < BRIEF_MAX_NS) {
		fg_store_relaxed(&brief->ns, tick->seen < JUDGED ? 2 * ns : ns + ns / 4);
	} else if (ns > FG_TICK_BRIEF_MIN_NS && now - fg_load_relaxed(&brief->shortened_at) > RETRY_NS) {
		fg_store_relaxed(&brief->ns, ns - ns / 5);
		fg_store_relaxed(&brief->shortened_at, now);
	}
	tick->seen = tick->late = 0;
}

uint64_t
fg_tick_came(struct fg_tick *tick)
{
	uint64_t now = fg_carrier->now(), took = now - tick->last;
	tick->last = now;
	fg_tick_judge(&ticks.brief, tick, took, now);
	return took;
}

void
fg_tick_lengthen(struct fg_tick *tick, uint64_t max_ns)
{
	uint64_t ns = tick->rest_ns ? tick->rest_ns : 2 * fg_load_relaxed(&tick->period_ns);
	if (tick->rest_ns || ns <= max_ns)
		set_period(tick, ns);
	tick->rest_ns = 0;
}

void
fg_tick_probe(struct fg_tick *tick)
{
	uint64_t ns = tick->rest_ns ? tick->rest_ns : fg_load_relaxed(&tick->period_ns), far = fg_tick_far();
	tick->rest_ns = ns > far ? ns : 0;
	set_period(tick, 2 * ns < far ? 2 * ns : far);
}

void
fg_tick_moved(struct fg_tick *tick, uint64_t max_ns)
{
	while (tick->rest_ns > max_ns)
		tick->rest_ns /= 2;
	if (tick->rest_ns) {
		if (tick->moved >= 0 && 2 * tick->rest_ns <= max_ns)
			tick->rest_ns *= 2;
		fg_tick_lengthen(tick, max_ns);
		return;
	}
	if (++tick->moved >= MOVED_MAX) {
		tick->moved = 0;
		fg_tick_lengthen(tick, max_ns);
	}
	fg_tick_limit(tick, max_ns);
	if (fg_load_relaxed(&tick->period_ns) > fg_tick_far())
		fg_tick_probe(tick);
}

void
fg_tick_limit(struct fg_tick *tick, uint64_t max_ns)
{
	uint64_t ns = fg_load_relaxed(&tick->period_ns);
	while (ns > max_ns)
		ns /= 2;
	set_period(tick, ns);
}

void
fg_tick_shorten(struct fg_tick *tick)
{
	tick->uses++;
	tick->renewals = 0;
	tick->moved = -PATIENCE;
	tick->rest_ns = 0;
	set_period(tick, fg_tick_brief());
}

void
fg_tick_renew(struct fg_tick *tick)
{
	uint64_t first = fg_tick_brief() * (tick->renewals ? VAIN_TIMES : 1);
	if ((tick->rest_ns ? tick->rest_ns : fg_load_relaxed(&tick->period_ns)) <= first)
		return;
	uint64_t now = fg_carrier->now();
	if (now < tick->renew_at)
		return;
	tick->renew_at = now + (RENEW_NS << 2 * tick->renewals);
	tick->renewals += tick->renewals < RENEWALS_MAX;
	tick->rest_ns = 0;
	set_period(tick, first);
}
