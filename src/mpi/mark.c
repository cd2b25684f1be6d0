/* Mark (floor: mpi): see mark.h. */
#include "mpi/mark.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Open MPI, MPICH, Slurm. */
static const char *const place_names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
static const char *const size_names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};

static bool
number_of(const char *text, unsigned *number)
{
	char *end;
	if (!text || *text < '0' || *text > '9')
		return false;
	unsigned long value = strtoul(text, &end, 10);
	*number = (unsigned)value;
	return !*end && value < 100000;
}

static bool
number_among(const char *const *names, unsigned n, unsigned *number)
{
	for (unsigned i = 0; i < n; i++)
		if (number_of(getenv(names[i]), number))
			return true;
	return false;
}

/* srun tells how many ranks there are here only where all are here. */
bool
fg_mpi_place(unsigned *own, unsigned *n)
{
	const char *nodes = getenv("SLURM_STEP_NUM_NODES");
	*n = 0;
	if (!number_among(place_names, sizeof place_names / sizeof *place_names, own))
		return false;
	return number_among(size_names, sizeof size_names / sizeof *size_names, n) ||
	       (nodes && strcmp(nodes, "1") == 0 && number_of(getenv("SLURM_STEP_NUM_TASKS"), n));
}

/* The environment of a process has one of the names. */
static bool
is_of_a_rank(int process)
{
	char path[64], *entry = NULL;
	size_t room = 0;
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/environ", process);
	FILE *file = fopen(path, "re");
	while (file && !found && getdelim(&entry, &room, '\0', file) > 0)
		for (unsigned i = 0; i < sizeof place_names / sizeof *place_names; i++) {
			size_t length = strlen(place_names[i]);
			found |= strncmp(entry, place_names[i], length) == 0 && entry[length] == '=';
		}
	free(entry);
	if (file)
		fclose(file);
	return found;
}

static int
parent_of(int process)
{
	char path[64], text[512];
	int parent = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", process);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	size_t n = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[n] = '\0';
	const char *rest = strrchr(text, ')'); /* the command's name may hold anything */
	return rest && sscanf(rest + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* The next forefather that is no rank, nor a script in its place. */
static int
launcher(void)
{
	static int found;
	for (int process = getppid(); !found; process = parent_of(process))
		if (process <= 1 || !is_of_a_rank(process))
			found = process > 0 ? process : 1;
	return found;
}

/* Returns the length of the address. Its name begins with a zero byte, so it is in no file system. */
static socklen_t
address_of(unsigned place, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	const char *job = getenv("PMIX_NAMESPACE"); /* programs that a rank has spawned have the same launcher */
	int n = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "forestgomp-mpi-%d-%d-%u-%.50s",
			 (int)getuid(), launcher(), place, job ? job : "");
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* Calls bind or connect with the address of the place. Returns the socket; -1: refused, and errno tells why. */
static int
socket_of(unsigned place, int (*call)(int, const struct sockaddr *, socklen_t))
{
	struct sockaddr_un address;
	socklen_t length = address_of(place, &address);
	int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (file >= 0 && call(file, (const struct sockaddr *)&address, length) != 0) {
		int error = errno;
		close(file);
		errno = error;
		file = -1;
	}
	return file;
}

bool
fg_mpi_mark_leave(unsigned own)
{
	return socket_of(own, bind) >= 0 || errno == EADDRINUSE; /* open until the process ends */
}

bool
fg_mpi_mark_is_there(unsigned place)
{
	int file = socket_of(place, connect);
	if (file < 0)
		return errno != ECONNREFUSED;
	close(file);
	return true;
}
