/* Marks: how a program under QEMU tells the plug-in which part a kernel thread runs (floor: record; made by marks.c,
 * seen by qemu.c). A mark is one harmless instruction, which the plug-in knows by its bytes:
 *
 *     testb $SIGN, 0x46474F4D(%rdi)
 *
 * It loads one byte and changes flags only. The byte is the first one of what the mark tells: MARK_PART a struct
 * fgomp_part, whose region is NULL where there is no part; MARK_CODE a struct mark_code. */
#pragma once
#include <stdint.h>

#include "forestgomp/record.h"

enum { MARK_TAG = 0x46474F4D, MARK_PART = 3, MARK_CODE = 4, MARK_SIZE = 7 };

/* The first six bytes; the sign follows. */
#define MARK_BYTES {0xF6, 0x87, 0x4D, 0x4F, 0x47, 0x46}

/* Accesses by code between these addresses do not count: it is the runtime's. */
struct mark_code {
	uint64_t low, high;
};
