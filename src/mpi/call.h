/* Call: how a call of MPI is wrapped (floor: mpi; included by collective.c, point.c, agreement.c). */
#pragma once
#include <dlfcn.h>
#include <mpi.h>

/* Begins the function of both names: CALL(Send, (parameters)) { body } */
#define CALL(name, parameters) CALL_(name, parameters)
#define CALL_(name, parameters)                                                                                        \
	int MPI_##name parameters __attribute__((visibility("default")));                                              \
	int PMPI_##name parameters __attribute__((visibility("default"), alias("MPI_" #name)));                        \
	int MPI_##name parameters

/* MPI's own call. It is found once, and finding it again gives the same. */
#define PLAIN(name, parameters) PLAIN_(name, parameters)
#define PLAIN_(name, parameters)                                                                                       \
	((int(*) parameters)({                                                                                         \
		static void *plain;                                                                                    \
		void *found = __atomic_load_n(&plain, __ATOMIC_RELAXED);                                               \
		if (!found)                                                                                            \
			__atomic_store_n(&plain, found = dlsym(RTLD_NEXT, "PMPI_" #name), __ATOMIC_RELAXED);           \
		found;                                                                                                 \
	}))
/* The same without blocking: START(send) is PMPI_Isend. */
#define START(name) START_(name)
#define START_(name) PMPI_I##name
