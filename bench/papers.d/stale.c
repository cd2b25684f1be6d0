/* Clients of the board see old words of each other: do they settle, and what do they lose? (bench/papers.d/programs.py)
 *
 *     stale PUS CLIENTS SEED [last]
 *
 * last: the monitor looks once more after a region, and takes the stamp back.
 *
 * First each client of a machine is in a region without end, and wants all PUs. One more comes, or one goes: how many
 * periods pass until all have their final number? Then each has regions and pauses of random length for ten
 * simulated seconds: how much of the PUs' time is used by nobody, and how much by two? */
#include "client.h"
#include "given.h"

#define TEN_SECONDS_NS (10 * UINT64_C(1000000000))
#define BEGIN_NS (100 * UINT64_C(1000000000))
#define REGION_NS UINT64_C(1000000000) /* at most; half of it in the mean */
#define PAUSE_NS UINT64_C(500000000)
#define ROUNDS 50

static struct client clients[CLIENTS_MOST];
static bool in_region[CLIENTS_MOST], last_look;
static uint64_t until[CLIENTS_MOST];
static unsigned pus, n;
static uint64_t chance, now = BEGIN_NS;

static void
begin(unsigned i)
{
	in_region[i] = true;
	client_enter(&clients[i], now);
}

static void
end(unsigned i)
{
	in_region[i] = false;
	client_leave(&clients[i], last_look);
}

/* The time of the next look of any client. */
static unsigned
next_client(void)
{
	unsigned next = n;
	for (unsigned i = 0; i < n; i++)
		if (clients[i].next_look && (next == n || clients[i].next_look < clients[next].next_look))
			next = i;
	return next;
}

static unsigned
used(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += in_region[i] ? clients[i].limit : 0;
	return sum;
}

static unsigned
n_active(void)
{
	unsigned active = 0;
	for (unsigned i = 0; i < n; i++)
		active += in_region[i];
	return active;
}

/* Looks until `end`. Returns the time of the last change of a number. */
static uint64_t
look_until(uint64_t end)
{
	uint64_t changed = now;
	for (unsigned i = next_client(); i < n && clients[i].next_look < end; i = next_client()) {
		unsigned before = clients[i].limit;
		now = clients[i].next_look;
		client_look(&clients[i], now, pus, pus);
		if (clients[i].limit != before)
			changed = now;
	}
	now = end;
	return changed;
}

/* Prints the periods from the change to the last change that follows from it. */
static void
settle(void)
{
	double sums[2] = {0}, most[2] = {0};
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned one = given_below(&chance, n);
		for (unsigned comes = 0; comes < 2; comes++) {
			uint64_t since = now;
			if (comes)
				begin(one);
			else
				end(one);
			double periods =
				(double)(look_until(since + 50 * LOOK_NS + given_below(&chance, LOOK_NS)) - since) /
				LOOK_NS;
			sums[comes] += periods;
			most[comes] = periods > most[comes] ? periods : most[comes];
		}
	}
	printf("goes %.3f\ngoes_most %.3f\ncomes %.3f\ncomes_most %.3f\n", sums[0] / ROUNDS, most[0], sums[1] / ROUNDS,
	       most[1]);
}

static uint64_t
some(uint64_t most)
{
	return 1 + (uint64_t)(given_part(&chance) * (double)most);
}

static void
churn(void)
{
	double idle = 0, doubly = 0, in_use = 0;
	uint64_t stop = now + TEN_SECONDS_NS, since = now;
	for (unsigned i = 0; i < n; i++)
		until[i] = now + some(in_region[i] ? REGION_NS : PAUSE_NS);
	while (now < stop) {
		unsigned next = 0, looks = next_client(), active = n_active(), sum = used(),
			 least = active > pus ? active : pus;
		for (unsigned i = 1; i < n; i++)
			if (until[i] < until[next])
				next = i;
		bool is_look = looks < n && clients[looks].next_look < until[next];
		now = is_look ? clients[looks].next_look : until[next];
		double passed = (double)(now - since);
		since = now;
		if (active) {
			in_use += passed;
			idle += passed * (sum < pus ? (double)(pus - sum) / pus : 0);
			doubly += passed * (sum > least ? (double)(sum - least) / pus : 0);
		}
		if (is_look) {
			client_look(&clients[looks], now, pus, pus);
			continue;
		}
		if (in_region[next])
			end(next);
		else
			begin(next);
		until[next] = now + some(in_region[next] ? REGION_NS : PAUSE_NS);
	}
	printf("idle %.5f\ndoubly %.5f\n", idle / in_use, doubly / in_use);
}

int
main(int n_words, char **words)
{
	if (n_words < 4) {
		fprintf(stderr, "usage: stale PUS CLIENTS SEED [last]\n");
		return 2;
	}
	pus = (unsigned)atoi(words[1]);
	n = (unsigned)atoi(words[2]);
	chance = (uint64_t)atoi(words[3]);
	last_look = n_words > 4;
	if (pus < 1 || pus > FG_BOARD_PUS || n < 2 || n > CLIENTS_MOST) {
		fprintf(stderr, "stale: 1 to %d PUs, 2 to %d clients; nothing was run\n", FG_BOARD_PUS, CLIENTS_MOST);
		return 2;
	}
	for (unsigned i = 0; i < n; i++) {
		client_join(&clients[i], (int)i, now, pus, given_below(&chance, LOOK_NS));
		begin(i);
	}
	look_until(now + 100 * LOOK_NS);
	settle();
	churn();
	return 0;
}
