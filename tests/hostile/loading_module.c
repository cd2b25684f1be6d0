/* A module whose constructor calls back, for loading.c. */
extern void loading_constructed(void);

__attribute__((constructor)) static void
constructed(void)
{
	loading_constructed();
}
