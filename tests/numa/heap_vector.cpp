// A vector that has grown, and a vector of small vectors, which lie in the heap. The main thread has filled both, and
// all threads sweep over them. Huge pages would be shared by several nodes, so there are none.
// count: yes
// threads: 16
// env: FGOMP_MEMORY=auto HUGE=never
// limit: 60
#include "settle.h"

#include <vector>

enum { WORDS = 3 << 20, SMALL = 192, SMALL_WORDS = 12 << 10, REMOTE = 8 };

static std::vector<double> grown;
static std::vector<std::vector<double>> rows;

static void
sweep()
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < grown.size(); i++)
		grown[i] += 1;
#pragma omp parallel for schedule(static)
	for (size_t row = 0; row < rows.size(); row++)
		for (double &word : rows[row])
			word += 1;
}

static double
away()
{
#pragma omp parallel
	{
		size_t first, count;
		settle_part(grown.size(), &first, &count);
		settle_ask(&grown[first], count * sizeof(double));
		settle_part(rows.size(), &first, &count);
		settle_ask(rows[first].data(), count * SMALL_WORDS * sizeof(double));
	}
	return settle_share();
}

int
main()
{
	count_begin();
	for (size_t i = 0; i < WORDS; i++)
		grown.push_back(1);
	for (size_t row = 0; row < SMALL; row++)
		rows.emplace_back(SMALL_WORDS, 1.0);
	count_area("grown", grown.data(), grown.size() * sizeof(double));
	count_area("rows", rows.front().data(), (size_t)(&rows.back().back() - rows.front().data()) * sizeof(double));
	size_t steps = settle(sweep, away, 0.05);
	if (settle_moves())
		count_expect_remote("last", "*", REMOTE);
	for (double word : grown)
		CHECK(word == (double)(steps + 1), "%g", word);
	for (const std::vector<double> &row : rows)
		for (double word : row)
			CHECK(word == (double)(steps + 1), "%g", word);
	return check_end();
}
