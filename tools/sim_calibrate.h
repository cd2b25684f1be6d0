/* Functions that the files of `forestgomp sim --calibrate` share. */
#pragma once
#include "machine/machine.h"

double calibrate_now(void); /* ns */
void calibrate_bind(unsigned cpu);
void calibrate_keep_lowest(double *figure, double value);

/* Measures caches and memory, and prints their lines of the machine file. */
void calibrate_memory(const struct fg_machine *machine);
