/* Trial: does a program get on faster with fewer PUs beside load from outside? (floor: share; called by outside.c and
 * unit tests)
 *
 * A program with fewer busy threads gets less from the kernel. But its members wait less for members that have no PU.
 * Which of the two counts for more depends on the program, the load, and the kernel. So the program tries both in
 * turns, and counts its steps. Then it goes on in the way in which it has made more of them in the time, and tries
 * again later. That time doubles as long as the answer stays the same.
 *
 * The turns are A B B A A B, so what changes slowly counts for both alike. A clear difference ends the trial early. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* All zero: it has not begun. */
struct fg_trial {
	bool leaves; /* the program leaves PUs now */
	bool counts; /* it has settled in this turn */
	bool answer;
	unsigned turn;	       /* 1 and up; 0: none, `answer` holds */
	uint64_t begin, steps; /* of the turn, or of the time for which the answer holds */
	uint64_t holds;	       /* so long, ns; 0: there is no answer yet */
	double ns[2], made[2]; /* time and steps with all PUs, with fewer */
};

/* A look of the program: it has made so many steps by now, ns. Returns whether it leaves PUs from now on. */
bool fg_trial_look(struct fg_trial *trial, uint64_t now, uint64_t steps);
/* It has all PUs because it has made more steps so. That holds until then; 0: it is not so. */
static inline uint64_t
fg_trial_rests(const struct fg_trial *trial)
{
	return trial->holds && !trial->turn && !trial->answer ? trial->begin + trial->holds : 0;
}
/* It leaves PUs because it has made more steps so. */
static inline bool
fg_trial_pays(const struct fg_trial *trial)
{
	return trial->holds && trial->answer;
}
