/* Board (floor: share): see board.h. */
#include "share/board.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/file.h"
#include "platform/map.h"
#include "platform/private_file.h"

#define MAGIC "FGBOARD2"
#define NAME "forestgomp-2"
#define SIZE sizeof(struct fg_board)
#define TRIES 3 /* another program makes or replaces the file at the same moment */

/* The system gives it as "01234567-89ab-cdef-0123-456789abcdef". {0, 0}: it is not known. */
static void
boot_id(uint64_t id[2])
{
	char text[64];
	unsigned digits = 0;
	id[0] = id[1] = 0;
	fg_file_text("/proc/sys/kernel/random/boot_id", text, sizeof text);
	for (const char *at = text; *at && digits < 32; at++) {
		unsigned digit = *at >= '0' && *at <= '9' ? (unsigned)(*at - '0') : (unsigned)(*at - 'a') + 10;
		if (digit >= 16)
			continue;
		id[digits / 16] = id[digits / 16] << 4 | digit;
		digits++;
	}
}

/* The number of the time namespace; 0: the system has none. */
static uint64_t
clock_space(void)
{
	struct fg_file_reading space;
	if (!fg_file_reading_begin(&space, "/proc/self/ns/time"))
		return 0;
	fg_file_reading_end(&space);
	return space.id.inode;
}

static void
write_header(struct fg_board *board)
{
	board->size = SIZE;
	board->entries = FG_BOARD_ENTRIES;
	board->entry_size = sizeof board->entry[0];
	boot_id(board->boot);
	board->clock = clock_space();
	memcpy(board->magic, MAGIC, sizeof board->magic);
}

/* Maps the file, if it is still the one that was opened. NULL: it is not. */
static struct fg_board *
map(int file)
{
	struct fg_file_id id;
	uint64_t size;
	if (!fg_file_identify(file, &id, &size) || size != SIZE)
		return NULL;
	struct fg_board *board = fg_map_file(file, 0, SIZE);
	if (board && fg_private_is(file, &id, SIZE))
		return board;
	if (board)
		fg_unmap(board, SIZE);
	return NULL;
}

/* NULL: another program was quicker, or it cannot be done: errno. */
static struct fg_board *
make(int folder)
{
	int file = fg_private_new(folder, SIZE);
	if (file < 0)
		return NULL;
	struct fg_board *board = map(file);
	if (board)
		write_header(board);
	if (board && !fg_private_name(folder, file, NAME)) {
		int error = errno;
		fg_unmap(board, SIZE);
		board = NULL;
		errno = error;
	}
	int error = errno;
	fg_file_close(file);
	errno = error;
	return board;
}

enum verdict { GOOD, OLD, BAD };

static bool
has_boot_id(const char **why)
{
	uint64_t boot[2];
	boot_id(boot);
	if (boot[0] || boot[1])
		return true;
	*why = "the boot id of the system is not known";
	return false;
}

/* The header never changes once the file has a name, unless its user writes there. */
static enum verdict
judge(const struct fg_board *board, const char **why)
{
	uint64_t boot[2];
	boot_id(boot);
	if (memcmp(board->magic, MAGIC, sizeof board->magic) != 0 || board->size != SIZE ||
	    board->entries != FG_BOARD_ENTRIES || board->entry_size != sizeof board->entry[0])
		*why = "the file " NAME " is of another kind";
	else if (memcmp(board->boot, boot, sizeof boot) != 0)
		return OLD;
	else if (board->clock != clock_space())
		*why = "the file " NAME " is of another time namespace";
	else
		return GOOD;
	return BAD;
}

/* -1 and *why == NULL: there is no such file now. */
static int
open_file(int folder, const char **why)
{
	int file = fg_private_file(folder, NAME, SIZE);
	if (file < 0 && errno != ENOENT)
		*why = errno == EFBIG	? "the file " NAME " has another size"
		       : errno == EPERM ? "the file " NAME " is not the user's own, or is open to others"
					: "the file " NAME " cannot be opened";
	return file;
}

/* NULL and *why == NULL: there is no such file now, or it was of an earlier boot. removes: one of those goes. */
static struct fg_board *
join(int folder, bool removes, const char **why)
{
	int file = has_boot_id(why) ? open_file(folder, why) : -1;
	if (file < 0)
		return NULL;
	struct fg_board *board = map(file);
	fg_file_close(file);
	if (!board) {
		*why = "the file " NAME " cannot be mapped";
		return NULL;
	}
	enum verdict verdict = judge(board, why);
	if (verdict == GOOD)
		return board;
	fg_unmap(board, SIZE);
	if (verdict == OLD && removes)
		fg_private_remove(folder, NAME);
	return NULL;
}

static struct fg_board *
open_in(int folder, const char **why)
{
	for (int i = 0; i < TRIES; i++) {
		struct fg_board *board = join(folder, true, why);
		if (board || *why)
			return board;
		board = make(folder);
		if (board)
			return board;
		if (errno != EEXIST)
			break;
	}
	*why = "the file " NAME " cannot be made";
	return NULL;
}

int
fg_board_folder(const char *runtime_folder, bool makes)
{
	char path[64];
	int folder = -1;
	if (*runtime_folder == '/')
		folder = fg_private_folder(runtime_folder, false);
	if (folder < 0) {
		snprintf(path, sizeof path, "/dev/shm/forestgomp-%u", fg_private_user());
		folder = fg_private_folder(path, makes);
	}
	return folder;
}

struct fg_board *
fg_board_open(const char *runtime_folder, const char **why)
{
	int saved = errno, folder = fg_board_folder(runtime_folder, true);
	struct fg_board *board = NULL;
	*why = NULL;
	if (folder < 0 && (errno == EMFILE || errno == ENFILE))
		*why = "no file descriptor is left";
	else if (folder < 0)
		*why = "no folder belongs to the user alone: neither $XDG_RUNTIME_DIR nor one in /dev/shm";
	else {
		board = open_in(folder, why);
		fg_file_close(folder);
	}
	errno = saved;
	return board;
}

struct fg_board *
fg_board_find(const char *runtime_folder, const char **why)
{
	int folder = fg_board_folder(runtime_folder, false);
	*why = NULL;
	if (folder < 0)
		return NULL;
	struct fg_board *board = join(folder, false, why);
	fg_file_close(folder);
	return board;
}

bool
fg_board_read(const char *runtime_folder, struct fg_board *copy, const char **why)
{
	int folder = fg_board_folder(runtime_folder, false), file = -1;
	*why = NULL;
	if (folder >= 0) {
		file = has_boot_id(why) ? open_file(folder, why) : -1;
		fg_file_close(folder);
	}
	if (file < 0)
		return false;
	bool whole = fg_file_read_at(file, copy, SIZE, 0) == SIZE;
	fg_file_close(file);
	if (!whole)
		*why = "the file " NAME " cannot be read";
	return whole && judge(copy, why) == GOOD;
}

void
fg_board_close(struct fg_board *board)
{
	fg_unmap(board, SIZE);
}
