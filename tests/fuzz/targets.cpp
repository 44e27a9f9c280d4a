#include "tests/fuzz/targets.h"

#include "hardware/base/file_text.h"
#include "hardware/base/json_reader.h"
#include "hardware/base/spec_reader.h"
#include "hardware/cost/coefficients.h"
#include "hardware/machine/read_system.h"
#include "model/engine/read_engine.h"
#include "model/llm/gguf_part.h"
#include "model/llm/gguf_summary.h"
#include "model/llm/import_hf_config.h"
#include "model/llm/import_safetensors.h"
#include "model/llm/parameter_count.h"
#include "model/llm/read_model.h"
#include "model/llm/safetensors_index.h"
#include "model/llm/write_model.h"
#include "tests/fuzz/model_difference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace fathom::test {
namespace {

using hardware::Diagnostics;

/// A reader either gives a value or says why not.
template <class T>
std::string silent(const std::optional<T>& value, const Diagnostics& diagnostics,
                   const char* reader) {
  const std::string text = render(diagnostics);  // must not fail either
  return value || diagnostics.has_errors() ? "" : std::string(reader) + " gives no reason\n";
}

std::string counted(const model::ModelSpec& spec) {
  const model::Census census = model::take_census(spec);
  const double cache = model::cache_of_sequence(spec, spec.kv_format, 1000).base();
  const double rough = model::rough_parameters(spec);
  const auto exact = static_cast<double>(census.total + census.mtp);
  // A table of indices counts in one and not in the other.
  if (census.total < 0 || census.mtp < 0 || exact > rough * 1.001 + 1 || !(cache >= 0)) {
    return "the census is wrong\n";
  }
  return "";
}

/// The model that its YAML gives must be the same.
std::string round_trip(const model::ImportedModel& imported) {
  const std::string text = model::write_model(imported);
  Diagnostics diagnostics;
  const auto tree = hardware::read_spec_text(text, "written.yaml", diagnostics);
  const auto back = tree ? model::read_model(*tree, diagnostics) : std::nullopt;
  if (!back) {
    return "what was written cannot be read:\n" + render(diagnostics) + "\n" + text;
  }
  const std::string difference = model_difference(imported.spec, *back);
  return difference.empty() ? counted(*back)
                            : "the round trip changes: " + difference + "\n" + text;
}

std::string read_as_model(const hardware::SpecNode& tree) {
  Diagnostics diagnostics;
  auto spec = model::read_model(tree, diagnostics);
  if (!spec) {
    return silent(spec, diagnostics, "read_model");
  }
  model::ImportedModel imported;
  imported.spec = *std::move(spec);
  imported.source = "fuzz";
  return counted(imported.spec) + round_trip(imported);
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

std::string safetensors_start(std::string bytes, std::uint64_t size) {
  Diagnostics diagnostics;
  const auto header =
      model::parse_safetensors_start({std::move(bytes), size}, "a.safetensors", diagnostics);
  if (!header) {
    return silent(header, diagnostics, "parse_safetensors_start");
  }
  model::Count end = 0;
  for (const model::SafetensorsTensor& tensor : header->tensors) {
    if (tensor.begin != end || tensor.end < tensor.begin) {
      return "the tensors of a valid header do not follow one another\n";
    }
    end = tensor.end;
  }
  return "";
}

std::string gguf_start(std::string_view bytes, std::uint64_t size) {
  model::GgufCursor cursor(bytes, size);
  const model::GgufFile file = model::parse_gguf_part(cursor);
  if (cursor.starved()) {
    return bytes.size() < size ? "" : "starved with the whole file at hand\n";
  }
  if (!cursor.errors().empty()) {
    return "";
  }
  (void)file.integer("split.count");
  (void)file.text("general.architecture");
  const model::GgufSummary summary = model::summarize(file);
  return static_cast<std::uint64_t>(file.data_bytes) <= size && summary.bytes >= model::Bytes()
             ? ""
             : "more data than the file has\n";
}

}  // namespace

std::string fuzz_spec_text(std::string_view input) {
  Diagnostics diagnostics;
  const auto tree = hardware::read_spec_text(input, "a.yaml", diagnostics);
  if (!tree) {
    return silent(tree, diagnostics, "read_spec_text");
  }
  std::string faults = read_as_model(*tree);
  const auto check = [&](const char* name, auto read) {
    Diagnostics own;
    const auto value = read(own);
    faults += silent(value, own, name);
  };
  check("read_accelerator", [&](Diagnostics& d) { return hardware::read_accelerator(*tree, d); });
  check("read_system", [&](Diagnostics& d) {
    return hardware::read_system(*tree, {}, 0, hardware::IntervalEnd::Point, d);
  });
  check("read_engine", [&](Diagnostics& d) { return model::read_engine(*tree, d); });
  check("read_coefficients", [&](Diagnostics& d) { return hardware::read_coefficients(*tree, d); });
  return faults;
}

std::string fuzz_hf_config(std::string_view input) {
  const std::size_t separator = std::min(input.find('\xff'), input.size());
  Diagnostics diagnostics;
  const auto root =
      hardware::read_json_text(input.substr(0, separator), "config.json", diagnostics);
  if (!root) {
    return silent(root, diagnostics, "read_json_text");
  }
  std::optional<hardware::SpecNode> beside;
  if (separator < input.size()) {
    beside =
        hardware::read_json_text(input.substr(separator + 1), "hf_quant_config.json", diagnostics);
    if (!beside) {
      return silent(beside, diagnostics, "read_json_text");
    }
  }
  const auto imported =
      model::import_hf_config(*root, {"", beside ? &*beside : nullptr}, diagnostics);
  return imported ? round_trip(*imported) : silent(imported, diagnostics, "import_hf_config");
}

std::string fuzz_safetensors_header(std::string_view input) {
  constexpr std::size_t kPrefix = 8;
  std::string faults = safetensors_start(std::string(input), input.size());
  if (input.size() >= kPrefix) {
    const std::uint64_t data = little_endian(input.substr(0, kPrefix)) >> 1U;
    const std::string_view json = input.substr(kPrefix);
    std::string bytes;
    for (std::size_t i = 0; i < kPrefix; ++i) {
      bytes += static_cast<char>(json.size() >> (kPrefix * i) & 0xffU);
    }
    faults += safetensors_start(bytes.append(json), kPrefix + json.size() + data);
  }
  return faults;
}

std::string fuzz_safetensors_index(std::string_view input) {
  Diagnostics diagnostics;
  const auto index = model::read_safetensors_index_text(input, "index.json", diagnostics);
  if (!index) {
    return silent(index, diagnostics, "read_safetensors_index_text");
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < index->entries.size(); ++i) {
    length += index->name(i).size();
    if (index->entries.at(i).file >= index->files.size()) {
      return "an entry names no file\n";
    }
  }
  return length == index->names.size() ? "" : "the names do not fill their text\n";
}

std::string fuzz_gguf_header(std::string_view input) {
  constexpr std::uint64_t kMore = std::uint64_t{1} << 42U;
  return gguf_start(input, input.size()) + gguf_start(input, input.size() + kMore);
}

}  // namespace fathom::test
