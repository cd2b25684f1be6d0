/* Events: the table of all that a trace can record (floor: trace; read by names.c, by all that record through trace.h,
 * and by the command). It is a constant table. A position never changes, so old files stay readable. */
#pragma once

/* X(event, its meaning, its subject, a, b). The words for a and b are names of fields in the output of readers. A level
 * of the machine is given as a and b: its first PU and its number of PUs. A decision of a policy is given as a, and the
 * levels from which and to which a thing goes are given as b (decision.h). */
#define FG_EVENTS(X)                                                                                                   \
	X(meet, "a thread meets a region: a bubble is born", bubble, parent, function)                                 \
	X(team, "the bubble's team is made", bubble, members, mode)                                                    \
	X(begin, "a member begins", thread, none, none)                                                                \
	X(end, "a member has come to the end of its region", thread, none, none)                                       \
	X(join, "all members have ended, and the region is left", bubble, none, none)                                  \
	X(put, "a bubble is put on a runqueue", bubble, first_pu, n_pus)                                               \
	X(take, "a bubble is taken off a runqueue: moved, or all its members are born", bubble, first_pu, n_pus)       \
	X(ready, "a thread that was suspended may go on, and lies on a runqueue", thread, first_pu, n_pus)             \
	X(suspend, "a thread leaves its PU", thread, none, none)                                                       \
	X(resume, "a thread goes on", thread, none, none)                                                              \
	X(preempt, "a thread's time slice is over", thread, none, none)                                                \
	X(steal, "an idle PU took a member or a thread from elsewhere", thread, decision, places)                      \
	X(lend, "a member goes to an idle PU for the rest of a phase", thread, to_pu, none)                            \
	X(wait, "a thread has come to a barrier", thread, none, none)                                                  \
	X(go, "a thread leaves a barrier", thread, none, none)                                                         \
	X(task, "a thread takes up an explicit task", thread, task, function)                                          \
	X(task_end, "the task is over", thread, task, function)                                                        \
	X(relieve, "a spare takes over the PU of a thread that is blocked in the kernel", thread, none, none)          \
	X(sleep, "a worker without work sleeps", worker, none, none)                                                   \
	X(wake, "it is awake again", worker, none, none)                                                               \
	X(burst, "a bubble is burst: its members and all else in it are entities by themselves", bubble, decision,     \
	  places)                                                                                                      \
	X(place, "a policy puts a member or a thread on a runqueue, or into a bubble", thread, decision, places)       \
	X(place_bubble, "a policy puts a bubble on a runqueue, or into another bubble", bubble, decision, places)      \
	X(gather, "all that belongs to a bubble goes back into it", bubble, decision, places)                          \
	X(range, "a policy gives a member a level for itself", thread, decision, places)                               \
	X(seat, "a member of a flat team has a PU, until there is another layout", thread, to_pu, by)                  \
	X(loads, "the program has told loads of the team", bubble, members, load)                                      \
	X(area, "the program tells which memory a team or a thread uses", thread, news, bytes)                         \
	X(load, "the program has told the load of a member", bubble, member, thousandths)                              \
	X(create, "a thread makes an explicit task that lies in a queue", thread, task, function)                      \
	X(follow, "that task may wait for others, by its depend clauses", thread, task, none)                          \
	X(wait_tasks, "a thread comes to the place where it waits for tasks", thread, of, none)                        \
	X(go_tasks, "that wait is over", thread, of, none)                                                             \
	X(group, "a thread opens a taskgroup", thread, none, none)                                                     \
	X(touch, "a thread begins to go through data, on a simulated machine", thread, how, address)                   \
	X(touched, "it has gone through them", thread, none, bytes)                                                    \
	X(grant, "the process may keep so many PUs busy from now on", process, pus, alone)                             \
	X(set, "the PUs that the process has chosen from now on: one word of them", process, word, bits)               \
	X(use, "a recorder tells of accesses of the thread to data, which it has counted or sampled", thread, how,     \
	  address)                                                                                                     \
	X(carry, "this kernel thread carries the worker from now on", worker, kernel_thread, none)

enum fg_event {
	FG_EVENT_none,
#define FG_EVENT_NAME(event, meaning, about, a, b) FG_EVENT_##event,
	FG_EVENTS(FG_EVENT_NAME)
#undef FG_EVENT_NAME
		FG_EVENT_COUNT
};
