/* Hooks: the calls of team that go up, from a lower folder to a higher one (floor: team; boot/hooks.c has the table).
 * None is on a hot path. The caller is inside, and alone uses the object that is freed. doacross_free is called with
 * shares_lock held, pool_free without a lock. The table is a constant. */
#pragma once

struct fg_doacross;
struct fg_task_pool;

struct fg_team_hooks {
	void (*pool_free)(struct fg_task_pool *pool);	     /* tasks/pool_end.c */
	void (*doacross_free)(struct fg_doacross *doacross); /* share/doacross.c */
};
extern const struct fg_team_hooks fg_team_hooks;
