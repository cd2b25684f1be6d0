// The time from a request to the reply of `forestgomp serve`: bench/share.py runs it. Prints microseconds, one number
// for each request. The next one follows after PAUSE microseconds of sleep.
//   trip SOCKET TIMES PAUSE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "share/message.h"

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

int
main(int argc, char **argv)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct fg_message request = {.magic = FG_MESSAGE_MAGIC, .version = FG_MESSAGE_VERSION}, reply;
	int times = argc == 4 ? atoi(argv[2]) : 0, pause = argc == 4 ? atoi(argv[3]) : 0;
	int file = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (times <= 0 || strlen(argv[1]) >= sizeof at.sun_path) {
		fprintf(stderr, "usage: trip SOCKET TIMES PAUSE\n");
		return 2;
	}
	strcpy(at.sun_path, argv[1]);
	if (connect(file, (struct sockaddr *)&at, sizeof at) != 0) {
		perror("trip: connect");
		return 1;
	}
	request.kind = FG_MESSAGE_REQUEST;
	request.optimal = request.most = 1;
	request.demand = 1000;
	request.weight = 1024;
	request.cpus[0] = 1;
	for (int i = 0; i < times; i++) {
		if (pause)
			usleep(pause);
		else if (i % 500 == 499)
			usleep(100000); // the server takes a thousand messages in so long, and no more
		double begin = now();
		request.sequence++;
		if (send(file, &request, sizeof request, 0) != sizeof request)
			return 1;
		do
			if (recv(file, &reply, sizeof reply, 0) != sizeof reply)
				return 1;
		while (reply.sequence != request.sequence);
		if (pause || i % 500 != 499)
			printf("%.2f\n", now() - begin);
	}
	return 0;
}
