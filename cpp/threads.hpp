// Jobs over threads. The kernel keeps no number of threads: each call gets the number that it may use.
#pragma once

#include <algorithm>
#include <cstddef>

// A page's WebAssembly has one thread.
#if !defined(__wasm__)
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace rangewise {

#if defined(__wasm__)
template <class Job>
void for_each_job(std::size_t jobs, std::size_t, Job job) {
    for (std::size_t k = 0; k < jobs; ++k) job(k);
}
#else
// Threads that are waited for, whatever happens. (Not every library has std::jthread.)
struct Joined {
    std::vector<std::thread> threads;
    ~Joined() {
        for (std::thread& thread : threads) thread.join();
    }
};

// Calls `job(k)` for each k < jobs, on up to `threads` threads; the first exception is thrown again here.
template <class Job>
void for_each_job(std::size_t jobs, std::size_t threads, Job job) {
    const std::size_t workers = std::min(threads, jobs);
    if (workers < 2) {
        for (std::size_t k = 0; k < jobs; ++k) job(k);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failed;
    std::mutex failing;
    const auto work = [&] {
        try {
            for (std::size_t k; (k = next.fetch_add(1)) < jobs;) job(k);
        } catch (...) {
            const std::lock_guard lock(failing);
            failed = std::current_exception();
        }
    };
    {
        Joined others;
        for (std::size_t k = 1; k < workers; ++k) others.threads.emplace_back(work);
        work();
    }
    if (failed) std::rethrow_exception(failed);
}
#endif

}  // namespace rangewise
