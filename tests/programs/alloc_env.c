// OMP_ALLOCATOR with traits: the default allocator of all threads has them, and the display shows them.
// env: OMP_ALLOCATOR=omp_large_cap_mem_space:alignment=256,pool_size=40000,fallback=null_fb
// env: OMP_ALLOCATOR=OMP_DEFAULT_MEM_SPACE:Fallback=allocator_fb,fb_data=ompx_gnu_pinned_mem_alloc,pool_size=40000,alignment=256,fallback=null_fb
// env: OMP_ALLOCATOR=omp_default_mem_space:fallback=null_fb,partition=interleaved,pool_size=40000,pinned=true,access=default,alignment=256
// stock: fails (gcc 12 takes names only)
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static void
display(void)
{
	char text[4000] = "";
	int saved = dup(STDERR_FILENO), out[2];
	CHECK(pipe(out) == 0);
	dup2(out[1], STDERR_FILENO);
	omp_display_env(0);
	dup2(saved, STDERR_FILENO);
	close(out[1]);
	CHECK(read(out[0], text, sizeof text - 1) > 0);
	const char *line = strstr(text, "OMP_ALLOCATOR = 'omp_");
	CHECK(line && strstr(line, "_mem_space:alignment=256,") && strstr(line, "pool_size=40000,fallback=null_fb"),
	      "%s", text);
}

int
main(void)
{
	CHECK(omp_get_default_allocator() != omp_default_mem_alloc);
#pragma omp parallel num_threads(3)
	{
		char *block = omp_alloc(10000, omp_null_allocator);
		CHECK(block && (uintptr_t)block % 256 == 0);
		memset(block, 1, 10000);
		CHECK(!omp_alloc(40001, omp_null_allocator));
#pragma omp barrier
		omp_free(block, omp_null_allocator);
	}
	display();
	return check_end();
}
