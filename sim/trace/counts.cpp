#include "sim/trace/counts.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace x25sim::trace {
namespace {

constexpr Bytes page_size{4096};

}  // namespace

void PageSet::add(Bytes offset, Bytes length) {
  if (length.count == 0) return;
  const std::uint64_t first = offset / page_size;
  const std::uint64_t last = (offset + length - Bytes{1}) / page_size;
  const std::uint64_t first_chunk = first / chunk_pages;
  const std::uint64_t last_chunk = last / chunk_pages;
  if (first_chunk == last_chunk) {
    add_within(first_chunk, first % chunk_pages, last % chunk_pages + 1);
    return;
  }
  add_within(first_chunk, first % chunk_pages, chunk_pages);
  if (last_chunk - first_chunk > 1) add_full(first_chunk + 1, last_chunk);
  add_within(last_chunk, 0, last % chunk_pages + 1);
}

// Adds the pages [begin, end) of a chunk.
void PageSet::add_within(std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
  Chunk& words = chunks_[chunk];
  for (std::uint64_t page = begin; page < end;) {
    const std::uint64_t in_word = page % 64;
    const std::uint64_t count = std::min(end - page, 64 - in_word);
    const std::uint64_t bits = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    words[page / 64] |= bits << in_word;
    page += count;
  }
}

// Adds the chunks [begin, end), joined with the runs that they overlap or touch.
void PageSet::add_full(std::uint64_t begin, std::uint64_t end) {
  auto run = full_.upper_bound(begin);
  if (run != full_.begin() && std::prev(run)->second >= begin) --run;
  while (run != full_.end() && run->first <= end) {
    begin = std::min(begin, run->first);
    end = std::max(end, run->second);
    run = full_.erase(run);
  }
  full_.emplace_hint(run, begin, end);
}

bool PageSet::is_full(std::uint64_t chunk) const {
  const auto after = full_.upper_bound(chunk);
  return after != full_.begin() && chunk < std::prev(after)->second;
}

void PageSet::add(const PageSet& other) {
  for (const auto& [begin, end] : other.full_) add_full(begin, end);
  for (const auto& [chunk, words] : other.chunks_) {
    Chunk& own = chunks_[chunk];
    for (std::size_t word = 0; word < words.size(); ++word) own[word] |= words[word];
  }
}

std::uint64_t PageSet::size() const {
  std::uint64_t pages = 0;
  for (const auto& [begin, end] : full_) pages += (end - begin) * chunk_pages;
  // The order of a sum does not matter.
  for (const auto& [chunk, words] : chunks_) {
    if (is_full(chunk)) continue;
    for (const std::uint64_t word : words) pages += static_cast<std::uint64_t>(std::popcount(word));
  }
  return pages;
}

void RecordCounter::add(const Record& record) {
  const Bytes end = record.offset + record.length;
  if (counts_.records == 0) {
    counts_.first_ns = record.time_ns;
    counts_.min_byte = record.offset;
  }
  if (in_pass_ && record.time_ns < counts_.last_ns) ++counts_.backward_steps;
  in_pass_ = true;
  counts_.last_ns = record.time_ns;
  counts_.latest_ns = std::max(counts_.latest_ns, record.time_ns);
  counts_.min_byte = std::min(counts_.min_byte, record.offset);
  counts_.max_end_byte = std::max(counts_.max_end_byte, end);
  ++counts_.records;
  switch (record.kind) {
    case Kind::read:
      ++counts_.reads;
      counts_.bytes_read += record.length;
      break;
    case Kind::write:
      ++counts_.writes;
      counts_.bytes_written += record.length;
      break;
    case Kind::trim:
      ++counts_.trims;
      counts_.bytes_trimmed += record.length;
      break;
    case Kind::flush: ++counts_.flushes; break;
    case Kind::other: ++counts_.other; break;
  }
}

Counts Counter::counts() const {
  Counts counts = records_.counts();
  counts.unique_4k_pages_written = pages_written_.size();
  return counts;
}

}  // namespace x25sim::trace
