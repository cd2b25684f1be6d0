/* Checks the promises of machine.h about a machine's tree. */
#pragma once
struct fg_machine;
void topology_check(const struct fg_machine *machine);
