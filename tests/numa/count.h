// Tells QEMU's plug-in tools/count_plugin.c which memory to count, and when. Elsewhere it does nothing.
//
// A program calls count_begin, then count_area for each of its arrays. count_phase(NAME) begins a phase, and ends the
// one before; count_end ends the last one. One thread calls them, and no other one uses the areas meanwhile. Names have
// no spaces. count_expect tells what the runner must find, to the last access. count_expect_remote,
// count_expect_remote_least and count_expect_most tell a bound. count_note has a line for the reader.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/mempolicy.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/count_marker.h"

enum { COUNT_ANY = -1, COUNT_NODES = 16 };

__attribute__((aligned(256))) static const char count_letters[256] = {0};
static int count_counts; // is there a runner that counts?

#define COUNT_MARK(sign, at)                                                                                           \
	__asm__ volatile("testb %1, %c2(%0)"                                                                           \
			 :                                                                                             \
			 : "D"((unsigned long)(at) - COUNT_TAG), "i"(sign), "i"(COUNT_TAG)                             \
			 : "cc", "memory")

__attribute__((format(printf, 1, 2))) static inline void
count_say(const char *format, ...)
{
	char line[200];
	va_list list;
	if (!count_counts)
		return;
	va_start(list, format);
	vsnprintf(line, sizeof line, format, list);
	va_end(list);
	for (const char *at = line; *at; at++)
		COUNT_MARK(COUNT_LETTER, count_letters + (unsigned char)*at);
	COUNT_MARK(COUNT_LETTER, count_letters + '\n');
}

// The plug-in learns the memory of each node by one page that the kernel puts there.
static inline void
count_tell_nodes(void)
{
	for (int node = 0; node < COUNT_NODES; node++) {
		unsigned long mask = 1ul << node;
		char *page = (char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			return;
		if (syscall(SYS_mbind, page, 4096ul, MPOL_BIND, &mask, 64ul, 0ul) == 0) {
			*(volatile char *)page = 1;
			count_say("node %d", node);
			COUNT_MARK(COUNT_PAGE, page);
		}
		munmap(page, 4096);
	}
}

static inline void
count_begin(void)
{
	const char *run = getenv("COUNT_RUN");
	count_counts = run != NULL;
	if (!count_counts)
		return;
	count_say("run %s", run);
	count_tell_nodes();
}

static inline void
count_area(const char *name, const void *start, size_t bytes)
{
	count_say("area %s %lx %zu", name, (unsigned long)start, bytes);
}

static inline void
count_phase(const char *name)
{
	count_say("phase %s", name);
}

static inline void
count_end(void)
{
	count_say("end");
}

// In a phase, so many loads and stores of an area by CPUs of a node, of pages on a node. COUNT_ANY: all nodes together.
static inline void
count_expect(const char *phase, const char *area, int cpu_node, int page_node, unsigned long loads,
	     unsigned long stores)
{
	count_say("expect %s %s %d %d %lu %lu", phase, area, cpu_node, page_node, loads, stores);
}

// In a phase, at most so many per cent of the accesses to an area are from another node than that of the page. The area
// "*" stands for all areas together.
static inline void
count_expect_remote(const char *phase, const char *area, int percent)
{
	count_say("expect-remote %s %s %d", phase, area, percent);
}

// In a phase, at least so many per cent are.
static inline void
count_expect_remote_least(const char *phase, const char *area, int percent)
{
	count_say("expect-remote-least %s %s %d", phase, area, percent);
}

// In a phase, no node has pages that get more of the accesses to an area than so many per cent.
static inline void
count_expect_most(const char *phase, const char *area, int percent)
{
	count_say("expect-most %s %s %d", phase, area, percent);
}

#define count_note(...) count_say("note " __VA_ARGS__)
