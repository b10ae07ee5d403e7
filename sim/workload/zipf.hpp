// Ranks of Zipf's law, as fio draws them.
#pragma once

#include <cstdint>

#include "nand/random.hpp"

namespace x25sim::workload {

// About P(k) = k^-theta / H, with H the sum over k from 1 to n, in constant time and memory: ranks
// 1 and 2 have their exact probabilities, the others those of an integral in place of the sum
// (Gray, Sundaresan, Englert, Baclawski and Weinberger, "Quickly generating billion-record
// synthetic databases", ACM SIGMOD 1994). P(k) is too large by up to a fifth at rank 3, a tenth at
// 4, and within some 5 % from 7 on. That is what fio does, and jobs are to load a simulated drive
// as fio loads a real one.
class Zipf {
 public:
  // Requires: theta >= 0 and not 1, ranks > 0.
  Zipf(double theta, std::uint64_t ranks);

  // A rank, from 1.
  std::uint64_t next(Random& random) const;

 private:
  std::uint64_t ranks_;
  double exponent_;  // 1 / (1 - theta)
  double sum_;       // H
  double sum_of_two_;
  double eta_;  // the paper's: fits the integral to what ranks 1 and 2 leave
};

}  // namespace x25sim::workload
