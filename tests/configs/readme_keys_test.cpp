// configs/README.md lists every key that the readers know, and no other.

#include "tests/support/config_kinds.h"
#include "tests/support/readme.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace fathom {
namespace {

using hardware::SpecNode;
using test::role_keys;
using test::section;
using test::split;
using test::text_of;

using Path = std::vector<std::string>;

struct Key {
  std::string written;  ///< as the table has it, placeholders included
  Path path;
  bool required = false;  ///< always, where its map is
  bool optional = false;
};

std::vector<std::string> format_words() {
  std::vector<std::string> words;
  words.reserve(hardware::kFormatCount);
  for (int i = 0; i < hardware::kFormatCount; ++i) {
    words.emplace_back(hardware::format_name(static_cast<hardware::Format>(i)));
  }
  return words;
}

const std::map<std::string, std::vector<std::string>>& placeholders() {
  static const std::map<std::string, std::vector<std::string>> words{
      {"<format>", format_words()},
      {"<role>", role_keys()},
      {"<arithmetic>", {"fp32", "bf16", "fp8", "int8", "fp4"}},
      {"<family>", {"gemm", "grouped_gemm", "attention", "elementwise"}},
      {"<transport>", {"ring", "one_shot", "two_shot", "in_switch", "all_to_all", "send"}},
  };
  return words;
}

/// The paths that a written key stands for, its placeholders replaced by each word.
std::vector<Path> expand(const std::string& written) {
  std::vector<Path> paths{{}};
  for (const std::string& part : split(written, '.')) {
    const auto found = placeholders().find(part);
    const std::vector<std::string> words =
        found == placeholders().end() ? std::vector<std::string>{part} : found->second;
    std::vector<Path> longer;
    for (const Path& path : paths) {
      for (const std::string& word : words) {
        longer.push_back(path);
        longer.back().push_back(word);
      }
    }
    paths = longer;
  }
  return paths;
}

/// The rows of the table "| key | unit | meaning | needed |".
std::vector<Key> documented(const std::string& kind) {
  std::vector<Key> keys;
  bool inside = false;
  for (const std::string& line : split(section(kind), '\n')) {
    if (line.rfind("| key |", 0) == 0) {
      inside = true;
    } else if (line.rfind('|', 0) != 0) {
      inside = false;
    } else if (inside && line.rfind("|---", 0) != 0) {
      const auto cells = split(line, '|');
      REQUIRE(cells.size() >= 6);
      const auto tick = cells.at(1).find('`');
      const std::string written =
          cells.at(1).substr(tick + 1, cells.at(1).find('`', tick + 1) - tick - 1);
      const std::string& needed = cells.at(cells.size() - 2);
      for (const Path& path : expand(written)) {
        keys.push_back({written, path,
                        needed.find("required") == 1 && written.find('<') == std::string::npos,
                        needed.find("optional") == 1});
      }
    }
  }
  return keys;
}

/// The readers of one folder and the sources in which they look keys up.
struct Kind {
  const char* name;
  std::vector<const char*> sources;
};

std::vector<Kind> kinds() {
  return {{"models",
           {"model/llm/read_blocks.cpp", "model/llm/read_model.cpp", "model/llm/block_keys.h",
            "model/llm/read_formats.cpp", "model/llm/read_published.cpp", "model/llm/roles.cpp"}},
          {"accelerators", {"hardware/machine/read_accelerator.cpp"}},
          {"systems", {"hardware/machine/read_system.cpp"}},
          {"kernels", {"hardware/cost/coefficients.cpp"}},
          {"engines", {"model/engine/read_engine.cpp"}}};
}

bool knows(const std::string& kind, const Path& path) {
  const std::string unknown = "unknown key '" + path.back() + "'";
  for (SpecNode& root : test::samples(kind)) {
    if (path.size() == 2 && root.find(path.front()) == nullptr) {
      if (path.front() == "attention") {
        continue;  // without its kind a reader cannot tell which keys it has
      }
      SpecNode map;
      map.kind = SpecNode::Kind::Map;
      root.entries.push_back({path.front(), {}, map});
    }
    for (SpecNode* map : test::maps_of(root, path)) {
      const SpecNode kept = *map;
      if (map->find(path.back()) == nullptr) {
        map->entries.push_back({path.back(), {}, test::scalar("?")});
      }
      if (test::read_as(kind, root).find(unknown) == std::string::npos) {
        return true;
      }
      *map = kept;  // another kind of block may know it
    }
  }
  return false;
}

TEST_CASE("a reader knows every key that the README lists") {
  for (const Kind& kind : kinds()) {
    const auto keys = documented(kind.name);
    CHECK(keys.size() > 10);
    for (const Key& key : keys) {
      INFO(kind.name << ": " << key.written);
      CHECK(knows(kind.name, key.path));
    }
  }
}

TEST_CASE("no reader knows a key that nobody listed") {
  for (const Kind& kind : kinds()) {
    CHECK_FALSE(knows(kind.name, {"zzz"}));
    for (const Key& key : documented(kind.name)) {
      Path path = key.path;
      path.back() = "zzz";
      INFO(kind.name << ": " << key.written);
      CHECK_FALSE(knows(kind.name, path));
    }
  }
}

/// A number written as a map or a claim is one value.
bool is_value(const SpecNode& map) {
  return map.find("value") != nullptr || map.find("low") != nullptr;
}

void collect(const SpecNode& node, const std::string& prefix, std::set<std::string>& out) {
  for (const SpecNode& item : node.items) {
    collect(item, prefix, out);
  }
  for (const auto& entry : node.entries) {
    if (entry.key == "source" || entry.key == "note") {
      continue;
    }
    const std::string path = prefix.empty() ? entry.key : prefix + "." + entry.key;
    out.insert(path);
    if (!is_value(entry.value)) {
      collect(entry.value, path, out);
    }
  }
}

TEST_CASE("every key that the library uses is listed") {
  for (const Kind& kind : kinds()) {
    std::set<std::string> listed;
    for (const Key& key : documented(kind.name)) {
      std::string path;
      for (const std::string& part : key.path) {
        path += (path.empty() ? "" : ".") + part;
      }
      listed.insert(path);
    }
    for (const std::string& file : test::config_files(kind.name)) {
      std::set<std::string> used;
      collect(test::tree(file), "", used);
      for (std::string path : used) {
        // The README says that these hold the keys of the model's own map, or of a layer's.
        path = std::regex_replace(path, std::regex("^mtp\\.ffn\\."), "layers.ffn.");
        path =
            std::regex_replace(path, std::regex("^(layers|mtp)\\.(attention|formats)\\."), "$2.");
        INFO(file << ": " << path);
        CHECK(listed.count(path) == 1);
      }
    }
  }
}

TEST_CASE("every word in a reader's source that could be a key is a word of its section") {
  // The look-ups of optional keys leave no trace in a diagnostic; their literals do in the source.
  const std::regex literal("\"([a-z][a-z0-9_]*)\"");
  const std::set<std::string> not_keys{
      "bound",   // a name that Coefficients::bound gives itself
      "ffn",     // the name of a map in messages, listed as layers.ffn
      "low",     // of an interval
      "source",  // allowed everywhere
      "note",
  };
  for (const Kind& kind : kinds()) {
    const std::string words = section(kind.name);
    for (const char* path : kind.sources) {
      const std::string source = text_of(path);
      for (std::sregex_iterator it(source.begin(), source.end(), literal), end; it != end; ++it) {
        const std::string word = (*it)[1];
        bool placed = false;
        for (const auto& [name, some] : placeholders()) {
          placed = placed || (words.find(name) != std::string::npos &&
                              std::find(some.begin(), some.end(), word) != some.end());
        }
        const bool listed = std::regex_search(words, std::regex("[`.]" + word + "[`.]"));
        INFO(path << ": \"" << word << '"');
        CHECK((placed || listed || not_keys.count(word) == 1));
      }
    }
  }
}

/// Leaves a key out wherever one tree has it, and checks that it is missed if and only if it is
/// required; the count of places.
int leave_out(const std::string& kind, SpecNode root, const Key& key) {
  int places = 0;
  if (key.path.back() == "counts" && root.find("mtp") != nullptr) {
    return places;  // a claim with the MTP layers does not hold without them
  }
  if (key.path.size() > 1 && key.path.back() == "attention" && root.find("attention") == nullptr) {
    return places;  // optional only where the model has one for all
  }
  if (key.path.front() != "published") {
    test::erase(root, "published");  // claims hold for the whole model only
  }
  for (SpecNode* map : test::maps_of(root, key.path)) {
    const SpecNode kept = *map;
    if (test::erase(*map, key.path.back())) {
      ++places;
      if (key.path.back() == "gpus_per_uplink") {
        test::erase(*map, "uplink_bandwidth");  // says nothing without it
      }
      const std::string text = test::read_as(kind, root);
      INFO(kind << ": " << key.written << "\n" << text);
      CHECK(text.empty() == key.optional);
    }
    *map = kept;
  }
  return places;
}

TEST_CASE("a required key that is left out is an error, an optional one is not") {
  for (const Kind& kind : kinds()) {
    int places = 0;
    for (const Key& key : documented(kind.name)) {
      if (!key.required && !key.optional) {
        continue;
      }
      for (const SpecNode& root : test::samples(kind.name)) {
        places += leave_out(kind.name, root, key);
      }
    }
    CHECK(places > 20);
  }
}

}  // namespace
}  // namespace fathom
