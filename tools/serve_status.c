/* `forestgomp serve --status`: what a server holds (serve.h). */
#include "serve.h"
#include "command.h"
#include "platform/local_socket.h"
#include "process.h"
#include <poll.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#define WAIT_MS 1000

static struct packet {
	struct fg_message table;
	struct fg_message_row rows[FG_MESSAGE_ROWS];
} packet;

/* False: no server answers. */
static bool
ask(int server)
{
	struct fg_message message = fg_message_make(FG_MESSAGE_ASK);
	struct pollfd ready = {server, POLLIN, 0};
	if (!fg_local_send(server, &message, sizeof message) || poll(&ready, 1, WAIT_MS) != 1)
		return false;
	ssize_t size = fg_local_receive(server, &packet, sizeof packet);
	return size > 0 && (size_t)size <= sizeof packet && fg_message_for_program(&packet.table, (size_t)size) &&
	       packet.table.kind == FG_MESSAGE_TABLE;
}

static void
print_json(void)
{
	const char *comma = "";
	printf("{\"pus\": %u, \"published\": %s, \"limit\": ", packet.table.pus,
	       packet.table.published ? "true" : "false");
	if (packet.table.limit)
		printf("%u", (unsigned)packet.table.limit);
	else
		printf("null");
	printf(", \"clients\": [");
	for (unsigned i = 0; i < packet.table.rows; i++, comma = ", ") {
		const struct fg_message_row *row = &packet.rows[i];
		printf("%s{\"pid\": %d, \"uid\": %u, \"active\": %s, \"granted\": %u, \"optimal\": %u, \"most\": %u, "
		       "\"demand\": %.3f, \"weight\": %u, \"limit\": ",
		       comma, row->process, row->user, row->active ? "true" : "false", row->granted, row->optimal,
		       row->most, row->demand / 1000.0, row->weight);
		if (row->limit)
			printf("%u}", row->limit);
		else
			printf("null}");
	}
	printf("]}\n");
}

static void
print_row(const struct fg_message_row *row)
{
	struct process process = {0};
	char number[16];
	const struct passwd *user = getpwuid(row->user);
	snprintf(number, sizeof number, "%u", row->user);
	if (row->process > 0)
		process_look(row->process, &process);
	printf("%9d %-12.12s %-7s %7u %7.1f %7u ", row->process, user ? user->pw_name : number,
	       row->active ? "region" : "-", row->granted, row->demand / 1000.0, row->most);
	if (row->limit)
		printf("%5u  ", row->limit);
	else
		printf("%5s  ", "-");
	for (const char *at = process.there ? process.command : "?"; *at && at < process.command + 40; at++)
		putchar(*at >= ' ' && *at < 127 ? *at : '?');
	putchar('\n');
}

static void
print_table(void)
{
	unsigned active = 0, granted = 0;
	for (unsigned i = 0; i < packet.table.rows; i++) {
		active += packet.rows[i].active != 0;
		granted += packet.rows[i].granted;
	}
	printf("%u PUs; %u client%s, %u in a region, with %u PU%s%s\n", packet.table.pus, packet.table.rows,
	       packet.table.rows == 1 ? "" : "s", active, granted, granted == 1 ? "" : "s",
	       packet.table.published ? "; a reply holds until the region ends" : "");
	if (packet.table.rows)
		printf("%9s %-12s %-7s %7s %7s %7s %5s  %s\n", "PID", "USER", "STATE", "GRANTED", "WANTS", "MOST",
		       "LIMIT", "COMMAND");
	for (unsigned i = 0; i < packet.table.rows; i++)
		print_row(&packet.rows[i]);
}

int
serve_status(const struct serve_call *call)
{
	int server = serve_connect(call);
	bool answered = server >= 0 && ask(server);
	if (server >= 0)
		close(server);
	if (!answered) {
		complain("serve", server < 0 ? "no server runs here" : "the server does not answer");
		return 1;
	}
	if (call->json)
		print_json();
	else
		print_table();
	return 0;
}
