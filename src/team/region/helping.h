/* Helping (floor: team; used by boot/hooks.c). */
#pragma once
#include "exec/flat/help.h"

/* The work for which the dock may call threads. */
extern const struct fg_help fg_task_helping;
