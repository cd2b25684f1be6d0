// Programs of later compilers call each function that came after gcc 12, by its name and version. Also the old versions
// of the locks, in no more memory than they had.
// threads: 1 2 8
// stock: fails (it has none of them)
// cflags: -ldl
#include "check.h"

#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

static void *
find(const char *name, const char *version)
{
	void *function = dlvsym(RTLD_DEFAULT, name, version);

	CHECK(function, "%s@%s", name, version);
	if (!function)
		_exit(1);
	return function;
}

/* CALL(int, NODE, name, (types), (arguments)) */
#define CALL(type, node, name, types, arguments) (((type(*) types)find(#name, #node))arguments)


static void
dependences(void)
{
	int a = 0;
	void *depend[] = {(void *)1, (void *)1, &a}; /* one that goes out */
	void *later[] = {(void *)1, (void *)0, &a};  /* one that comes in */

#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : a) shared(a)
		a = 1;
		CALL(void, GOMP_5.1.1, GOMP_taskwait_depend_nowait, (void **), (depend));
#pragma omp task depend(in : a) shared(a)
		CHECK(a == 1, "%d", a);
#pragma omp taskwait
	}
#pragma omp task depend(out : a) shared(a)
	a = 2;
	int *object = &a;
	CALL(void, GOMP_5.1.3, GOMP_interop,
	     (int, int, void ***, const int *, const char **, int, void **, int, void ***, unsigned, void **),
	     (omp_get_initial_device(), 1, (void ***)&(void **){(void **)&object}, (int[]){1}, NULL, 0, NULL, 0, NULL,
	      0, later));
	CHECK(a == 2 && !object, "%d %p", a, (void *)object);
}

static void
interop(void)
{
	const char *text;
	size_t length = 1;
	int code = 7;

	CHECK(CALL(int, GOMP_5.1.3, omp_get_num_interop_properties, (const void *), (NULL)) == 0);
	CHECK(CALL(intptr_t, GOMP_5.1.3, omp_get_interop_int, (const void *, int, int *), (NULL, -1, &code)) == 0 &&
	      code == -1);
	CHECK(!CALL(void *, GOMP_5.1.3, omp_get_interop_ptr, (const void *, int, int *), (NULL, -1, NULL)));
	CHECK(!CALL(char *, GOMP_5.1.3, omp_get_interop_str, (const void *, int, int *), (NULL, -1, &code)) &&
	      code == -1);
	text = CALL(char *, GOMP_5.1.3, omp_get_interop_name, (const void *, int), (NULL, -5));
	CHECK(text && !strcmp(text, "device_num"));
	CHECK(!CALL(char *, GOMP_5.1.3, omp_get_interop_type_desc, (const void *, int), (NULL, -1)));
	CHECK(CALL(char *, GOMP_5.1.3, omp_get_interop_rc_desc, (const void *, int), (NULL, 0)));
	CALL(void, GOMP_5.1.3, omp_get_interop_str_, (const char **, size_t *, const void *, int, int *),
	     (&text, &length, NULL, -1, &code));
	CHECK(!text && length == 0);
	CALL(void, GOMP_5.1.3, omp_get_interop_name_, (const char **, size_t *, const void *, int),
	     (&text, &length, NULL, -1));
	CHECK(length == 5 && !memcmp(text, "fr_id", 5));
	CALL(void, GOMP_5.1.3, omp_get_interop_type_desc_, (const char **, size_t *, const void *, int),
	     (&text, &length, NULL, -1));
	CHECK(!text && length == 0);
	CALL(void, GOMP_5.1.3, omp_get_interop_rc_desc_, (const char **, size_t *, const void *, int),
	     (&text, &length, NULL, 0));
	CHECK(text && length == strlen(text));
}

static void
devices(void)
{
	int host = omp_get_initial_device();
	const char *uid = CALL(char *, GOMP_6.0, omp_get_uid_from_device, (int), (host)), *text;
	size_t length;

	CHECK(uid && CALL(int, GOMP_6.0, omp_get_device_from_uid, (const char *), (uid)) == host);
	CHECK(CALL(int, GOMP_6.0, omp_get_device_from_uid, (const char *), ("none")) < -1);
	CHECK(CALL(int, GOMP_6.0, omp_get_device_from_uid_, (const char *, size_t), (uid, strlen(uid))) == host);
	CALL(void, GOMP_6.0, omp_get_uid_from_device_, (const char **, size_t *, const int32_t *),
	     (&text, &length, &host));
	CHECK(text == uid && length == strlen(uid));
	CALL(void, GOMP_6.0, omp_get_uid_from_device_8_, (const char **, size_t *, const int64_t *),
	     (&text, &length, &(int64_t){99}));
	CHECK(!text && length == 0);
}

static void
memory(void)
{
	int host = omp_get_initial_device();
	char from[24] = "abcdefgh", to[24] = "";
	const size_t volume[] = {2, 2}, at[] = {0, 1}, there[] = {1, 0}, size[] = {4, 4};

	CHECK(CALL(void *, OMP_5.1.1, omp_get_mapped_ptr, (const void *, int), (from, host)) == from);
	CHECK(CALL(int, OMP_5.1.1, omp_target_is_accessible, (const void *, size_t, int), (from, 8, host)) == 1);
	CHECK(CALL(int, OMP_5.1.1, omp_target_memcpy_async,
		   (void *, const void *, size_t, size_t, size_t, int, int, int, void *),
		   (to, from, 3, 1, 2, host, host, 0, NULL)) == 0 &&
	      !memcmp(to, "\0cde", 4));
	CHECK(CALL(int, OMP_5.1.1, omp_target_memcpy_rect_async,
		   (void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *, const size_t *,
		    const size_t *, int, int, int, void *),
		   (to, from, 1, 2, volume, there, at, size, size, host, host, 0, NULL)) == 0 &&
	      !memcmp(to + 4, "bc\0\0fg", 6));
	CHECK(CALL(void *, GOMP_6.0.1, omp_target_memset, (void *, int, size_t, int), (to, 'x', 4, host)) == to &&
	      to[3] == 'x');
	CHECK(CALL(void *, GOMP_6.0.1, omp_target_memset_async, (void *, int, size_t, int, int, void *),
		   (to, 'y', 2, host, 0, NULL)) == to &&
	      to[1] == 'y' && to[2] == 'x');
	CHECK(CALL(void *, GOMP_5.1.2, GOMP_target_map_indirect_ptr, (void *), (from)) == from);
	CALL(void, GOMP_5.1.2, GOMP_add_alloc, (void *), (from));
	CHECK(CALL(bool, GOMP_5.1.2, GOMP_is_alloc, (void *), (from)));
	CHECK(!CALL(bool, GOMP_5.1.2, GOMP_is_alloc, (void *), (from)));
}

static void
openacc(void)
{
	char from[8] = "abc", to[8] = "";
	int size = 8, queue = -2;
	int64_t size8 = 8;

	CALL(void, OACC_2.6.1, acc_memcpy_device, (void *, void *, size_t), (to, from, 4));
	CHECK(!strcmp(to, "abc"));
	CALL(void, OACC_2.6.1, acc_memcpy_device_async, (void *, void *, size_t, int), (to, "x", 2, queue));
	CHECK(!strcmp(to, "x"));
	CALL(void, OACC_2.6.1, acc_copyout_finalize_async_32_h_, (void *, int *, int *), (from, &size, &queue));
	CALL(void, OACC_2.6.1, acc_copyout_finalize_async_64_h_, (void *, int64_t *, int *), (from, &size8, &queue));
	CALL(void, OACC_2.6.1, acc_copyout_finalize_async_array_h_, (void *, int *), (from, &queue));
	CALL(void, OACC_2.6.1, acc_delete_finalize_async_32_h_, (void *, int *, int *), (from, &size, &queue));
	CALL(void, OACC_2.6.1, acc_delete_finalize_async_64_h_, (void *, int64_t *, int *), (from, &size8, &queue));
	CALL(void, OACC_2.6.1, acc_delete_finalize_async_array_h_, (void *, int *), (from, &queue));
}

static void
tasks_and_tools(void)
{
	int inside = -1;

	CHECK(!CALL(int, OMP_5.2, omp_in_explicit_task, (void), ()));
#pragma omp task shared(inside) if (0)
	inside = CALL(int, OMP_5.2, omp_in_explicit_task, (void), ()) +
		 CALL(int32_t, OMP_5.2, omp_in_explicit_task_, (void), ());
	CHECK(inside == 2, "%d", inside);
	CHECK(CALL(int, OMP_6.0, omp_control_tool, (int, int, void *), (1, 0, NULL)) == -2);
	CHECK(CALL(int32_t, OMP_6.0, omp_control_tool_, (const int32_t *, const int32_t *),
		   (&(int32_t){1}, &(int32_t){0})) == -2);
	CHECK(CALL(int32_t, OMP_6.0, omp_control_tool_8_, (const int64_t *, const int64_t *),
		   (&(int64_t){1}, &(int64_t){0})) == -2);
}

/* For plug-ins, of which there are none: their functions end the program. */
static void
plugin_in_child(void)
{
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		fclose(stderr);
		CALL(void, GOMP_PLUGIN_1.4, GOMP_PLUGIN_target_rev,
		     (uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, int, void *), (0, 0, 0, 0, 0, 0, NULL));
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%x", status);
}

static void
old_locks(const char *version, const char *suffix, size_t size)
{
	char name[64], room[32];
	void (*call[5])(void *);
	static const char *const verbs[] = {"init", "set", "unset", "test", "destroy"};

	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof name, "omp_%s_%slock%s", verbs[i], size == 4 ? "" : "nest_", suffix);
		call[i] = (void (*)(void *))find(name, version);
	}
	memset(room, 0x5a, sizeof room);
	call[0](room + 8);
	int count = 0;
#pragma omp parallel num_threads(4) shared(count)
	for (int i = 0; i < 100; i++) {
		while (!((int (*)(void *))call[3])(room + 8))
			call[1](room + 8), call[2](room + 8);
		count++;
		call[2](room + 8);
	}
	CHECK(count == 400, "%d", count);
	call[4](room + 8);
	for (size_t i = 0; i < sizeof room; i++)
		CHECK((i >= 8 && i < 8 + size) || room[i] == 0x5a, "byte %zu, %s of %s", i, name, version);
}

static void
hints(void)
{
	char room[32];
	int hint = omp_sync_hint_contended;

	memset(room, 0x5a, sizeof room);
	CALL(void, FGOMP_1.0, omp_init_lock_with_hint, (void *, int), (room, hint));
	omp_set_lock((omp_lock_t *)room);
	CALL(void, FGOMP_1.0, omp_init_lock_with_hint_, (void *, const int *), (room, &hint));
	CHECK(omp_test_lock((omp_lock_t *)room) && room[4] == 0x5a);
	CALL(void, FGOMP_1.0, omp_init_nest_lock_with_hint, (void *, int), (room + 8, hint));
	CHECK(omp_test_nest_lock((omp_nest_lock_t *)(room + 8)) == 1 && room[24] == 0x5a);
	CALL(void, FGOMP_1.0, omp_init_nest_lock_with_hint_, (void *, const int *), (room + 8, &hint));
	CHECK(CALL(int, OMP_3.0, omp_test_nest_lock_, (void *), (room + 8)) == 1);
	CALL(void, OMP_3.0, omp_destroy_nest_lock_, (void *), (room + 8));
}

int
main(void)
{
	dependences();
	interop();
	devices();
	memory();
	openacc();
	tasks_and_tools();
	plugin_in_child();
	for (int i = 0; i < 4; i++) {
		old_locks(i & 1 ? "OMP_1.0" : "OMP_3.0", i & 2 ? "_" : "", 4);
		old_locks(i & 1 ? "OMP_1.0" : "OMP_3.0", i & 2 ? "_" : "", i ? 8 : 16);
	}
	hints();
	return check_end();
}
