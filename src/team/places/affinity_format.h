/* The affinity format of OMP_AFFINITY_FORMAT, and the texts that omp_display_affinity and similar calls print
 * (floor: team; called by omp/affinity_format.c, region.c, member.c and boot; OpenMP 5.2, 21.2.6). The texts are made
 * outside, without a lock, because the C library makes them. Only the format is written here: fg_place_list.format. An
 * old text is never freed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "team/inside.h"

struct fg_identity;
struct fg_team;

/* Sets affinity-format-var. */
FG_ANYWHERE void fg_affinity_format_set(const char *format, size_t length);
/* Copies affinity-format-var, cut to size - 1 characters, with '\0' at the end where size > 0. Returns its full
 * length. */
FG_ANYWHERE size_t fg_affinity_format_get(char *buffer, size_t size);

/* Writes the caller's affinity by `format`: at most `size` characters, and no '\0'. NULL or an empty format means
 * affinity-format-var. Returns the full length. */
FG_OUTSIDE size_t fg_affinity_print(char *buffer, size_t size, const char *format);
/* Prints the same as a line on stderr. */
FG_OUTSIDE void fg_affinity_display(const char *format);

/* OMP_DISPLAY_AFFINITY=true: must the members of this new team call fg_affinity_display(NULL) when they start? A
 * nested team's members must. Others must where the team's size differs from the last team's, or where `moved`:
 * their places differ. The encountering thread asks this only where fg_env.display_affinity is set. */
bool fg_affinity_due(const struct fg_team *team, bool moved);
