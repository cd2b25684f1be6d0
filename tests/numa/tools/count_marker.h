// How a program speaks to count_plugin.c: by one harmless instruction, which QEMU's plug-in knows by its bytes.
//
//     testb $SIGN, 0x46474F4D(%rdi)
//
// It loads one byte and changes flags only. Its address is what the program says:
//   * COUNT_LETTER: the address is that of a byte in a table of 256, whose low eight bits are a letter. A newline ends
//     the line. Lines are those of enum count_words, in words.
//   * COUNT_PAGE: the page at the address lies on the node that the last line named.
#pragma once

enum { COUNT_TAG = 0x46474F4D, COUNT_LETTER = 1, COUNT_PAGE = 2, COUNT_SIZE = 7 };

// The first six bytes; the sign follows.
static const unsigned char count_marker[] = {0xF6, 0x87, 0x4D, 0x4F, 0x47, 0x46};
