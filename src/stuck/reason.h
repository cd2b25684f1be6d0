/* Reasons: why a member does not go on, as the place where it stands tells (floor: stuck; used by tell.c). */
#pragma once
#include "stuck/stand.h"
#include "team/team.h"

enum fg_reason {
	FG_REASON_NONE,	    /* it is no member any more */
	FG_REASON_UNBORN,   /* it has not begun */
	FG_REASON_COMPUTES, /* it uses CPU time, perhaps in a system call or in the runtime */
	FG_REASON_READY,    /* it waits for a PU */
	FG_REASON_INNER,    /* it is in a region within */
	FG_REASON_END,	    /* it has reached the end of the region */
	FG_REASON_BARRIER,
	FG_REASON_WAITS, /* it waits for anything else */
};

/* A member of a team. `inner` is the region within that it is in, or NULL. */
struct fg_post {
	struct fg_team *team, *inner;
	unsigned number;
	struct fg_identity *identity;
	struct fg_stand stand;
	enum fg_reason reason;
};

void fg_reason_find(struct fg_post *post);
/* Writes the reason in words: "waits in a barrier". `posts` are all posts that there are, and serve to name the owners
 * of locks. */
void fg_reason_text(const struct fg_post *post, const struct fg_post *posts, unsigned n_posts, char *text, size_t size);
