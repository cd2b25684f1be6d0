/* The file of --pin, of a run or a replay. */
#include "command.h"
#include "machine/pin_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns the text of the file; NULL, with errno: it cannot be read. The caller frees it. */
static char *
text_of(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	if (!file)
		return NULL;
	errno = 0;
	if (getdelim(&text, &size, '\0', file) < 0 && !errno) {
		free(text);
		text = strdup("");
	}
	if (ferror(file)) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

int
take_pin_file(const char *command, const char *path, struct fg_pin *pin)
{
	char why[160], *text = text_of(path);
	if (!text)
		return complain(command, "--pin %s: %s", path, strerror(errno));
	bool right = fg_pin_read(text, pin, why, sizeof why);
	free(text);
	return right ? 0 : complain(command, "--pin %s: %s", path, why);
}
