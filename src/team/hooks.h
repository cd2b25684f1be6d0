/* Hooks: the calls of team that go up, from a lower folder to a higher one (floor: team; the table is in boot/hooks.c). None is on a hot path. */
#pragma once

struct fg_doacross;
struct fg_help;
struct fg_task_pool;

struct fg_team_hooks {
	const struct fg_help *help; /* what the dock may call for: the tasks of a region (region/helping.c) */
	void (*pool_free)(struct fg_task_pool *pool); /* tasks/pool_end.c */
	void (*doacross_free)(struct fg_doacross *doacross);
};
extern const struct fg_team_hooks fg_team_hooks;
