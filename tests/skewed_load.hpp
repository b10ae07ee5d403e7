// Loads that write some pages more often than others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "nand/random.hpp"
#include "tests/one_pool.hpp"

namespace x25sim::test {

struct Skew {
  double spare_factor;
  double writes;  // r: this share of the writes goes to
  double space;   // f: this share of the pages, the first ones
};

// Draws pages of which each hot one is as likely as the other hot ones, and so with the cold ones.
class HotColdLoad {
 public:
  HotColdLoad(std::uint32_t pages, const Skew& skew, Random random)
      : writes_(skew.writes),
        pages_(pages),
        hot_(static_cast<std::uint32_t>(pages * skew.space)),
        random_(random) {}

  std::uint64_t operator()() {
    return random_.unit() < writes_ ? random_.below(hot_) : hot_ + random_.below(pages_ - hot_);
  }

 private:
  double writes_;
  std::uint32_t pages_;
  std::uint32_t hot_;
  Random random_;
};

// Draws page k, from 0, in proportion to (k + 1)^-exponent.
class ZipfLoad {
 public:
  ZipfLoad(std::uint32_t pages, double exponent, Random random)
      : cumulative_(pages), random_(random) {
    double sum = 0;
    for (std::uint32_t page = 0; page < pages; ++page) {
      cumulative_[page] = sum += std::pow(page + 1, -exponent);
    }
  }

  std::uint64_t operator()() {
    const double draw = random_.unit() * cumulative_.back();
    const auto place = std::upper_bound(cumulative_.begin(), cumulative_.end(), draw);
    return static_cast<std::uint64_t>(place - cumulative_.begin());
  }

 private:
  std::vector<double> cumulative_;
  Random random_;
};

// Of 30 drive writes after `warm_up`. Cold pages have to be rewritten several times before the
// state is steady; under FIFO few drive writes would do.
template <typename Load>
double skewed_amplification(OnePool& pool, std::uint64_t warm_up, Load& load) {
  pool.fill();
  pool.write(warm_up * pool.pages(), load);
  const double amplification = pool.write(30 * std::uint64_t{pool.pages()}, load);
  pool.check_invariants();
  return amplification;
}

// A pool of `blocks` blocks of `pages_per_block` pages in the steady state under hot and cold
// writes.
inline double hot_cold_amplification(const Skew& skew, const ftl::Config& config,
                                     std::uint32_t blocks = 1024,
                                     std::uint32_t pages_per_block = 64,
                                     std::uint64_t warm_up = 150) {
  OnePool pool(blocks, pages_per_block,
               static_cast<std::uint64_t>(blocks * pages_per_block * (1 - skew.spare_factor)),
               config);
  HotColdLoad load(pool.pages(), skew, random_stream(1, "test", 0));
  return skewed_amplification(pool, warm_up, load);
}

}  // namespace x25sim::test
