/* Entry: a program's place on the board (floor: share; called by share.c and the command).
 *
 * An entry of the board tells that its program is active while `stamp` is young. The owner stamps it at each look in a
 * region. A program that ends, is killed, is stopped or replaced by exec is one case: it does not stamp. After
 * FG_ENTRY_OLD_NS its entry may be taken by another program.
 *
 * A newcomer frees an old entry, stamps the free one, and takes it: a compare-and-swap of `taken` from 0 to its own
 * word. Words of two processes differ, because they hold the process and the time of its joining.
 *
 *     Invariant 1: at most one process finds its own word in `taken` of an entry: the one that took it last.
 *     Invariant 2: a process loses its entry only after it has not stamped for FG_ENTRY_OLD_NS.
 *
 * A program that comes to rest frees old entries, too, but only those whose processes are gone. Else it would have to
 * look in each of its regions until a newcomer comes. A process of another name space may seem to be gone, and loses
 * its old entry, as it would to a newcomer.
 *
 * Proof of 1: only compare-and-swaps change `taken`. A process swaps its word in once, and swaps it out where it
 * leaves. A swap by a process that was overtaken fails, because `taken` has another word by then. So an owner that was
 * stopped for long does not free an entry that is another's. It finds that out at its next look, and takes a new one.
 * Proof of 2: the stamp comes before the word (release). A newcomer that reads the word (acquire) sees this stamp or a
 * later one. If the entry was freed and taken meanwhile, its swap fails.
 *
 * A newcomer that comes too late, or an owner that was stopped just after it had looked at `taken`, may write a stamp
 * and a demand to the entry of another program. These are wrong until that program's next look, and cost time only.
 *
 * `forestgomp limit` writes one word: the number of PUs, and the low 48 bits of the owner's word. The owner honours it
 * only where these are its own. So a limit that comes too late never holds back the next owner of the entry, and nobody
 * needs to reset it. Then `changes` rises (release): an owner that sees that (acquire) sees this limit or a later one.
 * An owner that has lost its entry reads the old one once more, and brings its limit to the new one.
 *
 * The set is several words, so a reader may see a part of an old one and a part of a new one. It is its owner's wish. A
 * reader that was misled has PUs in common with the owner, or leaves some alone, and sees the whole set at its next
 * look. An owner that takes an entry clears the set of the one before. Until then that set counts.
 *
 * What an owner needs is one word, so that is never torn. A reader that sees a stamp (acquire) sees what was told
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
/* Frees the entries of other programs that are old, and whose processes are gone. Returns whether others are left. */
bool fg_entry_free_gone(struct fg_board *board, unsigned own, uint64_t now, bool (*is_gone)(int process));
/* Lets an entry go, if it still belongs to this word. */
void fg_entry_leave(struct fg_board *board, unsigned entry, uint64_t word);
bool fg_entry_is_own(struct fg_board *board, unsigned entry, uint64_t word);
/* Stamps the entry: the program is active. */
void fg_entry_tell(struct fg_board *board, unsigned entry, uint64_t now, const struct fg_fair_entry *told,
		   const struct fg_cpuset *cpus);
/* The owner's stamp alone: the program stops being active, or is active again, and has told what it needs before. */
void fg_entry_stamp(struct fg_board *board, unsigned entry, uint64_t stamp);
/* What came out at a look, for people. Each number is at most 65535. */
struct fg_entry_look {
	unsigned granted, wanted, pus; /* PUs: it may use them; it could keep them busy; it has them if it is alone */
	bool bound;		       /* it gives nothing away */
	bool served;		       /* it has `granted` from the server */
};
void fg_entry_show(struct fg_board *board, unsigned entry, const struct fg_entry_look *look, uint64_t used,
		   uint64_t lost);
/* The owner of this word may use so many PUs from its next look on; 0: any number. False: the entry is no more its own.
 * Any process may call it. */
bool fg_entry_limit(struct fg_board *board, unsigned entry, uint64_t word, unsigned pus);
/* What the owner of this word was limited to; `before`: nobody has told it here. */
unsigned fg_entry_limit_of(struct fg_board *board, unsigned entry, uint64_t word, unsigned before);
/* An active entry of another program that has PUs of the set, and does not get them from a server. */
bool fg_entry_is_unserved(struct fg_board *board, unsigned own, uint64_t now, const struct fg_cpuset *cpus);
/* Its program has some of these PUs. */
bool fg_entry_has_of(struct fg_board *board, unsigned entry, const struct fg_cpuset *cpus);
/* The owner's set of PUs, by the kernel's numbers; empty: it has none. */
void fg_entry_tell_set(struct fg_board *board, unsigned entry, const struct fg_cpuset *set);
/* The PUs in the sets of other active programs; lower: of those with lower entries than `own`. */
void fg_entry_read_sets(struct fg_board *board, unsigned own, uint64_t now, struct fg_cpuset *lower,
			struct fg_cpuset *others);
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
static inline uint64_t
fg_entry_look_pack(const struct fg_entry_look *look)
{
	return (uint64_t)look->served << 49 | (uint64_t)look->bound << 48 | (uint64_t)(uint16_t)look->pus << 32 |
	       (uint64_t)(uint16_t)look->wanted << 16 | (uint16_t)look->granted;
}
/* An entry may hold any bytes. */
struct fg_fair_entry fg_entry_unpack(uint64_t told);
/* Its program is active: it has looked just now. */
bool fg_entry_is_active(uint64_t stamp, uint64_t now);
