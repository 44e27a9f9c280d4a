#include "hardware/base/file_text.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

namespace fathom::hardware {

std::optional<std::string> read_file_text(const std::string& path, Diagnostics& diagnostics) {
  const auto refuse = [&](std::string message) {
    diagnostics.error({make_source(path, {}), 0, 0}, std::move(message));
    return std::nullopt;
  };
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return std::move(text).str();
  }
  std::error_code status;
  if (!std::filesystem::exists(path, status)) {
    return refuse(status ? "cannot be read: " + status.message() : "no such file");
  }
  if (std::filesystem::is_directory(path, status)) {
    return refuse("a directory; a file is wanted");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return refuse("cannot be opened; may it be read?");
  }
  const bool empty = in.peek() == std::ifstream::traits_type::eof();
  if (!empty) {
    text << in.rdbuf();
  }
  if (in.bad() || text.fail()) {
    return refuse("reading it failed");
  }
  return std::move(text).str();
}

}  // namespace fathom::hardware
