/* A region whose members tell no work. */
int
main(void)
{
#pragma omp parallel num_threads(2)
	__asm__ volatile("");
	return 0;
}
