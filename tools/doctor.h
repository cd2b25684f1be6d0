/* Doctor: findings on what is in the way of a program (command; doctor.c prints what the others find). */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct finding {
	const char *area; /* "libraries", "surroundings" or "variables" */
	const char *key;  /* one word for programs that read it */
	bool in_the_way;
	char *what, *remedy; /* the remedy may be empty */
};

/* Who is looked at. */
struct patient {
	const char *program; /* as it was given; NULL: none */
	const char *python;  /* whose packages count; NULL: none */
	int process;	     /* 0: none */
	char **environment;
	const char *runtime; /* ours; NULL: it was not found */
};

/* Adds a finding. The remedy is one sentence without a capital and a full stop, or "". */
void doctor_find(const char *area, const char *key, bool in_the_way, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Libraries of the program, of the process, or of the Python's packages. */
void doctor_libraries(const struct patient *patient);
void doctor_process(const struct patient *patient);
/* The table of facts (facts.h). Of a process, only those that all processes share. */
void doctor_surroundings(const struct patient *patient);
void doctor_variables(const struct patient *patient);
/* The value in the patient's environment; NULL: it is not set. */
const char *doctor_variable(const struct patient *patient, const char *name);
