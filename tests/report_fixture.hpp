// Hand-made results for the tests of reports.
#pragma once

#include <optional>
#include <string>

#include "sim/backend/result.hpp"
#include "sim/report/context.hpp"

namespace x25sim::report {

inline constexpr std::size_t read_direction = 0;
inline constexpr std::size_t write_direction = 1;
inline constexpr std::size_t trim_direction = 2;

// A job of random reads and writes without requests yet.
backend::JobResult mixed_job(const std::string& name, Duration runtime);

// `count` requests of 4 KiB with latencies 100 us, 101 us, ..., spread over the run time.
void add_requests(backend::JobResult& result, std::size_t direction, int count);

// A drive that wrote 1000 host pages, of them 100 by read-modify-write, and copied 300 in GC.
drive::DriveReport written_drive();

// A mixed job of two seconds on that drive.
backend::RunResult mixed_result();

ReportContext context_of(const backend::RunResult& result);

// What fio itself prints for a mixed job; none, and a message, where fio is not installed.
std::optional<std::string> fio_output(const std::string& format);

bool contains(const std::string& text, const std::string& part);

// Looks for whole words: "nand" and "info" are fine.
void check_no_undefined_number(std::string text);

}  // namespace x25sim::report
