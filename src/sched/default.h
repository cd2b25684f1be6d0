/* The function that policies without `place` take from `default` (floor: sched; called by policy.c). */
#pragma once
#include "forestgomp/sched.h"

/* As `spread`. Where the members' loads are known, they decide, and a heavy member gets a part of the machine. */
void fg_default_place(const void *self, struct fg_bubble *team, struct fg_runqueue *top);
