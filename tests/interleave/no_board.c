/* The system under scenarios of the floor share: there is no file of a board, and a server is a list of replies that
 * the scenario sets (no_board.h). */
#include "interleave/no_board.h"
#include "base/log.h"
#include "interleave/model.h"
#include "platform/local_socket.h"
#include "platform/numa.h"
#include "platform/file.h"
#include "platform/private_file.h"
#include "platform/sandbox.h"
#include "share/board.h"
#include "share/jobserver.h"
#include "share/message.h"

/* No scenario joins by the file. */
void
fg_note(const char *format, ...)
{
	(void)format;
}

struct fg_board *
fg_board_open(const char *runtime_folder, const char **why)
{
	(void)runtime_folder;
	*why = "";
	return NULL;
}

void
fg_board_close(struct fg_board *closed)
{
	(void)closed;
}

bool
fg_sandbox_allows(enum fg_sandbox_call call)
{
	(void)call;
	return true;
}

int
fg_private_nice(void)
{
	return 0;
}

unsigned
fg_numa_nodes(void)
{
	return 1;
}

unsigned
fg_numa_distance(unsigned from, unsigned to)
{
	(void)from;
	(void)to;
	return 0;
}

size_t
fg_file_text(const char *path, char *text, size_t size)
{
	(void)path;
	(void)text;
	(void)size;
	return 0;
}

/* No scenario here has make. */
void
fg_jobserver_find(const char *makeflags)
{
	(void)makeflags;
}

bool
fg_jobserver_open(void)
{
	return false;
}

bool
fg_jobserver_take(char *token)
{
	(void)token;
	return false;
}

bool
fg_jobserver_is_open(void)
{
	return true;
}

bool
fg_jobserver_give(char token)
{
	(void)token;
	return false;
}

struct no_board_line no_board_line;

int
fg_board_folder(const char *runtime_folder, bool makes)
{
	(void)runtime_folder, (void)makes;
	return 3;
}

unsigned
fg_private_user(void)
{
	return 1;
}

int
fg_local_connect(int folder, const char *name)
{
	(void)folder, (void)name;
	return no_board_line.gone ? -1 : 4;
}

bool
fg_local_peer(int socket, unsigned *user, int *process)
{
	(void)socket;
	*user = *process = 1;
	return true;
}

bool
fg_local_is_same(int socket, const struct fg_file_id *id)
{
	(void)socket, (void)id;
	return true;
}

bool
fg_file_identify(int file, struct fg_file_id *id, uint64_t *size)
{
	(void)file, (void)id, (void)size;
	return true;
}

void
fg_file_close(int file)
{
	(void)file;
}

bool
fg_local_send(int socket, const void *sent, size_t size)
{
	struct fg_message message = *(const struct fg_message *)sent;
	(void)socket;
	model_assert(fg_message_for_server(&message, size));
	no_board_line.sent += message.kind == FG_MESSAGE_REQUEST;
	no_board_line.left += message.kind == FG_MESSAGE_LEAVE;
	no_board_line.sequence = message.sequence;
	return true;
}

bool
fg_local_await(int socket, uint64_t ns)
{
	(void)socket, (void)ns;
	return no_board_line.heard != no_board_line.replies;
}

ssize_t
fg_local_receive(int socket, void *to, size_t size)
{
	(void)socket;
	if (no_board_line.heard == no_board_line.replies)
		return no_board_line.gone ? -1 : 0;
	struct fg_message message = fg_message_make(FG_MESSAGE_REPLY);
	message.pus = (uint16_t)no_board_line.pus[no_board_line.heard++];
	message.sequence = no_board_line.sequence;
	*(struct fg_message *)to = message;
	return (ssize_t)size;
}
