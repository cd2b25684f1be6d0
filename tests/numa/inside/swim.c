// Table 3 of Dynamic Thread Pinning (Euro-Par 2013): swim, three stencils on arrays that no cache holds. Members share
// little, and only read it, each region with another partner. By the paper's sum SM each region has a placement of its
// own, with partners on one node. So members leave their pages, and most accesses become remote. The kernel is that of
// bench/papers.d/kernels.c, whose plans (bench/papers.d/pinning.py) are these, for 16 members.
//
// The program writes the pin file, and begins anew with it. Times are not told: on this machine no access takes longer
// because it is remote. Meson builds it, with all of the library in it, because the file needs the machine's digest and
// the regions' names.
// count: yes
// threads: 16
// env: PLAN=compact FGOMP_MEMORY=off HUGE=never
// env: PLAN=SM FGOMP_MEMORY=off HUGE=never
// limit: 60
// again: the emulator stops PUs for long, and then seats become wider for a while
#include <inttypes.h>
#include <omp.h>
#include <string.h>

#include "../../programs/check.h"
#include "../count.h"
#include "exec/ground/options.h"
#include "machine/pin_file.h"
#include "platform/code.h"

enum { MEMBERS = 16, ARRAYS = 5, REGIONS = 3, PORTION = 32768, SHARED = 512, ROUNDS = 4 }; // in numbers of 8 bytes
enum { REMOTE = 10, MOST = 50 };								   // per cent

static double *array[ARRAYS];

// to = from + with, and a little of what the partner has.
static void
stencil(int from, int with, int to, int by)
{
	size_t own = (size_t)omp_get_thread_num() * PORTION, far = (size_t)(omp_get_thread_num() ^ by) * PORTION;
	double sum = 0;
	for (size_t i = 0; i < SHARED; i++)
		sum += array[from][far + i];
	for (size_t i = 0; i < PORTION; i++)
		array[to][own + i] = (array[from][own + i] + array[with][own + i]) / 2 + sum;
}

static void
first(void)
{
#pragma omp parallel
	stencil(0, 1, 2, 12);
}

static void
second(void)
{
#pragma omp parallel
	stencil(2, 3, 4, 8);
}

static void
third(void)
{
#pragma omp parallel
	stencil(4, 0, 1, 4);
}

// What gcc makes of these regions.
void first_outlined(void *) __asm__("first._omp_fn.0");
void second_outlined(void *) __asm__("second._omp_fn.0");
void third_outlined(void *) __asm__("third._omp_fn.0");

static const struct {
	void (*outlined)(void *);
	int by;
} regions[REGIONS] = {{first_outlined, 12}, {second_outlined, 8}, {third_outlined, 4}};

static void
write_layout(FILE *file, const int *order)
{
	for (int member = 0; member < MEMBERS; member++)
		for (int pu = 0; pu < MEMBERS; pu++)
			if (order[pu] == member)
				fprintf(file, " %d", pu);
	fputc('\n', file);
}

// Partners beside each other, pairs in the order of their first members.
static void
write_region(FILE *file, int region)
{
	char name[FG_PIN_NAME];
	int order[MEMBERS], n = 0;
	CHECK(fg_code_name((uintptr_t)regions[region].outlined, name, sizeof name));
	for (int member = 0; member < MEMBERS; member++)
		if (member < (member ^ regions[region].by)) {
			order[n++] = member;
			order[n++] = member ^ regions[region].by;
		}
	fprintf(file, "region = %s", name);
	write_layout(file, order);
}

static void
begin_with(const char *path)
{
	int compact[MEMBERS];
	struct fg_machine *machine = fg_machine_load("", &fg_exec_options.cpus);
	FILE *file = fopen(path, "w");
	CHECK(machine && file);
	for (int i = 0; i < MEMBERS; i++)
		compact[i] = i;
	fprintf(file, "pin = %d\nmachine = %u %016" PRIx64 "\nthreads = %d\ndefault =", FG_PIN_VERSION, machine->n_pus,
		fg_pin_digest(machine), MEMBERS);
	write_layout(file, compact);
	for (int i = 0; i < REGIONS && strcmp(getenv("PLAN"), "SM") == 0; i++)
		write_region(file, i);
	CHECK(fclose(file) == 0);
	setenv("FGOMP_PIN", path, 1);
	execl("/proc/self/exe", "swim", NULL);
	CHECK(false, "it cannot begin anew");
}

int
main(void)
{
	if (!getenv("PLAN") || omp_get_num_procs() != MEMBERS)
		return check_skip("it needs PLAN, and 16 PUs");
	if (!getenv("FGOMP_PIN")) {
		begin_with("/tmp/swim.pin");
		return check_end();
	}
	count_begin();
	for (int i = 0; i < ARRAYS; i++) {
		array[i] = aligned_alloc(4096, sizeof(double) * MEMBERS * PORTION);
		CHECK(array[i]);
		char name[] = {'a', (char)('0' + i), '\0'};
		count_area(name, array[i], sizeof(double) * MEMBERS * PORTION);
	}
	for (int i = 0; i < 200; i++) { // meanwhile all sit down
#pragma omp parallel
		__asm__ volatile("");
	}
#pragma omp parallel
	for (int i = 0; i < ARRAYS; i++)
		memset(array[i] + (size_t)omp_get_thread_num() * PORTION, 0, sizeof(double) * PORTION);
	count_phase("rounds");
	for (int i = 0; i < ROUNDS; i++) {
		first();
		second();
		third();
	}
	count_end();
	if (strcmp(getenv("PLAN"), "SM") == 0)
		count_expect_remote_least("rounds", "*", MOST);
	else
		count_expect_remote("rounds", "*", REMOTE);
	return check_end();
}
