// One thread fills an array, and then all threads sweep over it, each over its own part, again and again. Without a
// hint, all pages lie on the first thread's node. Does anything bring them to their threads, and how soon?
// count: yes
// threads: 16
// env: FGOMP_MEMORY=off OMP_PROC_BIND=true OMP_PLACES=threads
// env: FGOMP_MEMORY=off SWEEPS=60 EACH=10 BALANCING=1 OMP_WAIT_POLICY=passive
// limit: 60
#include "nodes.h"

#include "count.h"
#include <stdbool.h>
#include <string.h>

// The environment may set the array's MiB, the number of sweeps, how many of them are a phase, and whether the pages
// are small where the kernel prefers huge ones.
static size_t mib = 32, sweeps = 8, each = 4, small;

enum { LINE = 64, STRIDE = LINE / sizeof(double) };

static double *array;
static size_t lines;

static size_t
setting(const char *name, size_t preset)
{
	const char *text = getenv(name);
	return text ? strtoul(text, NULL, 10) : preset;
}

// One word of each line, because memory moves by lines.
static void
sweep(void)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < lines; i++)
		array[i * STRIDE] += 1;
}

static size_t
begin_phase(size_t number)
{
	char name[32];
	if (number % each == 0) {
		snprintf(name, sizeof name, "sweep%zu", number + 1);
		count_phase(name);
	}
	return number;
}

// What is certain of the last phase: who swept what. If all threads are bound and no page may move, also from which
// nodes.
static void
expect(bool pages_stay, int home)
{
	char name[32];
	unsigned long uses = lines * each;
	snprintf(name, sizeof name, "sweep%zu", sweeps - each + 1);
	count_expect("fill", "array", COUNT_ANY, COUNT_ANY, 0, lines);
	count_expect(name, "array", COUNT_ANY, COUNT_ANY, uses, uses);
	for (int node = 0; pages_stay && node < 4; node++)
		count_expect(name, "array", node, home, uses / 4, uses / 4);
}

int
main(void)
{
	mib = setting("MIB", mib);
	sweeps = setting("SWEEPS", sweeps);
	each = setting("EACH", each);
	small = setting("SMALL", 0);
	lines = (mib << 20) / LINE;
	array = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(array != MAP_FAILED && sweeps % each == 0);
	CHECK(!small || madvise(array, mib << 20, MADV_NOHUGEPAGE) == 0);
	count_begin();
	count_area("array", array, mib << 20);
	count_phase("fill");
	for (size_t i = 0; i < lines; i++)
		array[i * STRIDE] = 1;
	int home = -1;
	nodes_of((char *)array, 1, &home);
	long moved = pages_moved();
	double begun = check_now();
	for (size_t i = 0; i < sweeps; i++) {
		begin_phase(i);
		sweep();
	}
	count_end();
	expect(getenv("OMP_PROC_BIND") && !getenv("BALANCING") && !getenv("INTERLEAVE"), home);
	count_note("%.1f s, %ld pages of %zu moved", check_now() - begun, pages_moved() - moved,
		   mib << 8);
	for (size_t i = 0; i < lines; i++)
		CHECK(array[i * STRIDE] == (double)(sweeps + 1), "line %zu: %g", i, array[i * STRIDE]);
	return check_end();
}
