// The data that a copy function makes for a task is right and aligned, of any size, whether the task runs at once or is
// deferred. The program calls GOMP_task as gcc's code does, because gcc makes copy functions only for some types.
// threads: 1 2 8
// env: -
// env: OMP_CANCELLATION=true
// env: OMP_STACKSIZE=64K
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
	       unsigned flags, void **depend, int priority, void *detach);

enum { FINAL = 2, DEPEND = 8, MOST = 5000 };

struct head {
	uint32_t size, align, seed, copied;
	int *ran;
};

static unsigned char
byte_of(const struct head *head, unsigned i)
{
	return (unsigned char)(head->seed + i * 7);
}

static void
body(void *data)
{
	struct head *head = data;
	const unsigned char *rest = (unsigned char *)(head + 1);
	CHECK((uintptr_t)data % head->align == 0, "%u", head->align);
	for (unsigned i = 0; i < head->size - sizeof *head; i++)
		if (rest[i] != byte_of(head, i)) {
			CHECK(false, "byte %u of %u", i, head->size);
			break;
		}
	__atomic_fetch_add(head->ran, head->copied ? 100 : 1, __ATOMIC_RELAXED);
	memset(data, 0, head->size); /* the creator's data stays */
}

static void
copy(void *to, void *from)
{
	memcpy(to, from, ((struct head *)from)->size);
	((struct head *)to)->copied = 1;
}

static void
make(unsigned size, unsigned align, bool if_clause, unsigned flags)
{
	static __thread _Alignas(1024) unsigned char block[MOST];
	struct head *head = (struct head *)block;
	void *depend[] = {(void *)1, (void *)1, block};
	int ran = 0;

	*head = (struct head){size, align, size + align + omp_get_thread_num(), 0, &ran};
	for (unsigned i = 0; i < size - sizeof *head; i++)
		block[sizeof *head + i] = byte_of(head, i);
#pragma omp taskgroup
	{
		GOMP_task(body, block, copy, size, align, if_clause, flags, depend, 0, NULL);
		GOMP_task(body, block, copy, size, align, if_clause, flags, depend, 0, NULL);
	}
	CHECK(ran == 200, "%d tasks of %u bytes", ran, size);
	CHECK(head->size == size && !head->copied && size >= sizeof *head);
}

static void
all(void)
{
	static const unsigned sizes[] = {sizeof(struct head), 200, 255, 256, 257, 700, 767, 768, 769, 2000, MOST};

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (unsigned align = 8; align <= 1024; align *= 4)
			for (unsigned flags = 0; flags <= (FINAL | DEPEND); flags += 2)
				if (flags == (flags & (FINAL | DEPEND))) {
					make(sizes[i], align, true, flags);
					make(sizes[i], align, false, flags);
				}
}

int
main(void)
{
	all();
#pragma omp parallel
	all();
#pragma omp parallel
#pragma omp single
#pragma omp task final(1)
	all();
	return check_end();
}
