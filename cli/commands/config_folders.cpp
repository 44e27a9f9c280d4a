#include "cli/commands/config_folders.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace fathom::cli {

namespace fs = std::filesystem;

ConfigFolders find_config_folders(std::vector<std::string> given) {
  if (const char* env = std::getenv("FATHOM_PATH")) {
    std::string list = env;
    while (!list.empty()) {
      const auto colon = list.find(':');
      given.push_back(list.substr(0, colon));
      list = colon == std::string::npos ? "" : list.substr(colon + 1);
    }
  }
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    given.push_back((program.parent_path().parent_path() / "share/fathom/configs").string());
  }
  given.emplace_back(FATHOM_SOURCE_CONFIGS);
  ConfigFolders out;
  for (std::string folder : given) {
    while (folder.size() > 1 && folder.back() == '/') {
      folder.pop_back();
    }
    if (!folder.empty()) {
      out.looked.push_back(folder);
    }
    if (!folder.empty() && fs::is_directory(folder, failed)) {
      out.found.push_back(folder);
    }
  }
  return out;
}

std::string display_name(const std::string& path, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (path.rfind(folder + "/", 0) == 0 && fs::path(folder).filename() == "configs") {
      return "configs" + path.substr(folder.size());
    }
  }
  return path;
}

bool looks_like_path(const std::string& name) {
  constexpr std::array<std::string_view, 3> kEndings{".yaml", ".yml", ".json"};
  const std::string ending = fs::path(name).extension().string();
  return name.rfind('/', 0) == 0 || name.rfind("./", 0) == 0 || name.rfind("../", 0) == 0 ||
         std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder == "." ? name : (fs::path(folder) / name).string();
}

}  // namespace fathom::cli
