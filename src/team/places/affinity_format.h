/* The affinity format of OMP_AFFINITY_FORMAT, and what omp_display_affinity and its kin print (floor: team; OpenMP 5.2, 21.2.6). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "team/inside.h"

struct fg_identity;
struct fg_team;

/* affinity-format-var. */
FG_ANYWHERE void fg_affinity_format_set(const char *format, size_t length);
/* Copies it, cut to size - 1 characters and closed with '\0' where size > 0; returns its full length. */
FG_ANYWHERE size_t fg_affinity_format_get(char *buffer, size_t size);

/* The caller's affinity as `format` has it (NULL or empty: affinity-format-var): at most `size` characters into buffer, no '\0'
 * added. Returns the full length. */
FG_OUTSIDE size_t fg_affinity_print(char *buffer, size_t size, const char *format);
/* The same as a line on stderr. */
FG_OUTSIDE void fg_affinity_display(const char *format);

/* OMP_DISPLAY_AFFINITY=true: are the members of this new team to call fg_affinity_display(NULL) when they start? Yes for nested
 * teams, and for others where their size is not that of the last one; `moved`: their places are not the last ones. Asked by
 * the encountering thread, only where fg_env.display_affinity is set. */
bool fg_affinity_due(const struct fg_team *team, bool moved);
