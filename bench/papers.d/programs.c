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

#include "asking.h"
#include "given.h"

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
