// What stands for another runtime's library: only its file name counts.
int
other_runtime(void)
{
	return 1;
}
