#include "tests/support/specs.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace fathom {
namespace {

using hardware::Diagnostics;
using hardware::SpecNode;

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

/// The id that a file states, read with the reader of its folder; empty when it does not load.
std::string id_of(const std::string& kind, const SpecNode& node, Diagnostics& diagnostics) {
  if (kind == "models") {
    const auto spec = model::read_model(node, diagnostics);
    return spec ? spec->id : "";
  }
  if (kind == "accelerators") {
    const auto spec = hardware::read_accelerator(node, diagnostics);
    return spec ? spec->id : "";
  }
  if (kind == "kernels") {
    const auto spec = hardware::read_coefficients(node, diagnostics);
    return spec ? spec->name : "";
  }
  if (kind == "engines") {
    const auto spec = model::read_engine(node, diagnostics);
    return spec ? spec->id : "";
  }
  if (kind == "systems") {
    const auto accelerator = hardware::accelerator_of(node, diagnostics);
    const auto spec =
        hardware::read_system(node, test::accelerator_config(accelerator.value_or("")), 0,
                              hardware::IntervalEnd::Point, diagnostics);
    return spec ? spec->id : "";
  }
  return "";
}

TEST_CASE("every file of the library loads, and its id is its name") {
  std::set<std::string> kinds;
  for (const auto& folder : std::filesystem::directory_iterator("configs")) {
    if (!folder.is_directory()) {
      continue;
    }
    const std::string kind = folder.path().filename().string();
    const auto files = test::config_files(kind);
    for (const std::string& path : files) {
      Diagnostics diagnostics;
      const std::string id = id_of(kind, test::tree(path), diagnostics);
      INFO(path << "\n" << render(diagnostics));
      CHECK(id == stem(path));
      CHECK(diagnostics.all().empty());
      kinds.insert(kind);
    }
  }
  CHECK(kinds.count("models") == 1);
  CHECK(kinds.size() >= 5);
}

TEST_CASE("a model file states a published total, or says which one the shapes do not give") {
  for (const std::string& path : test::config_files("models")) {
    const SpecNode node = test::tree(path);
    INFO(path);
    const SpecNode* published = node.find("published");
    const SpecNode* note = node.find("note");
    const bool stated = published != nullptr && published->find("total_parameters") != nullptr;
    const bool explained =
        note != nullptr &&
        std::regex_search(note->text, std::regex("published as [0-9.e]+ parameters"));
    CHECK(stated != explained);
  }
}

TEST_CASE("each accelerator names kernels that exist, each system an accelerator") {
  for (const std::string& path : test::config_files("accelerators")) {
    INFO(path);
    CHECK(std::filesystem::exists("configs/kernels/" +
                                  test::accelerator_config(stem(path)).architecture + ".yaml"));
  }
  for (const std::string& path : test::config_files("systems")) {
    Diagnostics diagnostics;
    const auto accelerator = hardware::accelerator_of(test::tree(path), diagnostics);
    INFO(path);
    REQUIRE(accelerator);
    CHECK(std::filesystem::exists("configs/accelerators/" + *accelerator + ".yaml"));
  }
}

TEST_CASE("every system is read at both ends of its intervals") {
  for (const std::string& path : test::config_files("systems")) {
    INFO(path);
    CHECK(test::system_config(stem(path), 0, hardware::IntervalEnd::Slow).gpus >= 1);
    CHECK(test::system_config(stem(path), 0, hardware::IntervalEnd::Fast).gpus >= 1);
    CHECK(test::system_config(stem(path), 1).gpus == 1);
  }
}

TEST_CASE("a machine without peers or in a guest says so in its name") {
  for (const std::string& path : test::config_files("systems")) {
    const auto system = test::system_config(stem(path), 0);
    INFO(path);
    CHECK(system.has_intervals == (path.find("-vm") != std::string::npos));
    if (path.find("-vm") != std::string::npos || path.find("-no-p2p") != std::string::npos) {
      CHECK_FALSE(system.link.peer_to_peer);
    }
  }
}

/// Whether a number somewhere below lacks a source in its map and in every map around it.
void unsourced(const SpecNode& node, const std::string& path, bool sourced,
               std::vector<std::string>& out) {
  switch (node.kind) {
    case SpecNode::Kind::Map:
      sourced = sourced || node.find("source") != nullptr;
      for (const auto& entry : node.entries) {
        if (entry.key != "source" && entry.key != "note") {
          unsourced(entry.value, path + "." + entry.key, sourced, out);
        }
      }
      break;
    case SpecNode::Kind::List:
      for (const SpecNode& item : node.items) {
        unsourced(item, path, sourced, out);
      }
      break;
    case SpecNode::Kind::Scalar:
      if (!sourced && !node.quoted && node.text.find_first_of("0123456789") == 0) {
        out.push_back(path);
      }
      break;
    case SpecNode::Kind::Null:
      break;
  }
}

TEST_CASE("every number of a machine, of kernels and of an engine has a source") {
  for (const char* kind : {"models", "accelerators", "kernels", "engines", "systems"}) {
    for (const std::string& path : test::config_files(kind)) {
      std::vector<std::string> missing;
      unsourced(test::tree(path), "", false, missing);
      for (const std::string& key : missing) {
        INFO(path << key);
        // A count of GPUs is what the system is, as its id.
        CHECK(key == ".gpus_per_node");
      }
    }
  }
}

TEST_CASE("every name in names.csv leads to a model, and every model has its ids there") {
  Diagnostics diagnostics;
  std::map<std::string, std::string> names;
  std::string last;
  std::ifstream file("configs/models/names.csv");
  REQUIRE(file);
  std::string line;
  std::getline(file, line);
  CHECK(line == "name,file");
  while (std::getline(file, line)) {
    const auto comma = line.find(',');
    REQUIRE(comma != std::string::npos);
    const std::string name = line.substr(0, comma);
    INFO(line);
    CHECK(last < name);
    last = name;
    names[name] = line.substr(comma + 1);
    CHECK(std::filesystem::exists("configs/models/" + names[name]));
    CHECK(std::all_of(name.begin(), name.end(), [](char c) { return c < 'A' || c > 'Z'; }));
  }
  for (const std::string& path : test::config_files("models")) {
    const auto model = test::model_config(stem(path));
    std::string hugging_face = model.hugging_face;
    std::transform(hugging_face.begin(), hugging_face.end(), hugging_face.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    INFO(path);
    for (const std::string& name :
         {model.id, hugging_face, hugging_face.substr(hugging_face.find('/') + 1)}) {
      INFO(name);
      CHECK(names[name] == stem(path) + ".yaml");
    }
  }
}

}  // namespace
}  // namespace fathom
