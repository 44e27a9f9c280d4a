// Inputs made by hand that a reader must answer within seconds, with a message.

#include "hardware/base/json_reader.h"
#include "hardware/base/spec_reader.h"
#include "model/llm/import_hf_config.h"
#include "model/llm/import_safetensors.h"
#include "model/llm/module_patterns.h"
#include "model/llm/read_model.h"
#include "model/llm/safetensors_index.h"
#include "tests/fuzz/targets.h"
#include "tests/support/catch.h"
#include "tests/support/gguf_writer.h"

#include <fmt/format.h>

#include <ctime>
#include <functional>
#include <string>

namespace fathom::test {
namespace {

using hardware::Diagnostics;

/// What a reader says of an input; it has ten seconds of one core, sanitizers included.
std::string said(const std::function<void(Diagnostics&)>& read) {
  const std::clock_t begin = std::clock();
  Diagnostics diagnostics;
  read(diagnostics);
  std::string text = render(diagnostics);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 10);
  return text;
}

std::string import_said(const std::string& json) {
  return said([&](Diagnostics& diagnostics) {
    const auto root = hardware::read_json_text(json, "config.json", diagnostics);
    if (root) {
      model::import_hf_config(*root, {}, diagnostics);
    }
  });
}

std::string model_said(const std::string& yaml) {
  return said([&](Diagnostics& diagnostics) {
    const auto root = hardware::read_spec_text(yaml, "a.yaml", diagnostics);
    if (root) {
      model::read_model(*root, diagnostics);
    }
  });
}

std::string header_said(const std::string& json, std::uint64_t data) {
  return said([&](Diagnostics& diagnostics) {
    model::parse_safetensors_start(
        {GgufWriter::little(json.size(), 8) + json, 8 + json.size() + data}, "a.safetensors",
        diagnostics);
  });
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  out.reserve(text.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

/// A llama of so many layers whose exclude list is `patterns`.
std::string llama(const std::string& layers, const std::string& patterns) {
  return R"({"model_type":"llama","hidden_size":64,"vocab_size":100,"num_hidden_layers":)" +
         layers + R"(,"num_attention_heads":4,"num_key_value_heads":2,"intermediate_size":128,)" +
         R"("torch_dtype":"bfloat16","tie_word_embeddings":false,"max_position_embeddings":4096,)" +
         R"("quantization_config":{"quant_method":"fp8","modules_to_not_convert":[)" + patterns +
         "]}}";
}

/// Imported, or refused because a pattern that matches every name leaves nothing quantised.
bool answered(const std::string& said) {
  return said.empty() || said.find("names no weights of this model") != std::string::npos;
}

}  // namespace

TEST_CASE("deep nesting is refused, whatever the reader") {
  for (const char* bracket : {"[", "{\"a\":"}) {
    const std::string deep = repeated(bracket, 10'000);
    CHECK_THAT(import_said(deep), ContainsSubstring("nested deeper than 64"));
    CHECK_THAT(header_said(deep, 0), ContainsSubstring("nested deeper than 64"));
    CHECK_THAT(model_said(deep), ContainsSubstring("nested deeper than 64"));
  }
  CHECK_THAT(model_said(repeated("- ", 10'000)), ContainsSubstring("nested deeper than 64"));
  CHECK_THAT(model_said(repeated("? ", 10'000)), ContainsSubstring("error"));
  std::string indented;
  for (int i = 0; i < 3000; ++i) {
    indented += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  }
  CHECK_THAT(model_said(indented), ContainsSubstring("nested deeper than 64"));
}

TEST_CASE("100 MB of brackets, blanks or line ends are refused") {
  constexpr std::size_t kSize = 100'000'000;
  for (const char c : {'[', '\n', '"'}) {
    const std::string text(kSize, c);
    CHECK_THAT(import_said(text), ContainsSubstring("larger than 64 MiB"));
    CHECK_THAT(model_said(text), ContainsSubstring("larger than 8 MiB"));
    CHECK_THAT(said([&](Diagnostics& diagnostics) {
                 model::read_safetensors_index_text(text, "index.json", diagnostics);
               }),
               ContainsSubstring("error"));
    CHECK_THAT(header_said(text, 0), ContainsSubstring("error"));
  }
}

TEST_CASE("line ends up to the limit of size do not fill the memory") {
  CHECK_THAT(import_said(repeated("\n", 60'000'000) + "x"), ContainsSubstring("error"));
  CHECK_THAT(model_said(repeated("\n", 8'000'000) + "["), ContainsSubstring("error"));
}

TEST_CASE("very many faults are answered by a hundred") {
  std::string keys;
  for (int i = 0; i < 200'000; ++i) {
    keys += fmt::format("k{}: 1\n", i);
  }
  CHECK_THAT(model_said(keys), ContainsSubstring("unknown key"));
  CHECK_THAT(model_said("layers:\n" + repeated("- {a: 1}\n", 200'000)),
             ContainsSubstring("missing key"));
  std::string layers;
  for (int i = 0; i < 200'000; ++i) {
    layers += fmt::format(R"({}"a{}":{{"quant_algo":"x"}})", i == 0 ? "" : ",", i);
  }
  CHECK_THAT(import_said(R"({"model_type":"llama","quantization_config":{"quant_method":"fp8",)"
                         R"("quantized_layers":{)" +
                         layers + "}}}"),
             ContainsSubstring("quant_algo 'x' is not known here"));
}

TEST_CASE("long exclude lists and hostile patterns are answered at once") {
  CHECK(answered(import_said(llama("80", R"x("re:(a*)*b")x"))));
  CHECK(answered(import_said(llama(
      "10000", R"x("re:(a*)*b","re:(.*)*(.*)*(.*)*x","re:((((((((((a?)+)+)+)+)+)+)+)+)+)+z")x"))));
  CHECK(answered(
      import_said(llama("80", R"x("re:(((.{9}){9}){9}){9}","re:[","re:(?!a)","re:\\1(a)")x"))));
  CHECK(import_said(llama("80", "\"" + std::string(1'000'000, '*') + "\"")).empty());
  CHECK(import_said(llama("80", "\"re:" + std::string(1'000'000, '(') + "\"")).empty());
  std::string plain = "\"model.layers.0.mlp.down_proj\"";
  std::string globs = "\"model.layers.0.mlp*\"";
  for (int i = 1; i < 10'000; ++i) {
    plain += fmt::format(",\"model.layers.{}.mlp.down_proj\"", i);
    globs += fmt::format(",\"model.layers.{}.mlp*\"", i);
  }
  CHECK(import_said(llama("10000", plain)).empty());
  CHECK_THAT(import_said(llama("10000", globs)),
             ContainsSubstring("10000 patterns of the quantisation are too many for 10000 layers"));
  CHECK_THAT(import_said(llama("80", repeated("\"re:.*a.*\",", 1'000'000) + "\"x\"")),
             ContainsSubstring("is no list of at most 10000 words"));
  CHECK_THAT(import_said(llama("10001", "")), ContainsSubstring("10001 layers exceed 10000"));
}

TEST_CASE("numbers at and beyond the ends are refused") {
  for (const char* number : {"1e308", "1e400", "-1", "NaN", "Infinity", "-Infinity", "0.5",
                             "9223372036854775808", "\"80\"", "null", "true", "[]", "{}"}) {
    CHECK_THAT(import_said(llama(number, "")), ContainsSubstring("num_hidden_layers"));
  }
}

TEST_CASE("lone surrogates and NUL bytes are refused") {
  CHECK_THAT(import_said(R"({"model_type":"\ud800"})"), ContainsSubstring("error"));
  CHECK_THAT(import_said(R"({"model_type":"\udc00\ud800"})"), ContainsSubstring("error"));
  const std::string nul("{\"model_type\":\0\"llama\"}", 22);
  CHECK_THAT(import_said(nul), ContainsSubstring("error"));
  CHECK_THAT(import_said(std::string("{}\0", 3)), ContainsSubstring("error"));
  CHECK_THAT(model_said(std::string("a: \0", 4)), ContainsSubstring("control character"));
  CHECK_THAT(header_said(std::string("{\"a\0\": 1}", 9), 0), ContainsSubstring("error"));
}

TEST_CASE("tensors of 4 EB and offsets that overlap are refused") {
  CHECK_THAT(header_said(R"({"a":{"dtype":"U8","shape":[4611686018427387904],)"
                         R"("data_offsets":[0,4611686018427387904]}})",
                         100),
             ContainsSubstring("the tensors take 4611686018427387904 bytes, but the file holds"));
  CHECK_THAT(header_said(R"({"a":{"dtype":"F64","shape":[4611686018427387904],)"
                         R"("data_offsets":[0,4611686018427387904]}})",
                         100),
             ContainsSubstring("error"));
  CHECK_THAT(header_said(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                         R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
                         6),
             ContainsSubstring("the tensors 'a' and 'b' overlap"));
}

}  // namespace fathom::test
