/* Helping (floor: team; used by boot/hooks.c). */
#pragma once
#include "exec/flat/help.h"

/* What the dock may call for. */
extern const struct fg_help fg_task_helping;
