/* Paths: what lies under a name (floor: platform; called by machine, trace, team and sim). file.h opens and reads
 * files. The caller is outside the runtime and in no signal handler. Nothing is kept. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

bool fg_path_exists(const char *path);
/* The caller may write to it. */
bool fg_path_may_write(const char *path);
void fg_path_remove(const char *path);
/* Makes `name` a symbolic link to the target. Returns -1 and sets errno if that fails. */
int fg_path_link(const char *target, const char *name);
/* Reads to where a symbolic link leads, as a string. False: it is none, or there is no room. */
bool fg_path_leads_to(const char *name, char *target, size_t size);
/* The name without links, from malloc; NULL: there is no such file. */
char *fg_path_true_name(const char *name);
