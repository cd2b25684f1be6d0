/* Binding: the place assignment of OpenMP (floor: team): see bind.h. */
#include "team/places/bind.h"
#include "base/log.h"
#include "exec/body/binding.h"
#include "exec/thread/identity.h"
#include "machine/cpuset.h"
#include "platform/affinity.h"
#include "platform/memory.h"
#include "platform/system_call.h"
#include "team/env/icv.h"
#include "team/team.h"
#include <errno.h>
#include <string.h>

/* With more members than places, the partition is cut into blocks of equal size, from the primary thread's place on.
 * The members that are left over follow one by one. Otherwise each place has one member. Returns the distance of
 * member i from the primary thread's place. */
static unsigned
block_of(unsigned i, unsigned size, unsigned places)
{
	unsigned each = size / places;
	if (each == 0)
		return i;
	return i < each * places ? i / each : i - each * places;
}

/* OpenMP leaves the meaning of "true" to us. Members go round the places, as the dock deals members to workers. */
static void
assign_round(const struct fg_place_slot *primary, unsigned size, struct fg_place_slot *slots)
{
	unsigned offset = primary->place - primary->first;
	for (unsigned i = 0; i < size; i++) {
		slots[i] = *primary;
		slots[i].place = primary->first + (offset + i) % primary->count;
	}
}

bool
fg_places_round(const struct fg_team *team, unsigned bind, unsigned n_workers)
{
	return bind == FG_BIND_TRUE && n_workers % team->places[0].count == 0;
}

static void
assign_close(const struct fg_place_slot *primary, unsigned size, struct fg_place_slot *slots)
{
	unsigned offset = primary->place - primary->first;
	for (unsigned i = 0; i < size; i++) {
		slots[i] = *primary;
		slots[i].place = primary->first + (offset + block_of(i, size, primary->count)) % primary->count;
	}
}

/* First place of part p out of `size`, relative to the partition. The first places % size parts have one place more. */
static unsigned
part_start(unsigned p, unsigned size, unsigned places)
{
	unsigned longer = places % size;
	return p * (places / size) + (p < longer ? p : longer);
}

/* At least as many places as members. Each member gets a part of the partition, and the first place of this part.
 * The primary thread gets the part that holds its place, and stays where it is. */
static void
assign_parts(const struct fg_place_slot *primary, unsigned size, struct fg_place_slot *slots)
{
	unsigned offset = primary->place - primary->first, part = 0;
	while (part_start(part + 1, size, primary->count) <= offset)
		part++;
	for (unsigned i = 0; i < size; i++, part = (part + 1) % size) {
		unsigned start = part_start(part, size, primary->count);
		slots[i].first = slots[i].place = primary->first + start;
		slots[i].count = part_start(part + 1, size, primary->count) - start;
	}
	slots[0].place = primary->place;
}

void
fg_places_assign(const struct fg_place_slot *primary, unsigned bind, unsigned size, struct fg_place_slot *slots)
{
	switch (bind) {
	case FG_BIND_PRIMARY:
		for (unsigned i = 0; i < size; i++)
			slots[i] = *primary;
		return;
	case FG_BIND_SPREAD:
		if (size <= primary->count) {
			assign_parts(primary, size, slots);
			return;
		}
		assign_close(primary, size, slots);
		for (unsigned i = 0; i < size; i++) {
			slots[i].first = slots[i].place;
			slots[i].count = 1;
		}
		return;
	case FG_BIND_CLOSE:
		assign_close(primary, size, slots);
		return;
	default:
		assign_round(primary, size, slots);
	}
}

/* A hot team needs no new assignment. */
bool
fg_places_fork(struct fg_identity *primary, struct fg_team *team, unsigned bind, bool *moved)
{
	*moved = false;
	if (!primary->place) /* a thread of the program, which is not bound yet */
		primary->place = 1;
	fg_binding_follow(primary);
	unsigned size = team->size;
	struct fg_place_slot slot = fg_place_current(primary);
	if (team->places && team->places_size == size && team->places_bind == bind &&
	    memcmp(&team->places[size], &slot, sizeof slot) == 0)
		return true;
	struct fg_place_slot *slots = fg_memory_resize(team->places, (size + 1) * sizeof *slots);
	if (!slots)
		return false;
	*moved = true;
	fg_places_assign(&slot, bind, size, slots);
	for (unsigned k = 0; k < size; k++)
		slots[k].bound = slots[k].place;
	slots[size] = slot;
	team->places = slots;
	team->places_size = size;
	team->places_bind = bind;
	return true;
}

/* All CPUs of the place `inner` are in the place `outer`. */
static bool
is_part_of(unsigned inner, unsigned outer)
{
	cpu_set_t common;
	if (inner == outer)
		return true;
	CPU_AND(&common, fg_place_cpus(inner), fg_place_cpus(outer));
	return CPU_EQUAL(&common, fg_place_cpus(inner));
}

/* Places may be listed twice, or contain each other. Members whose places one binding can serve have the same rank,
 * and this binding. */
static unsigned
places_used(struct fg_team *team, unsigned *rank)
{
	struct fg_place_slot *slots = team->places;
	unsigned used = 0;
	for (unsigned k = 0; k < team->size; k++) {
		unsigned earlier = 0;
		while (earlier < k && !is_part_of(slots[earlier].bound, slots[k].place))
			earlier++;
		rank[k] = earlier < k ? rank[earlier] : used++;
		slots[k].bound = earlier < k ? slots[earlier].bound : slots[k].place;
	}
	return used;
}

const uint16_t *
fg_places_slots(struct fg_team *team, bool moved, unsigned n_workers)
{
	if (!moved && team->places_slots)
		return team->places_slots;
	uint16_t *slots = fg_memory_resize(team->places_slots, team->size * sizeof *slots);
	unsigned *rank = fg_memory_get(team->size * sizeof *rank),
		 *dealt = fg_memory_zeroed(team->size * sizeof *dealt);
	if (slots)
		team->places_slots = slots;
	if (slots && rank && dealt) {
		unsigned used = places_used(team, rank), each = n_workers > used ? n_workers / used : 1;
		for (unsigned k = 0; k < team->size; k++)
			slots[k] = (uint16_t)((rank[k] * each + dealt[rank[k]]++ % each) % n_workers);
	} else
		slots = NULL;
	fg_memory_free(rank);
	fg_memory_free(dealt);
	return slots;
}

/* A team of one leaves its thread where it was. */
struct fg_place_slot
fg_place_current(const struct fg_identity *self)
{
	const struct fg_thread *thread = self ? &self->thread : NULL;
	for (; thread && thread->team; thread = &thread->team->saved)
		if (thread->team->size > 1 && thread->team->places)
			return thread->team->places[thread->num];
	return (struct fg_place_slot){.place = 0, .first = 0, .count = fg_place_list.count};
}

/* Binds the calling kernel thread to the CPUs of a place. */
static void
bind_to(unsigned place)
{
	if (fg_affinity_set(0, sizeof(cpu_set_t), fg_place_cpus(place)) != 0)
		fg_note("place %u: the kernel refuses its CPUs; the thread stays unbound", place);
}

/* The kernel thread has the CPUs of the place to which it was bound: the program has set no others since. */
static bool
has_place(unsigned place)
{
	struct fg_cpuset now;
	return place && place != FG_PLACE_NONE && fg_system_call_affinity(0, sizeof now, (cpu_set_t *)&now) == 0 &&
	       CPU_EQUAL((const cpu_set_t *)&now, fg_place_cpus(place - 1));
}

/* Threads of the runtime come from bound ones, so only the mask of a thread of the program tells. */
static void
learn(struct fg_cpuset *mask, bool of_program)
{
	if (!of_program || fg_system_call_affinity(0, sizeof *mask, (cpu_set_t *)mask) != 0)
		memcpy(mask, &fg_place_list.start_mask, sizeof fg_place_list.start_mask);
}

/* Two places may have the same CPUs. Then the kernel is not called, so a mask that the program has set meanwhile
 * stays. */
unsigned
fg_place_rebind(unsigned bound, unsigned place, struct fg_cpuset *program, bool of_program)
{
	int saved = errno; /* of the thread that runs here at the moment */
	if (place && place != FG_PLACE_NONE) {
		if (!bound)
			learn(program, of_program);
		if (!bound || bound == FG_PLACE_NONE || !CPU_EQUAL(fg_place_cpus(bound - 1), fg_place_cpus(place - 1)))
			bind_to(place - 1);
	} else if (has_place(bound))
		fg_affinity_set(0, sizeof *program, (const cpu_set_t *)program);
	else
		place = bound;
	errno = saved;
	return place;
}

void
fg_places_leave(struct fg_identity *self)
{
	self->place = 0;
	fg_binding_follow(self);
}

bool
fg_place_is_hidden(const struct fg_identity *self)
{
	const struct fg_team *team = self->thread.team;
	return self->root && (!team || team->active_level == 0) && has_place(fg_binding_place(self));
}
