/* Semi-random requests for PUs through the runtime's own functions (IWOMP 2010, "Simulation";
 * bench/papers.d/choices.py):
 *
 *     requests TOPOLOGY LINKS MIX CHOICE REQUESTS SEED
 *
 * Some clients think, ask for PUs, hold them, and give them back. All durations are turns without a unit. A client asks
 * from a PU that is free, or from any one where none is. The clients' next steps do not depend on the choice. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <time.h>

#include "given.h"

#define CLIENTS_MOST 256
#define TRIES 5 /* each decision is timed so often */
#define THINK_MOST 50
#define HOLD_MOST 200

/* The three mixes. They were written down before the first run. PUs: of the machine. */
struct mix {
	const char *name;
	unsigned (*clients)(unsigned pus);
	unsigned (*optimal_least)(unsigned pus);
	unsigned (*optimal_most)(unsigned pus);
	unsigned (*largest_most)(unsigned pus, unsigned optimal);
};

static unsigned
one(unsigned pus)
{
	(void)pus;
	return 1;
}
static unsigned
four(unsigned pus)
{
	return pus < 4 ? pus : 4;
}
static unsigned
eight(unsigned pus)
{
	(void)pus;
	return 8;
}
static unsigned
sixteenth(unsigned pus)
{
	return pus < 16 ? 1 : pus / 16;
}
static unsigned
eighth(unsigned pus)
{
	return pus < 8 ? 1 : pus / 8;
}
static unsigned
quarter(unsigned pus)
{
	return pus < 4 ? 1 : pus / 4;
}
static unsigned
twice(unsigned pus, unsigned optimal)
{
	(void)pus;
	return 2 * optimal;
}
static unsigned
four_times(unsigned pus, unsigned optimal)
{
	(void)pus;
	return 4 * optimal;
}
static unsigned
half_of_pus(unsigned pus, unsigned optimal)
{
	return pus / 2 > optimal ? pus / 2 : optimal;
}

static const struct mix mixes[] = {
	{"small", quarter, one, four, twice},		  /* many programs that scale badly */
	{"uneven", eight, one, eighth, four_times},	  /* some of all sizes */
	{"large", four, sixteenth, quarter, half_of_pus}, /* few that scale well */
};

struct client {
	uint64_t chance;
	unsigned until; /* turn of its next step */
	unsigned n;	/* PUs that it holds */
	uint16_t pus[FG_CHOICE_PUS];
};

static struct client clients[CLIENTS_MOST];
static uint16_t apart[FG_CHOICE_PUS][FG_CHOICE_PUS];

struct sums {
	double first_ns, best_ns, best_most_ns, miss, short_of, given, steps, total, weighted, local, empty;
};

static double
now_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The k-th free PU, or any. */
static unsigned
pu_of(const struct fg_pus *taken, unsigned pus, uint64_t *chance)
{
	uint64_t drawn = given_below(chance, 1u << 30);
	unsigned free = 0;
	for (unsigned pu = 0; pu < pus; pu++)
		free += !fg_pus_has(taken, pu);
	if (free == 0)
		return (unsigned)(drawn * pus >> 30);
	unsigned k = (unsigned)(drawn * free >> 30), pu = 0;
	for (;; pu++)
		if (!fg_pus_has(taken, pu) && k-- == 0)
			return pu;
}

static void
measure(const struct client *client, struct sums *sums)
{
	for (unsigned i = 0; i < client->n; i++)
		for (unsigned k = i + 1; k < client->n; k++) {
			unsigned distance = apart[client->pus[i]][client->pus[k]];
			sums->total += distance;
			sums->weighted += distance / (double)(k - i);
			sums->local += k == i + 1 ? distance : 0;
		}
	sums->steps += client->n - 1;
}

/* The local distance of so many PUs where no other program has any. */
static unsigned
on_empty_machine(const struct fg_distances *distances, unsigned pu, unsigned n)
{
	static uint16_t pus[FG_CHOICE_PUS];
	struct fg_request request = {.pu = pu, .largest = n};
	unsigned sum = 0;
	fg_choice_make(FG_CHOICE_CLUSTERING, distances, &(struct fg_pus){{0}}, &request, n, pus);
	for (unsigned i = 1; i < n; i++)
		sum += apart[pus[i - 1]][pus[i]];
	return sum;
}

/* One request; the decision is all that the runtime would do for it. */
static void
ask(const struct fg_distances *distances, enum fg_choice choice, const struct mix *mix, struct fg_pus *taken,
    struct client *client, struct sums *sums)
{
	unsigned pus = distances->machine->n_pus, wanted = 0;
	struct fg_request request = {.pu = pu_of(taken, pus, &client->chance)};
	request.optimal = given_between(&client->chance, mix->optimal_least(pus), mix->optimal_most(pus));
	unsigned most = mix->largest_most(pus, request.optimal);
	request.largest = given_between(&client->chance, request.optimal, most);
	double best = INFINITY;
	for (unsigned i = 0; i < TRIES; i++) {
		double begin = now_ns();
		wanted = fg_choice_wanted(&request, fg_choice_free(distances, taken, request.pu), pus);
		client->n = fg_choice_make(choice, distances, taken, &request, wanted, client->pus);
		double ns = now_ns() - begin;
		sums->first_ns += i == 0 ? ns : 0;
		best = fmin(best, ns);
	}
	sums->best_ns += best;
	sums->best_most_ns = fmax(sums->best_most_ns, best);
	sums->given += client->n;
	sums->miss += abs((int)client->n - (int)wanted);
	sums->short_of += client->n < wanted;
	sums->empty += on_empty_machine(distances, request.pu, client->n);
	measure(client, sums);
}

/* A PU that was taken by another client when its own client began there is given back by one of them only. */
static void
retake(struct fg_pus *taken, unsigned n_clients)
{
	memset(taken, 0, sizeof *taken);
	for (unsigned c = 0; c < n_clients; c++)
		for (unsigned i = 0; i < clients[c].n; i++)
			fg_pus_add(taken, clients[c].pus[i]);
}

int
main(int n_words, char **words)
{
	if (n_words != 7) {
		fprintf(stderr, "usage: requests TOPOLOGY LINKS MIX CHOICE REQUESTS SEED\n");
		return 2;
	}
	struct fg_distances distances = given_machine(words[1], words[2]);
	unsigned pus = distances.machine->n_pus, requests = (unsigned)atoi(words[5]), made = 0, choice = 0, m = 0;
	while (choice < FG_CHOICES && strcmp(given_choices[choice], words[4]) != 0)
		choice++;
	while (m < 3 && strcmp(mixes[m].name, words[3]) != 0)
		m++;
	if (choice == FG_CHOICES || m == 3 || requests == 0) {
		fprintf(stderr, "requests: MIX is small, uneven or large; CHOICE is simple, clustering or enhanced\n");
		return 2;
	}
	for (unsigned a = 0; a < pus; a++)
		for (unsigned b = 0; b < pus; b++)
			apart[a][b] = (uint16_t)fg_distance(&distances, a, b);
	unsigned n_clients = mixes[m].clients(pus);
	struct fg_pus taken = {{0}};
	struct sums sums = {0};
	double in_use = 0;
	for (unsigned c = 0; c < n_clients; c++) {
		clients[c].chance = (uint64_t)atoi(words[6]) * 1000 + c;
		clients[c].until = given_between(&clients[c].chance, 1, THINK_MOST);
	}
	unsigned turn = 0;
	for (; made < requests; turn++) {
		for (unsigned c = 0; c < n_clients && made < requests; c++) {
			struct client *client = &clients[c];
			if (client->until != turn)
				continue;
			if (client->n) {
				client->n = 0;
				client->until = turn + given_between(&client->chance, 1, THINK_MOST);
			} else {
				ask(&distances, choice, &mixes[m], &taken, client, &sums);
				made++;
				client->until = turn + given_between(&client->chance, 1, HOLD_MOST);
			}
			retake(&taken, n_clients);
		}
		in_use += pus - fg_choice_free(&distances, &taken, 0) + fg_pus_has(&taken, 0);
	}
	printf("pus %u\nclients %u\nin_use %.4f\n", pus, n_clients, in_use / turn / pus);
	printf("first_ns %.1f\nbest_ns %.1f\nbest_most_ns %.1f\n", sums.first_ns / made, sums.best_ns / made,
	       sums.best_most_ns);
	printf("given %.3f\nmiss %.4f\nshort %.4f\n", sums.given / made, sums.miss / made, sums.short_of / made);
	printf("total %.3f\nweighted %.3f\nlocal %.4f\nsteps %.4f\nempty %.4f\n", sums.total / made,
	       sums.weighted / made, sums.local / made, sums.steps / made, sums.empty / made);
	return 0;
}
