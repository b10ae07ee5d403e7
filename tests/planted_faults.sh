#!/usr/bin/env bash
# Plants one fault after the other into the FTL's real source, and expects the random worlds of
# tests/ftl_world.hpp to find each of them. The sources are copied; nothing is changed in place.
# Arguments: the C++ compiler (g++ by default), and how many worlds are run (400).
#
# A fault is a file, a sed command that changes it, and what that means. When the source changes, a
# command that no longer fits is an error: adapt it, or replace the fault by one like it.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
compiler=${1:-g++}
worlds=${2:-400}
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
file(GLOB sources RELATIVE ${CMAKE_SOURCE_DIR} main.cpp nand/*.cpp ftl/*.cpp ftl/policies/*.cpp tests/*.cpp)
add_executable(worlds ${sources})
target_include_directories(worlds PRIVATE ${CMAKE_SOURCE_DIR})
# What most faults are planted into is compiled as one file, which takes half the time.
file(GLOB changing RELATIVE ${CMAKE_SOURCE_DIR} ftl/page_ftl*.cpp)
set_source_files_properties(main.cpp ${changing} PROPERTIES UNITY_GROUP ftl)
set_target_properties(worlds PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
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
plant $header '/map_\[logical\] = page;/d' 'the map is not told where a page went'
plant $header '/logical_of_\[page\] = logical;/d' 'a page does not say whose it is'
plant $source '/ number = no_page_number;/d' 'a trimmed page stays in the map'
plant $source 's/i < count; ++i/i + 1 < count; ++i/' 'the last page of a trim is lost'
plant ftl/superblocks.cpp 's/offset % dies_)/0)/' 'a superblock is written to one die'
echo "validity"
plant $header '/valid_word(block, offset) |= bit(offset);/d' 'a new page is not valid'
plant $header '/valid_word(block, offset) &= ~bit(offset);/d' 'an old page stays valid'
plant $header '/invalidate(map_\[logical\]);/d' 'an overwritten page stays valid'
plant $source '/ invalidate(number);/d' 'a trimmed page stays valid'
plant $header 's|words_per_block_ + offset / 64|words_per_block_|' 'words of validity are one'
plant $source 's|(pages_ + 63) / 64|(pages_ + 64) / 65|' 'a block lacks a word of validity'
echo "garbage collection"
plant $header '/ sink.erase(layout_/d' 'an erase is skipped'
plant $header '/ sink.read(layout_/d' 'a copy is made of nothing'
plant $header 's/sink.read(.*physical(page)/sink.read(layout_.superblocks().physical(page \/ 2 * 2)/' \
  'a copy is made of the page before'
plant $source 's/copies_due = valid;/copies_due = valid \/ 2;/' 'a paced collection is too slow'
plant $source '/pool.victim_page = 0;/d' 'a collection begins where the last one ended'
plant $header 's/if (state_of(pool.victim).valid_pages == 0) finish/finish/' \
  'a victim is erased with pages on it'
echo "blocks"
plant $header '/^  release(pool, victim);/d' 'an erased block is forgotten'
plant $source '/closed.remove(blocks_.data(), index(victim));/d' 'a victim stays among the closed'
plant $source 's/{pool.free.pop(), 0}/{pool.free.pop(), 1}/' 'the first page of a block is left out'
plant ftl/closed_blocks.hpp '/if (valid < lowest_) lowest_ = valid;/d' 'the emptiest block is missed'
plant ftl/placement.cpp 's/return (usable - kept) \* pages - .*;/return usable * pages;/' \
  'a full drive has no spare block'
plant $header 's/pool.valid_pages < page_class.max_valid_pages/true/' 'a full pool takes pages'
echo "wear"
plant $header '/closed.remove(blocks_.data(), index(source));/d' 'a moved block stays among the closed'
plant $header '/used = true;/d' 'the block that static data went to is free'
plant $source '/pool.replacements.pop_back();/d' 'a replacement is used twice'
plant $header 's/state_of(block).erase_count++/state_of(block).erase_count/' 'blocks do not wear'
echo "counts"
plant $header 's/++counters_.programs\(.*\);/counters_.programs\1 += 2;/' 'programs count twice'
plant $header '/++counters_.programs/d' 'programs do not count'
plant $header '/++counters_.reads/d' 'reads do not count'
plant $header 's/counters_.erases += blocks;/++counters_.erases;/' 'erases of superblocks count as one'
plant $source '/++counters_.trimmed_pages;/d' 'trimmed pages do not count'
plant $header '/++blocks_\[block\].valid_pages;/d' 'a block does not count its pages'
plant $header '/ --classes_.*valid_pages;/d' 'the drive counts pages that it has lost'
plant $source 's/{pool.free.size()}/{pool.free.size() + 1}/' 'free blocks come from nowhere'

echo "$planted faults planted, $missed not found"
[ "$missed" = 0 ]
