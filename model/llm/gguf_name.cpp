#include "model/llm/gguf_name.h"

#include "model/llm/import_hf_config.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fathom::model {
namespace {

constexpr std::array<std::pair<Count, std::string_view>, 36> kFileTypes{{
    {0, "f32"},      {1, "f16"},      {2, "q4_0"},    {3, "q4_1"},    {7, "q8_0"},
    {8, "q5_0"},     {9, "q5_1"},     {10, "q2_k"},   {11, "q3_k_s"}, {12, "q3_k_m"},
    {13, "q3_k_l"},  {14, "q4_k_s"},  {15, "q4_k_m"}, {16, "q5_k_s"}, {17, "q5_k_m"},
    {18, "q6_k"},    {19, "iq2_xxs"}, {20, "iq2_xs"}, {21, "q2_k_s"}, {22, "iq3_xs"},
    {23, "iq3_xxs"}, {24, "iq1_s"},   {25, "iq4_nl"}, {26, "iq3_s"},  {27, "iq3_m"},
    {28, "iq2_s"},   {29, "iq2_m"},   {30, "iq4_xs"}, {31, "iq1_m"},  {32, "bf16"},
    {36, "tq1_0"},   {37, "tq2_0"},   {38, "mxfp4"},  {39, "nvfp4"},  {40, "q1_0"},
    {41, "q2_0"},
}};

/// Letters, digits, '.', '_' and '-' stay; runs of anything else become one '-'.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_';
    if (keep) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') {
    out.pop_back();
  }
  constexpr std::size_t kLongest = 96;
  return out.substr(0, kLongest);
}

/// "-00001-of-00003" at the end.
bool ends_with_part(std::string_view stem) {
  constexpr std::string_view kShape = "-00000-of-00000";
  if (stem.size() <= kShape.size()) {
    return false;
  }
  const std::string_view tail = stem.substr(stem.size() - kShape.size());
  return std::equal(tail.begin(), tail.end(), kShape.begin(), [](char c, char shape) {
    return shape == '0' ? c >= '0' && c <= '9' : c == shape;
  });
}

}  // namespace

std::string_view gguf_file_type_name(Count file_type) {
  const auto found = std::find_if(kFileTypes.begin(), kFileTypes.end(),
                                  [&](const auto& entry) { return entry.first == file_type; });
  return found == kFileTypes.end() ? std::string_view() : found->second;
}

std::string gguf_stem(const std::string& path) {
  std::string stem = path.substr(path.find_last_of('/') + 1);
  if (stem.ends_with(".gguf")) {
    stem.erase(stem.size() - std::string_view(".gguf").size());
  }
  if (ends_with_part(stem)) {
    stem.erase(stem.size() - std::string_view("-00000-of-00000").size());
  }
  return stem;
}

std::string gguf_model_id(const GgufFile& file) {
  const std::string basename = plain(file.text("general.basename"));
  const std::string size = plain(file.text("general.size_label"));
  const std::string name = plain(file.text("general.name"));
  const std::string given = !basename.empty() && !size.empty() ? basename + "-" + size : name;
  if (given.empty()) {
    std::string stem = plain(gguf_stem(file.path));  // underscores stay: q4_k_m
    for (char& c : stem) {
      c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return stem.empty() ? std::string("imported") : stem;
  }
  const auto type = file.integer("general.file_type");
  const std::string_view stored = type ? gguf_file_type_name(*type) : std::string_view();
  const std::string id = short_model_id(given);
  return stored.empty() ? id : id + "-" + std::string(stored);
}

}  // namespace fathom::model
