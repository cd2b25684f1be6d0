/* `forestgomp run`: a name of the library that can be preloaded (command.h). The dynamic linker reads LD_PRELOAD as
 * words between blanks and colons, and a folder such as "My Project" is none. Then a link without a blank leads there.
 * It lies in the user's folder for running programs, or in /tmp.
 *
 * A link that someone else has made is not followed. Its folder must belong to the user, or be one in which only the
 * owner of a link can replace it. */
#include "command.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEPARATORS " :"

static bool
is_safe(const char *folder)
{
	struct stat status;
	if (!folder || *folder != '/' || strpbrk(folder, SEPARATORS) || stat(folder, &status) != 0)
		return false;
	bool own = status.st_uid == geteuid() && !(status.st_mode & S_IWOTH);
	bool sticky = status.st_uid == 0 && status.st_mode & S_ISVTX;
	return S_ISDIR(status.st_mode) && (own || sticky);
}

/* FNV-1a: links of different folders have different names. */
static uint64_t
hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

/* The link is there, is the user's and leads to the folder. */
static bool
leads_to(const char *link, const char *folder)
{
	char target[4096];
	struct stat status;
	ssize_t length = lstat(link, &status) == 0 && S_ISLNK(status.st_mode) && status.st_uid == geteuid()
				 ? readlink(link, target, sizeof target - 1)
				 : -1;
	return length > 0 && (size_t)length == strlen(folder) && memcmp(target, folder, (size_t)length) == 0;
}

const char *
run_preloadable(const char *library)
{
	char *folder, *link, *file = NULL;
	const char *run = getenv("XDG_RUNTIME_DIR"), *place = is_safe(run) ? run : "/tmp";
	if (!strpbrk(library, SEPARATORS))
		return library;
	if (!is_safe(place))
		return NULL;
	folder = strndup(library, (size_t)(strrchr(library, '/') - library));
	if (!folder ||
	    asprintf(&link, "%s/forestgomp-%u-%016llx", place, geteuid(), (unsigned long long)hash_of(folder)) < 0)
		return NULL;
	bool there = symlink(folder, link) == 0 || (errno == EEXIST && leads_to(link, folder));
	if (there && asprintf(&file, "%s/libgomp.so.1", link) < 0)
		file = NULL;
	free(link);
	free(folder);
	return file;
}
