/* An idle PU finds nothing: for a scheduler that has put all entities where they must run. */
#pragma once
#include <forestgomp/sched.h>

static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	(void)self;
	(void)leaf;
	(void)turn;
	(void)claim;
	return false;
}
