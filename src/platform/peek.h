/* Peek: safe reads of this process's memory, and the objects that are mapped there (floor: platform; used by place.c,
 * frame_table.c, unwind.c and the floors above for FGOMP_STUCK).
 *
 * The memory may be freed or unmapped at any moment. The kernel copies it (/proc/self/mem), and refuses where there is
 * none. No call here takes a lock of the C library or allocates. One thread at a time calls it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens it until fg_peek_end. false: the system does not let a process read its own memory. */
bool fg_peek_begin(void);
void fg_peek_end(void);
/* Copies `size` bytes from there; false: some of them cannot be read. */
bool fg_peek(uintptr_t from, void *to, size_t size);

/* A program or library. */
struct fg_object {
	uintptr_t low, high;	       /* where its data and code lie */
	uintptr_t text_low, text_high; /* its code */
	uintptr_t bias;		       /* its address in memory less that in the file */
	uintptr_t unwind_table;	       /* .eh_frame_hdr; 0: none */
	char path[256];
};

/* Looks up which objects there are now. It comes after fg_peek_begin. */
void fg_objects_find(void);
void fg_objects_forget(void);
/* The object that has its code, or (data) anything, at this address; NULL: none. */
const struct fg_object *fg_object_of(uintptr_t address, bool data);
