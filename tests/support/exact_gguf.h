#pragma once

#include "hardware/base/spec_reader.h"
#include "model/llm/import_model.h"
#include "model/llm/parameter_count.h"
#include "model/llm/read_model.h"
#include "model/llm/write_model.h"
#include "tests/support/catch.h"
#include "tests/support/folder.h"
#include "tests/support/gguf_models.h"

namespace fathom::test {

/// The model of a file whose bytes are met exactly, in memory and through its YAML text.
inline model::ImportedModel exact(const GgufModel& m) {
  const Folder folder;
  hardware::Diagnostics diagnostics;
  auto imported = model::import_model(folder.write("m.gguf", m.file()), diagnostics);
  INFO(render(diagnostics));
  REQUIRE(imported);
  CHECK(diagnostics.all().empty());
  const model::Census census = model::take_census(imported->spec);
  CHECK((census.weight_bytes + census.mtp_bytes).base() == m.data_bytes());
  const auto node = hardware::read_spec_text(model::write_model(*imported), "m.yaml", diagnostics);
  REQUIRE(node);
  const auto again = model::read_model(*node, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(again);
  const model::Census second = model::take_census(*again);
  CHECK((second.weight_bytes + second.mtp_bytes).base() == m.data_bytes());
  return *std::move(imported);
}

}  // namespace fathom::test
