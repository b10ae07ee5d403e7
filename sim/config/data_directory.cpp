#include "sim/config/data_directory.hpp"

#include <system_error>

#include "nand/errors.hpp"

namespace x25sim::config {

namespace fs = std::filesystem;

fs::path data_directory(const std::string& name) {
  std::error_code error;
  const fs::path source = fs::path{X25SIM_DATA_DIR} / name;
  if (fs::is_directory(source, error)) return source;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = program.parent_path().parent_path() / name;
  if (fs::is_directory(beside, error)) return beside;
  throw InputError("no folder '" + name + "': looked for " + source.string() + " and " +
                   beside.string());
}

}  // namespace x25sim::config
