/* Objects: the programs and libraries that are mapped (floor: stuck; used by place.c, frame_table.c and tell.c).
 * No call here takes a lock of the C library or allocates. One thread at a time calls it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

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
