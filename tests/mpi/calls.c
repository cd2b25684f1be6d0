/* The calls that libforestgomp-mpi-*.so replaces, in C.
 *
 *   calls results   prints what each gives, on several communicators; a run without the object must print the same
 *   calls errors    prints the class of each error, and how often the handler was called; likewise
 *   calls naps      the first rank is 100 ms late for each, and the last one, which waits for it, must not compute
 *   calls threads   two pthreads call at a time, with MPI_THREAD_MULTIPLE */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 64		/* numbers of a block */
#define RANKS 8		/* at most */
#define LARGE (1 << 18) /* numbers of a message that is not sent before its receiver is there */
#define LATE_NS 100000000

struct shared {
	MPI_Comm comm;
	int rank, size, last;
	int from[RANKS * N], to[RANKS * N];
};

static void
fill(struct shared *s, MPI_Comm comm)
{
	s->comm = comm;
	MPI_Comm_rank(comm, &s->rank);
	MPI_Comm_size(comm, &s->size);
	s->last = s->size - 1;
	for (int i = 0; i < RANKS * N; i++) {
		s->from[i] = (s->rank + 1) * 1000 + i;
		s->to[i] = -1;
	}
}

/* Blocks of different lengths, with gaps. */
static int counts[RANKS], places[RANKS];

static void
lay(int size, int unit)
{
	for (int i = 0, place = 0; i < size; place += (i + 2) * unit, i++) {
		counts[i] = i + 1;
		places[i] = place;
	}
}

static void
barrier(struct shared *s)
{
	MPI_Barrier(s->comm);
}

static void
bcast(struct shared *s)
{
	if (s->rank == 0)
		memcpy(s->to, s->from, N * sizeof(int));
	MPI_Bcast(s->to, N, MPI_INT, 0, s->comm);
}

static void
bcast_strided(struct shared *s)
{
	MPI_Datatype every_other;
	MPI_Type_vector(N / 2, 1, 2, MPI_INT, &every_other);
	MPI_Type_commit(&every_other);
	if (s->rank == 0)
		memcpy(s->to, s->from, N * sizeof(int));
	MPI_Bcast(s->to, 1, every_other, 0, s->comm);
	MPI_Type_free(&every_other);
}

static void
reduce(struct shared *s)
{
	MPI_Reduce(s->from, s->to, N, MPI_INT, MPI_SUM, s->last, s->comm);
}

static void
reduce_in_place(struct shared *s)
{
	memcpy(s->to, s->from, N * sizeof(int));
	MPI_Reduce(s->rank == s->last ? MPI_IN_PLACE : s->to, s->to, N, MPI_INT, MPI_MAX, s->last, s->comm);
}

static void
allreduce(struct shared *s)
{
	MPI_Allreduce(s->from, s->to, N, MPI_INT, MPI_SUM, s->comm);
}

static void
allreduce_in_place(struct shared *s)
{
	memcpy(s->to, s->from, N * sizeof(int));
	MPI_Allreduce(MPI_IN_PLACE, s->to, N, MPI_INT, MPI_BXOR, s->comm);
}

/* Its order counts, but for zeros. */
static void
own(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] = 3 * ((int *)in)[i] + ((int *)inout)[i];
}

static void
allreduce_own(struct shared *s)
{
	MPI_Op op;
	MPI_Op_create(own, 1, &op);
	for (int i = 0; i < N; i++)
		s->from[i] = 0;
	MPI_Allreduce(s->from, s->to, N, MPI_INT, op, s->comm);
	MPI_Op_free(&op);
}

static void
scan(struct shared *s)
{
	MPI_Scan(s->from, s->to, N, MPI_INT, MPI_SUM, s->comm);
}

static void
exscan(struct shared *s)
{
	MPI_Exscan(s->from, s->to, N, MPI_INT, MPI_SUM, s->comm);
}

static void
gather(struct shared *s)
{
	MPI_Gather(s->from, N, MPI_INT, s->to, N, MPI_INT, s->last, s->comm);
}

static void
gatherv(struct shared *s)
{
	lay(s->size, 1);
	MPI_Gatherv(s->from, s->rank + 1, MPI_INT, s->to, counts, places, MPI_INT, s->last, s->comm);
}

static void
scatter(struct shared *s)
{
	MPI_Scatter(s->from, N, MPI_INT, s->to, N, MPI_INT, 0, s->comm);
}

static void
scatterv(struct shared *s)
{
	lay(s->size, 1);
	MPI_Scatterv(s->from, counts, places, MPI_INT, s->to, s->rank + 1, MPI_INT, 0, s->comm);
}

static void
allgather(struct shared *s)
{
	MPI_Allgather(s->from, N, MPI_INT, s->to, N, MPI_INT, s->comm);
}

static void
allgather_in_place(struct shared *s)
{
	memcpy(s->to + s->rank * N, s->from, N * sizeof(int));
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s->to, N, MPI_INT, s->comm);
}

static void
allgatherv(struct shared *s)
{
	lay(s->size, 1);
	MPI_Allgatherv(s->from, s->rank + 1, MPI_INT, s->to, counts, places, MPI_INT, s->comm);
}

static void
alltoall(struct shared *s)
{
	MPI_Alltoall(s->from, N, MPI_INT, s->to, N, MPI_INT, s->comm);
}

static void
alltoallv(struct shared *s)
{
	int in[RANKS], in_places[RANKS];
	lay(s->size, 1);
	for (int i = 0; i < s->size; i++) {
		in[i] = s->rank + 1;
		in_places[i] = i * N;
	}
	MPI_Alltoallv(s->from, counts, places, MPI_INT, s->to, in, in_places, MPI_INT, s->comm);
}

static void
alltoallw(struct shared *s)
{
	int in[RANKS], in_places[RANKS];
	MPI_Datatype types[RANKS];
	lay(s->size, sizeof(int));
	for (int i = 0; i < s->size; i++) {
		in[i] = s->rank + 1;
		in_places[i] = i * N * (int)sizeof(int);
		types[i] = MPI_INT;
	}
	MPI_Alltoallw(s->from, counts, places, types, s->to, in, in_places, types, s->comm);
}

static void
reduce_scatter(struct shared *s)
{
	lay(s->size, 1);
	MPI_Reduce_scatter(s->from, s->to, counts, MPI_INT, MPI_SUM, s->comm);
}

static void
reduce_scatter_block(struct shared *s)
{
	MPI_Reduce_scatter_block(s->from, s->to, N, MPI_INT, MPI_SUM, s->comm);
}

/* A status goes into the result, from place n on. */
static void
note(struct shared *s, int n, MPI_Status *status)
{
	s->to[n] = status->MPI_SOURCE;
	s->to[n + 1] = status->MPI_TAG;
	MPI_Get_count(status, MPI_INT, &s->to[n + 2]);
}

/* The first rank sends. */
static void
recv(struct shared *s)
{
	MPI_Status status;
	if (s->rank == 0)
		MPI_Send(s->from, N, MPI_INT, s->last, 7, s->comm);
	if (s->rank == s->last) {
		MPI_Recv(s->to, 2 * N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &status);
		note(s, 2 * N, &status);
	}
}

/* The last rank sends. */
static void
send_by(struct shared *s, int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm), int n)
{
	int *many = calloc((size_t)n, sizeof(int));
	for (int i = 0; i < n; i++)
		many[i] = s->rank * i;
	if (s->rank == s->last)
		send(many, n, MPI_INT, 0, 3, s->comm);
	if (s->rank == 0) {
		MPI_Recv(many, n, MPI_INT, s->last, 3, s->comm, MPI_STATUS_IGNORE);
		memcpy(s->to, many + n - N, N * sizeof(int));
	}
	free(many);
}

static void
send(struct shared *s)
{
	send_by(s, MPI_Send, LARGE);
}

static void
ssend(struct shared *s)
{
	send_by(s, MPI_Ssend, N);
}

/* The receiver must be there first. */
static void
rsend(struct shared *s)
{
	MPI_Request request = MPI_REQUEST_NULL;
	if (s->rank == 0)
		MPI_Irecv(s->to, N, MPI_INT, s->last, 4, s->comm, &request);
	MPI_Barrier(s->comm);
	if (s->rank == s->last)
		MPI_Rsend(s->from, N, MPI_INT, 0, 4, s->comm);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void
sendrecv(struct shared *s)
{
	MPI_Status status;
	int right = (s->rank + 1) % s->size, left = (s->rank + s->size - 1) % s->size;
	MPI_Sendrecv(s->from, N, MPI_INT, right, 1, s->to, N, MPI_INT, left, 1, s->comm, &status);
	note(s, N, &status);
}

static void
nobody(struct shared *s)
{
	MPI_Status status;
	MPI_Send(s->from, N, MPI_INT, MPI_PROC_NULL, 1, s->comm);
	MPI_Recv(s->to, N, MPI_INT, MPI_PROC_NULL, 1, s->comm, &status);
	note(s, N, &status);
}

static void
probe(struct shared *s)
{
	MPI_Status status;
	MPI_Message message;
	if (s->rank == 0)
		for (int tag = 5; tag < 7; tag++)
			MPI_Send(s->from, tag, MPI_INT, s->last, tag, s->comm);
	if (s->rank == s->last) {
		MPI_Probe(0, 5, s->comm, &status);
		note(s, 2 * N, &status);
		MPI_Recv(s->to, N, MPI_INT, 0, 5, s->comm, MPI_STATUS_IGNORE);
		MPI_Mprobe(0, MPI_ANY_TAG, s->comm, &message, &status);
		note(s, 3 * N, &status);
		MPI_Mrecv(s->to + N, N, MPI_INT, &message, MPI_STATUS_IGNORE);
	}
}

enum way { ALL, ANY, SOME };

/* A persistent receive, a plain one and a missing one, started three times. */
static void
wait_by(struct shared *s, enum way way)
{
	MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status statuses[3];
	int done[3], n = 0, index;
	if (s->rank == s->last)
		MPI_Recv_init(s->to, N, MPI_INT, 0, 8, s->comm, &requests[0]);
	for (int round = 0; round < 3; round++) {
		if (s->rank == s->last) {
			MPI_Start(&requests[0]);
			MPI_Irecv(s->to + N, N, MPI_INT, 0, 9, s->comm, &requests[2]);
		}
		if (s->rank == 0)
			for (int tag = 8; tag < 10; tag++)
				MPI_Send(s->from + round, tag, MPI_INT, s->last, tag, s->comm);
		if (s->rank != s->last)
			continue;
		if (way == ALL)
			MPI_Waitall(3, requests, statuses);
		for (int left = way == ALL ? 0 : 2; left > 0; left -= way == ANY ? 1 : n) {
			if (way == ANY)
				MPI_Waitany(3, requests, &index, statuses);
			else
				MPI_Waitsome(3, requests, &n, done, statuses);
		}
		if (way == ALL)
			note(s, 3 * N, &statuses[2]);
	}
	MPI_Waitany(3, requests, &index, statuses); /* none is active */
	MPI_Waitsome(3, requests, &n, done, statuses);
	s->to[4 * N] = index;
	s->to[4 * N + 1] = n;
	s->to[4 * N + 2] = requests[2] == MPI_REQUEST_NULL;
	MPI_Wait(&requests[0], statuses); /* inactive */
	note(s, 4 * N + 3, statuses);
	if (s->rank == s->last)
		MPI_Request_free(&requests[0]);
}

static void
waitall(struct shared *s)
{
	wait_by(s, ALL);
}

static void
waitany(struct shared *s)
{
	wait_by(s, ANY);
}

static void
waitsome(struct shared *s)
{
	wait_by(s, SOME);
}

static void
wait_collective(struct shared *s)
{
	MPI_Request request;
	MPI_Iallreduce(s->from, s->to, N, MPI_INT, MPI_SUM, s->comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
static void
large_counts(struct shared *s)
{
	MPI_Bcast_c(s->from, N, MPI_INT, 0, s->comm);
	MPI_Allreduce_c(s->from, s->to, N, MPI_INT, MPI_SUM, s->comm);
	if (s->rank == 0)
		MPI_Send_c(s->from, N, MPI_INT, s->last, 7, s->comm);
	if (s->rank == s->last)
		MPI_Recv_c(s->to + N, N, MPI_INT, 0, 7, s->comm, MPI_STATUS_IGNORE);
}
#endif

#define CALL(name) {#name, name}
static const struct {
	const char *name;
	void (*call)(struct shared *s);
} calls[] = {
	CALL(barrier),
	CALL(bcast),
	CALL(bcast_strided),
	CALL(reduce),
	CALL(reduce_in_place),
	CALL(allreduce),
	CALL(allreduce_in_place),
	CALL(allreduce_own),
	CALL(scan),
	CALL(exscan),
	CALL(gather),
	CALL(gatherv),
	CALL(scatter),
	CALL(scatterv),
	CALL(allgather),
	CALL(allgather_in_place),
	CALL(allgatherv),
	CALL(alltoall),
	CALL(alltoallv),
	CALL(alltoallw),
	CALL(reduce_scatter),
	CALL(reduce_scatter_block),
	CALL(recv),
	CALL(send),
	CALL(ssend),
	CALL(rsend),
	CALL(sendrecv),
	CALL(nobody),
	CALL(probe),
	CALL(waitall),
	CALL(waitany),
	CALL(waitsome),
	CALL(wait_collective),
#if MPI_VERSION >= 4
	CALL(large_counts),
#endif
};
#define CALLS (int)(sizeof calls / sizeof *calls)

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
		printf("MISSING\n");
		return;
	}
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, in_thread, &comm[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], &right[i]);
	printf("%s\n", right[0] && right[1] ? "right" : "WRONG");
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
