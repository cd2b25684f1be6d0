/* Each call that libforestgomp-mpi-*.so replaces, with data: calls.c makes all of them in turn. A call puts all that it
 * gives into `to`. */
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define N 64		/* numbers of a block */
#define RANKS 8		/* at most */
#define LARGE (1 << 18) /* numbers of a message that is not sent before its receiver is there */

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
