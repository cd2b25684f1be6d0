/* More members than CPUs wait for each other: each for all that come after it, and the last begins. So the member that
 * runs first waits longest, and the runtime must see to it that the others run. */
#pragma once
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "skip.h"

#define CROWD_MAX 32

enum crowd_kind { CROWD_SPIN, CROWD_COND, CROWD_SEM, CROWD_READ };

struct crowd {
	int size;
	enum crowd_kind kind;
	atomic_int turn;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	sem_t sem[CROWD_MAX + 1];
	int link[CROWD_MAX + 1][2];
};

/* Another word needs no crowd, and counts as spin. */
static enum crowd_kind
crowd_kind(const char *word)
{
	return !strcmp(word, "cond")   ? CROWD_COND
	       : !strcmp(word, "sem")  ? CROWD_SEM
	       : !strcmp(word, "read") ? CROWD_READ
				       : CROWD_SPIN;
}

__attribute__((unused)) static void
crowd_begin(struct crowd *crowd, const char *kind, int size)
{
	crowd->size = size;
	crowd->kind = crowd_kind(kind);
	crowd->turn = 0;
	pthread_mutex_init(&crowd->mutex, NULL);
	pthread_cond_init(&crowd->cond, NULL);
	for (int i = 0; i <= size; i++) {
		sem_init(&crowd->sem[i], 0, 0);
		if (crowd->kind == CROWD_READ)
			CHECK(pipe(crowd->link[i]) == 0);
	}
}

__attribute__((unused)) static void
crowd_end(struct crowd *crowd)
{
	for (int i = 0; i <= crowd->size; i++) {
		sem_destroy(&crowd->sem[i]);
		if (crowd->kind == CROWD_READ) {
			close(crowd->link[i][0]);
			close(crowd->link[i][1]);
		}
	}
}

static void
crowd_wait(struct crowd *crowd, int me)
{
	char c;

	switch (crowd->kind) {
	case CROWD_SPIN:
		while (atomic_load(&crowd->turn) < crowd->size - 1 - me)
			;
		break;
	case CROWD_COND:
		pthread_mutex_lock(&crowd->mutex);
		while (atomic_load(&crowd->turn) < crowd->size - 1 - me)
			pthread_cond_wait(&crowd->cond, &crowd->mutex);
		pthread_mutex_unlock(&crowd->mutex);
		break;
	case CROWD_SEM:
		if (me < crowd->size - 1)
			while (sem_wait(&crowd->sem[me + 1]))
				;
		break;
	case CROWD_READ:
		if (me < crowd->size - 1)
			while (read(crowd->link[me + 1][0], &c, 1) != 1)
				;
	}
}

/* The work of member `me`: true if it had its turn in the order. */
__attribute__((unused)) static int
crowd_member(struct crowd *crowd, int me)
{
	crowd_wait(crowd, me);
	pthread_mutex_lock(&crowd->mutex);
	int turn = atomic_fetch_add(&crowd->turn, 1);
	pthread_cond_broadcast(&crowd->cond);
	pthread_mutex_unlock(&crowd->mutex);
	sem_post(&crowd->sem[me]);
	if (crowd->kind == CROWD_READ)
		CHECK(write(crowd->link[me][1], "x", 1) == 1);
	return turn == crowd->size - 1 - me;
}

/* Flat regions of `size` members, then nested ones of size / 2. */
__attribute__((unused)) static void
crowd_regions(const char *kind, int size, int rounds)
{
	for (int round = 0; round < rounds; round++) {
		struct crowd crowd;
		int bad = 0;

		crowd_begin(&crowd, kind, size);
#pragma omp parallel num_threads(size) reduction(+ : bad)
		bad = !crowd_member(&crowd, omp_get_thread_num());
		CHECK(bad == 0, "%s, flat: %d", kind, bad);
		crowd_end(&crowd);
	}
	omp_set_max_active_levels(2);
	for (int round = 0; round < rounds; round++) {
		int bad = 0;

#pragma omp parallel num_threads(2) reduction(+ : bad)
		{
			struct crowd crowd;
			int wrong = 0;

			crowd_begin(&crowd, kind, size / 2);
#pragma omp parallel num_threads(size / 2) reduction(+ : wrong)
			wrong = !crowd_member(&crowd, omp_get_thread_num());
			crowd_end(&crowd);
			bad = wrong;
		}
		CHECK(bad == 0, "%s, nested: %d", kind, bad);
	}
}
