/* The calls that libforestgomp-mpi-*.so replaces, in C.
 *
 *   calls results   prints what each gives, on several communicators; a run without the object must print the same
 *   calls errors    prints the class of each error, and how often the handler was called; likewise
 *   calls naps      the first rank is 100 ms late for each, and the last one, which waits for it, must not compute
 *   calls threads   two pthreads call at a time, with MPI_THREAD_MULTIPLE */
#include "each_call.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define LATE_NS 100000000

static int rank, size;

/* The first rank prints the results of all. */
static void
tell(const char *what, const void *result, size_t bytes)
{
	unsigned long sum = 14695981039346656037UL, all[64];
	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ ((const unsigned char *)result)[i]) * 1099511628211UL;
	PMPI_Gather(&sum, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
	if (rank != 0)
		return;
	printf("%s", what);
	for (int i = 0; i < size; i++)
		printf(" %lx", all[i]);
	printf("\n");
}

static void
results_on(const char *name, MPI_Comm comm)
{
	static struct shared s;
	char what[100];
	for (int i = 0; i < CALLS; i++) {
		fill(&s, comm);
		MPI_Barrier(MPI_COMM_WORLD); /* a later message must not meet MPI_ANY_SOURCE */
		calls[i].call(&s);
		snprintf(what, sizeof what, "%s %s", name, calls[i].name);
		tell(what, s.to, sizeof s.to);
	}
}

/* Between the ranks below the middle and the others. */
static void
between(void)
{
	MPI_Comm half, both;
	int low = rank < size / 2, from = rank + 1, to = 0;
	MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? size / 2 : 0, 12, &both);
	MPI_Barrier(both);
	MPI_Allreduce(&from, &to, 1, MPI_INT, MPI_SUM, both);
	tell("between allreduce", &to, sizeof to);
	MPI_Bcast(&to, 1, MPI_INT, !low ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, both);
	tell("between bcast", &to, sizeof to);
	MPI_Comm_free(&both);
	MPI_Comm_free(&half);
}

static void
results(void)
{
	MPI_Comm half, reversed;
	results_on("world", MPI_COMM_WORLD);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	results_on("half", half);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
	results_on("reversed", reversed);
	between();
	MPI_Comm_free(&half);
	MPI_Comm_free(&reversed);
}

static int handled;

static void
handler(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	(void)error;
	handled++;
}

static void
told(const char *what, int error)
{
	int class = -1;
	MPI_Error_class(error, &class);
	int result[2] = {class, handled};
	tell(what, result, sizeof result);
	if (rank == 0)
		printf("class %d, handled %d\n", class, handled);
	handled = 0;
}

static void
errors_of(MPI_Comm comm)
{
	int in[4] = {0}, out[4], one = 1;
	MPI_Request requests[2];
	MPI_Status statuses[2] = {0};
	told("count", MPI_Send(in, -1, MPI_INT, rank, 0, comm));
	told("type", MPI_Allreduce(in, out, 1, MPI_DATATYPE_NULL, MPI_SUM, comm));
	told("operation", MPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, comm));
	told("root", MPI_Bcast(in, 1, MPI_INT, 1000, comm));
	told("to", MPI_Send(in, 1, MPI_INT, 1000, 0, comm));
	told("tag", MPI_Send(in, 1, MPI_INT, 0, -5, comm));
	told("from", MPI_Recv(in, 1, MPI_INT, 1000, 0, comm, MPI_STATUS_IGNORE));
	told("sendrecv", MPI_Sendrecv(in, 1, MPI_INT, 1000, 0, out, 1, MPI_INT, rank, 0, comm, MPI_STATUS_IGNORE));
	told("probe", MPI_Probe(1000, 0, comm, MPI_STATUS_IGNORE));
	/* A refused call has left nothing behind. */
	MPI_Sendrecv(&one, 1, MPI_INT, rank, 0, out, 1, MPI_INT, rank, 0, comm, MPI_STATUS_IGNORE);
	told("after", out[0] == 1 ? MPI_SUCCESS : MPI_ERR_OTHER);
	MPI_Isend(in, 4, MPI_INT, rank, 1, comm, &requests[0]);
	int truncated = MPI_Recv(out, 1, MPI_INT, rank, 1, comm, MPI_STATUS_IGNORE);
	handled = 0; /* MPICH calls the handler of MPI_COMM_WORLD where the receive does not block */
	told("truncated", truncated);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Irecv(out, 1, MPI_INT, rank, 2, comm, &requests[0]);
	MPI_Isend(in, 4, MPI_INT, rank, 2, comm, &requests[1]);
	told("waitall", MPI_Waitall(2, requests, statuses));
	told("waitall, first", statuses[0].MPI_ERROR);
	told("wait", MPI_Wait(NULL, MPI_STATUS_IGNORE));
}

static void
errors(void)
{
	MPI_Comm comm;
	MPI_Errhandler ours;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	told("no communicator", MPI_Barrier(MPI_COMM_NULL));
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	errors_of(comm);
	MPI_Comm_create_errhandler(handler, &ours);
	MPI_Comm_set_errhandler(comm, ours);
	errors_of(comm);
	MPI_Comm_free(&comm);
	MPI_Errhandler_free(&ours);
}

static double
cpu_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* These wait for no other rank, or not for the first one. */
static int
waits(const char *name)
{
	return strcmp(name, "nobody") != 0;
}

static void
naps(void)
{
	static struct shared s;
	for (int i = 0; i < CALLS; i++) {
		fill(&s, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
		double begun = MPI_Wtime(), cpu = cpu_ns();
		if (rank == 0)
			nanosleep(&(struct timespec){.tv_nsec = LATE_NS}, NULL);
		calls[i].call(&s);
		double ms = (cpu_ns() - cpu) / 1e6, waited = (MPI_Wtime() - begun) * 1e3;
		if (rank == s.last && waits(calls[i].name))
			printf("%s %s: waited %.0f ms, computed %.1f ms\n", ms < 30 && waited > 90 ? "napped" : "LATE",
			       calls[i].name, waited, ms);
	}
}

/* Each has a communicator of its own. */
static void *
in_thread(void *comm)
{
	static _Thread_local struct shared s;
	for (int round = 0; round < 20; round++)
		for (int i = 0; i < CALLS; i++) {
			if (strcmp(calls[i].name, "gatherv") == 0 || strstr(calls[i].name, "v") ||
			    strstr(calls[i].name, "alltoallw") || strcmp(calls[i].name, "reduce_scatter") == 0)
				continue; /* counts are shared */
			fill(&s, *(MPI_Comm *)comm);
			calls[i].call(&s);
		}
	fill(&s, *(MPI_Comm *)comm);
	allreduce(&s);
	return s.to[0] == s.size * (s.size + 1) / 2 * 1000 ? comm : NULL;
}

static void
in_threads(int got)
{
	MPI_Comm comm[2];
	pthread_t thread[2];
	void *right[2];
	if (got < MPI_THREAD_MULTIPLE) {
		if (rank == 0)
			printf("MISSING\n");
		return;
	}
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, in_thread, &comm[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], &right[i]);
	int mine = right[0] && right[1], all = 0;
	PMPI_Reduce(&mine, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD); /* one rank tells: lines of two may mix */
	if (rank == 0)
		printf("%s\n", all ? "right" : "WRONG");
	for (int i = 0; i < 2; i++)
		MPI_Comm_free(&comm[i]);
}

int
main(int argc, char **argv)
{
	int got = MPI_THREAD_SINGLE;
	const char *mode = argc > 1 ? argv[1] : "";
	if (strcmp(mode, "threads") == 0)
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(mode, "results") == 0)
		results();
	else if (strcmp(mode, "errors") == 0)
		errors();
	else if (strcmp(mode, "naps") == 0)
		naps();
	else if (strcmp(mode, "threads") == 0)
		in_threads(got);
	MPI_Finalize();
	return 0;
}
