/* The server's side: messages of any bytes, shares of users, and what the ledger holds while clients come, flood, fall
 * silent and go. */
#include "share/ledger.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MS UINT64_C(1000000)
#define W FG_FAIR_WEIGHT

static struct fg_ledger ledger;
static struct fg_users_room room;
static uint64_t now;

static struct fg_message
request(unsigned demand, unsigned most, uint64_t cpus)
{
	static uint32_t sequence;
	struct fg_message message = fg_message_make(FG_MESSAGE_REQUEST);
	message.sequence = ++sequence;
	message.region = 1;
	message.optimal = 1;
	message.most = (uint16_t)most;
	message.demand = demand;
	message.weight = W;
	message.cpus[0] = cpus;
	return message;
}

static void
begin(unsigned pus)
{
	memset(&ledger, 0, sizeof ledger);
	ledger.pus = pus;
	now = 1000000 * MS;
}

/* A client in a region, and the PUs of the reply. */
static unsigned
ask(unsigned client, unsigned demand, uint64_t cpus)
{
	struct fg_message message = request(demand, 8, cpus), reply;
	assert_true(fg_ledger_take(&ledger, client, &message, sizeof message, now, &reply));
	assert_int_equal(reply.kind, FG_MESSAGE_REPLY);
	assert_int_equal(reply.sequence, message.sequence);
	assert_true(fg_message_for_program(&reply, sizeof reply));
	return reply.pus;
}

static unsigned
newcomer(uint32_t user, unsigned demand, uint64_t cpus, unsigned *pus)
{
	unsigned client = fg_ledger_add(&ledger, user, 100);
	assert_int_not_equal(client, FG_LEDGER_NONE);
	*pus = ask(client, demand, cpus);
	return client;
}

/* The replies that nobody has asked for: how many, and the PUs of `client` in the last of them; 0: it got none. */
static unsigned
told(unsigned client, unsigned *pus)
{
	struct fg_message reply;
	unsigned n = 0;
	*pus = 0;
	for (unsigned i = 0; (i = fg_ledger_next(&ledger, i, &reply)) != FG_LEDGER_NONE; i++, n++)
		if (i == client)
			*pus = reply.pus;
	assert_false(ledger.changed);
	return n;
}

static void
messages(void **state)
{
	struct fg_message good = request(1000, 4, 3);
	assert_true(fg_message_for_server(&good, sizeof good));
	assert_false(fg_message_for_program(&good, sizeof good));
	for (size_t size = 0; size < 300; size++)
		assert_int_equal(fg_message_for_server(&good, size), size == sizeof good);
	/* The magic number, the version, the kind, and the free bytes. */
	for (unsigned byte = 0; byte < offsetof(struct fg_message, cpus); byte++) {
		struct fg_message bad = good;
		((uint8_t *)&bad)[byte] ^= 0x80;
		if (byte < offsetof(struct fg_message, sequence) || byte >= offsetof(struct fg_message, free))
			assert_false(fg_message_for_server(&bad, sizeof bad));
	}
	struct fg_message wrong[8] = {good, good, good, good, good, good, good, good};
	wrong[0].optimal = 0;
	wrong[1].optimal = 5;
	wrong[2].most = FG_BOARD_PUS + 1;
	wrong[3].demand = FG_BOARD_PUS * 1000 + 1;
	wrong[4].weight = FG_FAIR_LIGHTEST - 1;
	wrong[5].weight = FG_FAIR_HEAVIEST + 1;
	wrong[6].outside = FG_BOARD_PUS * 1000 + 1;
	wrong[7].cpus[0] = 0;
	for (unsigned i = 0; i < 8; i++)
		assert_false(fg_message_for_server(&wrong[i], sizeof wrong[i]));
	for (unsigned kind = 0; kind < 10; kind++) {
		struct fg_message other = fg_message_make(kind);
		assert_int_equal(fg_message_for_server(&other, sizeof other),
				 kind == FG_MESSAGE_LEAVE || kind == FG_MESSAGE_ASK);
	}
}

static void
replies(void **state)
{
	struct fg_message reply = fg_message_make(FG_MESSAGE_REPLY);
	assert_false(fg_message_for_program(&reply, sizeof reply)); /* no PU */
	reply.pus = 1;
	assert_true(fg_message_for_program(&reply, sizeof reply));
	reply.pus = FG_BOARD_PUS + 1;
	assert_false(fg_message_for_program(&reply, sizeof reply));
	struct fg_message table = fg_message_make(FG_MESSAGE_TABLE);
	table.rows = 2;
	assert_false(fg_message_for_program(&table, sizeof table));
	assert_true(fg_message_for_program(&table, sizeof table + 2 * sizeof(struct fg_message_row)));
	table.rows = FG_MESSAGE_ROWS + 1;
	assert_false(fg_message_for_program(&table, sizeof table + table.rows * sizeof(struct fg_message_row)));
}

static unsigned
users_share(unsigned pus, const struct fg_users_program *programs, unsigned n, unsigned own)
{
	return fg_users_share(pus, 0, programs, n, own, &room);
}

static void
users(void **state)
{
	struct fg_users_program one[3] = {{{8000, W}, 1, 0}, {{8000, W}, 1, 0}, {{8000, W}, 1, 0}};
	struct fg_fair_entry same[3] = {{8000, W}, {8000, W}, {8000, W}};
	for (unsigned i = 0; i < 3; i++) /* of one user it is the board's share */
		assert_int_equal(users_share(8, one, 3, i), fg_fair_share(8, 0, same, 3, i));
	struct fg_users_program two[4] = {{{8000, W}, 1, 0}, {{8000, W}, 2, 0}, {{8000, W}, 2, 0}, {{8000, W}, 2, 0}};
	assert_int_equal(users_share(8, two, 4, 0), 4);
	assert_int_equal(users_share(8, two, 4, 1), 2);
	assert_int_equal(users_share(8, two, 4, 2), 1);
	assert_int_equal(users_share(8, two, 4, 3), 1);
	two[1].fair.weight = 4 * W; /* within its user: 2.7 of its PUs by weight */
	assert_int_equal(users_share(8, two, 4, 0), 4);
	assert_int_equal(users_share(8, two, 4, 1), 3);
	struct fg_users_program small[2] = {{{8000, W}, 1, 0}, {{50, W}, 2, 0}};
	assert_int_equal(users_share(8, small, 2, 0), 8);
	assert_int_equal(users_share(8, small, 2, 1), 1);
	struct fg_users_program idle[2] = {{{8000, W}, 1, 0}, {{2000, W}, 2, 0}};
	assert_int_equal(users_share(8, idle, 2, 0), 6);
	assert_int_equal(users_share(8, idle, 2, 1), 2);
}

static void
limits(void **state)
{
	struct fg_users_program programs[3] = {{{8000, W}, 1, 2}, {{8000, W}, 1, 2}, {{8000, W}, 2, 0}};
	assert_int_equal(users_share(8, programs, 3, 0), 1);
	assert_int_equal(users_share(8, programs, 3, 1), 1);
	assert_int_equal(users_share(8, programs, 3, 2), 6); /* the other user has what the first may not use */
	assert_int_equal(users_share(8, programs, 2, 0), 1);
	assert_int_equal(fg_users_share(8, 7000, programs, 1, 0, &room), 1);
	assert_int_equal(fg_users_share(8, 2000, programs, 1, 0, &room), 2); /* six are left: the limit counts */
}

/* What the shares of all programs come to: no PU is dealt twice but where nobody has less than one. */
static void
sums(void **state)
{
	static struct fg_users_program programs[FG_USERS_PROGRAMS];
	unsigned seed = 1;
	for (unsigned round = 0; round < 2000; round++) {
		unsigned n = 1 + (unsigned)rand_r(&seed) % 20, pus = n + (unsigned)rand_r(&seed) % 100, wanted = 0,
			 sum = 0;
		for (unsigned i = 0; i < n; i++) {
			uint32_t demand = 1000 * (1 + (unsigned)rand_r(&seed) % pus);
			programs[i] = (struct fg_users_program){{demand, W}, (unsigned)rand_r(&seed) % 3, 0};
			wanted += demand / 1000;
		}
		for (unsigned i = 0; i < n; i++) {
			unsigned got = users_share(pus, programs, n, i);
			assert_in_range(got, 1, pus);
			sum += got;
		}
		if (wanted > pus) /* each user may have programs beyond its part, with one PU each */
			assert_in_range(sum, pus - 2, pus + n);
	}
	for (unsigned i = 0; i < FG_USERS_PROGRAMS; i++)
		programs[i] = (struct fg_users_program){{1024000, FG_FAIR_HEAVIEST}, i, 1024};
	assert_int_equal(users_share(1024, programs, FG_USERS_PROGRAMS, 5), 1);
}

static void
held(void **state)
{
	unsigned a, b, pus;
	begin(8);
	unsigned first = newcomer(1, 8000, 0xff, &a);
	assert_int_equal(a, 8);
	unsigned second = newcomer(1, 8000, 0xff, &b);
	assert_int_equal(b, 4);
	assert_int_equal(told(first, &pus), 1); /* without being asked */
	assert_int_equal(pus, 4);
	assert_int_equal(told(first, &pus), 0);
	unsigned apart = newcomer(1, 8000, 0xff00, &a);
	assert_int_equal(a, 8);
	fg_ledger_remove(&ledger, second);
	assert_int_equal(told(first, &pus), 1);
	assert_int_equal(pus, 8);
	fg_ledger_remove(&ledger, apart);
	fg_ledger_remove(&ledger, first);
	assert_int_equal(ledger.clients, 0);
	assert_int_equal(ledger.top, 0);
}

/* Stopped, or hung: the PUs are the others' after 30 ms, and it comes back with its next request. */
static void
silent(void **state)
{
	unsigned a, b, pus;
	begin(8);
	unsigned first = newcomer(1, 8000, 0xff, &a), second = newcomer(1, 8000, 0xff, &b);
	told(first, &pus);
	now += 20 * MS;
	assert_int_equal(ask(first, 8000, 0xff), 4);
	now += 12 * MS;
	assert_true(fg_ledger_look(&ledger, now));
	assert_false(ledger.client[second].active);
	assert_int_equal(ledger.client[second].granted, 0);
	assert_int_equal(told(first, &pus), 1);
	assert_int_equal(pus, 8);
	assert_int_equal(ask(second, 8000, 0xff), 4);
	now += 40 * MS;
	assert_false(fg_ledger_look(&ledger, now));
	struct fg_message leave = fg_message_make(FG_MESSAGE_LEAVE), reply;
	assert_true(fg_ledger_take(&ledger, second, &leave, sizeof leave, now, &reply));
	assert_int_equal(reply.kind, 0);
}

static void
left(void **state)
{
	unsigned a, b, pus;
	begin(8);
	unsigned first = newcomer(1, 8000, 0xff, &a), second = newcomer(1, 8000, 0xff, &b);
	struct fg_message leave = fg_message_make(FG_MESSAGE_LEAVE), reply;
	told(first, &pus);
	assert_true(fg_ledger_take(&ledger, second, &leave, sizeof leave, now, &reply));
	assert_int_equal(told(first, &pus), 1);
	assert_int_equal(pus, 8);
	assert_true(fg_ledger_take(&ledger, second, &leave, sizeof leave, now, &reply));
	assert_int_equal(told(first, &pus), 0);
}

static void
as_published(void **state)
{
	unsigned a, b, pus;
	begin(8);
	ledger.published = true;
	unsigned first = newcomer(1, 8000, 0xff, &a), second = newcomer(1, 8000, 0xff, &b);
	assert_int_equal(a, 8); /* N = 1 + 8 / 8 x (8 - 1) */
	assert_int_equal(b, 1); /* none is free */
	fg_ledger_remove(&ledger, first);
	assert_int_equal(told(second, &pus), 0); /* it waits for the next region */
	assert_int_equal(ask(second, 8000, 0xff), 1);
	struct fg_message next = request(8000, 8, 0xff), reply;
	next.region = 2;
	assert_true(fg_ledger_take(&ledger, second, &next, sizeof next, now, &reply));
	assert_int_equal(reply.pus, 8);
}

static void
user_limits(void **state)
{
	unsigned a, b, c;
	begin(8);
	ledger.limit = 6;
	ledger.n_limits = 1;
	ledger.limits[0].user = 7;
	ledger.limits[0].limit = 2;
	newcomer(1, 8000, 0xff, &a);
	newcomer(7, 8000, 0xff, &b);
	newcomer(7, 8000, 0xff, &c);
	assert_int_equal(a, 6);
	assert_int_equal(b, 2);
	assert_int_equal(c, 1);
	struct fg_message table;
	static struct fg_message_row rows[FG_MESSAGE_ROWS];
	assert_int_equal(fg_ledger_table(&ledger, FG_LEDGER_NONE, &table, rows), 3);
	assert_int_equal(rows[0].limit, 6);
	assert_int_equal(rows[1].limit, 2);
	assert_true(fg_message_for_program(&table, sizeof table + 3 * sizeof rows[0]));
	assert_int_equal(fg_ledger_table(&ledger, 0, &table, rows), 2);
}

static void
crowd(void **state)
{
	begin(8);
	for (unsigned user = 0; user < 5; user++)
		for (unsigned i = 0; i <= FG_LEDGER_BY_USER; i++) {
			unsigned client = fg_ledger_add(&ledger, user, 1);
			bool room = i < FG_LEDGER_BY_USER && user * FG_LEDGER_BY_USER + i < FG_LEDGER_CLIENTS;
			assert_int_equal(client != FG_LEDGER_NONE, room);
		}
	assert_int_equal(ledger.clients, FG_LEDGER_CLIENTS);
	for (unsigned i = 0; i < FG_LEDGER_CLIENTS; i++)
		fg_ledger_remove(&ledger, i);
	assert_int_equal(ledger.top, 0);
}

static void
flood(void **state)
{
	unsigned pus, client;
	begin(8);
	client = newcomer(1, 8000, 0xff, &pus);
	struct fg_message message = request(8000, 8, 0xff), reply;
	for (unsigned i = 1; i < FG_LEDGER_FLOOD_MESSAGES; i++)
		assert_true(fg_ledger_take(&ledger, client, &message, sizeof message, now, &reply));
	assert_false(fg_ledger_take(&ledger, client, &message, sizeof message, now, &reply));
	now += FG_LEDGER_FLOOD_NS;
	assert_true(fg_ledger_take(&ledger, client, &message, sizeof message, now, &reply));
}

/* Clients of all kinds, at random: what is gone or silent holds nothing, and the numbers stay in their ranges. */
static void
any(void **state)
{
	unsigned seed = 3;
	begin(8);
	for (unsigned round = 0; round < 20000; round++) {
		unsigned client = (unsigned)rand_r(&seed) % 20;
		if (!ledger.client[client].there) {
			fg_ledger_add(&ledger, (unsigned)rand_r(&seed) % 3, 1);
			continue;
		}
		struct fg_message message =
					  request((unsigned)rand_r(&seed) % 9000, 8, 1 + (unsigned)rand_r(&seed) % 255),
				  reply;
		if (rand_r(&seed) % 4 == 0)
			((uint8_t *)&message)[(unsigned)rand_r(&seed) % sizeof message] = (uint8_t)rand_r(&seed);
		if (rand_r(&seed) % 4 == 0)
			message.kind = (uint16_t)(rand_r(&seed) % 6);
		if (!fg_ledger_take(&ledger, client, &message, sizeof message, now, &reply))
			fg_ledger_remove(&ledger, client);
		else if (reply.kind == FG_MESSAGE_REPLY)
			assert_in_range(reply.pus, 1, FG_BOARD_PUS);
		now += (unsigned)rand_r(&seed) % (3 * MS);
		fg_ledger_look(&ledger, now);
		unsigned there = 0;
		for (unsigned i = 0; i < FG_LEDGER_CLIENTS; i++) {
			struct fg_ledger_client *each = &ledger.client[i];
			there += each->there;
			assert_true(each->there || !each->active);
			assert_int_equal(each->granted != 0, each->active);
			assert_true(!each->active || now - each->stamp < FG_LEDGER_YOUNG_NS);
			assert_true(!each->there || i < ledger.top);
		}
		assert_int_equal(there, ledger.clients);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages), cmocka_unit_test(replies),	   cmocka_unit_test(users),
		cmocka_unit_test(limits),   cmocka_unit_test(sums),	   cmocka_unit_test(held),
		cmocka_unit_test(silent),   cmocka_unit_test(left),	   cmocka_unit_test(as_published),
		cmocka_unit_test(crowd),    cmocka_unit_test(user_limits), cmocka_unit_test(flood),
		cmocka_unit_test(any),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
