// Saving and loading an FTL's state.
#include "ftl/page_ftl.hpp"

namespace x25sim::ftl {

void PageFtl::exchange_pool(StateArchive& archive, Pool& pool) {
  const std::size_t blocks_max = blocks_.size();
  archive.vector("free", pool.free.entries(), blocks_max);
  archive.value("arrivals", pool.free.arrivals());
  archive.value("random", pool.random.state());
  archive.array("frontier", std::span<Frontier>(pool.frontiers));
  archive.value("wear", pool.wear_frontier);
  archive.value("valid", pool.valid_pages);
  archive.value("victim", pool.victim);
  for (std::uint32_t* number :
       {&pool.victim_page, &pool.copies_due, &pool.writes_due, &pool.credit}) {
    archive.value("pacing", *number);
  }
  archive.vector("replace", pool.replacements, blocks_max);
  pool.erase_counts.exchange(archive);
}

void PageFtl::exchange(StateArchive& archive) {
  archive.value("counters", counters_);
  archive.value("class", first_class_pages_);
  archive.array("map", std::span<std::uint32_t>(map_.data(), map_.size()));
  archive.array("blocks", std::span<BlockState>(blocks_.data(), blocks_.size()));
  HugeArray<std::uint8_t>& counts = write_counts_.counts();
  archive.array("heat", std::span<std::uint8_t>(counts.data(), counts.size()));
  archive.value("hand", write_counts_.hand());
  for (PageClass& page_class : classes_) {
    archive.value("stripe", page_class.position);
    archive.value("valid", page_class.valid_pages);
  }
  for (Pool& pool : pools_) {
    exchange_pool(archive, pool);
    pool.closed.exchange(archive, blocks_.data(), blocks_.size());
  }
  std::uint8_t worn_out = worn_out_ ? 1 : 0;
  archive.value("worn", worn_out);
  worn_out_ = worn_out != 0;
  if (archive.loading()) rebuild_inverse(archive);
}

// The inverse of the map and the bits of valid pages follow from what was loaded.
void PageFtl::rebuild_inverse(StateArchive& archive) {
  for (std::uint32_t logical = 0; logical < map_.size(); ++logical) {
    const std::uint32_t page = map_[logical];
    if (page == no_page_number) continue;
    if (page >= logical_of_.size()) archive.reject("a page lies beyond the flash");
    std::uint64_t& word = valid_word(page / pages_, page % pages_);
    if ((word & bit(page % pages_)) != 0) archive.reject("two logical pages share a flash page");
    word |= bit(page % pages_);
    logical_of_[page] = logical;
  }
}

}  // namespace x25sim::ftl
