// Options that say where on the device a job works, and how much it does there.
#include "sim/workload/fio_rules.hpp"

namespace x25sim::workload {
namespace {

bool apply_offset(OptionReader& reader, Amount& field) {
  Amount amount;
  if (!reader.amount(amount)) return false;
  if (!amount.percent && amount.value % sector_size.count != 0) return false;
  field = amount;
  return true;
}

// A single size, or a range of which one size is drawn.
bool apply_filesize(OptionReader& reader) {
  const auto one = reader.number(reader.text(), 1);
  const auto range = one ? std::pair{Bytes{*one}, Bytes{*one}} : reader.range(reader.text());
  if (!range) return false;
  reader.draft.file_size = range;
  reader.draft.file_size_where = reader.where();
  return true;
}

bool apply_number_ios(OptionReader& reader) {
  const auto number = reader.number(reader.text(), 0);
  if (!number) return false;
  reader.job.number_ios.reset();  // 0 is fio's "no limit"
  if (*number > 0) reader.job.number_ios = *number;
  return true;
}

constexpr std::string_view expects_place =
    "a multiple of 512 bytes such as 4096, 512m or 1g, or a percentage from 1% to 100%";

constexpr OptionRule rules[] = {
    {"size", "", expects_amount, [](OptionReader& r) { return r.amount(r.draft.size); }},
    {"io_size", "io_limit", expects_amount,
     [](OptionReader& r) { return r.amount(r.draft.io_size); }},
    {"filesize", "", "a size such as 512m or 1g, or a range such as 1g-2g", apply_filesize},
    {"offset", "fileoffset", expects_place,
     [](OptionReader& r) { return apply_offset(r, r.draft.offset); }},
    {"offset_increment", "", expects_place,
     [](OptionReader& r) { return apply_offset(r, r.draft.offset_increment); }},
    {"offset_align", "", "0, or a multiple of 512 bytes such as 4096 or 64k",
     [](OptionReader& r) {
       const auto align = r.number(r.text(), 0);
       if (!align || *align % sector_size.count != 0) return false;
       r.draft.offset_align = Bytes{*align};
       return true;
     }},
    {"number_ios", "", "a number of requests", apply_number_ios},
    {"loops", "", "an integer from 1 to 4294967295",
     [](OptionReader& r) { return r.count(r.job.loops, 1); }},
};

}  // namespace

std::span<const OptionRule> region_rules() { return rules; }

}  // namespace x25sim::workload
