// C++ exceptions inside bodies while other members switch: barriers in catch blocks, in destructors during unwinding,
// rethrow.
// threads: 1 2 8 32
#include <exception>
#include <stdexcept>
#include <string>
#include <omp.h>

#include "check.h"

struct guard {
	int *count;
	bool wait;
	guard(int *c, bool w) : count(c), wait(w) {}
	~guard()
	{
		++*count;
		if (wait) {
			bool unwinding = std::uncaught_exceptions() > 0;
#pragma omp barrier
			CHECK(unwinding == (std::uncaught_exceptions() > 0));
		}
	}
};

static void __attribute__((noinline))
thrower(int depth, int id, int *destroyed, bool wait)
{
	guard g(destroyed, wait && depth % 2 == 0);

	if (depth == 0)
		throw std::runtime_error("thrown by " + std::to_string(id));
	thrower(depth - 1, id, destroyed, wait);
}

static void
round_of(int id, bool wait)
{
	int destroyed = 0, caught = 0;
	std::exception_ptr before = std::current_exception();
	std::string mine = "thrown by " + std::to_string(id);

	try {
		try {
			thrower(4, id, &destroyed, wait);
		} catch (std::runtime_error &e) {
			if (wait) {
#pragma omp barrier
			}
			CHECK(mine == e.what(), "%s for %s", e.what(), mine.c_str());
			try {
				thrower(2, id + 500, &destroyed, wait);
			} catch (std::exception &inner) {
				caught++;
				if (wait) {
#pragma omp barrier
				}
				CHECK(std::string(inner.what()) == "thrown by " + std::to_string(id + 500));
			}
			CHECK(mine == e.what());
			throw;
		}
	} catch (std::exception &e) {
		caught++;
		if (wait) {
#pragma omp barrier
		}
		CHECK(mine == e.what(), "%s for %s", e.what(), mine.c_str());
		CHECK(std::current_exception() != nullptr);
	}
	CHECK(caught == 2 && destroyed == 8, "%d %d", caught, destroyed);
	CHECK(std::current_exception() == before && std::uncaught_exceptions() == 0);
}

int
main()
{
	int threads = omp_get_max_threads();

#pragma omp parallel
	for (int i = 0; i < 20; i++)
		round_of(omp_get_thread_num(), true);
	/* No barriers, more work: the switches come from the clock. */
#pragma omp parallel
	for (int i = 0; i < 1000 / threads; i++)
		round_of(omp_get_thread_num(), false);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
	{
		int outer = omp_get_thread_num();

		try {
			throw outer;
		} catch (int e) {
			/* A region inside a catch block. */
#pragma omp parallel num_threads(4)
			for (int i = 0; i < 5; i++)
				round_of(outer * 10 + omp_get_thread_num(), true);
			CHECK(e == outer);
		}
	}
	return check_end();
}
