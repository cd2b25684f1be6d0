/* Machine: the tree that hwloc finds (floor: machine; called by machine.c, sim/model.c and the command). The library is
 * opened when the tree is first asked for. Loading it and reading the machine costs milliseconds, which a program with
 * flat regions need not pay.
 *
 * The caller is outside the runtime and holds no lock, because hwloc uses malloc and dlopen. The result has exactly the
 * allowed PUs, if such are given, and the caller's affinity mask is as before. */
#include "machine/build.h"
#include "machine/machine.h"
#include "platform/sandbox.h"

#ifdef FG_HAVE_HWLOC
#include <dlfcn.h>
#include <fcntl.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/secure.h"
#include "base/uncancelled.h"
#include "platform/file.h"
#include "platform/path.h"
#include "platform/system_call.h"

static struct {
	int (*topology_init)(hwloc_topology_t *);
	int (*topology_set_flags)(hwloc_topology_t, unsigned long);
	int (*topology_set_xml)(hwloc_topology_t, const char *);
	int (*topology_load)(hwloc_topology_t);
	void (*topology_destroy)(hwloc_topology_t);
	int (*topology_restrict)(hwloc_topology_t, hwloc_const_bitmap_t, unsigned long);
	hwloc_obj_t (*get_obj_by_depth)(hwloc_topology_t, int, unsigned);
	hwloc_bitmap_t (*bitmap_alloc)(void);
	void (*bitmap_free)(hwloc_bitmap_t);
	int (*bitmap_set)(hwloc_bitmap_t, unsigned);
} hwloc;

#define FILE_NAME "libhwloc.so.15"

/* A tree that may lie anywhere, such as a Python wheel, brings hwloc along: beside this library, above the simulated
 * one, or in `lib` beside the command's folder. Returns NULL if there is none. */
static void *
open_beside(void)
{
	static const char *const places[] = {"", "../", "../lib/"};
	Dl_info info;
	void *library = NULL;
	char *file, *own = dladdr(&hwloc, &info) && info.dli_fname ? fg_path_true_name(info.dli_fname) : NULL;
	char *slash = own ? strrchr(own, '/') : NULL;
	for (unsigned i = 0; slash && !library && i < sizeof places / sizeof *places; i++) {
		if (asprintf(&file, "%.*s%s" FILE_NAME, (int)(slash + 1 - own), own, places[i]) < 0)
			break;
		if (fg_path_exists(file))
			library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
		free(file);
	}
	free(own);
	return library;
}

/* Each call opens the library anew and never closes it, so it stays. Two threads that come here together do the same
 * work twice, and write the same pointers. */
static bool
open_library(const char **why)
{
	static const struct {
		const char *name;
		void *pointer;
	} symbols[] = {{"hwloc_topology_init", &hwloc.topology_init},
		       {"hwloc_topology_set_flags", &hwloc.topology_set_flags},
		       {"hwloc_topology_set_xml", &hwloc.topology_set_xml},
		       {"hwloc_topology_load", &hwloc.topology_load},
		       {"hwloc_topology_destroy", &hwloc.topology_destroy},
		       {"hwloc_topology_restrict", &hwloc.topology_restrict},
		       {"hwloc_get_obj_by_depth", &hwloc.get_obj_by_depth},
		       {"hwloc_bitmap_alloc", &hwloc.bitmap_alloc},
		       {"hwloc_bitmap_free", &hwloc.bitmap_free},
		       {"hwloc_bitmap_set", &hwloc.bitmap_set}};
	void *library = open_beside();
	if (!library && !(library = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL))) {
		*why = FILE_NAME " is not installed";
		return false;
	}
	for (unsigned i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *address = dlsym(library, symbols[i].name);
		if (!address) {
			*why = FILE_NAME " lacks a function";
			return false;
		}
		memcpy(symbols[i].pointer, &address, sizeof address);
	}
	return true;
}

static int
kind_of(hwloc_obj_type_t type)
{
	switch (type) {
	case HWLOC_OBJ_PACKAGE:
		return FG_PACKAGE;
	case HWLOC_OBJ_DIE:
		return FG_DIE;
	case HWLOC_OBJ_GROUP:
		return FG_GROUP;
	case HWLOC_OBJ_L3CACHE:
		return FG_L3;
	case HWLOC_OBJ_L2CACHE:
		return FG_L2;
	case HWLOC_OBJ_CORE:
		return FG_CORE;
	case HWLOC_OBJ_PU:
		return FG_PU;
	default:
		return -1; /* L1, L4 ...: its children belong to its parent */
	}
}

static void
grow(struct fg_level *parent, hwloc_obj_t object)
{
	struct fg_level *level = parent;
	/* The node's memory hangs beside the tree, on the object with the PUs that are nearest to it. Where several
	 * nodes hang there (HBM beside DRAM), the first is the default one. */
	hwloc_obj_t memory = object->memory_first_child;
	while (memory && memory->type != HWLOC_OBJ_NUMANODE)
		memory = memory->memory_first_child;
	if (memory) {
		level = fg_level_new(level, FG_NUMA_NODE, memory->os_index);
		level->memory_bytes = memory->attr->numanode.local_memory;
	}
	int kind = kind_of(object->type);
	if (kind >= 0) {
		level = fg_level_new(level, (enum fg_level_kind)kind, object->os_index);
		if (kind == FG_L3 || kind == FG_L2)
			level->cache_bytes = object->attr->cache.size;
	}
	for (hwloc_obj_t child = object->first_child; child; child = child->next_sibling)
		grow(level, child);
}

static struct fg_machine *
load_now(const char *xml, const struct fg_cpuset *allowed, const char **why)
{
	struct fg_machine *machine = NULL;
	hwloc_topology_t topology;
	*why = "hwloc obeys the environment, which is not this program's own";
	if (fg_secure() || !open_library(why)) /* HWLOC_PLUGINS_PATH names code, HWLOC_XMLFILE and HWLOC_FSROOT files */
		return NULL;
	*why = "hwloc cannot start";
	if (hwloc.topology_init(&topology) != 0)
		return NULL;
	*why = "not an hwloc XML file that can be read";
	if (xml && hwloc.topology_set_xml(topology, xml) != 0)
		goto out;
	if (hwloc.topology_load(topology) != 0) {
		if (!xml)
			*why = "hwloc cannot read the machine";
		goto out;
	}
	if (allowed) {
		hwloc_bitmap_t set = hwloc.bitmap_alloc();
		for (unsigned cpu = fg_cpuset_next(allowed, 0); cpu < FG_CPUSET_MAX;
		     cpu = fg_cpuset_next(allowed, cpu + 1))
			hwloc.bitmap_set(set, cpu);
		int failed = hwloc.topology_restrict(topology, set, 0);
		hwloc.bitmap_free(set);
		if (failed) {
			*why = "hwloc does not know the PUs of the affinity mask";
			goto out;
		}
	}
	struct fg_level *root = fg_level_new(NULL, FG_MACHINE, FG_NO_INDEX);
	if (root)
		grow(root, hwloc.get_obj_by_depth(topology, 0, 0));
	machine = fg_machine_build(root, xml ? FG_FROM_XML : FG_FROM_HWLOC);
	if (!machine)
		*why = "no PU in it, or no memory";
out:
	hwloc.topology_destroy(topology);
	return machine;
}

static bool
mask_now(struct fg_cpuset *mask)
{
	fg_cpuset_clear(mask);
	return fg_sandbox_allows(FG_SANDBOX_PLACES) &&
	       fg_system_call_affinity(0, sizeof mask->bits, (cpu_set_t *)mask->bits) == 0;
}

/* Masks lie in frames of their own, because a stack may be small. */
__attribute__((noinline)) static void
set_back(const struct fg_cpuset *before)
{
	struct fg_cpuset after;
	if (mask_now(&after) && !fg_cpuset_equal(before, &after))
		fg_system_call_bind(0, sizeof before->bits, (const cpu_set_t *)before->bits);
}

/* Hwloc reads files as it likes. It may bind the caller to one PU after the other. Then it sets the mask that it was
 * told before, and where threads have places that is not the kernel's (libc/children.c). */
static struct fg_machine *
load(const char *xml, const struct fg_cpuset *allowed, const char **why)
{
	struct fg_cpuset before;
	bool known = mask_now(&before);
	int cancel = fg_uncancelled_begin();
	struct fg_machine *machine = load_now(xml, allowed, why);
	fg_uncancelled_end(cancel);
	if (known)
		set_back(&before);
	return machine;
}

struct fg_machine *
fg_machine_hwloc(const struct fg_cpuset *allowed, const char **why)
{
	if (!fg_sandbox_allows(FG_SANDBOX_FILES)) {
		*why = "a sandbox forbids to read the machine";
		return NULL;
	}
	struct fg_machine *machine = load(NULL, allowed, why);
	if (machine && machine->n_pus != fg_cpuset_count(allowed)) {
		fg_machine_free(machine);
		*why = "hwloc and the affinity mask disagree";
		return NULL;
	}
	return machine;
}

struct fg_machine *
fg_machine_xml(const char *path, const char **why)
{
	int file = fg_file_open(path, O_RDONLY);
	if (file < 0) {
		*why = "cannot be opened";
		return NULL;
	}
	fg_file_close(file);
	return load(path, NULL, why);
}

#else

struct fg_machine *
fg_machine_hwloc(const struct fg_cpuset *allowed, const char **why)
{
	*why = "built without hwloc";
	return NULL;
}

struct fg_machine *
fg_machine_xml(const char *path, const char **why)
{
	*why = "built without hwloc, which reads such files";
	return NULL;
}
#endif
