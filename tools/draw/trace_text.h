/* The text in a trace: names of functions, and modules (command; trace_read.c uses it). */
#pragma once
#include "draw/trace_read.h"

/* Read the lines of a block of texts, of names or of modules into the trace, which then points into `text`. NULL: there
 * is no text. */
void fg_trace_text_said(struct fg_trace *trace, char *text);
void fg_trace_text_names(struct fg_trace *trace, char *text);
void fg_trace_text_modules(struct fg_trace *trace, char *text);
