// Members compute in AVX registers and are moved by preemption between two kernel threads, of which one has used AMX
// and the other has not: so the kernel keeps registers of two sizes for them. All halves of the registers stay as they
// are. Needs a processor with AMX, and Linux 5.16.
// cpus: 2
// limit: 60
#include "check.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#define ARCH_REQ_XCOMP_PERM 0x1023
#define XTILEDATA 18
#define VECTORS 16
#define WIDTH 32

static const char *
why_not(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & 1u << 24))
		return "this processor has no AMX";
	if (!__builtin_cpu_supports("avx"))
		return "no AVX";
	if (syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XTILEDATA))
		return "the kernel does not allow AMX";
	return NULL;
}

/* The kernel thread that runs this has AMX's registers from then on. As bytes: old assemblers do not know the
 * instructions. */
static void
use_amx(void)
{
	static const struct {
		uint8_t palette, start, reserved[14];
		uint16_t bytes[16];
		uint8_t rows[16];
	} config = {.palette = 1, .bytes = {64}, .rows = {1}};

	__asm__ volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0x00\n\t" /* ldtilecfg (%rax) */
	                 ".byte 0xc4, 0xe2, 0x7b, 0x49, 0xc0\n\t" /* tilezero %tmm0 */
	                 ".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0"     /* tilerelease */
	                 :
	                 : "a"(&config)
	                 : "memory");
}

#define EACH(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)
#define LOAD(n) "vmovups " #n "*32(%[in]), %%ymm" #n "\n\t"
#define KEEP(n) "vmovups %%ymm" #n ", " #n "*32(%[out])\n\t"

__attribute__((noinline)) static void
through(const char *in, char *out, uint64_t turns)
{
	__asm__ volatile(EACH(LOAD) "1: decq %[turns]\n\tjnz 1b\n\t" EACH(KEEP) "vzeroupper"
			 : [turns] "+r"(turns)
			 : [in] "r"(in), [out] "r"(out)
			 : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

static int moved;

static void
compute(int number)
{
	char in[VECTORS * WIDTH], out[VECTORS * WIDTH];
	long here = syscall(SYS_gettid);

	for (int i = 0; i < VECTORS * WIDTH; i++)
		in[i] = (char)(number + 7 * i);
	memset(out, 0, sizeof out);
	through(in, out, 20000000);
	CHECK(memcmp(in, out, sizeof in) == 0, "member %d", number);
	if (syscall(SYS_gettid) != here)
		__atomic_fetch_add(&moved, 1, __ATOMIC_RELAXED);
}

/* The work is uneven, so that the outer member that is done takes members of the other. The first outer member is
 * always on the same kernel thread. */
static void
region(int outer, int round)
{
	if (outer == 0)
		use_amx();
#pragma omp parallel num_threads((outer + round) % 2 ? 6 : 3)
	compute(10 * outer + omp_get_thread_num());
}

int
main(void)
{
	const char *why = why_not();
	double end = omp_get_wtime() + 20;

	if (why) {
		printf("SKIP: %s\n", why);
		return 77;
	}
	omp_set_max_active_levels(2);
	for (int i = 0; i < 20 || (moved < 20 && omp_get_wtime() < end); i++) {
#pragma omp parallel num_threads(2)
		region(omp_get_thread_num(), i);
	}
	printf("%d times a member was moved while it computed\n", moved);
	return check_end();
}

#else

int
main(void)
{
	printf("SKIP: AMX is x86-64's\n");
	return 77;
}

#endif
