/* A seccomp filter made from a rule "ERROR:call,call" or "KILL:call,call". */
#pragma once
#include "skip.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define SANDBOX_ARCH AUDIT_ARCH_X86_64
#else
#define SANDBOX_ARCH AUDIT_ARCH_AARCH64
#endif
#define SANDBOX_CALLS 32

static const struct {
	const char *name;
	unsigned number;
} sandbox_calls[] = {
	{"perf_event_open", SYS_perf_event_open},
	{"membarrier", SYS_membarrier},
	{"move_pages", SYS_move_pages},
	{"get_mempolicy", SYS_get_mempolicy},
	{"set_mempolicy", SYS_set_mempolicy},
	{"mbind", SYS_mbind},
	{"msync", SYS_msync},
	{"process_vm_readv", SYS_process_vm_readv},
	{"sched_setaffinity", SYS_sched_setaffinity},
	{"sched_yield", SYS_sched_yield},
	{"getcpu", SYS_getcpu},
	{"timer_create", SYS_timer_create},
	{"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo},
	{"rseq", SYS_rseq},
	{"openat", SYS_openat},
	{"close_range", 436}, // SYS_close_range; headers of older systems lack it
	{"openat2", SYS_openat2},
	{"linkat", SYS_linkat},
	{"mkdirat", SYS_mkdirat},
	{"fallocate", SYS_fallocate},
	{"getpriority", SYS_getpriority},
	{"kill", SYS_kill},
	{"socket", SYS_socket},
	{"connect", SYS_connect},
	{"sendto", SYS_sendto},
	{"recvfrom", SYS_recvfrom},
	{"getsockopt", SYS_getsockopt},
};

static const struct {
	const char *name;
	unsigned action;
} sandbox_actions[] = {
	{"EPERM", SECCOMP_RET_ERRNO | EPERM},	{"ENOSYS", SECCOMP_RET_ERRNO | ENOSYS},
	{"EACCES", SECCOMP_RET_ERRNO | EACCES}, {"EAGAIN", SECCOMP_RET_ERRNO | EAGAIN},
	{"ENOMEM", SECCOMP_RET_ERRNO | ENOMEM}, {"KILL", SECCOMP_RET_KILL_PROCESS},
};

static unsigned
sandbox_call(const char *name)
{
	for (size_t i = 0; i < sizeof sandbox_calls / sizeof *sandbox_calls; i++)
		if (!strcmp(sandbox_calls[i].name, name))
			return sandbox_calls[i].number;
	fprintf(stderr, "filter: the system call %s is not in sandbox.h\n", name);
	exit(2);
}

static unsigned
sandbox_action(const char *name)
{
	for (size_t i = 0; i < sizeof sandbox_actions / sizeof *sandbox_actions; i++)
		if (!strcmp(sandbox_actions[i].name, name))
			return sandbox_actions[i].action;
	fprintf(stderr, "filter: %s is neither KILL nor an error that sandbox.h knows\n", name);
	exit(2);
}

/* flags: 0, or SECCOMP_FILTER_FLAG_TSYNC for all threads that exist. */
__attribute__((unused)) static void
sandbox(const char *rule, unsigned flags)
{
	struct sock_filter code[2 * SANDBOX_CALLS + 5];
	unsigned n = 0;
	char *text = strdup(rule), *calls = strchr(text, ':');

	if (!calls) {
		fprintf(stderr, "filter: %s is no rule such as EPERM:membarrier\n", rule);
		exit(2);
	}
	*calls++ = '\0';
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SANDBOX_ARCH, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (char *call = strtok(calls, ","); call && n < 2 * SANDBOX_CALLS + 4; call = strtok(NULL, ",")) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, sandbox_call(call), 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, sandbox_action(text));
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	free(text);

	struct sock_fprog program = {(unsigned short)n, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program))
		skip("no seccomp filter can be installed: %s", strerror(errno));
}
