/* The CPU quota, on fake folders of /proc and /sys: versions 1 and 2, nested groups, containers that see a part of the
 * tree. */
#include "machine/quota.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char root[] = "/tmp/quota-XXXXXX";

static int
begin(void **state)
{
	strcpy(strrchr(root, '-') + 1, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int
end(void **state)
{
	char command[64];
	snprintf(command, sizeof command, "rm -r %s", root);
	return system(command);
}

/* A file below the root, with the folders it needs. */
static void
put(const char *name, const char *text)
{
	char path[300];
	snprintf(path, sizeof path, "%s%s", root, name);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void
group(const char *folder, const char *limit)
{
	char name[200];
	snprintf(name, sizeof name, "%s/cgroup.procs", folder);
	put(name, "");
	if (!limit)
		return;
	snprintf(name, sizeof name, "%s/cpu.max", folder);
	put(name, limit);
}

static void
group_1(const char *folder, const char *quota, const char *period)
{
	char name[200];
	group(folder, NULL);
	snprintf(name, sizeof name, "%s/cpu.cfs_quota_us", folder);
	put(name, quota);
	snprintf(name, sizeof name, "%s/cpu.cfs_period_us", folder);
	put(name, period);
}

#define quota() ((int)fg_cpu_quota_milli_at(root))

static void
nothing(void **state)
{
	assert_int_equal(quota(), 0);
	put("/proc/self/cgroup", "0::/\n");
	assert_int_equal(quota(), 0);
	put("/proc/self/cgroup", "nonsense\n:\n::\n\n0:\n");
	assert_int_equal(quota(), 0);
}

static void
one_group(void **state)
{
	put("/proc/self/cgroup", "0::/app\n");
	group("/sys/fs/cgroup", NULL);
	group("/sys/fs/cgroup/app", "max 100000\n");
	assert_int_equal(quota(), 0);
	group("/sys/fs/cgroup/app", "200000 100000\n");
	assert_int_equal(quota(), 2000);
	group("/sys/fs/cgroup/app", "150000 100000\n");
	assert_int_equal(quota(), 1500);
	group("/sys/fs/cgroup/app", "100001 100000\n");
	assert_int_equal(quota(), 1001);
	group("/sys/fs/cgroup/app", "1 1000000\n");
	assert_int_equal(quota(), 1);
	group("/sys/fs/cgroup/app", "50000\n");
	assert_int_equal(quota(), 500);
	group("/sys/fs/cgroup/app", "garbage\n");
	assert_int_equal(quota(), 0);
	group("/sys/fs/cgroup/app", "");
	assert_int_equal(quota(), 0);
}

static void
nested_groups(void **state)
{
	put("/proc/self/cgroup", "0::/user.slice/user-1000.slice/session-3.scope\n");
	group("/sys/fs/cgroup", NULL);
	group("/sys/fs/cgroup/user.slice", "300000 100000\n");
	group("/sys/fs/cgroup/user.slice/user-1000.slice", "max 100000\n");
	group("/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope", NULL);
	assert_int_equal(quota(), 3000);
	group("/sys/fs/cgroup/user.slice/user-1000.slice", "125000 50000\n");
	assert_int_equal(quota(), 2500);
	group("/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope", "800000 100000\n");
	assert_int_equal(quota(), 2500);
}

/* A control group namespace: the process sees its group as the top, where only a container has a limit. */
static void
namespace_2(void **state)
{
	put("/proc/self/cgroup", "0::/\n");
	group("/sys/fs/cgroup", "400000 100000\n");
	assert_int_equal(quota(), 4000);
	put("/proc/self/cgroup", "0::/../other\n");
	assert_int_equal(quota(), 4000);
}

static void
version_1(void **state)
{
	put("/proc/self/cgroup", "5:cpuset:/x\n4:cpuacct,cpu:/a/b\n1:name=systemd:/\n");
	group_1("/sys/fs/cgroup/cpu", "-1\n", "100000\n");
	group_1("/sys/fs/cgroup/cpu/a", "250000\n", "100000\n");
	group_1("/sys/fs/cgroup/cpu/a/b", "-1\n", "100000\n");
	assert_int_equal(quota(), 2500);
	group_1("/sys/fs/cgroup/cpu/a/b", "10000\n", "20000\n");
	assert_int_equal(quota(), 500);
	put("/proc/self/cgroup", "4:cpuset,cpuacct:/a/b\n");
	assert_int_equal(quota(), 0);
}

/* Version 1 has the controller: the quota of version 2 does not count. */
static void
hybrid(void **state)
{
	put("/proc/self/cgroup", "3:cpu:/a\n0::/a\n");
	group_1("/sys/fs/cgroup/cpu/a", "300000\n", "100000\n");
	group("/sys/fs/cgroup/a", "100000 100000\n");
	assert_int_equal(quota(), 3000);
	/* Version 2 has it, mounted apart. */
	put("/proc/self/cgroup", "3:memory:/a\n0::/a/b\n");
	put("/proc/self/mountinfo", "31 25 0:26 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755\n"
				    "32 31 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
				    "33 31 0:28 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n");
	group("/sys/fs/cgroup/unified/a", "700000 100000\n");
	group("/sys/fs/cgroup/unified/a/b", "600000 100000\n");
	assert_int_equal(quota(), 6000);
}

/* A container without a namespace of its own: it sees a part of the tree, and names of the whole. */
static void
part_of_the_tree(void **state)
{
	put("/proc/self/cgroup", "4:cpu,cpuacct:/docker/12ab/inner\n");
	put("/proc/self/mountinfo",
	    "40 31 0:30 /docker/12ab /sys/fs/cgroup/cpuset ro - cgroup cpuset rw,cpuset\n"
	    "41 31 0:31 /docker/12ab /sys/fs/cgroup/cpu,cpuacct ro master:1 - cgroup cgroup rw,cpu,cpuacct\n");
	group_1("/sys/fs/cgroup/cpu,cpuacct", "350000\n", "100000\n");
	assert_int_equal(quota(), 3500);
	group_1("/sys/fs/cgroup/cpu,cpuacct/inner", "150000\n", "100000\n");
	assert_int_equal(quota(), 1500);
	/* Behind many others, one of them with a very long line. */
	static char mounts[60000];
	size_t used = 0;
	for (unsigned i = 0; used < sizeof mounts - 30000; i++)
		used += (size_t)sprintf(mounts + used, "%u 31 0:30 / /mnt/%u rw - tmpfs tmpfs rw\n", 100 + i, i);
	memset(mounts + used, 'x', 25000);
	used += 25000;
	sprintf(mounts + used, "\n%s",
		"41 31 0:31 /docker/12ab /sys/fs/cgroup/cpu,cpuacct ro master:1 - cgroup cgroup rw,cpu,cpuacct\n");
	put("/proc/self/mountinfo", mounts);
	assert_int_equal(quota(), 1500);
	/* Nothing is mounted that would tell. */
	put("/proc/self/mountinfo", "40 31 0:30 / /proc rw - proc proc rw\n");
	assert_int_equal(quota(), 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {TEST(nothing),   TEST(one_group), TEST(nested_groups),   TEST(namespace_2),
					   TEST(version_1), TEST(hybrid),    TEST(part_of_the_tree)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
