/* Message (floor: share): see message.h. */
#include "share/message.h"

#include <string.h>

#include "share/fair.h"

struct fg_message
fg_message_make(enum fg_message_kind kind)
{
	return (struct fg_message){.magic = FG_MESSAGE_MAGIC, .version = FG_MESSAGE_VERSION, .kind = (uint16_t)kind};
}

static bool
is_one(const struct fg_message *message, size_t size)
{
	static const uint8_t zero[sizeof message->free];
	return size >= sizeof *message && message->magic == FG_MESSAGE_MAGIC &&
	       message->version == FG_MESSAGE_VERSION && memcmp(message->free, zero, sizeof zero) == 0;
}

static bool
is_request(const struct fg_message *message)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		any |= message->cpus[i];
	return any && message->optimal >= 1 && message->optimal <= message->most && message->most <= FG_BOARD_PUS &&
	       message->demand <= FG_BOARD_PUS * 1000 && message->outside <= FG_BOARD_PUS * 1000 &&
	       message->weight >= FG_FAIR_LIGHTEST && message->weight <= FG_FAIR_HEAVIEST;
}

bool
fg_message_for_server(const struct fg_message *message, size_t size)
{
	if (!is_one(message, size) || size != sizeof *message)
		return false;
	return message->kind == FG_MESSAGE_REQUEST
		       ? is_request(message)
		       : message->kind == FG_MESSAGE_LEAVE || message->kind == FG_MESSAGE_ASK;
}

bool
fg_message_for_program(const struct fg_message *message, size_t size)
{
	if (!is_one(message, size))
		return false;
	if (message->kind == FG_MESSAGE_TABLE)
		return message->rows <= FG_MESSAGE_ROWS &&
		       size == sizeof *message + message->rows * sizeof(struct fg_message_row);
	return message->kind == FG_MESSAGE_REPLY && size == sizeof *message && message->pus >= 1 &&
	       message->pus <= FG_BOARD_PUS;
}
