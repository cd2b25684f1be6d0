/* Stands for the library of another OpenMP runtime. */
void __kmpc_fork_call(void);

void
__kmpc_fork_call(void)
{
}
