/* Served (floor: share): see served.h. */
#include "share/served.h"

#include <string.h>

#include "base/log.h"
#include "platform/local_socket.h"
#include "platform/private_file.h"
#include "platform/sandbox.h"
#include "share/entry.h"
#include "share/learnt.h"
#include "share/message.h"

#define RENEW_NS 10000000
#define SILENT_NS 15000000
#define REPLY_NS 200000 /* the monitor waits so long for the first reply of a region */
#define RETRY_NS 100000000
#define MESSAGES 64 /* at a look: a server that says more is heard at the next one */

struct fg_serving fg_serving;

/* The monitor's. */
static struct {
	char folder[FG_BOARD_FOLDER];
	bool connected;
	int socket;
	struct fg_file_id id;
	uint64_t tried; /* when it last tried to connect */
	uint64_t asked; /* when the request was sent that has no answer; 0: each has */
	uint64_t last;	/* when the last request was sent */
	bool in_region; /* as the server knows it */
	uint32_t sequence, region;
	enum { SAID_NOTHING, SAID_NONE, SAID_SERVED } said; /* the last line about the server */
} own;

void
fg_served_start(const char *runtime_folder)
{
	size_t length = runtime_folder ? strlen(runtime_folder) : 0;
	if (length < sizeof own.folder)
		memcpy(own.folder, runtime_folder ? runtime_folder : "", length + 1);
	fg_serving.on = true;
}

/* A filter that came later may forbid the calls. A number that the program has closed may be another file's. */
static bool
may_talk(void)
{
	return own.connected && fg_sandbox_allows(FG_SANDBOX_SERVER) && fg_local_is_same(own.socket, &own.id);
}

static void
lose(void)
{
	if (own.connected && fg_local_is_same(own.socket, &own.id))
		fg_file_close(own.socket);
	own.connected = own.in_region = false;
	own.asked = 0;
	fg_store_relaxed(&fg_serving.pus, 0);
}

/* The server must be the user's own, or the system's. */
static bool
trust(int socket, unsigned wanted)
{
	unsigned user;
	int process;
	return fg_local_peer(socket, &user, &process) && (user == wanted || user == 0);
}

/* The user's own server comes first. */
static int
open_socket(void)
{
	int folder = fg_board_folder(own.folder, false), socket = -1;
	if (folder >= 0) {
		socket = fg_local_connect(folder, FG_SERVER_OWN);
		fg_file_close(folder);
	}
	if (socket >= 0 && trust(socket, fg_private_user()))
		return socket;
	if (socket >= 0)
		fg_file_close(socket);
	socket = fg_local_connect(-1, FG_SERVER_FOLDER "/" FG_SERVER_ALL);
	if (socket < 0 || trust(socket, 0))
		return socket;
	fg_file_close(socket);
	return -1;
}

static void
say(void)
{
	unsigned now = own.connected ? SAID_SERVED : SAID_NONE;
	if (now == own.said)
		return;
	own.said = now;
	if (own.connected)
		fg_note("a server says how many PUs this program uses");
	else
		fg_note("no server answers: this program shares its PUs by the board");
}

static void
connect_again(uint64_t now)
{
	uint64_t unused;
	if ((own.tried && now - own.tried < RETRY_NS) || !fg_sandbox_allows(FG_SANDBOX_SERVER) ||
	    !fg_sandbox_allows(FG_SANDBOX_FILES))
		return;
	own.tried = now;
	own.socket = open_socket();
	own.connected = own.socket >= 0 && fg_file_identify(own.socket, &own.id, &unused);
	say();
}

void
fg_served_hear(uint64_t now)
{
	struct fg_message message;
	if (!own.connected)
		return;
	if (!may_talk()) {
		lose();
		return;
	}
	for (unsigned i = 0; i < MESSAGES; i++) {
		ssize_t size = fg_local_receive(own.socket, &message, sizeof message);
		if (size == 0)
			break;
		if (size < 0 || !fg_message_for_program(&message, (size_t)size) || message.kind != FG_MESSAGE_REPLY) {
			lose();
			return;
		}
		if (message.sequence == own.sequence)
			own.asked = 0;
		if (fg_load_relaxed(&fg_serving.told))
			fg_store_relaxed(&fg_serving.pus, message.pus);
	}
	if (own.asked && now - own.asked > SILENT_NS)
		fg_store_relaxed(&fg_serving.pus, 0);
}

/* PUs with higher numbers are in no message. */
static bool
has_any(const struct fg_cpuset *cpus)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		any |= cpus->bits[i];
	return any;
}

static struct fg_message
request(uint64_t told, const struct fg_cpuset *cpus, unsigned pus)
{
	struct fg_message message = fg_message_make(FG_MESSAGE_REQUEST);
	struct fg_fair_entry entry = fg_entry_unpack(told);
	message.most = (uint16_t)(pus < FG_BOARD_PUS ? pus : FG_BOARD_PUS);
	unsigned best = fg_learnt_best(), optimal = fg_learnt_optimal();
	if (best && best < message.most)
		message.most = (uint16_t)best;
	message.optimal = (uint16_t)(entry.demand >= message.most * 1000u ? message.most : (entry.demand + 999) / 1000);
	if (optimal && optimal < message.optimal)
		message.optimal = (uint16_t)optimal;
	if (message.optimal == 0)
		message.optimal = 1;
	message.demand = entry.demand;
	message.weight = entry.weight;
	message.outside = fg_load_relaxed(&fg_serving.outside);
	if (message.outside > FG_BOARD_PUS * 1000)
		message.outside = FG_BOARD_PUS * 1000;
	memcpy(message.cpus, cpus->bits, sizeof message.cpus);
	message.sequence = ++own.sequence;
	message.region = own.region;
	return message;
}

static void
leave(void)
{
	struct fg_message message = fg_message_make(FG_MESSAGE_LEAVE);
	own.in_region = false;
	if (!may_talk() || !fg_local_send(own.socket, &message, sizeof message))
		lose();
}

/* A region has begun. Most replies come within 50 us, and the next look would be 2 ms late. The region runs on. */
static bool
await_reply(uint64_t now)
{
	if (!fg_local_await(own.socket, REPLY_NS))
		return false;
	fg_served_hear(now);
	return fg_served_pus() != 0;
}

/* A server that has not answered gets no further message: what was sent waits for it. */
bool
fg_served_ask(uint64_t now, const struct fg_cpuset *cpus, unsigned pus)
{
	uint64_t told = fg_load_relaxed(&fg_serving.told);
	if (!told) {
		fg_store_relaxed(&fg_serving.pus, 0);
		if (own.in_region && !own.asked)
			leave();
		return false;
	}
	if (!own.connected)
		connect_again(now);
	if (!own.connected || own.asked || (own.in_region && now - own.last < RENEW_NS) || !has_any(cpus))
		return false;
	bool begins = !own.in_region;
	own.region += begins;
	own.in_region = true;
	struct fg_message message = request(told, cpus, pus);
	own.asked = own.last = now;
	if (may_talk() && fg_local_send(own.socket, &message, sizeof message))
		return begins && await_reply(now);
	lose();
	return false;
}

void
fg_served_after_fork(void)
{
	if (own.connected && fg_local_is_same(own.socket, &own.id))
		fg_file_close(own.socket);
	own.connected = own.in_region = false;
	own.asked = own.tried = 0;
	fg_served_tell(0, 0);
	fg_store_relaxed(&fg_serving.pus, 0);
}
