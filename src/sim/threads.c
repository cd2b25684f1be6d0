/* Threads of the program on the simulated machine (floor: sim): pthread_create makes an actor there, pthread_join waits
 * for its end. An actor has the stack and the thread-local storage of a parked pthread, and that pthread's name. So
 * pthread_self and thread-local variables are right in it. Destructors of keys do not run at its end. */
#include <errno.h>
#include <stdlib.h>

#include "exec/roots/root.h"
#include "platform/context.h"
#include "sim/seam.h"
#include "sim/sim.h"

struct thread {
	pthread_t name;
	void *(*start)(void *);
	void *arg, *result;
	bool ended, detached;
	struct thread *next;
};
static struct thread *threads;

static struct thread **
find(pthread_t name)
{
	struct thread **link = &threads;
	while (*link && !pthread_equal((*link)->name, name))
		link = &(*link)->next;
	return link;
}

static void
forget(struct thread **link)
{
	struct thread *thread = *link;
	*link = thread->next;
	free(thread);
}

static _Noreturn void
end(struct thread **link, void *result)
{
	fg_root_end();
	fg_sim.busy = true;
	(*link)->result = result;
	(*link)->ended = true;
	if ((*link)->detached)
		forget(link);
	fg_sim_end_actor();
}

static void
thread_main(void *arg)
{
	struct thread *thread = arg;
	void *result = thread->start(thread->arg);
	end(find(thread->name), result);
}

int
fg_sim_thread_create(pthread_t *name, bool detached, void *(*start)(void *), void *arg)
{
	/* The C library's pthread_self is the thread pointer, or lies at a fixed distance. */
	ptrdiff_t distance = (char *)pthread_self() - (char *)fg_context_tls();
	struct thread *thread = malloc(sizeof *thread);
	if (!thread)
		return EAGAIN;
	*thread = (struct thread){.start = start, .arg = arg, .detached = detached, .next = threads};
	int error = fg_carrier->start(thread_main, thread, NULL);
	if (error) {
		free(thread);
		return error;
	}
	*name = thread->name = (pthread_t)((char *)fg_sim.started + distance);
	threads = thread;
	return 0;
}

bool
fg_sim_thread_join(pthread_t name, void **result)
{
	struct thread *thread = *find(name);
	if (!thread)
		return false;
	while (!thread->ended)
		fg_sim_wait_turn();
	if (result)
		*result = thread->result;
	forget(find(name));
	return true;
}

bool
fg_sim_thread_detach(pthread_t name)
{
	struct thread **link = find(name);
	if (!*link)
		return false;
	(*link)->detached = true;
	if ((*link)->ended)
		forget(link);
	return true;
}

/* Returns if the caller is not such a thread. */
void
fg_sim_thread_exit(void *result)
{
	struct thread **link = find(pthread_self());
	if (*link)
		end(link, result);
}
