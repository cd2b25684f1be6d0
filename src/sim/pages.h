/* Pages (floor: sim; memory.c uses it): the pages that the program has touched, with the state of their lines. */
#pragma once
#include "memory/where.h"
#include "sim/memory.h"
#include "sim/model.h"
#include "sim/wishes.h"

#define FG_PAGE_LINES (FG_HOME_PAGE / FG_MEMORY_LINE)
#define FG_VERSION_BITS 20

struct fg_page_line {
	uint64_t version : FG_VERSION_BITS;
	uint64_t holder : 10; /* the PU that changed it, or had it first */
	uint64_t reader : 10; /* of the other PUs that have read it, the farthest */
	uint64_t sole : 1;    /* no other PU has a copy */
	uint64_t dirty : 1;   /* memory does not have this value */
	uint64_t known : 1;   /* it was touched, and it may be in a cache */
};
_Static_assert(FG_MODEL_PUS <= 1 << 10, "PUs fit");

struct fg_page {
	uintptr_t number; /* 0: free */
	int node;	  /* < 0: the program gave it back */
	enum fg_where_mark mark;
	struct fg_page_line lines[FG_PAGE_LINES];
};

/* Returns the page of that number. If it is new or was given back, a PU of `node` touches it now for the first time. */
struct fg_page *fg_page_touch(uintptr_t number, unsigned node);
/* Returns the page of that number; NULL if no PU has touched it. */
struct fg_page *fg_page_find(uintptr_t number);
/* The page lies on the node from now on; below 0: on none. */
void fg_page_settle(struct fg_page *page, int node);
/* Returns the pages that the node still has room for; SIZE_MAX: any number. Where the machine's description tells how
 * much memory a node has, pages that are touched for the first time lie elsewhere once it is full. */
size_t fg_pages_room(unsigned node);
/* Returns zeroed memory, or ends the program. */
void *fg_sim_memory(size_t n, size_t size);
