#include "hardware/base/file_text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

namespace fathom::hardware {

namespace {

void refuse(const std::string& path, std::string message, Diagnostics& diagnostics) {
  diagnostics.error({make_source(path, {}), 0, 0}, std::move(message));
}

/// Opens a file; where that fails the stream is bad and the diagnostic says why.
std::ifstream open_file(const std::string& path, Diagnostics& diagnostics) {
  std::ifstream in;
  in.setstate(std::ios::failbit);
  std::error_code status;
  if (!std::filesystem::exists(path, status)) {
    refuse(path, status ? "cannot be read: " + status.message() : "no such file", diagnostics);
    return in;
  }
  if (std::filesystem::is_directory(path, status)) {
    refuse(path, "a directory; a file is wanted", diagnostics);
    return in;
  }
  in.clear();
  in.open(path, std::ios::binary);
  if (!in) {
    refuse(path, "cannot be opened; may it be read?", diagnostics);
  }
  return in;
}

/// Appends at most `most` bytes of a stream; memory grows with what is there, not with `most`.
void read_at_most(std::istream& in, std::size_t most, std::string& bytes) {
  constexpr std::size_t kChunk = std::size_t{1} << 20U;
  while (in && bytes.size() < most) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min(kChunk, most - before));
    in.read(bytes.data() + before, static_cast<std::streamsize>(bytes.size() - before));
    bytes.resize(before + static_cast<std::size_t>(in.gcount()));
  }
}

}  // namespace

std::optional<std::string> read_file_text(const std::string& path, Diagnostics& diagnostics) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return std::move(text).str();
  }
  std::ifstream in = open_file(path, diagnostics);
  if (!in) {
    return std::nullopt;
  }
  const bool empty = in.peek() == std::ifstream::traits_type::eof();
  if (!empty) {
    text << in.rdbuf();
  }
  if (in.bad() || text.fail()) {
    refuse(path, "reading it failed", diagnostics);
    return std::nullopt;
  }
  return std::move(text).str();
}

std::optional<FileStart> read_file_start(const std::string& path, std::size_t most,
                                         Diagnostics& diagnostics) {
  FileStart start;
  if (path == "-") {
    read_at_most(std::cin, most, start.bytes);
    start.size = start.bytes.size();
    return start;
  }
  std::ifstream in = open_file(path, diagnostics);
  if (!in) {
    return std::nullopt;
  }
  read_at_most(in, most, start.bytes);
  if (in.bad()) {
    refuse(path, "reading it failed", diagnostics);
    return std::nullopt;
  }
  std::error_code status;
  start.size = std::filesystem::file_size(path, status);
  if (status) {  // a pipe has none
    start.size = start.bytes.size();
  }
  return start;
}

std::optional<std::vector<std::string>> list_files(const std::string& folder,
                                                   Diagnostics& diagnostics) {
  std::error_code status;
  std::filesystem::directory_iterator entry(folder, status);
  std::vector<std::string> names;
  while (!status && entry != std::filesystem::directory_iterator()) {
    std::error_code unknown;
    if (!entry->is_directory(unknown)) {
      names.push_back(entry->path().filename().string());
    }
    entry.increment(status);
  }
  if (status) {
    refuse(folder, "cannot be listed: " + status.message(), diagnostics);
    return std::nullopt;
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_file(const std::string& path) {
  std::error_code status;
  return std::filesystem::is_regular_file(path, status);
}

}  // namespace fathom::hardware
