/* Board: the file by which the programs of a user know of each other (floor: share; called by share.c, entry.c
 * and the command).
 *
 * Its name is forestgomp-2, and it lies in $XDG_RUNTIME_DIR, or else in /dev/shm/forestgomp-UID. Each program maps it,
 * writes its own entry and reads those of others. It holds no lock and no pointer, and nobody waits for anything in it.
 * A wrong word costs time, never correctness: a PU is used by two programs for some milliseconds, or by none.
 *
 * The set of an entry has a bit for each PU, as `cpus` has. So programs need not agree on the levels of the machine. It
 * takes two lines of the cache more, which are read only where there are several domains. The version before had no
 * sets, and its file another name.
 *
 * The file is whole before it has a name. So no program sees a part of it, and none waits for its maker.
 *
 * Any user of the file may write any bytes there. Each word is checked where it is read. The one thing that ends
 * programs is a file that gets shorter (SIGBUS): the same user could as well kill them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

#define FG_BOARD_ENTRIES 252
#define FG_BOARD_PUS 1024
#define FG_BOARD_FOLDER 128 /* a longer $XDG_RUNTIME_DIR does not count */

/* One program. `taken` is changed by compare-and-swap only (entry.h). `limit` is written by `forestgomp limit`. The
 * owner alone writes the rest. `used` and `lost` are for people, and so is
 * `look` but for one bit: beside a program that has no server the smaller of two shares counts. */
struct fg_board_entry {
	struct fg_atomic_u64 taken; /* 0: free; else the owner's word: its process in the low half, for people */
	struct fg_atomic_u64 stamp; /* CLOCK_MONOTONIC at the owner's last look in a region, ns */
	struct fg_atomic_u64 told;  /* low half: PUs that it could keep busy, in thousandths; high half: weight */
	struct fg_atomic_u64 look;  /* what came out at the owner's last look, in four parts of 16 bits (entry.h) */
	struct fg_atomic_u64 used;  /* ns of PUs since the owner came: granted ones that it could keep busy */
	struct fg_atomic_u64 lost;  /* the same of PUs that it could keep busy, and that were not granted */
	struct fg_atomic_u64 limit; /* low 16 bits: PUs that it may use at most, 0: any; the rest names the owner */
	uint8_t free[72];
	struct fg_atomic_u64 cpus[FG_BOARD_PUS / 64]; /* its PUs, by the kernel's numbers */
	struct fg_atomic_u64 set[FG_BOARD_PUS / 64];  /* those of them that it has chosen (own_set.h); none: no set */
};

struct fg_board {
	char magic[8];
	uint32_t size;
	uint16_t entries, entry_size;
	uint64_t boot[2];	      /* the system's boot id: a file that is older is made anew */
	struct fg_atomic_u32 changes; /* rises where a program becomes active: the one word that waiting workers read */
	struct fg_atomic_u32 used;    /* entries from here on have never been taken */
	uint64_t clock;		      /* the time namespace: clocks of another one are not comparable */
	uint8_t free[1488];
	struct fg_board_entry entry[FG_BOARD_ENTRIES];
};

_Static_assert(sizeof(struct fg_board_entry) == 384 && offsetof(struct fg_board_entry, cpus) == 128, "it is in a file");
_Static_assert(sizeof(struct fg_board) == 98304 && offsetof(struct fg_board, changes) == 32, "it is in a file");
_Static_assert(offsetof(struct fg_board, entry) == 1536, "it is in a file");

/* Opens the board, or makes it. `runtime_folder`: $XDG_RUNTIME_DIR, or "". NULL: there is none, and *why says the
 * reason. The caller is outside the runtime and holds no lock. */
struct fg_board *fg_board_open(const char *runtime_folder, const char **why);
/* The same for `forestgomp limit`: the board is not made. NULL and *why == NULL: there is none. */
struct fg_board *fg_board_find(const char *runtime_folder, const char **why);
/* Copies the bytes for `forestgomp top`, which writes none, and which no shorter file ends. The words are those of one
 * moment only one by one. False: as above. */
bool fg_board_read(const char *runtime_folder, struct fg_board *copy, const char **why);
/* Opens the folder of the board. -1: there is none; `makes`: that in /dev/shm is made. */
int fg_board_folder(const char *runtime_folder, bool makes);
/* Takes the mapping away. No other thread uses it. */
void fg_board_close(struct fg_board *board);
