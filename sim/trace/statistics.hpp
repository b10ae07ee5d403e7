// What is in a trace: amounts, sizes, times, locality, alignment, devices, oddities.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "nand/units.hpp"
#include "sim/measure/histogram.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/notes.hpp"
#include "sim/trace/page_table.hpp"
#include "sim/trace/record.hpp"

namespace x25sim::trace {

// How many requests have which length.
class SizeTable {
 public:
  // Different lengths that are told apart; requests of any further one are counted together.
  static constexpr std::size_t sizes_max = 4096;

  void add(Bytes length);

  std::uint64_t count() const { return count_; }
  // Length and number of requests, the most common first, then the shorter; at most `most`.
  std::vector<std::pair<Bytes, std::uint64_t>> most_common(std::size_t most) const;
  const PowerHistogram& by_power() const { return by_power_; }

 private:
  std::map<std::uint64_t, std::uint64_t> sizes_;
  std::uint64_t* last_count_ = nullptr;  // of last_size_, which the next one mostly equals
  std::uint64_t last_size_ = 0;
  std::uint64_t count_ = 0;
  PowerHistogram by_power_{};
};

// Requests in flight when a request arrives, itself included, from recorded response times.
class RecordedDepth {
 public:
  // As many requests at once have no other explanation than a wrong unit of time.
  static constexpr std::size_t depth_max = 1u << 20;

  // Requests that this many others precede in the trace although they came later, as where records
  // are in the order of completion, are put in their place.
  static constexpr std::size_t reordered_max = 1u << 12;

  void add(std::uint64_t time_ns, std::uint64_t response_ns);
  // Call once behind the last request, before anything is asked.
  void finish();

  // None if no response times were recorded, or they can't be right.
  std::optional<double> mean() const;
  std::uint64_t max() const { return max_; }
  const PowerHistogram& by_power() const { return by_power_; }

 private:
  void arrive();

  using Times = std::vector<std::uint64_t>;
  std::priority_queue<std::uint64_t, Times, std::greater<>> completions_;
  using Arrival = std::pair<std::uint64_t, std::uint64_t>;  // time and response time
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::uint64_t latest_ns_ = 0;  // of those that have arrived
  bool implausible_ = false;
  std::uint64_t count_ = 0, sum_ = 0, max_ = 0;
  PowerHistogram by_power_{};
};

struct DeviceStatistics {
  std::uint64_t records = 0, reads = 0, writes = 0;
  Bytes bytes_read, bytes_written;
  Bytes max_end;  // behind the highest byte
};

class Statistics {
 public:
  // The next record, in the order of the trace.
  void add(const Record& record);
  // Call once behind the last record, before anything is asked.
  void finish() {
    pages_.settle();
    depth_.finish();
  }

  // Of the records, without what a replay would add.
  Counts counts() const;

  PageTable::Footprint footprint() const { return pages_.footprint(); }
  // Of the 4 KiB pages that are written, the share that had been written before; none without
  // writes.
  std::optional<double> overwrite_share() const;
  const PageTable& pages() const { return pages_; }

  // Of reads or writes with data, the share that begins where the request before it on the same
  // device ended; none without any.
  std::optional<double> sequential_share(Kind kind) const;

  // Of reads, writes and trims.
  const SizeTable& sizes(Kind kind) const { return sizes_[static_cast<std::size_t>(kind)]; }

  // Between records that follow each other, where the clock did not go backwards.
  const measure::LatencyHistogram& interarrival() const { return interarrival_; }
  const RecordedDepth& depth() const { return depth_; }
  // Of reads, writes and trims with recorded response times.
  const measure::LatencyHistogram& response() const { return response_; }

  static constexpr std::array<std::uint64_t, 9> alignments{512,   1024,  2048,  4096,  8192,
                                                           16384, 32768, 65536, 131072};
  // Requests with data.
  std::uint64_t with_data() const { return with_data_; }
  // Those whose offset and length are multiples of alignments[i].
  std::uint64_t aligned(std::size_t i) const;
  // Those whose offset is n sectors behind a multiple of 4 KiB, n from 0 to 7; [8]: not at a
  // sector's begin.
  const std::array<std::uint64_t, 9>& page_phases() const { return page_phases_; }

  // By DeviceNames.
  const std::vector<DeviceStatistics>& devices() const { return devices_; }

  // Backward steps, equal times, requests without length or not in whole sectors, and duplicates of
  // the record before, with their first lines.
  std::vector<Notes::Note> oddities() const;

 private:
  enum Oddity : std::uint8_t {
    backward,
    equal_time,
    no_length,
    part_of_sector,
    duplicate,
    oddity_count
  };
  struct Occurrences {
    std::uint64_t count = 0;
    std::array<std::int64_t, Notes::lines_max> lines{};
  };

  void add_time(const Record& record);
  void add_data(const Record& record);
  void note(Oddity oddity, const Record& record);

  RecordCounter counter_;
  PageTable pages_;
  std::optional<Record> last_;
  std::array<SizeTable, 3> sizes_;
  measure::LatencyHistogram interarrival_;
  measure::LatencyHistogram response_;
  RecordedDepth depth_;
  std::uint64_t with_data_ = 0;
  std::array<std::uint64_t, 65> trailing_zeros_{};  // of offset | length
  std::array<std::uint64_t, 9> page_phases_{};
  std::array<std::uint64_t, 3> with_data_of_{}, sequential_of_{};
  std::vector<DeviceStatistics> devices_;
  std::vector<Bytes> last_end_;  // by device; beyond any address where there is none yet
  std::array<Occurrences, oddity_count> oddities_{};
};

}  // namespace x25sim::trace
