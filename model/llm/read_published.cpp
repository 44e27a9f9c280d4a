#include "model/llm/read_published.h"

#include "hardware/base/map_reader.h"
#include "hardware/base/unit_text.h"
#include "model/llm/parameter_count.h"
#include "model/llm/read_model.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using hardware::MapReader;
using hardware::SpecNode;

/// The number of a claim: bare, or `value` of a map.
std::optional<double> number_of(const SpecNode* node, const std::string& key, MapReader& r) {
  if (node != nullptr && node->kind == SpecNode::Kind::Map) {
    node = node->find("value");
  }
  if (node == nullptr || node->kind != SpecNode::Kind::Scalar) {
    r.error(key, "a claim is one number, not an interval");
    return std::nullopt;
  }
  const auto written = hardware::parse_number(node->text);
  if (!written || *written < 0 || *written > 1e18) {
    r.error(key, fmt::format("'{}' is no count between 0 and 1e18", node->text));
    return std::nullopt;
  }
  return written;
}

void assert_published(const std::string& key, const SpecNode* node, double written, double derived,
                      const std::string& convention, MapReader& r) {
  const SpecNode* value = node->kind == SpecNode::Kind::Map ? node->find("value") : node;
  if (value == nullptr) {
    r.error(key, "a claim is one number, not an interval");
    return;
  }
  const std::string& text = value->text;
  const double tolerance = half_last_digit(text);
  if (std::abs(written - derived) <= tolerance) {
    return;
  }
  r.error(
      key,
      fmt::format("published {} is {}, the shapes give {:.0f}{}", key, text, derived, convention),
      "correct the shapes, or remove the claim and say why in a note");
}

void check_active(const SpecNode& node, const Census& census, MapReader& r,
                  Diagnostics& diagnostics, ModelSpec& model) {
  std::size_t counts = 1;
  const SpecNode* value = &node;
  if (node.kind == SpecNode::Kind::Map) {
    MapReader active(node, "active_parameters", diagnostics);
    counts = active.required_choice("counts", {"all", "no-input-embedding", "no-embeddings"})
                 .value_or(1);
    value = active.required_node("value");
    active.finish();
    if (value == nullptr) {
      return;
    }
  }
  const auto written = number_of(value, "active_parameters", r);
  if (!written) {
    return;
  }
  model.published.active_parameters = *written;
  const std::array<Count, 3> derived{census.active_all, census.active_no_input_embedding,
                                     census.active_no_embeddings};
  const std::array<const char*, 3> names{"every parameter a token touches",
                                         "without the input embedding", "without embeddings"};
  assert_published("active_parameters", &node, *written, static_cast<double>(derived.at(counts)),
                   fmt::format(" ({})", names.at(counts)), r);
}

void check_total(const SpecNode& node, const Census& census, MapReader& r, Diagnostics& diagnostics,
                 ModelSpec& model) {
  std::size_t counts = 0;
  const SpecNode* value = &node;
  if (node.kind == SpecNode::Kind::Map && node.find("low") == nullptr) {
    MapReader total(node, "total_parameters", diagnostics);
    counts = total.optional_choice("counts", {"main", "with-mtp"}).value_or(0);
    value = total.required_node("value");
    total.finish();
    if (value == nullptr) {
      return;
    }
  }
  if (const auto written = number_of(value, "total_parameters", r)) {
    model.published.total_parameters = *written;
    const Count derived = counts == 0 ? census.total : census.total + census.mtp;
    assert_published("total_parameters", &node, *written, static_cast<double>(derived),
                     counts == 0 ? " without MTP" : " with MTP", r);
  }
}

}  // namespace

void read_published(const SpecNode& node, ModelSpec& model, Diagnostics& diagnostics) {
  MapReader r(node, "published", diagnostics);
  const Census census = take_census(model);
  if (const SpecNode* total = r.optional_node("total_parameters")) {
    check_total(*total, census, r, diagnostics, model);
  }
  if (const SpecNode* active = r.optional_node("active_parameters")) {
    check_active(*active, census, r, diagnostics, model);
  }
  if (const auto bytes = r.optional_number("weight_bytes", 0, 1e18)) {
    model.published.weight_bytes = *bytes;
    const Bytes stored =
        census.weight_bytes + (model.mtp_in_checkpoint ? census.mtp_bytes : Bytes());
    assert_published("weight_bytes", r.optional_node("weight_bytes"), *bytes, stored.base(),
                     " as stored", r);
  }
  r.finish();
}

double half_last_digit(const std::string& text) {
  const auto exponent_at = text.find_first_of("eE");
  const std::string mantissa = text.substr(0, exponent_at);
  double exponent = 0;
  if (exponent_at != std::string::npos) {
    exponent = hardware::parse_number(text.substr(exponent_at + 1)).value_or(0);
  }
  const auto point = mantissa.find('.');
  const double decimals =
      point == std::string::npos ? 0 : static_cast<double>(mantissa.size() - point - 1);
  return 0.5 * std::pow(10.0, exponent - decimals);
}

}  // namespace fathom::model
