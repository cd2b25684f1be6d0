/* Requests (floor: sim; used by lines.c): the lines that a PU has asked for and that are still under way, or have come
 * and were not read yet. A core waits for several lines at the same time, as many as it has buffers for misses. */
#pragma once
#include <stdint.h>

#define FG_MISSES_MAX 64

struct fg_request {
	uintptr_t line;
	unsigned from;	  /* the PU that has the line */
	uint64_t asked;	  /* times: the request leaves, */
	uint64_t served;  /* finds the line, */
	uint64_t arrives; /* and the line is there */
};

/* All zero at first. */
struct fg_requests {
	struct fg_request list[FG_MISSES_MAX];
	unsigned n;
};

/* NULL: none is under way for this line. */
struct fg_request *fg_request_find(struct fg_requests *requests, uintptr_t line);
/* NULL is no request. */
void fg_request_drop(struct fg_requests *requests, struct fg_request *request);
/* Forgets the requests that have arrived. Returns 0 if there is room for one more then; else the time at which the
 * first of `most` arrives. */
uint64_t fg_request_room(struct fg_requests *requests, unsigned most, uint64_t now);
void fg_request_add(struct fg_requests *requests, const struct fg_request *request);
