/* Mark: the processes of one job on this node see each other's (floor: mpi; called by agreement.c).
 *
 * A mark is a bound socket with a name, in no file system. The system takes it away when its process ends. The name has
 * the process that started the job's ranks here, and the rank's number among them. */
#pragma once
#include <stdbool.h>

/* The place of this process among those of its job on this node, as the launcher tells; *n: how many there are. False:
 * the launcher does not tell. */
bool fg_mpi_place(unsigned *own, unsigned *n) __attribute__((visibility("hidden")));
/* Leaves the mark of this process. It stays until the process ends. False: the system gives none. */
bool fg_mpi_mark_leave(unsigned own) __attribute__((visibility("hidden")));
/* There is a mark of this place, or the system does not tell. */
bool fg_mpi_mark_is_there(unsigned place) __attribute__((visibility("hidden")));
