// Decompressors as stages of a ByteSource. Each reads all members or frames of its file, checks the
// checksums that the format has, and throws InputError for data that is damaged or ends too early.
#pragma once

#include <memory>
#include <string>

#include "sim/trace/byte_source.hpp"

namespace x25sim::trace {

using Stage = ByteSource::Stage;

// `name`: of the file, for errors.
std::unique_ptr<Stage> gzip_stage(std::unique_ptr<Stage> packed, const std::string& name);
std::unique_ptr<Stage> zstandard_stage(std::unique_ptr<Stage> packed, const std::string& name);
std::unique_ptr<Stage> xz_stage(std::unique_ptr<Stage> packed, const std::string& name);

}  // namespace x25sim::trace
