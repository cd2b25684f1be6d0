/* Start of the runtime when the library is loaded, after the environment was read (floor: team). */
#include "base/options.h"
#include "exec/options.h"
#include "exec/root.h"
#include "platform/context.h"
#include "sched/policy.h"
#include "team/icv.h"

static void
forget(struct fg_identity *self)
{
	fg_icv_release(self);
	self->thread = (struct fg_thread){.size = 1};
}

__attribute__((constructor(103))) static void
start(void)
{
	fg_exec_options.spin_ns = fg_env.spin_ns;
	fg_exec_options.slice_ns = fg_env.slice_ns;
	fg_exec_options.stack_size = fg_env.stack_size ? fg_env.stack_size : fg_options.stacksize;
	fg_exec_options.signal = fg_options.signal;
	fg_exec_options.n_pus = fg_env.num_procs;
	const struct fg_policy *policy = fg_env.policy ? fg_policy_find(fg_env.policy) : NULL;
	if (policy)
		fg_policy = policy;
	fg_context_init();
	fg_root_forget = forget;
}
