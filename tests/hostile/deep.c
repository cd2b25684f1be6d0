// setgid in the program while members stand deep in their stacks: glibc makes all threads take part, by a signal that
// lands on their stacks. It must not land on the data that a member has there.
// finding: 20
// mode: flat
// mode: nested
#include <alloca.h>

#include "crowd.h"

#define MEMBERS 6
#define ROOM 10000 /* below, for the signal's own frame */
#define DEEP 12000

static atomic_int stand, done;

/* How many bytes of its frame have changed, or -1 if this thread's stack is not known. */
__attribute__((noinline)) static int
stand_deep(int all)
{
	pthread_attr_t attr;
	void *low;
	size_t size;
	char here;

	if (pthread_getattr_np(pthread_self(), &attr) || pthread_attr_getstack(&attr, &low, &size))
		return -1;
	pthread_attr_destroy(&attr);
	size_t depth = &here - (char *)low;
	if (depth > size || depth < ROOM + DEEP)
		return -1;
	volatile unsigned char *frame = alloca(depth - ROOM);
	for (size_t i = 0; i < DEEP; i++)
		frame[i] = (unsigned char)(i * 7 + 1);
	stand++;
	while (atomic_load(&done) == 0 || stand < all)
		;
	int changed = 0;
	for (size_t i = 0; i < DEEP; i++)
		changed += frame[i] != (unsigned char)(i * 7 + 1);
	return changed;
}

static void *
changes_group(void *arg)
{
	while (stand < *(int *)arg)
		usleep(1000);
	for (int i = 0; i < 5; i++) {
		CHECK(setgid(getgid()) == 0);
		usleep(1000);
	}
	done = 1;
	return NULL;
}

int
main(int argc, char **argv)
{
	int nested = argc > 1 && !strcmp(argv[1], "nested"), all = nested ? 4 : MEMBERS - 1, bad = 0, unknown = 0;
	pthread_t thread;

	omp_set_max_active_levels(2);
	pthread_create(&thread, NULL, changes_group, &all);
	if (nested) {
#pragma omp parallel num_threads(2) reduction(+ : bad, unknown)
		{
			int changed = 0;
#pragma omp parallel num_threads(3) reduction(+ : changed, unknown)
			if (omp_get_thread_num()) {
				changed = stand_deep(all);
				unknown += changed < 0;
			}
			bad += changed;
		}
	} else {
#pragma omp parallel num_threads(MEMBERS) reduction(+ : bad, unknown)
		if (omp_get_thread_num()) {
			bad = stand_deep(all);
			unknown = bad < 0;
		}
	}
	pthread_join(thread, NULL);
	CHECK(unknown == 0, "the stacks of %d members are not known", unknown);
	CHECK(bad == 0, "%d bytes of members' variables", bad);
	return check_end();
}
