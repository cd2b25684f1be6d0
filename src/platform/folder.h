/* Folders (floor: platform; called by team/boot/names.c). System calls list them, because those of the C library are
 * cancellation points. Nothing is kept. */
#pragma once

/* Calls tell(path, name, arg) for each name in the folder, in no order. It may list another folder. */
void fg_folder_each(const char *path, void (*tell)(const char *path, const char *name, void *arg), void *arg);
