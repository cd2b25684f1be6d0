/* `forestgomp serve`: the server of IWOMP 2010. One loop moves messages between the programs and the ledger, which
 * decides (share/ledger.h).
 *
 * It waits in epoll alone, and never for a client: a message that a client has no room for closes its connection.
 * Each turn takes one message of each client that has some. So a client that sends many delays the others by one
 * message each. */
#define _GNU_SOURCE
#include "serve.h"
#include "command.h"
#include "manual.h"
#include "platform/clock.h"
#include "platform/local_socket.h"
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define TURN_NS 2000000 /* shares are found anew once in so long, at most */
#define SPARE 20	/* and no more than a part of the time is used for that: a 20th */
#define LOOK_MS 10	/* while a client is active */
#define EVENTS 64	/* of a turn */
#define PAUSE_US 1000	/* where the system has no file left */
#define FILES 16	/* beside those of clients */
#define LISTENER UINT64_MAX
#define ENDS (UINT64_MAX - 1)

static struct {
	struct serve_place place;
	int poll, signals;
	int socket[FG_LEDGER_CLIENTS];
	unsigned most;	       /* clients, by the limit of open files */
	uint64_t shared, took; /* when shares were last found, and how long it took */
	struct fg_ledger ledger;
} server;

static struct {
	struct fg_message table;
	struct fg_message_row rows[FG_MESSAGE_ROWS];
} packet;

static uint64_t
now_ns(void)
{
	return fg_clock_ns(CLOCK_MONOTONIC);
}

static bool
watch(int file, uint64_t data)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = data};
	return epoll_ctl(server.poll, EPOLL_CTL_ADD, file, &event) == 0;
}

static void
drop(unsigned client)
{
	close(server.socket[client]);
	fg_ledger_remove(&server.ledger, client);
}

static bool
may_connect(unsigned user)
{
	return server.place.all || user == geteuid() || user == 0;
}

static void
accept_one(void)
{
	unsigned user, client = FG_LEDGER_NONE;
	int process, file = accept4(server.place.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (file < 0) {
		if (errno == EMFILE || errno == ENFILE ||
		    errno == ENOMEM) /* the program is still there at the next turn */
			usleep(PAUSE_US);
		return;
	}
	if (server.ledger.clients < server.most && fg_local_peer(file, &user, &process) && may_connect(user))
		client = fg_ledger_add(&server.ledger, user, process);
	if (client != FG_LEDGER_NONE) {
		server.socket[client] = file;
		if (watch(file, client))
			return;
		fg_ledger_remove(&server.ledger, client);
	}
	close(file);
}

static bool
answer(unsigned client, const struct fg_message *reply)
{
	if (reply->kind == 0)
		return true;
	if (reply->kind != FG_MESSAGE_TABLE)
		return fg_local_send(server.socket[client], reply, sizeof *reply);
	unsigned rows = fg_ledger_table(&server.ledger, client, &packet.table, packet.rows);
	return fg_local_send(server.socket[client], &packet, sizeof packet.table + rows * sizeof packet.rows[0]);
}

static void
hear(unsigned client)
{
	struct fg_message message, reply;
	if (!server.ledger.client[client].there) /* it was dropped in this turn */
		return;
	ssize_t size = fg_local_receive(server.socket[client], &message, sizeof message);
	if (size == 0)
		return;
	if (size < 0 || !fg_ledger_take(&server.ledger, client, &message, (size_t)size, now_ns(), &reply) ||
	    !answer(client, &reply))
		drop(client);
}

/* Tells the clients whose shares have changed. */
static void
share(uint64_t now)
{
	struct fg_message reply;
	if (!server.ledger.changed || now - server.shared < TURN_NS || now - server.shared < server.took * SPARE)
		return;
	for (unsigned i = 0; (i = fg_ledger_next(&server.ledger, i, &reply)) != FG_LEDGER_NONE; i++)
		if (!answer(i, &reply))
			drop(i);
	server.shared = now;
	server.took = now_ns() - now;
}

/* False: a signal asks for the end. */
static bool
take(const struct epoll_event *events, int n)
{
	for (int i = 0; i < n; i++) {
		if (events[i].data.u64 == ENDS)
			return false;
		if (events[i].data.u64 == LISTENER)
			accept_one();
		else
			hear((unsigned)events[i].data.u64);
	}
	return true;
}

/* The messages come before the look. So a server that was late itself finds no client silent whose request waits. A
 * busy one looks after so many turns that each client was heard, because epoll goes round. */
static void
loop(void)
{
	struct epoll_event events[EVENTS];
	bool active = false;
	int n, wait = -1;
	unsigned turns = 0; /* since the last look */
	while (n = epoll_wait(server.poll, events, EVENTS, wait), take(events, n)) {
		uint64_t now = now_ns();
		if (n < EVENTS || ++turns > FG_LEDGER_CLIENTS / EVENTS) {
			active = fg_ledger_look(&server.ledger, now);
			turns = 0;
		}
		share(now);
		wait = server.ledger.changed ? TURN_NS / 1000000 : active ? LOOK_MS : -1;
	}
}

/* Each client has a file. */
static void
allow_files(void)
{
	struct rlimit files;
	server.most = FG_LEDGER_CLIENTS;
	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= FG_LEDGER_CLIENTS + FILES)
		return;
	rlim_t before = files.rlim_cur;
	files.rlim_cur = files.rlim_max < FG_LEDGER_CLIENTS + FILES ? files.rlim_max : FG_LEDGER_CLIENTS + FILES;
	if (setrlimit(RLIMIT_NOFILE, &files) != 0)
		files.rlim_cur = before;
	if (files.rlim_cur < FG_LEDGER_CLIENTS + FILES)
		server.most = files.rlim_cur > FILES ? (unsigned)files.rlim_cur - FILES : 1;
}

static bool
begin(const struct serve_call *call)
{
	sigset_t ends;
	if (!serve_listen(call, &server.place))
		return false;
	allow_files();
	server.ledger.pus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	server.ledger.published = call->published;
	server.ledger.limit = call->limit;
	server.ledger.n_limits = call->n_limits;
	for (unsigned i = 0; i < call->n_limits; i++) {
		server.ledger.limits[i].user = call->limits[i].user;
		server.ledger.limits[i].limit = call->limits[i].limit;
	}
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	server.signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	server.poll = epoll_create1(EPOLL_CLOEXEC);
	if (server.signals >= 0 && server.poll >= 0 && watch(server.signals, ENDS) &&
	    watch(server.place.socket, LISTENER))
		return true;
	complain("serve", "cannot wait for programs: %s", strerror(errno));
	serve_leave(&server.place);
	return false;
}

/* "N" or "USER=N". Returns 0, or an exit status after a complaint. */
static int
take_limit(const char *text, struct serve_call *call)
{
	char *end, name[64];
	const char *equals = strchr(text, '='), *digits = equals ? equals + 1 : text;
	unsigned long pus = strtoul(digits, &end, 10);
	if (*digits < '0' || *digits > '9' || *end || pus < 1 || pus > FG_BOARD_PUS)
		return complain("serve", "--limit-user %s is not valid; accepted: N or USER=N, with N from 1 to %d",
				text, FG_BOARD_PUS);
	if (!equals) {
		call->limit = (unsigned)pus;
		return 0;
	}
	snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
	unsigned long number = strtoul(name, &end, 10);
	const struct passwd *user = getpwnam(name);
	if (!user && (*name < '0' || *name > '9' || *end || number >= UINT_MAX))
		return complain("serve", "there is no user '%s'", name);
	if (call->n_limits == FG_LEDGER_LIMITS)
		return complain("serve", "there are more than %d limits", FG_LEDGER_LIMITS);
	call->limits[call->n_limits].user = user ? user->pw_uid : (uint32_t)number;
	call->limits[call->n_limits++].limit = (unsigned)pus;
	return 0;
}

static int
serve(const struct serve_call *call)
{
	if (!begin(call))
		return 1;
	printf("serves %s at %s\n", server.place.all ? "all users" : "this user's programs", server.place.path);
	fflush(stdout);
	loop();
	serve_leave(&server.place);
	return 0;
}

static int
take_word(int argc, char **argv, int *i, struct serve_call *call)
{
	const char *missing = NULL, *word = argv[*i], *limit = option_value(argc, argv, i, "limit-user", 0, &missing);
	if (missing)
		return complain("serve", "%s needs a value", missing);
	if (limit)
		return take_limit(limit, call);
	if (strcmp(word, "--own") == 0)
		call->own = true;
	else if (strcmp(word, "--as-published") == 0)
		call->published = true;
	else if (strcmp(word, "--status") == 0)
		call->status = true;
	else if (strcmp(word, "--json") == 0)
		call->json = true;
	else if (word[0] == '-')
		return manual_unknown(manual_of("serve"), word);
	else
		return complain("serve", "it takes no word: what is '%s'?", word);
	return 0;
}

int
command_serve(int argc, char **argv)
{
	struct serve_call call = {0};
	for (int i = 1; i < argc; i++) {
		if (manual_asked(argv[i])) {
			manual_help(manual_of("serve"));
			return 0;
		}
		int status = take_word(argc, argv, &i, &call);
		if (status)
			return status;
	}
	if (call.json && !call.status)
		return complain("serve", "--json belongs to --status");
	if (call.status && (call.published || call.limit || call.n_limits))
		return complain("serve", "--status asks a server that runs, and sets nothing");
	return call.status ? serve_status(&call) : serve(&call);
}
