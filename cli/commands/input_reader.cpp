#include "cli/commands/input_reader.h"

#include "cli/report/flags.h"
#include "hardware/base/foreign_words.h"
#include "hardware/base/suggest.h"
#include "hardware/base/unit_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace fathom::cli {

std::string InputReader::name(std::string_view column) const {
  const Flag* flag = names_ == NamedBy::Flag ? flag_of_column(column) : nullptr;
  return std::string(flag == nullptr ? column : flag->name);
}

double InputReader::number(const char* column, double low, double high, double blank) {
  const std::string text = input(*inputs_, column);
  if (text.empty()) {
    return blank;
  }
  const auto value = hardware::parse_number(text);
  if (!value) {
    const std::string help = hardware::plain_number_help(text);
    fail(fmt::format("{} '{}' is not a number{}", name(column), text,
                     help.empty() ? "" : "; " + help));
    return blank;
  }
  if (*value < low || *value > high) {
    fail(fmt::format("{} {} is out of range; it lies from {:g} to {:g}", name(column), text, low,
                     high));
    return blank;
  }
  return *value;
}

double InputReader::whole(const char* column, double low, double high, double blank) {
  const double value = number(column, low, high, blank);
  if (error_.empty() && value != std::floor(value)) {
    fail(fmt::format("{} {} is not a whole number", name(column), input(*inputs_, column)));
  }
  return value;
}

std::size_t InputReader::choice(const char* column, const std::vector<std::string>& choices,
                                std::size_t blank) {
  const std::string text = input(*inputs_, column);
  if (text.empty()) {
    return blank;
  }
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == text) {
      return i;
    }
  }
  const std::string hint = hardware::did_you_mean(text, choices);
  fail(fmt::format("{} '{}' is none of {}{}", name(column), text, fmt::join(choices, ", "),
                   hint.empty() ? "" : "; " + hint));
  return blank;
}

std::optional<hardware::Format> InputReader::format(const char* column) {
  const std::string text = input(*inputs_, column);
  if (text.empty()) {
    return std::nullopt;
  }
  const auto format = hardware::format_from_name(text);
  if (!format) {
    fail(
        fmt::format("{} '{}' is not a format that is known here; known are bf16, fp16, fp8, "
                    "fp8-block, int8, nvfp4, mxfp4, int4",
                    name(column), text));
  }
  return format;
}

void InputReader::fail(std::string error) {
  if (error_.empty()) {
    error_ = std::move(error);
  }
}

}  // namespace fathom::cli
