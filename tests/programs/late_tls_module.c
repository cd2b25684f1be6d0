/* A library with static (initial-exec) thread-local storage, loaded by late_tls.c while teams are alive. */
static __thread int late __attribute__((tls_model("initial-exec"))) = 1234;
static __thread int zero __attribute__((tls_model("initial-exec")));

int *
late_address(void)
{
	return &late;
}

int *
zero_address(void)
{
	return &zero;
}
