/* A multi-zone solver in the manner of NAS BT-MZ. A mesh is cut in x and y into zones. Their sides grow geometrically,
 * so that the largest zone has some 25 times the points of the smallest. Outer threads own zones, dealt by points. Each
 * time step is one outer region: a thread copies the faces of the neighbours into its zones. Then, after a barrier, it
 * takes a step in each zone. A step is nonlinear diffusion with a source, by alternating directions: lines in x and y
 * of each plane, then lines in z. All three are inner regions over planes or rows of a zone, with static shares.
 *
 *   multizone OUTER INNER [loads] [given=NS] [steps=N] [mesh=XxYxZ] [zones=XxY]
 *
 * `loads` tells the points of each outer thread, and of each zone, to the runtime, if that is ForestGOMP. The preset
 * mesh of 240 x 160 x 16 points, cut into 16 x 16 zones, takes 14 MB with the faces. The field after the last step is
 * the same to the bit for every OUTER and INNER.
 *
 * `given=NS` is for a simulated machine, and nothing is computed. The same threads tell the machine NS of computing for
 * each point and step. They also tell that they go through their part of arrays of BT's size, 21 numbers for a point
 * (bench/papers.py). */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <sys/mman.h>
#include "../../include/forestgomp.h"
#include "bench.h"

#pragma weak fgomp_set_next_team_load
#pragma weak fgomp_set_next_team_member_loads
#pragma weak fgomp_sim_work
#pragma weak fgomp_sim_read
#pragma weak fgomp_sim_write

enum { SIDE_MAX = 4096, CUTS_MAX = 64, ZONES_MAX = CUTS_MAX * CUTS_MAX, THREADS_MAX = 1024 };

/* Planes, rows and points of a row are numbered from 1. 0 and the number after the last belong to a neighbour or to the
 * mesh's border. */
struct zone {
	int nx, ny, x0, y0, owner;
	double *u, *change;
	char *rows; /* of given work: all numbers of a row lie together */
	const struct zone *west, *east, *south, *north;
};

static int mesh_x = 240, mesh_y = 160, planes = 16, cuts_x = 16, cuts_y = 16, steps = 24;
static int outer, inner, told;
static double given_ns;
static struct zone zones[ZONES_MAX];
static double loads[THREADS_MAX];

static const double TIME_STEP = 0.4;
/* The ratio of the last zone's side to the first zone's. In points that is 25. */
static const double SIDES_RATIO = 5;
/* Of the 21 numbers of a point, a step over planes writes so many, and a step over rows so many: BT's right-hand sides,
 * and its field, too. */
enum { GIVEN_NUMBERS = 21, GIVEN_PLANE_WRITES = 11, GIVEN_ROW_WRITES = 10 };

static size_t
at(const struct zone *z, int i, int j, int k)
{
	return ((size_t)k * (z->ny + 2) + j) * (z->nx + 2) + i;
}

static double
zone_points(const struct zone *z)
{
	return (double)z->nx * z->ny * planes;
}

/* Returns where the first `n` of `cuts` parts of a side end. */
static int
cut(int side, int cuts, int n)
{
	if (cuts == 1)
		return n * side;
	double growth = pow(SIDES_RATIO, 1.0 / (cuts - 1));
	return (int)(side * (pow(growth, n) - 1) / (pow(growth, cuts) - 1) + 0.5);
}

/* The mesh goes round in x and y. */
static void
zones_cut(void)
{
	for (int y = 0; y < cuts_y; y++)
		for (int x = 0; x < cuts_x; x++) {
			struct zone *z = &zones[y * cuts_x + x];
			z->x0 = cut(mesh_x, cuts_x, x);
			z->y0 = cut(mesh_y, cuts_y, y);
			z->nx = cut(mesh_x, cuts_x, x + 1) - z->x0;
			z->ny = cut(mesh_y, cuts_y, y + 1) - z->y0;
			z->west = &zones[y * cuts_x + (x + cuts_x - 1) % cuts_x];
			z->east = &zones[y * cuts_x + (x + 1) % cuts_x];
			z->south = &zones[(y + cuts_y - 1) % cuts_y * cuts_x + x];
			z->north = &zones[(y + 1) % cuts_y * cuts_x + x];
		}
}

static int
larger_first(const void *a, const void *b)
{
	const struct zone *x = *(struct zone *const *)a, *y = *(struct zone *const *)b;
	double more = zone_points(y) - zone_points(x);
	return more ? (more > 0) - (more < 0) : (x > y) - (x < y);
}

/* The largest zones are dealt first, each to the thread with the fewest points. */
static void
zones_deal(void)
{
	static struct zone *order[ZONES_MAX];
	int count = cuts_x * cuts_y;
	for (int n = 0; n < count; n++)
		order[n] = &zones[n];
	qsort(order, count, sizeof order[0], larger_first);
	for (int n = 0; n < count; n++) {
		int least = 0;
		for (int t = 1; t < outer; t++)
			least = loads[t] < loads[least] ? t : least;
		order[n]->owner = least;
		loads[least] += zone_points(order[n]);
	}
}

/* Returns the total work by the work of the largest member, which is one of the inner threads. It assumes that all
 * points cost the same, and that a point's part of the z line is a third of that. */
static double
members_bound(void)
{
	double total = 0, largest = 0;
	for (int t = 0; t < outer; t++) {
		/* With static shares, the first inner thread has at least as much as any other. */
		double first = 0;
		for (int n = 0; n < cuts_x * cuts_y; n++) {
			const struct zone *z = &zones[n];
			if (z->owner != t)
				continue;
			total += zone_points(z);
			first += (double)z->nx * z->ny * ((planes + inner - 1) / inner) * 2 / 3;
			first += (double)z->nx * planes * ((z->ny + inner - 1) / inner) / 3;
		}
		largest = first > largest ? first : largest;
	}
	return total / largest;
}

static size_t
given_row_bytes(const struct zone *z)
{
	return (size_t)(z->nx + 2) * GIVEN_NUMBERS * sizeof *z->u;
}

static char *
given_row(const struct zone *z, int j, int k)
{
	return z->rows + ((size_t)k * (z->ny + 2) + j) * given_row_bytes(z);
}

/* Memory and computing take turns row by row, as in the solver. */
static void
given_step(const struct zone *z, int j, int k, double share, int writes)
{
	fgomp_sim_read(given_row(z, j, k), given_row_bytes(z));
	fgomp_sim_work((unsigned long long)(given_ns * z->nx * share));
	fgomp_sim_write(given_row(z, j, k), given_row_bytes(z) * writes / GIVEN_NUMBERS);
}

/* A step has an inner region over planes, which takes two thirds of the time. */
static void
given_plane(struct zone *z, int k)
{
	for (int j = 1; j <= z->ny; j++)
		given_step(z, j, k, 2.0 / 3, GIVEN_PLANE_WRITES);
}

static void
given_rows(struct zone *z, int j)
{
	for (int k = 1; k <= planes; k++)
		given_step(z, j, k, 1.0 / 3, GIVEN_ROW_WRITES);
}

/* Of the neighbours' last rows, each point takes five numbers; of their columns, a line of cache. */
static void
given_faces(struct zone *z, int k)
{
	enum { FACE_BYTES = 5 * sizeof(double) };
	fgomp_sim_read(given_row(z->south, z->south->ny, k), (size_t)z->nx * FACE_BYTES);
	fgomp_sim_read(given_row(z->north, 1, k), (size_t)z->nx * FACE_BYTES);
	for (int j = 1; j <= z->ny; j++) {
		fgomp_sim_read(given_row(z->west, j, k) + (size_t)z->west->nx * FACE_BYTES, FACE_BYTES);
		fgomp_sim_read(given_row(z->east, j, k), FACE_BYTES);
	}
	fgomp_sim_write(given_row(z, 0, k), (size_t)z->nx * FACE_BYTES);
	fgomp_sim_write(given_row(z, z->ny + 1, k), (size_t)z->nx * FACE_BYTES);
}

static void
plane_start(struct zone *z, int k)
{
	if (given_ns > 0) {
		fgomp_sim_write(given_row(z, 0, k), given_row_bytes(z) * (z->ny + 2));
		return;
	}
	for (int j = 0; j < z->ny + 2; j++)
		for (int i = 0; i < z->nx + 2; i++) {
			double x = 6.283185307179586 * (z->x0 + i) / mesh_x,
			       y = 6.283185307179586 * (z->y0 + j) / mesh_y;
			z->u[at(z, i, j, k)] = 1 + 0.3 * sin(x) * cos(2 * y) + 0.1 * k / planes;
			z->change[at(z, i, j, k)] = 0;
		}
}

/* This comes before each inner region. Without it, the runtime would take its team for almost nothing beside outer
 * threads with loads. */
static void
zone_load(const struct zone *z)
{
	if (told)
		fgomp_set_next_team_load(zone_points(z));
}

static void
zone_start(struct zone *z)
{
	size_t bytes = at(z, 0, 0, planes + 2) * sizeof *z->u;
	if (given_ns > 0) {
		/* This memory is never touched. */
		z->rows = mmap(NULL, bytes * GIVEN_NUMBERS, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	} else {
		z->u = malloc(bytes);
		z->change = malloc(bytes);
	}
	if (given_ns > 0 ? z->rows == MAP_FAILED : !z->u || !z->change) {
		fprintf(stderr, "multizone: there is no memory for a zone of %d x %d x %d points\n", z->nx, z->ny,
			planes);
		exit(1);
	}
#pragma omp parallel for num_threads(inner) schedule(static)
	for (int k = 0; k < planes + 2; k++)
		plane_start(z, k);
}

static void
zone_faces(struct zone *z)
{
	const struct zone *west = z->west, *east = z->east, *south = z->south, *north = z->north;
	zone_load(z);
#pragma omp parallel for num_threads(inner) schedule(static)
	for (int k = 1; k <= planes; k++) {
		if (given_ns > 0) {
			given_faces(z, k);
			continue;
		}
		for (int j = 1; j <= z->ny; j++) {
			z->u[at(z, 0, j, k)] = west->u[at(west, west->nx, j, k)];
			z->u[at(z, z->nx + 1, j, k)] = east->u[at(east, 1, j, k)];
		}
		memcpy(&z->u[at(z, 1, 0, k)], &south->u[at(south, 1, south->ny, k)], z->nx * sizeof *z->u);
		memcpy(&z->u[at(z, 1, z->ny + 1, k)], &north->u[at(north, 1, 1, k)], z->nx * sizeof *z->u);
	}
}

static double
conductivity(double u)
{
	return 0.5 + 0.5 * u * u;
}

/* Solves one implicit line of n points for their change, in place. */
static void
line_solve(double *change, const double *u, int n, size_t stride)
{
	double share[SIDE_MAX + 1], before = 0;
	share[0] = 0;
	for (int i = 1; i <= n; i++) {
		double side = 0.5 * TIME_STEP * conductivity(u[(i - 1) * stride]);
		double pivot = 1 / (1 + 2 * side - side * share[i - 1]);
		share[i] = side * pivot;
		change[(i - 1) * stride] = before = (change[(i - 1) * stride] + side * before) * pivot;
	}
	for (int i = n - 1; i >= 1; i--)
		change[(i - 1) * stride] = before = change[(i - 1) * stride] + share[i] * before;
}

static void
plane_step(struct zone *z, int k)
{
	size_t row = z->nx + 2, plane = row * (z->ny + 2);
	for (int j = 1; j <= z->ny; j++) {
		for (size_t p = at(z, 1, j, k); p < at(z, z->nx + 1, j, k); p++) {
			const double *u = &z->u[p];
			double curve = u[-1] + u[1] + u[-row] + u[row] + u[-plane] + u[plane] - 6 * *u;
			z->change[p] = TIME_STEP * (conductivity(*u) * curve + 0.01 * (1 - *u));
		}
		line_solve(&z->change[at(z, 1, j, k)], &z->u[at(z, 1, j, k)], z->nx, 1);
	}
	for (int i = 1; i <= z->nx; i++)
		line_solve(&z->change[at(z, i, 1, k)], &z->u[at(z, i, 1, k)], z->ny, row);
}

static void
row_step(struct zone *z, int j)
{
	size_t plane = (size_t)(z->nx + 2) * (z->ny + 2);
	for (int i = 1; i <= z->nx; i++)
		line_solve(&z->change[at(z, i, j, 1)], &z->u[at(z, i, j, 1)], planes, plane);
	for (int k = 1; k <= planes; k++)
		for (int i = 1; i <= z->nx; i++)
			z->u[at(z, i, j, k)] += z->change[at(z, i, j, k)];
}

static void
zone_step(struct zone *z)
{
	zone_load(z);
#pragma omp parallel for num_threads(inner) schedule(static)
	for (int k = 1; k <= planes; k++)
		(given_ns > 0 ? given_plane : plane_step)(z, k);
	zone_load(z);
#pragma omp parallel for num_threads(inner) schedule(static)
	for (int j = 1; j <= z->ny; j++)
		(given_ns > 0 ? given_rows : row_step)(z, j);
}

static void
zones_each(void (*work)(struct zone *z))
{
	for (int n = 0; n < cuts_x * cuts_y; n++)
		if (zones[n].owner == omp_get_thread_num())
			work(&zones[n]);
}

/* This comes before each outer region, also before the one that touches the field first. */
static void
outer_loads(void)
{
	if (told)
		fgomp_set_next_team_member_loads(outer, loads);
}

static void
mesh_step(void)
{
	outer_loads();
#pragma omp parallel num_threads(outer)
	{
		zones_each(zone_faces);
#pragma omp barrier
		zones_each(zone_step);
	}
}

/* The checksum covers all bits of the field. It is 0 if a value is not finite. */
static uint64_t
checksum(void)
{
	uint64_t sum = 0xcbf29ce484222325ul;
	for (int n = 0; n < cuts_x * cuts_y; n++)
		for (int k = 1; k <= planes; k++)
			for (int j = 1; j <= zones[n].ny; j++)
				for (int i = 1; i <= zones[n].nx; i++) {
					double u = zones[n].u[at(&zones[n], i, j, k)];
					uint64_t bits;
					if (!isfinite(u))
						return 0;
					memcpy(&bits, &u, sizeof bits);
					sum = (sum ^ bits) * 0x9e3779b97f4a7c15ul;
					sum ^= sum >> 32;
				}
	return sum;
}

static int
within(int value, int low, int high)
{
	return value >= low && value <= high;
}

/* Returns whether the arguments can be used. */
static int
arguments_read(int argc, char **argv)
{
	if (argc < 3 || !within(outer = atoi(argv[1]), 1, THREADS_MAX) ||
	    !within(inner = atoi(argv[2]), 1, THREADS_MAX))
		return 0;
	for (int a = 3; a < argc; a++) {
		int end = 0, length = (int)strlen(argv[a]);
		if (!strcmp(argv[a], "loads")) {
			told = 1;
			continue;
		}
		sscanf(argv[a], "given=%lf%n", &given_ns, &end);
		if (end != length)
			sscanf(argv[a], "steps=%d%n", &steps, &end);
		if (end != length)
			sscanf(argv[a], "mesh=%dx%dx%d%n", &mesh_x, &mesh_y, &planes, &end);
		if (end != length)
			sscanf(argv[a], "zones=%dx%d%n", &cuts_x, &cuts_y, &end);
		if (end != length)
			return 0;
	}
	/* A side with at least ten times as many points as cuts leaves some points to the smallest zone. */
	return given_ns >= 0 && given_ns <= 1e6 && within(steps, 1, 1000000) && within(planes, 1, SIDE_MAX) &&
	       within(cuts_x, 1, CUTS_MAX) && within(cuts_y, 1, CUTS_MAX) && within(mesh_x, 10 * cuts_x, SIDE_MAX) &&
	       within(mesh_y, 10 * cuts_y, SIDE_MAX);
}

int
main(int argc, char **argv)
{
	if (!arguments_read(argc, argv))
		return bench_usage("multizone OUTER INNER [loads] [given=NS] [steps=N] [mesh=XxYxZ] [zones=XxY], OUTER "
				   "and INNER from 1 to 1024, X and Y at most 4096 and at least 10 times those of "
				   "zones (1 to 64), Z from 1 to 4096, NS at most 1e6");
	if (given_ns > 0 && (!fgomp_sim_work || !fgomp_sim_read || !fgomp_sim_write)) {
		fprintf(stderr,
			"multizone: given=%g is for ForestGOMP's simulated machine; this runtime has none; nothing was "
			"measured\n",
			given_ns);
		return 2;
	}
	/* Another runtime is told nothing. */
	told = told && fgomp_set_next_team_load && fgomp_set_next_team_member_loads;
	zones_cut();
	zones_deal();
	omp_set_max_active_levels(2);
	outer_loads();
#pragma omp parallel num_threads(outer)
	zones_each(zone_start);
	/* The first step makes the teams. */
	mesh_step();
	double start = bench_now();
	for (int s = 0; s < steps; s++)
		mesh_step();
	double took = bench_now() - start;

	uint64_t sum = given_ns > 0 ? 0 : checksum();
	if (!sum && !(given_ns > 0)) {
		fprintf(stderr, "multizone: the field is no longer finite\n");
		return 1;
	}
	double members = members_bound();
	int pus = omp_get_num_procs();
	char name[32];
	snprintf(name, sizeof name, "%dx%d%s", outer, inner, told ? "_loads" : "");
	printf("zones: %d, largest by smallest %.1f\n", cuts_x * cuts_y,
	       zone_points(&zones[cuts_x * cuts_y - 1]) / zone_points(&zones[0]));
	printf("bound: %.3f of %d PUs, total work by the largest member's %.3f\n", members < pus ? members : pus, pus,
	       members);
	printf("checksum %016lx\n", sum);
	bench_report(name, "ms", took / 1e6, took / 1e6, 0);
	return 0;
}
