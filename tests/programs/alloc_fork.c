// A fork while other threads use allocators and the notes of Fortran blocks: the child may use both.
// limit: 40
// stock: fails (gcc 12 has neither pinned allocators nor these notes)
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

void GOMP_add_alloc(void *block) __attribute__((weak));
bool GOMP_is_alloc(void *block) __attribute__((weak));

static omp_allocator_handle_t handle;
static int stop;

static void
use(void)
{
	char *block[8];
	for (int i = 0; i < 8; i++) {
		block[i] = omp_alloc(100, handle);
		CHECK(block[i]);
		memset(block[i], i, 100);
		GOMP_add_alloc(block[i]);
	}
	for (int i = 0; i < 8; i++) {
		CHECK(block[i][0] == i && block[i][99] == i);
		CHECK(GOMP_is_alloc(block[i]));
		CHECK(!GOMP_is_alloc(block[i]));
		omp_free(block[i], handle);
	}
}

static void *
go_on(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		use();
	return unused;
}

int
main(void)
{
	omp_alloctrait_t traits[] = {{omp_atk_pinned, omp_atv_true}};
	handle = omp_init_allocator(omp_default_mem_space, 1, traits);
	CHECK(handle != omp_null_allocator);
	pthread_t thread[3];
	for (int i = 0; i < 3; i++)
		CHECK(pthread_create(&thread[i], NULL, go_on, NULL) == 0);
	for (int i = 0; i < 300; i++) {
		pid_t child = fork();
		if (child == 0) {
			check_alarm();
			for (int j = 0; j < 20; j++)
				use();
			_exit(check_failures != 0);
		}
		int status = -1;
		CHECK(waitpid(child, &status, 0) == child && status == 0, "fork %d: status %x", i, status);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	omp_destroy_allocator(handle);
	return check_end();
}
