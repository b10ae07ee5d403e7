#include "sim/trace/merged_reader.hpp"

#include <utility>

#include "nand/check.hpp"

namespace x25sim::trace {

MergedReader::MergedReader(std::vector<std::unique_ptr<Reader>> readers)
    : readers_(std::move(readers)) {
  X25_CHECK(!readers_.empty());
  for (std::uint32_t file = 0; file < readers_.size(); ++file) advance(file);
}

std::optional<Record> MergedReader::next() {
  if (last_file_) advance(*std::exchange(last_file_, std::nullopt));
  if (heads_.empty()) return std::nullopt;
  const Record record = heads_.top();
  heads_.pop();
  last_file_ = record.file;
  return record;
}

void MergedReader::advance(std::uint32_t file) {
  auto record = readers_[file]->next();
  if (!record) return;
  record->device = devices_.index(readers_[file]->devices().name(record->device));
  record->file = file;
  heads_.push(*record);
}

Notes MergedReader::notes() const {
  Notes notes;
  for (const auto& reader : readers_) notes.add(reader->notes());
  return notes;
}

std::uint64_t MergedReader::malformed() const {
  std::uint64_t malformed = 0;
  for (const auto& reader : readers_) malformed += reader->malformed();
  return malformed;
}

}  // namespace x25sim::trace
