// A thread of its own draws the bar, and wakes five times a second. So the watched code pays only for a counter.
#include "progress.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace mpu {

progress::progress(const std::string &what, const std::atomic<uint32_t> &done, uint32_t total)
    : what(what), done(done), total(total)
{
	if (isatty(2))
		watcher = std::thread([this] { watch(); });
}

progress::~progress()
{
	if (!watcher.joinable())
		return;
	{
		std::lock_guard<std::mutex> lock(mutex);
		over = true;
	}
	wake.notify_one();
	watcher.join();
}

void
progress::watch()
{
	std::unique_lock<std::mutex> lock(mutex);
	while (!wake.wait_for(lock, std::chrono::milliseconds(200), [this] { return over; })) {
		uint32_t n = done.load(std::memory_order_relaxed);
		if (total) {
			uint32_t filled = n >= total ? 40 : n * 40ull / total;
			std::fprintf(stderr, "\r%-12s [%-40.*s] %3u%%", what.c_str(), (int)filled,
				"########################################", (unsigned)(n >= total ? 100 : n * 100ull / total));
		} else {
			std::fprintf(stderr, "\r%-12s %u", what.c_str(), n);
		}
	}
	std::fprintf(stderr, "\r%64s\r", "");
}

} // namespace mpu
