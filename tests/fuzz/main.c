/* Runs a target once for each file of a folder: for builds without libFuzzer. */
#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	alarm(300);
	DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
	if (!folder) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	unsigned runs = 0;
	for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
		char path[4096];
		static uint8_t text[1 << 16];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
		FILE *file = fopen(path, "r");
		if (!file) {
			fprintf(stderr, "%s cannot be read\n", path);
			return 1;
		}
		size_t size = fread(text, 1, sizeof text, file);
		fclose(file);
		printf("%s\n", entry->d_name);
		fflush(stdout);
		LLVMFuzzerTestOneInput(text, size);
		runs++;
	}
	closedir(folder);
	return runs == 0;
}
