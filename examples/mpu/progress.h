// A bar on the terminal while work takes long. It is silent if stderr is not a terminal. Used by main.cpp and mesh.cpp.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace mpu {

class progress {
public:
	// `done` counts up to `total`. If `total` is 0 it is not known, and the bar shows the count itself.
	progress(const std::string &what, const std::atomic<uint32_t> &done, uint32_t total);
	~progress();

private:
	void watch();

	std::string what;
	const std::atomic<uint32_t> &done;
	uint32_t total;
	bool over = false;
	std::mutex mutex;
	std::condition_variable wake;
	std::thread watcher;
};

} // namespace mpu
