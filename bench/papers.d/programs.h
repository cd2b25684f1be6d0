/* The programs of the event simulation, what is assumed of them, and the state of all. Called by programs.c and
 * asking.h. */
#pragma once
#include "client.h"
#include "share/set.h"
#include "share/want.h"

#define MOST 13
#define FEW 4
#define BEGIN_NS (100 * UINT64_C(1000000000))
#define ROUND_TRIP_NS 4000. /* of the server, as published */
#define STREAM_NS 20e9	    /* programs arrive within so long */

/* Speed-up of a region: n / (1 + serial (n - 1) + talk n (n - 1)). Shares of its time: waiting for memory, and for
 * lines of the thread before. `region`: ms on one PU; `gap`: the serial part after it, as a share of that. All are
 * assumed. */
static const struct kind {
	const char *name;
	double serial, talk, memory, lines, region, gap;
} kinds[] = {{"ep", 0, 0, 0, 0, 2000, .002},
	     {"bt", .008, .00010, .3, .05, 800, .01},
	     {"sp", .025, .00040, .5, .05, 400, .02},
	     {"lu", .02, .00060, .4, .15, 500, .02},
	     {"cg", .05, .00080, .6, .10, 100, .02},
	     {"mg", .06, .00050, .7, .05, 150, .03},
	     {"ft", .03, .00030, .6, .05, 600, .03},
	     {"is", .08, .00100, .7, .05, 80, .05},
	     {"ua", .04, .00100, .4, .15, 120, .04},
	     {"matmul", .005, .00005, .2, 0, 1500, .01},
	     {"jacobi", .1, .00100, .8, .10, 60, .01},
	     {"sort", .12, .00080, .5, .10, 300, .08},
	     {"nbody", .01, .00005, .1, .10, 900, .02},
	     {"halo", .02, .01, .2, .2, 40, .02},
	     {"small", .05, .02, .2, .2, 20, .02},
	     {"tiny", .2, .1, .1, .2, 5, .02}};

enum { KINDS = 13, SMALL_KINDS = 3 };

enum phase { NOT_YET, SERIAL, QUEUED, REGION, ENDED };

struct program {
	const struct kind *kind;
	double work, gap, left; /* ns on one PU: a region, the serial part after it; of the phase now */
	unsigned repeats, optimal, largest;
	uint64_t arrival, ended, queued; /* its place in the queue */
	enum phase phase;
	unsigned home, pu; /* where its data are, and where its root is */
	unsigned n;	   /* PUs that it uses */
	struct fg_set set;
	struct client client;
	struct fg_lesson lesson;
	struct fg_want want;
	unsigned asks;	/* PUs that it used after its last look; 0: it has not looked */
	uint64_t begun; /* its region */
	double had;	/* PUs x ns in it */
	unsigned least, most;
	double rate; /* of progress */
};

static unsigned n_programs = MOST;
static struct program programs[MOST];
static struct fg_distances distances;
static unsigned pus, choice = FG_CHOICES;
static bool is_board, is_server, spins, last_look, queues, knows, learns, requests, joined[MOST];
static double reads[4], transfers[4], read_all, transfer_all;
static uint64_t now = BEGIN_NS, chance, n_queued;
static double idle, doubly, held; /* PU x ns */

static inline double
speedup(const struct kind *kind, double n)
{
	return n / (1 + kind->serial * (n - 1) + kind->talk * n * (n - 1));
}

static inline unsigned
links(unsigned a, unsigned b)
{
	unsigned from = distances.machine->pus[a]->numa_node, to = distances.machine->pus[b]->numa_node;
	return from == to || !distances.links ? from != to : distances.links[from * distances.n_nodes + to];
}

/* How much longer it takes because of where its data and its other threads are. */
static inline double
farness(const struct program *program, double read, double transfer)
{
	return 1 + program->kind->memory * (read / reads[0] - 1) + program->kind->lines * (transfer / transfers[0] - 1);
}

static inline double
farness_of_set(const struct program *program, const uint16_t *set, unsigned n)
{
	double read = 0, transfer = 0;
	for (unsigned i = 0; i < n; i++) {
		read += reads[links(program->home, set[i])];
		transfer += i ? transfers[links(set[i - 1], set[i])] : 0;
	}
	return farness(program, read / n, n > 1 ? transfer / (n - 1) : transfers[0]);
}
