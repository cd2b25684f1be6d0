/* Entry: a program's place on the board (floor: share; called by share.c).
 *
 * An entry of the board tells that its program is active while `stamp` is young. The owner stamps it at each look in a
 * region. A program that ends, is killed, is stopped or replaced by exec is one case: it does not stamp. After LINE_OLD
 * its entry may be taken by another program.
 *
 * A newcomer takes an entry by one compare-and-swap of `taken`, from the word that it has read there to its own. Words
 * of two processes differ, because they hold the process and the time of its joining.
 *
 *     Invariant: at most one process finds its own word in `taken` of an entry, and that is the one that took it last.
 *
 * Proof: only compare-and-swaps change `taken`. A process swaps its word in once, and swaps it out where it leaves. A
 * swap by a process that was overtaken fails, because `taken` has another word by then. So an owner that was stopped
 * for long does not free an entry that is another's. It finds that out at its next look, and takes a new entry.
 *
 * Such an owner may stamp once more between its look at `taken` and its stamp. Then an entry of another program has a
 * stamp or a demand that is wrong until that program's next look. Readers believe it for so long, and lose time only.
 *
 * What an owner tells is one word, so it is never torn. A reader that sees a stamp (acquire) sees what its owner told
 * before it (release). A reader that sees `changes` rise (acquire) sees the entries of the programs that have raised it
 * (release). */
#pragma once
#include <stdbool.h>

#include "machine/cpuset.h"
#include "share/board.h"
#include "share/fair.h"

#define FG_ENTRY_YOUNG_NS 20000000  /* an entry with an older stamp is not active */
#define FG_ENTRY_OLD_NS 10000000000 /* an entry with an older stamp may be taken */
#define FG_ENTRY_NONE FG_BOARD_ENTRIES

/* The word of a process that joins at this time. It is not 0. */
uint64_t fg_entry_word(int process, uint64_t now);
/* Takes an entry, and tells there. Entries whose owners are gone come free. *others: there are further entries. Returns
 * the entry's number, or FG_ENTRY_NONE. */
unsigned fg_entry_take(struct fg_board *board, uint64_t word, uint64_t now, uint64_t told, bool *others);
/* Lets an entry go, if it still belongs to this word. */
void fg_entry_leave(struct fg_board *board, unsigned entry, uint64_t word);
bool fg_entry_is_own(struct fg_board *board, unsigned entry, uint64_t word);
/* Stamps the entry: the program is active. */
void fg_entry_tell(struct fg_board *board, unsigned entry, uint64_t now, const struct fg_fair_entry *told,
		   const struct fg_cpuset *cpus);
/* The active entries of other programs that have PUs of the set, in the order of their numbers. `own`: the caller's
 * entry. *place: as many of them come before it. *others: another program has an entry, active or not. Returns how many
 * active ones there are, at most FG_BOARD_ENTRIES - 1. */
unsigned fg_entry_read(struct fg_board *board, unsigned own, uint64_t now, const struct fg_cpuset *cpus,
		       struct fg_fair_entry *entries, unsigned *place, bool *others);

static inline uint64_t
fg_entry_pack(const struct fg_fair_entry *entry)
{
	return (uint64_t)entry->weight << 32 | entry->demand;
}
/* An entry may hold any bytes. */
struct fg_fair_entry fg_entry_unpack(uint64_t told);
