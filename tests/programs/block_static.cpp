// Members that block in libc and libstdc++ locks whose holder was switched out: function statics, call_once, stdio,
// malloc.
// threads: 2 8 16
// cpus: 2
#include <mutex>
#include <string>
#include <vector>
#include <omp.h>

#include "check.h"

static int built;

struct slow {
	int value;
	slow()
	{
		check_burn(30000);
		__atomic_fetch_add(&built, 1, __ATOMIC_RELAXED);
		value = 17;
	}
};
struct sleeper {
	int value;
	sleeper() : value(18) { usleep(20000); }
};

static slow &
the_slow()
{
	static slow object;
	return object;
}

static sleeper &
the_sleeper()
{
	static sleeper object;
	return object;
}

int
main()
{
	std::once_flag once;
	int called = 0;
	FILE *file = tmpfile();

#pragma omp parallel
	{
		CHECK(the_slow().value == 17);
		CHECK(the_sleeper().value == 18);
		std::call_once(once, [&] {
			check_burn(10000);
			called++;
		});
		CHECK(called == 1);
	}
	CHECK(built == 1, "%d", built);

	/* The stream's lock is held while its owner waits in critical. */
	int lines = 0;
#pragma omp parallel
	for (int i = 0; i < 20; i++) {
		flockfile(file);
		fprintf(file, "%d ", i);
#pragma omp critical
		lines++;
		if (i == 10)
			check_burn(6000);
		fprintf(file, "line\n");
		funlockfile(file);
	}
	CHECK(lines == 20 * omp_get_max_threads());
	rewind(file);
	char word[20];
	int number, got = 0;
	while (fscanf(file, "%d %19s", &number, word) == 2 && std::string(word) == "line")
		got++;
	CHECK(got == lines, "%d lines whole of %d", got, lines);

#pragma omp parallel
	{
		std::vector<std::string> list;

		for (int i = 0; i < 3000; i++) {
			list.push_back(std::string(10 + i % 300, 'a' + i % 20));
			if (i % 3 == 0)
				list.erase(list.begin() + (list.size() / 2));
		}
		for (auto &s : list)
			CHECK(s.size() >= 10 && s[0] == s.back());
	}
	return check_end();
}
