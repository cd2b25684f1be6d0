/* Report: what samples and moves add up to, by region and by mapping (floor: samples; used by sampler.c and repair.c).
 * The sampler writes it, and the end of the program prints it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_order;
struct fg_point;

enum { FG_REPORT_REGIONS = 64 };

/* A number for a region, by its function; the last one stands for all that have no room. */
unsigned char fg_report_region(const void *region);
void fg_report_walk(bool closed);
void fg_report_point(const struct fg_point *point);
void fg_report_order(const struct fg_order *order);
void fg_report_print(bool moves);
/* In the child of a fork: what was the parent's is not told again. */
void fg_report_drop(void);
