/* 13 programs on one machine, an event simulation (IWOMP 2010, "small scale"; bench/papers.d/programs.py has the
 * model):
 *
 *     programs TOPOLOGY LINKS READ TRANSFER POLICY ARRIVAL SEED
 *
 * READ: ns to local memory, and over one link, two, three. TRANSFER: the same from cache to cache.
 * POLICY: stock, spin, fair or server. A comma and simple, clustering or enhanced give sets of PUs; ",last": the
 * monitor looks once more after a region; ",queue": the server lets a program wait where fewer PUs are free than it
 * wants. ",known": a program asks for no more PUs than its best number, and uses no more; ",learnt": it learns that
 * from its runs, whose times differ by 5%; ",N": it asks for N by the slides, with both numbers known.
 * ARRIVAL: together, stream; small: together, and four programs, each as likely as not with small regions (the last
 * three kinds).
 *
 * stock: each team has a thread for each PU, programs share the PUs equally, and that costs nothing. A thread that
 * waits for its team leaves its PU to other programs at no cost. spin: it keeps its PU. The truth lies between. */
#define _GNU_SOURCE
#include <math.h>

#include "client.h"
#include "given.h"
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

static double
speedup(const struct kind *kind, double n)
{
	return n / (1 + kind->serial * (n - 1) + kind->talk * n * (n - 1));
}

static unsigned
links(unsigned a, unsigned b)
{
	unsigned from = distances.machine->pus[a]->numa_node, to = distances.machine->pus[b]->numa_node;
	return from == to || !distances.links ? from != to : distances.links[from * distances.n_nodes + to];
}

/* How much longer it takes because of where its data and its other threads are. */
static double
farness(const struct program *program, double read, double transfer)
{
	return 1 + program->kind->memory * (read / reads[0] - 1) + program->kind->lines * (transfer / transfers[0] - 1);
}

static double
farness_of_set(const struct program *program, const uint16_t *set, unsigned n)
{
	double read = 0, transfer = 0;
	for (unsigned i = 0; i < n; i++) {
		read += reads[links(program->home, set[i])];
		transfer += i ? transfers[links(set[i - 1], set[i])] : 0;
	}
	return farness(program, read / n, n > 1 ? transfer / (n - 1) : transfers[0]);
}

/* ---- who runs where ---- */

static unsigned load[FG_CHOICE_PUS];

static void
load_count(void)
{
	memset(load, 0, sizeof load);
	for (unsigned i = 0; i < n_programs; i++) {
		const struct program *program = &programs[i];
		load[program->pu] += program->phase == SERIAL;
		for (unsigned k = 0; program->phase == REGION && k < program->n; k++)
			load[program->set.pus[k]]++;
	}
}

/* The kernel moves a root that shares its PU to the nearest idle one. */
static void
root_move(struct program *program)
{
	unsigned best = pus;
	if (load[program->pu] < 2)
		return;
	for (unsigned pu = 0; pu < pus; pu++)
		if (load[pu] == 0 && (best == pus || fg_distance(&distances, program->pu, pu) <
							     fg_distance(&distances, program->pu, best)))
			best = pu;
	if (best == pus)
		return;
	load[program->pu]--;
	load[best]++;
	program->pu = best;
}

static void
add_set(struct fg_pus *pus, const struct program *program)
{
	for (unsigned k = 0; k < program->n; k++)
		fg_pus_add(pus, program->set.pus[k]);
}

/* Chooses as the runtime would (share/own_set.c): by what others have told. The root goes to its set. Returns whether
 * it has other PUs now. */
static bool
choose(struct program *program, unsigned wanted)
{
	struct fg_pus lower = {{0}}, others = {{0}};
	struct fg_request request = {.largest = wanted};
	for (struct program *other = programs; other < programs + n_programs; other++) {
		if (other == program || !joined[other - programs] || !client_is_young(&other->client, now))
			continue;
		add_set(&others, other);
		if (other < program)
			add_set(&lower, other);
	}
	program->pu = request.pu = fg_set_origin(&program->set, &distances, program->pu, wanted, &lower, &others);
	bool anew = fg_set_look(&program->set, choice, &distances, &request, wanted, &lower, &others);
	program->n = program->set.n;
	unsigned uses = fg_set_uses(&program->set, wanted);
	program->client.uses = uses < wanted ? uses : 0;
	return anew;
}

/* The server chooses, and knows what each program has. */
static void
ask_server(struct program *program)
{
	struct fg_pus taken = {{0}};
	struct fg_request request = {program->pu, program->optimal, program->largest, queues};
	for (struct program *other = programs; other < programs + n_programs; other++)
		if (other != program && other->phase == REGION)
			add_set(&taken, other);
	unsigned wanted = fg_choice_wanted(&request, fg_choice_free(&distances, &taken, program->pu), pus);
	program->n = fg_choice_make(choice, &distances, &taken, &request, wanted, program->set.pus);
}

/* Returns how many of the PUs of its share it uses. */
static unsigned
ask(struct program *program)
{
	unsigned share = program->client.limit;
	struct fg_curve sum = {0};
	fg_lesson_read(&program->lesson, &sum);
	if (knows) {
		program->want.optimal = program->optimal;
		program->want.best = program->largest;
	} else if (learns && sum.n) {
		fg_curve_fill(&sum, pus);
		fg_want_look(&program->want, now, &program->lesson, &sum, program->n, share);
	}
	program->client.want = program->want.best;
	if (requests) { /* N of the slides */
		struct fg_request request = {.optimal = program->optimal, .largest = program->largest};
		program->client.want = fg_choice_wanted(&request, program->client.free, pus);
	}
	program->asks = fg_want_bound(&program->want, program->client.want ? program->client.want : pus);
	return program->asks < share ? program->asks : share;
}

/* The region has ended. */
static void
learn(struct program *program)
{
	double ns = (double)(now - program->begun);
	if (program->most <= 2 * program->least && ns > 0)
		fg_lesson_note(&program->lesson, (unsigned)(64 * program->had / ns + .5),
			       ns * (.95 + .1 * given_part(&chance)));
}

/* Returns whether it uses other PUs now. */
static bool
look(struct program *program)
{
	unsigned before = program->n;
	client_look(&program->client, now, pus, pus);
	if (program->phase != REGION)
		return false;
	unsigned wanted = ask(program);
	if (choice == FG_CHOICES) {
		program->n = wanted;
		return program->n != before;
	}
	return choose(program, wanted);
}

/* ---- rates ---- */

/* Each program gets what it holds, or an equal part of the PUs: nobody can use more than it holds. */
static double
equal_part(const double *holds)
{
	double left = pus, part = 0;
	unsigned open = 0;
	bool full[MOST] = {false};
	for (unsigned i = 0; i < n_programs; i++)
		open += holds[i] > 0;
	for (bool again = true; again && open;) {
		again = false;
		part = left / open;
		for (unsigned i = 0; i < n_programs; i++)
			if (holds[i] > 0 && !full[i] && holds[i] <= part) {
				full[i] = again = true;
				left -= holds[i];
				open--;
			}
	}
	return open ? part : pus;
}

/* PUs that the program keeps busy if nobody takes any. */
static double
holds_of(const struct program *program)
{
	const struct kind *kind = program->kind;
	double n = program->n;
	if (program->phase != REGION)
		return program->phase == SERIAL;
	return is_board || spins ? n : speedup(kind, n) * (1 + kind->talk * n * (n - 1));
}

static void
rates_shared(void)
{
	double holds[MOST];
	for (unsigned i = 0; i < n_programs; i++)
		holds[i] = holds_of(&programs[i]);
	double part = equal_part(holds);
	for (unsigned i = 0; i < n_programs; i++) {
		struct program *program = &programs[i];
		if (holds[i] == 0)
			continue;
		double gets = fmin(1, part / holds[i]);
		if (program->phase == SERIAL)
			program->rate = gets / farness(program, read_all, transfers[0]);
		else
			program->rate =
				gets * speedup(program->kind, program->n) / farness(program, read_all, transfer_all);
	}
}

static void
rates_of_sets(void)
{
	load_count();
	for (unsigned i = 0; i < n_programs; i++)
		if (programs[i].phase == SERIAL)
			root_move(&programs[i]);
	for (unsigned i = 0; i < n_programs; i++) {
		struct program *program = &programs[i];
		uint16_t own = (uint16_t)program->pu;
		if (program->phase == SERIAL)
			program->rate = 1. / load[own] / farness_of_set(program, &own, 1);
		if (program->phase != REGION)
			continue;
		double gets = 0;
		for (unsigned k = 0; k < program->n; k++)
			gets += 1. / load[program->set.pus[k]];
		program->rate = gets / program->n * speedup(program->kind, program->n) /
				farness_of_set(program, program->set.pus, program->n);
	}
}

/* ---- events ---- */

static void
region_begin(struct program *program)
{
	unsigned i = (unsigned)(program - programs);
	program->phase = REGION;
	program->left = program->work;
	program->begun = now;
	program->had = program->most = 0;
	program->least = pus;
	if (is_server) {
		ask_server(program);
		if (program->n == 0) {
			program->phase = QUEUED;
			program->rate = 0;
			program->queued = program->queued ? program->queued : ++n_queued;
		} else {
			program->queued = 0;
		}
		return;
	}
	program->n = pus;
	if (!is_board)
		return;
	if (!joined[i])
		client_join(&program->client, (int)i, now, pus, given_below(&chance, LOOK_NS));
	joined[i] = true;
	program->n = program->client.limit;
	if (program->asks && program->asks < program->n)
		program->n = program->asks;
	if (choice != FG_CHOICES)
		choose(program, program->n);
	client_enter(&program->client, now);
}

static void
serial_begin(struct program *program, double gap)
{
	program->phase = SERIAL;
	program->left = gap + (is_server ? ROUND_TRIP_NS : 0);
	if (is_board && joined[program - programs])
		client_leave(&program->client, last_look);
}

/* PUs have come free: those that wait ask again, in the order in which they came. */
static void
queue_serve(void)
{
	for (uint64_t last = 0;;) {
		struct program *next = NULL;
		for (struct program *program = programs; program < programs + n_programs; program++)
			if (program->phase == QUEUED && program->queued > last &&
			    (!next || program->queued < next->queued))
				next = program;
		if (!next)
			return;
		last = next->queued;
		region_begin(next);
	}
}

static void
phase_end(struct program *program)
{
	if (program->phase == NOT_YET) {
		serial_begin(program, program->gap);
	} else if (program->phase == SERIAL && program->repeats == 0) {
		program->phase = ENDED;
		program->ended = now;
		program->rate = 0;
	} else if (program->phase == SERIAL) {
		region_begin(program);
	} else {
		program->repeats--;
		learn(program);
		serial_begin(program, program->gap);
		queue_serve();
	}
}

static void
pass(double ns)
{
	double sum = 0;
	bool wants_more = false;
	unsigned n = 0;
	for (unsigned i = 0; i < n_programs; i++) {
		struct program *program = &programs[i];
		if (program->phase != SERIAL && program->phase != REGION)
			continue;
		program->left -= program->rate * ns;
		if (program->phase == REGION && ns > 0) {
			program->had += program->n * ns;
			program->least = program->n < program->least ? program->n : program->least;
			program->most = program->n > program->most ? program->n : program->most;
		}
		sum += program->phase == REGION ? program->n : 1;
		wants_more |= program->phase == REGION;
		n++;
	}
	double least = fmax(pus, n);
	held += ns * fmin(sum, pus);
	idle += wants_more ? ns * fmax(0, pus - sum) : 0;
	doubly += ns * fmax(0, sum - least);
}

/* The next look (true) or end of a phase. */
static bool
next_event(struct program **which, uint64_t *at)
{
	bool is_look = false;
	*at = UINT64_MAX;
	for (unsigned i = 0; i < n_programs; i++) {
		struct program *program = &programs[i];
		uint64_t end = UINT64_MAX;
		if (program->phase == NOT_YET)
			end = program->arrival;
		else if (program->phase == SERIAL || program->phase == REGION)
			end = now + (uint64_t)ceil(fmax(0, program->left) / program->rate);
		if (end < *at)
			*at = end, *which = program, is_look = false;
		if (program->client.next_look && program->client.next_look < *at)
			*at = program->client.next_look, *which = program, is_look = true;
	}
	return is_look;
}

static void
run(void)
{
	for (bool changed = true;;) {
		struct program *program = NULL;
		uint64_t at;
		if (changed && choice != FG_CHOICES)
			rates_of_sets();
		else if (changed)
			rates_shared();
		bool is_look = next_event(&program, &at);
		if (at == UINT64_MAX)
			return;
		pass((double)(at - now));
		now = at;
		changed = true;
		if (is_look)
			changed = look(program);
		else
			phase_end(program);
	}
}

/* ---- the programs of a seed ---- */

static void
make(struct program *program, bool stream, bool small)
{
	program->kind = &kinds[given_below(&chance, KINDS)];
	if (small && given_below(&chance, 2))
		program->kind = &kinds[KINDS + given_below(&chance, SMALL_KINDS)];
	program->work = program->kind->region * 1e6 * (.5 + 1.5 * given_part(&chance));
	program->gap = program->work * program->kind->gap;
	program->repeats = 1 + (unsigned)((20e9 + 60e9 * given_part(&chance)) / (program->work + program->gap));
	program->home = program->pu = given_below(&chance, pus);
	program->arrival = now + (stream ? (uint64_t)(STREAM_NS * given_part(&chance)) : 0);
	program->largest = 1;
	for (unsigned n = 1; n <= pus; n++) {
		if (speedup(program->kind, n) >= .8 * n)
			program->optimal = n;
		if (speedup(program->kind, n) > speedup(program->kind, program->largest))
			program->largest = n;
	}
}

static void
four_numbers(const char *text, double *numbers)
{
	if (sscanf(text, "%lf,%lf,%lf,%lf", &numbers[0], &numbers[1], &numbers[2], &numbers[3]) != 4) {
		fprintf(stderr, "programs: %s: four numbers, by links\n", text);
		exit(2);
	}
}

int
main(int n_words, char **words)
{
	if (n_words != 8) {
		fprintf(stderr, "usage: programs TOPOLOGY LINKS READ TRANSFER POLICY ARRIVAL SEED\n");
		return 2;
	}
	const char *policy = words[5];
	distances = given_machine(words[1], words[2]);
	pus = distances.machine->n_pus;
	four_numbers(words[3], reads);
	four_numbers(words[4], transfers);
	is_board = strncmp(policy, "fair", 4) == 0;
	is_server = strncmp(policy, "server", 6) == 0;
	spins = strcmp(policy, "spin") == 0;
	queues = strstr(policy, ",queue") != NULL;
	last_look = strstr(policy, ",last") != NULL;
	knows = strstr(policy, ",known") != NULL;
	learns = strstr(policy, ",learnt") != NULL;
	requests = strstr(policy, ",N") != NULL;
	for (unsigned c = 0; c < FG_CHOICES; c++)
		if (strstr(policy, given_choices[c]))
			choice = c;
	if ((!is_board && !is_server && !spins && strcmp(policy, "stock") != 0) ||
	    (is_server && choice == FG_CHOICES)) {
		fprintf(stderr, "programs: there is no policy %s\n", policy);
		return 2;
	}
	for (unsigned a = 0; a < pus; a++)
		for (unsigned b = 0; b < pus; b++) {
			read_all += reads[links(a, b)] / pus / pus;
			transfer_all += transfers[links(a, b)] / pus / pus;
		}
	chance = (uint64_t)atoi(words[7]);
	bool small = strcmp(words[6], "small") == 0;
	n_programs = small ? FEW : MOST;
	for (unsigned i = 0; i < n_programs; i++)
		make(&programs[i], strcmp(words[6], "stream") == 0, small);
	run();
	double last = 0, sum = 0;
	for (unsigned i = 0; i < n_programs; i++) {
		last = fmax(last, (double)(programs[i].ended - BEGIN_NS));
		sum += (double)(programs[i].ended - programs[i].arrival);
	}
	printf("makespan %.4f\nsum %.4f\nheld %.4f\n", last / 1e9, sum / 1e9, held / 1e9);
	printf("idle %.5f\ndoubly %.5f\n", idle / pus / last, doubly / pus / last);
	return 0;
}
