// membind [-i] NODES COMMAND ...: as numactl --membind, NODES such as 0,3; with -i as numactl --interleave.
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	unsigned long mask = 0;
	int mode = argc > 1 && strcmp(argv[1], "-i") == 0 ? MPOL_INTERLEAVE : MPOL_BIND;
	argv += mode == MPOL_INTERLEAVE;
	argc -= mode == MPOL_INTERLEAVE;
	if (argc < 3)
		return 2;
	for (char *at = argv[1]; *at; at += *at == ',')
		mask |= 1ul << strtoul(at, &at, 10);
	if (syscall(SYS_set_mempolicy, mode, &mask, 8 * sizeof mask) != 0) {
		perror("membind: set_mempolicy");
		return 1;
	}
	execv(argv[2], argv + 2);
	perror(argv[2]);
	return 1;
}
