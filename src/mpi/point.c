/* Point: messages between two ranks, and waits for requests (floor: mpi; called by the program). A rank may use these
 * where others call MPI's own, because both sides of a message match in any case. See collective.c for the names. */
#include "mpi/call.h"
#include "mpi/pause.h"

#include <stdbool.h>

/* Tests until the test says yes, or fails. `test` is an expression of MPI, and sets `done`. */
#define UNTIL_DONE(done, test)                                                                                         \
	({                                                                                                             \
		struct fg_mpi_wait wait = {0};                                                                         \
		int error;                                                                                             \
		while ((error = (test)) == MPI_SUCCESS && !(done))                                                     \
			fg_mpi_pause(&wait);                                                                           \
		fg_mpi_wait_ends(&wait);                                                                               \
		error;                                                                                                 \
	})

static int
wait_for(MPI_Request *request, MPI_Status *status)
{
	int done = 0;
	return UNTIL_DONE(done, PMPI_Test(request, &done, status));
}

#define SEND(Name, name)                                                                                               \
	CALL(LARGE(Name), (const void *buffer, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm))        \
	{                                                                                                              \
		MPI_Request request;                                                                                   \
		int error = START(LARGE(name))(buffer, count, type, to, tag, comm, &request);                          \
		return error == MPI_SUCCESS ? wait_for(&request, MPI_STATUS_IGNORE) : error;                           \
	}

#define PLAIN_RECV PLAIN(LARGE(Recv), (void *, COUNT, MPI_Datatype, int, int, MPI_Comm, MPI_Status *))

/* A receive from nobody has a status that MPICH does not give without blocking. A receive that was started must not
 * stay behind where the send is refused. */
#define MESSAGES                                                                                                       \
	SEND(Send, send)                                                                                               \
	SEND(Ssend, ssend)                                                                                             \
	SEND(Rsend, rsend)                                                                                             \
	CALL(LARGE(Recv),                                                                                              \
	     (void *buffer, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status))     \
	{                                                                                                              \
		MPI_Request request;                                                                                   \
		if (from == MPI_PROC_NULL)                                                                             \
			return PLAIN_RECV(buffer, count, type, from, tag, comm, status);                               \
		int error = START(LARGE(recv))(buffer, count, type, from, tag, comm, &request);                        \
		return error == MPI_SUCCESS ? wait_for(&request, status) : error;                                      \
	}                                                                                                              \
	CALL(LARGE(Sendrecv), (const void *out, COUNT n, MPI_Datatype type, int to, int tag, void *in, COUNT in_n,     \
			       MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status))         \
	{                                                                                                              \
		MPI_Request send, receive;                                                                             \
		if (from == MPI_PROC_NULL) {                                                                           \
			PLAIN_RECV(in, in_n, in_type, from, in_tag, comm, status);                                     \
			return LARGE(MPI_Send)(out, n, type, to, tag, comm);                                           \
		}                                                                                                      \
		int error = START(LARGE(recv))(in, in_n, in_type, from, in_tag, comm, &receive);                       \
		if (error != MPI_SUCCESS)                                                                              \
			return error;                                                                                  \
		error = START(LARGE(send))(out, n, type, to, tag, comm, &send);                                        \
		if (error != MPI_SUCCESS)                                                                              \
			take_back(&receive);                                                                           \
		return error == MPI_SUCCESS ? wait_for_both(&receive, &send, status) : error;                          \
	}

static void
take_back(MPI_Request *receive)
{
	if (PMPI_Cancel(receive) == MPI_SUCCESS)
		wait_for(receive, MPI_STATUS_IGNORE);
}

/* Of both errors the first one is told, and both requests are over. */
static int
wait_for_both(MPI_Request *receive, MPI_Request *send, MPI_Status *status)
{
	int error = wait_for(receive, status), sent = wait_for(send, MPI_STATUS_IGNORE);
	return error == MPI_SUCCESS ? sent : error;
}

#define LARGE(name) name
#define COUNT int
MESSAGES
#undef LARGE
#undef COUNT

#if MPI_VERSION >= 4
#define LARGE(name) name##_c
#define COUNT MPI_Count
MESSAGES
#endif

CALL(Wait, (MPI_Request * request, MPI_Status *status))
{
	return wait_for(request, status);
}

CALL(Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]))
{
	int done = 0;
	return UNTIL_DONE(done, PMPI_Testall(n, requests, &done, statuses));
}

CALL(Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status))
{
	int done = 0;
	return UNTIL_DONE(done, PMPI_Testany(n, requests, index, &done, status));
}

/* *n_done is MPI_UNDEFINED where no request is active. */
CALL(Waitsome, (int n, MPI_Request requests[], int *n_done, int indices[], MPI_Status statuses[]))
{
	return UNTIL_DONE(*n_done, PMPI_Testsome(n, requests, n_done, indices, statuses));
}

CALL(Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status))
{
	int done = 0;
	return UNTIL_DONE(done, PMPI_Iprobe(from, tag, comm, &done, status));
}

CALL(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status))
{
	int done = 0;
	return UNTIL_DONE(done, PMPI_Improbe(from, tag, comm, &done, message, status));
}
