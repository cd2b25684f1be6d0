/* Stand-ins for traces and sums, which are off. */
#include "trace/recorder.h"
#include "trace/sums.h"
#include "trace/trace.h"

struct fg_recording fg_recording;

#define NO_SUM(event)                                                                                                  \
	void fg_sums_##event##_slow(struct fg_trace_sum *member)                                                       \
	{                                                                                                              \
		(void)member;                                                                                          \
	}
NO_SUM(resume)
NO_SUM(preempt)

void
fg_sums_leave_slow(struct fg_trace_sum *member, bool waits)
{
	(void)member, (void)waits;
}

void
fg_sums_wait(struct fg_trace_sum *member)
{
	(void)member;
}

uint16_t
fg_sums_go(struct fg_trace_sum *member)
{
	(void)member;
	return 0;
}

void
fg_sums_stolen_slow(const struct fg_trace_sum *call)
{
	(void)call;
}

void
fg_trace_slow(enum fg_event event, uint32_t bubble, uint32_t member, uint32_t a, uint64_t b)
{
	(void)event;
	(void)bubble;
	(void)member;
	(void)a;
	(void)b;
}

uint32_t
fg_trace_text(const char *text)
{
	(void)text;
	return 0;
}

void
fg_recorders_switch(const void *identity)
{
	(void)identity;
}

void
fg_recorders_leave(const void *identity)
{
	(void)identity;
}
