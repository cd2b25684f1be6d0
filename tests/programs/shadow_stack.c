// A process that has shadow stacks before the library is loaded: no member goes on on another's stack, so each has a
// kernel thread. Needs a processor and a kernel that have them (Linux 6.6).
// cflags: -fno-openmp -ldl
// env: -
// env: FGOMP_VERBOSE=true
#include "check.h"

#include <dlfcn.h>
#include <sys/syscall.h>

#define ARCH_SHSTK_ENABLE 0x5001
#define ARCH_SHSTK_SHSTK 1
#define MEMBERS 8

static void (*barrier)(void);
static int met[3];

static void
body(void *data)
{
	(void)data;
	for (int round = 0; round < 3; round++) {
		__atomic_fetch_add(&met[round], 1, __ATOMIC_RELAXED);
		barrier();
		CHECK(__atomic_load_n(&met[round], __ATOMIC_RELAXED) == MEMBERS, "%d", met[round]);
	}
}

/* Never returns: its caller is on no shadow stack. */
static _Noreturn void
run(void)
{
	void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
	*(void **)&parallel = dlsym(library, "GOMP_parallel");
	*(void **)&barrier = dlsym(library, "GOMP_barrier");
	parallel(body, NULL, MEMBERS, 0);
	exit(check_end());
}

int
main(void)
{
#ifdef __x86_64__
	long refused = syscall(SYS_arch_prctl, ARCH_SHSTK_ENABLE, ARCH_SHSTK_SHSTK);
#else
	long refused = -1;
#endif
	if (refused) {
		printf("SKIP: no shadow stacks here\n");
		return 77;
	}
	run();
}
