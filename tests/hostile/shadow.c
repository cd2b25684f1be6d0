// A program that has switched its shadow stacks on, as glibc does where a tunable asks for it: no switch of ours is
// taken for an attack.
// finding: 27
// cflags: -fcf-protection=full
#include "crowd.h"
#include "skip.h"

#include <errno.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define ARCH_SHSTK_ENABLE 0x5001
#define ARCH_SHSTK_SHSTK 1ul

/* This is inlined, and main never returns: returns have no match on a shadow stack that begins here. Threads made later
 * have their own. */
__attribute__((always_inline)) static inline long
enable(void)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_arch_prctl), "D"(ARCH_SHSTK_ENABLE), "S"(ARCH_SHSTK_SHSTK)
			 : "rcx", "r11", "memory");
	return result;
}

int
main(void)
{
	long result = enable();

	if (result)
		skip("no shadow stacks here: %s", strerror((int)-result));
	crowd_regions("spin", 8, 3);
	crowd_regions("cond", 8, 3);
	exit(check_end());
}
#else
int
main(void)
{
	skip("written for x86-64 only");
}
#endif
