#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

/// Where the library may lie.
struct ConfigFolders {
  std::vector<std::string> found;   ///< those that exist, searched in this order
  std::vector<std::string> looked;  ///< all places that were looked at
};

/// The folders of `--config-path`, FATHOM_PATH, share/fathom/configs beside the program and the
/// source configs recorded at build time.
ConfigFolders find_config_folders(std::vector<std::string> given);

/// How a file is named in messages. In a folder named `configs` from there on, so that reports do
/// not depend on where the library lies; any other as opened.
std::string display_name(const std::string& path, const std::vector<std::string>& folders);

/// True where the name says that a file is meant: `box.yaml`, `./box`, `/specs/box`.
bool looks_like_path(const std::string& name);

bool is_file(const std::string& path);

/// The folder that a file lies in; "." where the path names none.
std::string folder_of(const std::string& path);
/// A name as seen from a folder; an absolute path stays.
std::string in_folder(const std::string& folder, const std::string& name);

}  // namespace fathom::cli
