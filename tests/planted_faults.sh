#!/usr/bin/env bash
# Plants one fault after the other into the FTL's real source, and expects the random worlds of
# tests/ftl_world.hpp to find each of them. The sources are copied; nothing is changed in place.
# Arguments: the C++ compiler (g++ by default), and how many worlds are run (800).
#
# A fault is a file, a sed command that changes it, and what that means. When the source changes, a
# command that no longer fits is an error: adapt it, or replace the fault by one like it.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
compiler=${1:-g++}
worlds=${2:-800}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/tests"
cp -r "$here/nand" "$here/ftl" "$work"
cp "$here"/tests/{dice,ftl_model,ftl_world,reference_ftl}.hpp "$here/tests/ftl_world.cpp" "$work/tests"
cat > "$work/main.cpp" <<'END'
#include <cstdio>
#include <cstdlib>

#include "tests/ftl_model.hpp"

int main(int, char** arguments) {
  const unsigned long worlds = std::strtoul(arguments[1], nullptr, 10);
  for (unsigned long seed = 1; seed <= worlds; ++seed) {
    const x25sim::test::LineOnStop line("world " + std::to_string(seed));
    x25sim::test::FtlWorld world = x25sim::test::random_ftl_world(seed);
    x25sim::test::ModelRun<x25sim::ftl::PageFtl> run(world.setup);
    if (const auto mismatch = x25sim::test::live(run, world)) {
      std::printf("world %lu: %s\n", seed, mismatch->c_str());
      return 1;
    }
  }
}
END

cat > "$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(planted_faults LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_FLAGS -O0)
file(GLOB sources main.cpp nand/*.cpp ftl/*.cpp ftl/policies/*.cpp tests/*.cpp)
add_executable(worlds ${sources})
target_include_directories(worlds PRIVATE ${CMAKE_SOURCE_DIR})
END

cd "$work"
cmake -G Ninja -B . -DCMAKE_CXX_COMPILER="$compiler" > output
build() {
  if ! cmake --build . --parallel 2 > output 2>&1; then
    cat output >&2
    exit 2
  fi
}
# The subshell keeps to itself what the shell says of programs that are stopped.
find_fault() { ! (timeout 60 ./worlds "$worlds" > output 2>&1; exit $?) 2> /dev/null; }

build
if find_fault; then
  echo "without a fault: $(cat output)" >&2
  exit 1
fi
echo "without a fault nothing is found"

planted=0
missed=0
plant() {
  local file=$1 command=$2 meaning=$3
  sed -i "$command" "$file"
  if cmp -s "$here/$file" "$file"; then
    echo "$0: $meaning: \`$command\` changes nothing in $file: adapt it" >&2
    exit 2
  fi
  build
  planted=$((planted + 1))
  if find_fault; then
    echo "found: $meaning: $(tr '\n' ' ' < output | cut -c 1-200)"
  else
    echo "NOT FOUND: $meaning"
    missed=$((missed + 1))
  fi
  cp "$here/$file" "$file"
}

header=ftl/page_ftl.hpp
source=ftl/page_ftl.cpp
echo "the map"
plant $header '/map_\[logical\] = index(page);/d' 'the map is not told where a page went'
plant $header '/logical_of_\[index(page)\] = logical;/d' 'a page does not say whose it is'
plant $source '/physical = index(no_page);/d' 'a trimmed page stays in the map'
plant $source 's/i < count; ++i/i + 1 < count; ++i/' 'the last page of a trim is lost'
plant $source '/  invalidate(physical);/d' 'a trimmed page stays valid'
echo "validity"
plant $header '/valid_word(pool.frontier, offset) |= bit(offset);/d' 'a new page is not valid'
plant $header '/valid_word(block, offset) &= ~bit(offset);/d' 'an old page stays valid'
plant $header '/invalidate(map_\[logical\]);/d' 'an overwritten page stays valid'
plant $header 's|words_per_block_ + page / 64|words_per_block_|' 'words of validity are taken for one'
plant $source 's|pages_per_block + 63) / 64|pages_per_block + 64) / 65|' 'a block lacks a word of validity'
echo "garbage collection"
plant $header '/ sink.erase(victim);/d' 'an erase is skipped'
plant $header '/ sink.read(source, Cause::gc);/d' 'a copy is made of nothing'
plant $header 's/sink.read(source, /sink.read(geometry_.page_at(pool.victim, 0), /' \
  'a copy is made of the first page of its block'
plant $source 's/copies_due = victim.valid_pages;/copies_due = victim.valid_pages \/ 2;/' \
  'a paced collection is too slow'
plant $source '/pool.victim_page = 0;/d' 'a collection begins where the last one ended'
plant $header 's/if (blocks_\[index(pool.victim)\].valid_pages == 0) erase/if (true) erase/' \
  'a victim is erased with pages on it'
echo "blocks"
plant $header '/free_block(pool, victim);/d' 'an erased block is forgotten'
plant $source '/closed.remove(blocks_.data(), index(pool.victim));/d' 'a victim stays among the closed'
plant $source '/pool.frontier_page = 0;/d' 'a new block is taken for full'
plant ftl/closed_blocks.hpp '/if (valid < lowest_) lowest_ = valid;/d' 'the emptiest block is missed'
plant ftl/placement.cpp 's/{usable_blocks_ - .*} \*/{usable_blocks_} */' 'a full drive has no spare block'
plant $header 's/pool.valid_pages < layout_.max_valid_pages()/true/' 'a full pool takes pages'
echo "counts"
plant $header 's/++counters_.programs\(.*\);/counters_.programs\1 += 2;/' 'programs count twice'
plant $header '/++counters_.programs/d' 'programs do not count'
plant $header '/++counters_.reads/d' 'reads do not count'
plant $header '/++counters_.erases;/d' 'erases do not count'
plant $source '/++counters_.trimmed_pages;/d' 'trimmed pages do not count'
plant $header '/++blocks_\[index(victim)\].erase_count;/d' 'blocks do not wear'
plant $header '/++blocks_\[index(pool.frontier)\].valid_pages;/d' 'a block does not count its pages'
plant $header '/  --valid_pages_;/d' 'the drive counts pages that it has lost'
plant $source 's/free_blocks += pool.free_blocks/& + 1/' 'free blocks come from nowhere'

echo "$planted faults planted, $missed not found"
[ "$missed" = 0 ]
