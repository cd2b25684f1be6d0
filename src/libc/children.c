/* Masks and children of the calling thread (floor: libc). A bubble scheduler may have bound the kernel thread of a
 * member to its seat (exec/body/seat.h), or OMP_PROC_BIND to its place (team/places/bind.h). The program must not see
 * the seat, nor the place outside of active regions, nor get children and threads that have one of them:
 *
 *   sched_getaffinity, pthread_getaffinity_np   tell the program's mask, but in an active region the place
 *   sched_setaffinity, pthread_setaffinity_np   are the user's word: the kernel thread has no seat any more
 *   pthread_create, posix_spawn, system, popen  pass the program's mask on: the caller leaves seat or place meanwhile
 *   vfork, execve and the like the caller leaves its seat until it next waits, its place until it is bound
 *                                               anew
 *
 * (For fork see exec/top/process_fork.c.) The names are as in signals.c. Raw system calls meet seat and place. Where
 * the dynamic linker prefers another library's sched_getaffinity, no kernel thread gets a seat, and threads of the
 * program leave their place at the end of each outermost region.
 *
 * The program calls these on any pthread, inside or outside (its malloc may call them inside). Handlers may call those
 * that POSIX allows there. None takes a lock of the runtime. The mask of a kernel thread is changed only by the thread
 * that it carries, which enters the runtime for that. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/export.h"
#include "exec/body/binding.h"
#include "exec/body/seat.h"
#include "exec/ground/options.h"
#include "exec/thread/identity.h"
#include "platform/thread.h"
#include "team/places/bind.h"

#ifdef __x86_64__
#define FIRST "GLIBC_2.2.5"
#define MASKS "GLIBC_2.3.4"
#define SPAWN "GLIBC_2.15"
#define EXECVPE "GLIBC_2.11"
#else
#define FIRST "GLIBC_2.17"
#define MASKS "GLIBC_2.17"
#define SPAWN "GLIBC_2.17"
#define EXECVPE "GLIBC_2.17"
#endif
__asm__(".symver fg_program_get_mask, sched_getaffinity@" MASKS);
__asm__(".symver fg_program_set_mask, sched_setaffinity@" MASKS);
__asm__(".symver fg_program_thread_get_mask, pthread_getaffinity_np@" MASKS);
__asm__(".symver fg_program_thread_get_mask_2_32, pthread_getaffinity_np@GLIBC_2.32");
__asm__(".symver fg_program_thread_set_mask, pthread_setaffinity_np@" MASKS);
__asm__(".symver fg_program_thread_set_mask_2_34, pthread_setaffinity_np@GLIBC_2.34");
__asm__(".symver fg_program_create, pthread_create@" FIRST);
__asm__(".symver fg_program_create_2_34, pthread_create@GLIBC_2.34");
__asm__(".symver fg_program_spawn, posix_spawn@" SPAWN);
__asm__(".symver fg_program_spawnp, posix_spawnp@" SPAWN);
__asm__(".symver fg_program_system, system@" FIRST);
__asm__(".symver fg_program_popen, popen@" FIRST);

/* The C library's functions, in the order of `names`. Constructors of other libraries may call before this one's. */
enum { GET, SET, THREAD_GET, THREAD_SET, CREATE, SPAWN_FILE, SPAWN_PATH, SYSTEM, POPEN, FUNCTIONS };
static void *
others(unsigned which)
{
	static const char *const names[FUNCTIONS] = {"sched_getaffinity",
						     "sched_setaffinity",
						     "pthread_getaffinity_np",
						     "pthread_setaffinity_np",
						     "pthread_create",
						     "posix_spawn",
						     "posix_spawnp",
						     "system",
						     "popen"};
	static struct fg_atomic_ptr found[FUNCTIONS];
	void *function = fg_load_relaxed(&found[which]);
	if (__builtin_expect(!function, 0)) {
		function = dlsym(RTLD_NEXT, names[which]);
		fg_store_relaxed(&found[which], function);
	}
	return function;
}

/* The caller's kernel thread. Only the caller's pthread has an identity, which may be a parked one's. */
static bool
is_caller(pid_t pid)
{
	return pid == 0 || pid == fg_thread_id();
}

static void
write_mask(const struct fg_cpuset *mask, size_t size, cpu_set_t *set)
{
	memset(set, 0, size);
	memcpy(set, mask, size < sizeof *mask ? size : sizeof *mask);
}

static void
show_program_mask(const struct fg_identity *self, size_t size, cpu_set_t *set)
{
	struct fg_cpuset mask = *fg_binding_program(self);
	if (!(fg_exec_options.binds ? fg_place_is_hidden(self) : fg_seat_mask(&mask)))
		return;
	write_mask(&mask, size, set);
}

/* Another thread of this process may have a seat. */
__attribute__((noinline)) static void
show_without_seat(pid_t pid, size_t size, cpu_set_t *set)
{
	struct fg_cpuset mask;
	fg_cpuset_clear(&mask);
	memcpy(&mask, set, size < sizeof mask ? size : sizeof mask);
	if (fg_seat_hide(pid, &mask))
		write_mask(&mask, size, set);
}

FG_EXPORT int
fg_program_get_mask(pid_t pid, size_t size, cpu_set_t *set)
{
	int (*get)(pid_t, size_t, cpu_set_t *) = others(GET);
	int error = get(pid, size, set);
	const struct fg_identity *self = error == 0 ? fg_binding_self() : NULL;
	if (self && is_caller(pid))
		show_program_mask(self, size, set);
	else if (error == 0 && fg_seat_on && !is_caller(pid))
		show_without_seat(pid, size, set);
	return error;
}

/* The runtime itself calls this, too, inside. */
static int
set_mask_of_place(const struct fg_identity *self, bool inside, size_t size, const cpu_set_t *set)
{
	int (*set_mask)(pid_t, size_t, const cpu_set_t *) = others(SET);
	struct fg_cpuset *mask = fg_binding_program(self);
	int error = set_mask(0, size, set);
	if (error != 0 || inside)
		return error;
	fg_cpuset_clear(mask);
	memcpy(mask, set, size < sizeof *mask ? size : sizeof *mask);
	return 0;
}

FG_EXPORT int
fg_program_set_mask(pid_t pid, size_t size, const cpu_set_t *set)
{
	int (*set_mask)(pid_t, size_t, const cpu_set_t *) = others(SET);
	struct fg_identity *self = fg_binding_self();
	if (!self || !is_caller(pid))
		return set_mask(pid, size, set);
	bool inside = fg_enter_again(self); /* so that the caller stays on its kernel thread */
	int error = fg_exec_options.binds ? set_mask_of_place(self, inside, size, set)
					  : fg_seat_set_mask(self->worker, size, set);
	fg_leave_again(self, inside);
	return error;
}

FG_EXPORT int
fg_program_thread_get_mask(pthread_t thread, size_t size, cpu_set_t *set)
{
	int (*get)(pthread_t, size_t, cpu_set_t *) = others(THREAD_GET);
	if (!fg_binding_self() || !pthread_equal(thread, pthread_self()))
		return get(thread, size, set);
	int saved = errno, error = fg_program_get_mask(0, size, set) ? errno : 0;
	errno = saved;
	return error;
}
FG_ABI_ALIAS(int, fg_program_thread_get_mask_2_32, (pthread_t thread, size_t size, cpu_set_t *set),
	     fg_program_thread_get_mask)

FG_EXPORT int
fg_program_thread_set_mask(pthread_t thread, size_t size, const cpu_set_t *set)
{
	int (*set_mask)(pthread_t, size_t, const cpu_set_t *) = others(THREAD_SET);
	if (!fg_binding_self() || !pthread_equal(thread, pthread_self()))
		return set_mask(thread, size, set);
	int saved = errno, error = fg_program_set_mask(0, size, set) ? errno : 0;
	errno = saved;
	return error;
}
FG_ABI_ALIAS(int, fg_program_thread_set_mask_2_34, (pthread_t thread, size_t size, const cpu_set_t *set),
	     fg_program_thread_set_mask)

static unsigned
change_place(struct fg_identity *self, unsigned place)
{
	bool inside = fg_enter_again(self);
	unsigned before = self->place;
	self->place = place;
	fg_binding_follow(self);
	fg_leave_again(self, inside);
	return before;
}

/* A thread that has left its seat or its place. */
struct standing {
	struct fg_identity *self; /* NULL: it has none, or has left it before */
	unsigned place;
};

/* Until stand_end, the thread has the program's mask on each kernel thread that carries it. The runtime itself makes
 * threads in this way, too. */
static struct standing
stand_begin(void)
{
	struct standing standing = {.self = fg_binding_self()};
	if (standing.self && standing.self->place == FG_PLACE_NONE)
		standing.self = NULL;
	if (standing.self)
		standing.place = change_place(standing.self, FG_PLACE_NONE);
	return standing;
}

static void
stand_end(struct standing standing)
{
	if (standing.self)
		change_place(standing.self, standing.place);
}

FG_EXPORT int
fg_program_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = others(CREATE);
	struct standing standing = stand_begin();
	int error = create(thread, attributes, start, arg);
	stand_end(standing);
	return error;
}
FG_ABI_ALIAS(int, fg_program_create_2_34,
	     (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg),
	     fg_program_create)

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
			   char *const[], char *const[]);

FG_EXPORT int
fg_program_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	spawn_function *spawn = (spawn_function *)others(SPAWN_FILE);
	struct standing standing = stand_begin();
	int error = spawn(pid, path, actions, attributes, arguments, environment);
	stand_end(standing);
	return error;
}

FG_EXPORT int
fg_program_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		  const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	spawn_function *spawn = (spawn_function *)others(SPAWN_PATH);
	struct standing standing = stand_begin();
	int error = spawn(pid, file, actions, attributes, arguments, environment);
	stand_end(standing);
	return error;
}

FG_EXPORT int
fg_program_system(const char *command)
{
	int (*run)(const char *) = others(SYSTEM);
	struct standing standing = stand_begin();
	int status = run(command);
	stand_end(standing);
	return status;
}

FG_EXPORT FILE *
fg_program_popen(const char *command, const char *mode)
{
	FILE *(*open)(const char *, const char *) = others(POPEN);
	struct standing standing = stand_begin();
	FILE *stream = open(command, mode);
	stand_end(standing);
	return stream;
}

/* Functions that return twice, or not at all, or have arguments of any number. Each is a jump to the C library's, once
 * fg_leave_binding has returned that function's address. All registers of arguments are kept. Handlers of signals and
 * children of vfork may call these functions, so the addresses are found before. */
#define JUMPS(X)                                                                                                       \
	X(0, vfork, FIRST)                                                                                             \
	X(1, execve, FIRST)                                                                                            \
	X(2, execv, FIRST)                                                                                             \
	X(3, execvp, FIRST)                                                                                            \
	X(4, execvpe, EXECVPE)                                                                                         \
	X(5, execl, FIRST)                                                                                             \
	X(6, execle, FIRST)                                                                                            \
	X(7, execlp, FIRST)
#define NAME(number, name, version) #name,
static const char *const jump_names[] = {JUMPS(NAME)};
#define N_JUMPS (sizeof jump_names / sizeof *jump_names)
static struct {
	void *jump_to[N_JUMPS];
	pid_t process;
} loaded;

static void
note_process(void)
{
	loaded.process = getpid();
}

/* A child of vfork has the parent's memory, and must not enter the runtime. It has neither seat nor place, because the
 * parent left them. */
void *fg_leave_binding(unsigned which);
__attribute__((used, visibility("hidden"))) void *
fg_leave_binding(unsigned which)
{
	struct fg_identity *self = fg_binding_self();
	if (self && getpid() == loaded.process) {
		bool inside = fg_enter_again(self);
		fg_binding_leave(self->worker);
		fg_leave_again(self, inside);
	}
	return loaded.jump_to[which] ? loaded.jump_to[which] : dlsym(RTLD_NEXT, jump_names[which]);
}

#ifdef __x86_64__
#define PUSH(name) "push %" name "\n.cfi_adjust_cfa_offset 8\n"
#define POP(name) "pop %" name "\n.cfi_adjust_cfa_offset -8\n"
#define BODY(number)                                                                                                   \
	"endbr64\n" PUSH("rdi") PUSH("rsi") PUSH("rdx") PUSH("rcx") PUSH("r8") PUSH("r9")                              \
		PUSH("rax") "mov $" #number ", %edi\ncall fg_leave_binding\nmov %rax, %r11\n" POP("rax") POP("r9")     \
			POP("r8") POP("rcx") POP("rdx") POP("rsi") POP("rdi") "jmp *%r11\n"
#else
#define BODY(number)                                                                                                   \
	"hint #34\nstp x29, x30, [sp, #-80]!\n.cfi_adjust_cfa_offset 80\n.cfi_offset 30, -72\n"                        \
	"stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\n"                 \
	"mov w0, #" #number "\nbl fg_leave_binding\nmov x16, x0\n"                                                     \
	"ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n"                 \
	"ldp x29, x30, [sp], #80\n.cfi_adjust_cfa_offset -80\n.cfi_restore 30\nbr x16\n"
#endif
#define JUMP(number, name, version)                                                                                    \
	__asm__(".text\n.globl fg_program_" #name "\n.type fg_program_" #name ", %function\nfg_program_" #name ":\n"   \
		".cfi_startproc\n" BODY(number) ".cfi_endproc\n.size fg_program_" #name ", . - fg_program_" #name "\n" \
						".symver fg_program_" #name ", " #name "@" version);
JUMPS(JUMP)

/* Runs once start.c has said whether seats are wanted. */
__attribute__((constructor(105))) static void
find(void)
{
	for (unsigned i = 0; i < N_JUMPS; i++)
		loaded.jump_to[i] = dlsym(RTLD_NEXT, jump_names[i]);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		others(i);
	if (dlvsym(RTLD_DEFAULT, "sched_getaffinity", MASKS) != (void *)fg_program_get_mask) {
		fg_seat_on = false;
		fg_place_list.shown = true;
	}
	note_process();
	pthread_atfork(NULL, NULL, note_process);
}
