/* Hasten (floor: exec): see hasten.h.
 *
 * A signal that is sent at once could end a system call of the thread early. A tick meets it in its own code only,
 * after some microseconds. Where there are no ticks, or no spawner yet, the monitor sees to the thread. */
#include "exec/watch/hasten.h"

#include "exec/watch/preempt_signal.h"
#include "exec/watch/spawner.h"

FG_READS_HINTS void
fg_hasten(struct fg_worker *worker, const struct fg_identity *thread)
{
	if (worker && thread && fg_spawner_is_there() && !fg_own_load_relaxed(&thread->in_runtime) &&
	    fg_preempt_reaches(worker, thread))
		fg_preempt_soon(worker);
}
