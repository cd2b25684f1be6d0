/* Private files: a folder and a file that belong to the user of the process alone, and that programs of this user share
 * (floor: platform; called by share/board.c).
 *
 * No link is followed, and nothing of another user is opened. These are system calls: no thread ends in them, no lock
 * of the C library is taken, and nothing is kept. Another thread of the program may close all files meanwhile, and open
 * others under the same numbers. So callers ask again which file it is before they write to it. Each function sets
 * errno where it fails. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of the user whose rights the process has. */
unsigned fg_private_user(void);
/* Opens a folder of the user, which no one else may enter. make: makes it if it is not there. -1: there is none. */
int fg_private_folder(const char *path, bool make);
/* Opens a file there to read and write. It must be the user's, closed to all others, and have one name and this size.
 * -1: there is none. */
int fg_private_file(int folder, const char *name, uint64_t size);
/* A new file there, without a name, with blocks for this size. -1: there can be none. */
int fg_private_new(int folder, uint64_t size);
/* Gives a new file its name. False, and EEXIST: another program was quicker. */
bool fg_private_name(int folder, int file, const char *name);
/* Takes the name from a file. */
void fg_private_remove(int folder, const char *name);
/* The file is still the same under this number, and has its size. */
struct fg_file_id;
bool fg_private_is(int file, const struct fg_file_id *id, uint64_t size);
/* The nice value of the calling thread. */
int fg_private_nice(void);
