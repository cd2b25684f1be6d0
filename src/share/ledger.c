/* Ledger (floor: share): see ledger.h. */
#include "share/ledger.h"

#include <assert.h>

#include "share/choice.h"

unsigned
fg_ledger_add(struct fg_ledger *ledger, uint32_t user, int process)
{
	unsigned same = 0, free = FG_LEDGER_NONE;
	for (unsigned i = 0; i < FG_LEDGER_CLIENTS; i++) {
		if (ledger->client[i].there)
			same += ledger->client[i].user == user;
		else if (free == FG_LEDGER_NONE)
			free = i;
	}
	if (free == FG_LEDGER_NONE || same >= FG_LEDGER_BY_USER)
		return FG_LEDGER_NONE;
	ledger->client[free] = (struct fg_ledger_client){.there = true, .user = user, .process = process};
	ledger->clients++;
	if (free >= ledger->top)
		ledger->top = free + 1;
	return free;
}

static void
rest(struct fg_ledger *ledger, struct fg_ledger_client *client)
{
	if (!client->active)
		return;
	client->active = false;
	client->granted = 0;
	ledger->changed = true;
}

void
fg_ledger_remove(struct fg_ledger *ledger, unsigned client)
{
	assert(ledger->client[client].there);
	rest(ledger, &ledger->client[client]);
	ledger->client[client].there = false;
	ledger->clients--;
	while (ledger->top > 0 && !ledger->client[ledger->top - 1].there)
		ledger->top--;
}

unsigned
fg_ledger_limit(const struct fg_ledger *ledger, uint32_t user)
{
	for (unsigned i = 0; i < ledger->n_limits; i++)
		if (ledger->limits[i].user == user)
			return ledger->limits[i].limit;
	return ledger->limit;
}

/* Programs on other PUs do not count. */
static bool
meet(const struct fg_message *a, const struct fg_message *b)
{
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		if (a->cpus[i] & b->cpus[i])
			return true;
	return false;
}

static unsigned
pus_of(const struct fg_message *request)
{
	unsigned n = 0;
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		n += (unsigned)__builtin_popcountll(request->cpus[i]);
	return n;
}

/* The active clients that count for this one are ledger->programs, and it is one of them: *place. Returns how many
 * there are. *granted: PUs that the others have. */
static unsigned
gather(struct fg_ledger *ledger, const struct fg_ledger_client *own, unsigned *place, unsigned *granted, bool *users)
{
	unsigned n = 0;
	*granted = *place = 0;
	*users = false;
	for (unsigned i = 0; i < ledger->top; i++) {
		const struct fg_ledger_client *client = &ledger->client[i];
		if (!client->active || !meet(&client->request, &own->request))
			continue;
		if (client == own)
			*place = n;
		else
			*granted += client->granted;
		*users |= client->user != own->user;
		ledger->programs[n++] = (struct fg_users_program){{client->request.demand, client->request.weight},
								  client->user,
								  fg_ledger_limit(ledger, client->user)};
	}
	return n;
}

/* What a program tells of load from outside has the programs of other users in it, which the server knows better. */
static unsigned
share(struct fg_ledger *ledger, const struct fg_ledger_client *own)
{
	unsigned place, granted, pus = pus_of(&own->request), limit = fg_ledger_limit(ledger, own->user);
	bool users;
	unsigned n = gather(ledger, own, &place, &granted, &users);
	if (!ledger->published)
		return fg_users_share(pus, users ? 0 : own->request.outside, ledger->programs, n, place, &ledger->room);
	if (own->granted)
		return own->granted;
	unsigned free = granted < pus ? pus - granted : 0;
	struct fg_request request = {.optimal = own->request.optimal, .largest = own->request.most};
	unsigned wanted = fg_choice_wanted(&request, free, pus);
	if (wanted > free)
		wanted = free;
	if (limit && wanted > limit)
		wanted = limit;
	return wanted ? wanted : 1;
}

static struct fg_message
reply_to(struct fg_ledger *ledger, struct fg_ledger_client *client)
{
	struct fg_message reply = fg_message_make(FG_MESSAGE_REPLY);
	client->granted = share(ledger, client);
	reply.pus = (uint16_t)client->granted;
	reply.sequence = client->request.sequence;
	return reply;
}

static bool
floods(struct fg_ledger_client *client, uint64_t now)
{
	if (now - client->counted >= FG_LEDGER_FLOOD_NS) {
		client->counted = now;
		client->messages = 0;
	}
	return ++client->messages > FG_LEDGER_FLOOD_MESSAGES;
}

/* The request is new to the others, too. */
static void
request(struct fg_ledger *ledger, struct fg_ledger_client *client, const struct fg_message *message, uint64_t now)
{
	if (!client->active || client->request.region != message->region)
		client->granted = 0;
	ledger->changed = true;
	client->active = true;
	client->stamp = now;
	client->request = *message;
}

bool
fg_ledger_take(struct fg_ledger *ledger, unsigned number, const struct fg_message *message, size_t size, uint64_t now,
	       struct fg_message *reply)
{
	struct fg_ledger_client *client = &ledger->client[number];
	assert(client->there);
	reply->kind = 0;
	if (floods(client, now) || !fg_message_for_server(message, size))
		return false;
	if (message->kind == FG_MESSAGE_LEAVE)
		rest(ledger, client);
	else if (message->kind == FG_MESSAGE_REQUEST) {
		request(ledger, client, message, now);
		*reply = reply_to(ledger, client);
	} else
		*reply = fg_message_make(FG_MESSAGE_TABLE);
	return true;
}

bool
fg_ledger_look(struct fg_ledger *ledger, uint64_t now)
{
	uint64_t young = ledger->published ? FG_LEDGER_HOLDS_NS : FG_LEDGER_YOUNG_NS;
	bool active = false;
	for (unsigned i = 0; i < ledger->top; i++) {
		struct fg_ledger_client *client = &ledger->client[i];
		if (client->active && now - client->stamp >= young)
			rest(ledger, client);
		active |= client->active;
	}
	return active;
}

unsigned
fg_ledger_next(struct fg_ledger *ledger, unsigned from, struct fg_message *reply)
{
	if (from == 0)
		ledger->changed = false;
	for (unsigned i = from; i < ledger->top && !ledger->published; i++) {
		struct fg_ledger_client *client = &ledger->client[i];
		unsigned before = client->granted;
		if (!client->active)
			continue;
		*reply = reply_to(ledger, client);
		if (client->granted != before)
			return i;
	}
	return FG_LEDGER_NONE;
}

unsigned
fg_ledger_table(const struct fg_ledger *ledger, unsigned asks, struct fg_message *table, struct fg_message_row *rows)
{
	unsigned n = 0;
	for (unsigned i = 0; i < ledger->top; i++) {
		const struct fg_ledger_client *client = &ledger->client[i];
		if (!client->there || i == asks)
			continue;
		rows[n++] = (struct fg_message_row){.user = client->user,
						    .process = client->process,
						    .demand = client->request.demand,
						    .weight = client->request.weight,
						    .optimal = client->request.optimal,
						    .most = client->request.most,
						    .granted = (uint16_t)client->granted,
						    .active = client->active,
						    .limit = fg_ledger_limit(ledger, client->user)};
	}
	*table = fg_message_make(FG_MESSAGE_TABLE);
	table->rows = (uint16_t)n;
	table->pus = (uint16_t)ledger->pus;
	table->published = ledger->published;
	table->limit = ledger->limit;
	return n;
}
