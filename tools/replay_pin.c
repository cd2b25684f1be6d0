/* The pin file of `forestgomp replay --pin`. Its regions are those of the program, and the player has a function of its
 * own for each. So the file is written anew, with the names of these. */
#include "replay.h"
#include "command.h"
#include "pin_uses.h"
#include "platform/code.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The first region of that name, among those of the trace; FG_NOBODY: there is none. */
static uint32_t
region_of(const struct replay *replay, const char *wanted)
{
	char name[FG_PIN_NAME];
	for (uint32_t r = 0; r < replay->story->n_regions; r++) {
		pin_region_name(replay->trace, replay->story->regions[r].function, name);
		if (*name && strcmp(name, wanted) == 0)
			return r;
	}
	return FG_NOBODY;
}

/* Each run comes without the file, and with it. */
static void
add_runs(struct replay *replay)
{
	for (unsigned i = replay->n_runs; i-- > 0;) {
		replay->runs[2 * i] = replay->runs[2 * i + 1] = replay->runs[i];
		replay->runs[2 * i + 1].pinned = true;
	}
	replay->n_runs *= 2;
}

int
replay_pin_read(struct replay *replay)
{
	struct fg_pin *pin = &replay->pin;
	const struct fg_machine *machine = replay->model.machine;
	bool named = false, found = false;
	int status = take_pin_file("replay", replay->pin_path, pin);
	if (status)
		return status;
	if (pin->pus != machine->n_pus || pin->digest != fg_pin_digest(machine))
		return complain("replay", "--pin %s: it is of another machine than '%s'", replay->pin_path,
				replay->model.name);
	for (const struct fg_pin_layout *one = pin->first; one && !found; one = one->next) {
		named |= *one->name != '\0';
		found = *one->name && region_of(replay, one->name) != FG_NOBODY;
	}
	if (named && !found)
		return complain("replay", "--pin %s: it is of another program than '%s', or of another build",
				replay->pin_path, replay->file);
	add_runs(replay);
	return 0;
}

/* Fills in the name of each function of the player. */
static bool
read_sites(const char *path, const char *player, char (*names)[FG_PIN_NAME])
{
	FILE *file = fopen(path, "re");
	unsigned n = 0;
	uint64_t offset;
	while (file && n < FG_SCORE_SITES && fscanf(file, "%" SCNx64, &offset) == 1 &&
	       fg_code_name_in_file(player, offset, names[n], FG_PIN_NAME))
		n++;
	if (file)
		fclose(file);
	return n == FG_SCORE_SITES;
}

static bool
write_file(const struct replay *replay, const char *path, char (*names)[FG_PIN_NAME])
{
	FILE *file = fopen(path, "wxe");
	unsigned size = 0;
	if (!file)
		return false;
	fprintf(file, "pin = %d\nmachine = %u %016" PRIx64 "\n", FG_PIN_VERSION, replay->pin.pus, replay->pin.digest);
	for (const struct fg_pin_layout *one = replay->pin.first; one; one = one->next) {
		uint32_t region = *one->name ? region_of(replay, one->name) : 0;
		if (region == FG_NOBODY)
			continue;
		if (one->size != size)
			fprintf(file, "threads = %u\n", one->size);
		size = one->size;
		if (*one->name)
			fprintf(file, "region = %s", names[region % FG_SCORE_SITES]);
		else
			fputs("default =", file);
		for (unsigned k = 0; k < size; k++)
			fprintf(file, " %u", one->pu[k]);
		fputc('\n', file);
	}
	bool failed = ferror(file);
	return fclose(file) == 0 && !failed;
}

int
replay_pin_write(const struct replay *replay, const char *path, const char *sites)
{
	char names[FG_SCORE_SITES][FG_PIN_NAME], *player;
	uint64_t time;
	struct sim_call call = {.machine = replay->to_machine ? replay->to_machine : replay->machine, .seed = "1"};
	int status = replay_play(&call, "--sites", sites, &player, &time);
	if (!status && !read_sites(sites, player, names)) {
		complain("replay", "--pin %s: the player's own functions could not be found", replay->pin_path);
		status = 1;
	}
	if (!status && !write_file(replay, path, names)) {
		complain("replay", "cannot write '%s': %s", path, strerror(errno));
		status = 1;
	}
	free(player);
	return status;
}
