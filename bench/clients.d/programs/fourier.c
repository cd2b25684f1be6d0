/* FFTW's OpenMP library: fourier SIZE COUNT. All threads transform SIZE^3 points there and back. Then a region makes
 * COUNT two-dimensional transforms, each with threads of its own. */
#include "tell.h"
#include <complex.h>
#include <fftw3.h>
#include <omp.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: fourier SIZE COUNT\n");
		return 2;
	}
	const int size = atoi(argv[1]), count = atoi(argv[2]);
	const size_t points = (size_t)size * (size_t)size * (size_t)size, plane = (size_t)size * (size_t)size;
	if (!fftw_init_threads())
		return 1;
	fftw_plan_with_nthreads(omp_get_max_threads());
	fftw_complex *volume = fftw_malloc(points * sizeof *volume);
	if (!volume)
		return 1;
	/* With FFTW_ESTIMATE, no timing decides which algorithm FFTW takes. */
	fftw_plan there = fftw_plan_dft_3d(size, size, size, volume, volume, FFTW_FORWARD, FFTW_ESTIMATE);
	fftw_plan back = fftw_plan_dft_3d(size, size, size, volume, volume, FFTW_BACKWARD, FFTW_ESTIMATE);
	fftw_plan flat = fftw_plan_dft_2d(size, size, volume, volume, FFTW_FORWARD, FFTW_ESTIMATE);
	fill((double *)volume, 2 * points, 3);
	double begin = now();
	for (int i = 0; i < 4; i++) {
		fftw_execute(there);
		fftw_execute(back);
		for (size_t p = 0; p < points; p++)
			volume[p] /= (double)points;
	}
#pragma omp parallel for num_threads(2) schedule(dynamic)
	for (int i = 0; i < size; i++)
		for (int j = 0; j < count; j++)
			fftw_execute_dft(flat, volume + (size_t)i * plane, volume + (size_t)i * plane);
	printf("seconds %.6f\n", now() - begin);
	tell_same("volume", volume, points * sizeof *volume);
	fftw_destroy_plan(there);
	fftw_destroy_plan(back);
	fftw_destroy_plan(flat);
	fftw_free(volume);
	return 0;
}
