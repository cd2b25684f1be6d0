/* Decision: how a trace notes who decided something, why, and from where to where (floor: trace; sched/decision.c makes
 * it, tools/draw reads it).
 *
 * A decision is the name of a policy, the function of it that decided, and the reason that it gave. Names and reasons
 * are texts, which the file has by number (texts.h). A level is its first PU and its number of PUs.
 *
 * The functions here pack numbers, on the thread that decides. Nothing is kept. */
#pragma once
#include <stdint.h>

/* The functions of a policy (include/forestgomp/sched.h). The position is the number in files. `runtime`: the runtime
 * has put a thing where the policy had lost it. */
#define FG_DECIDERS(X)                                                                                                 \
	X(place)                                                                                                       \
	X(born)                                                                                                        \
	X(idle)                                                                                                        \
	X(met)                                                                                                         \
	X(woken)                                                                                                       \
	X(blocked)                                                                                                     \
	X(ended)                                                                                                       \
	X(slice) X(daemon) X(changed) X(runtime) X(expired) X(finished) X(idles) X(handed) X(redistribute) X(begun)

enum fg_decider {
	FG_DECIDER_none,
#define FG_DECIDER_NAME(name) FG_DECIDER_##name,
	FG_DECIDERS(FG_DECIDER_NAME)
#undef FG_DECIDER_NAME
		FG_DECIDER_COUNT
};

/* The number 0 stands for no text. */
#define FG_TEXT_BITS 12
#define FG_TEXT_MASK ((1u << FG_TEXT_BITS) - 1)

static inline uint32_t
fg_decision_pack(uint32_t policy, enum fg_decider decider, uint32_t reason)
{
	return policy << 20 | (uint32_t)decider << FG_TEXT_BITS | reason;
}
static inline uint32_t
fg_decision_policy(uint32_t decision)
{
	return decision >> 20;
}
static inline uint32_t
fg_decision_decider(uint32_t decision)
{
	return decision >> FG_TEXT_BITS & 0xff;
}
static inline uint32_t
fg_decision_reason(uint32_t decision)
{
	return decision & FG_TEXT_MASK;
}

/* A place is `first PU << 16 | number of PUs`, or one of these, which have no PUs. */
enum {
	FG_PLACE_NOWHERE = 0,	    /* it is new, or it is not known */
	FG_PLACE_BUBBLE = 1u << 16, /* in a bubble */
	FG_PLACE_ASIDE = 2u << 16,  /* a runqueue that a policy put aside */
};

/* From where, and to where. */
static inline uint64_t
fg_places_pack(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}
