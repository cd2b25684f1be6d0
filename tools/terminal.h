/* The terminal: its width, and a line of progress on it (terminal.c). */
#pragma once
#include <stdbool.h>

/* Returns the columns for standard output: COLUMNS, else the terminal's. 0: there is no limit. */
unsigned terminal_columns(void);
unsigned terminal_columns_of(int file);
/* Its lines; 0: they are not known. */
unsigned terminal_rows(void);
/* Standard output is a terminal on which a picture can be drawn in place of the last one. */
bool terminal_redraws(void);
/* Standard error is a terminal that can clear a line. */
bool terminal_shows_status(void);
/* Shows one line on standard error, in place of the last one, cut to the terminal's width. Empty: it clears the
 * line. */
void terminal_status(const char *text);
