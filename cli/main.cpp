#include "cli/arguments.h"

#include <cstdio>
#include <exception>
#include <fstream>

namespace {

using fathom::cli::Answer;
using fathom::cli::Arguments;
using fathom::cli::ExitStatus;

/// Writes the answer where it was asked for; false when that cannot be done.
bool deliver(const Arguments& arguments, const Answer& answer) {
  if (!answer.error.empty() && !(arguments.quiet && answer.status == ExitStatus::Yes)) {
    std::fputs(answer.error.c_str(), stderr);
  }
  if (arguments.output.empty() || arguments.output == "-" || answer.out.empty()) {
    const bool written =
        std::fwrite(answer.out.data(), 1, answer.out.size(), stdout) == answer.out.size();
    const bool flushed = std::fflush(stdout) == 0;
    if (!flushed || !written) {
      std::fputs("fathom: cannot write to standard output\n", stderr);
    }
    return flushed && written;
  }
  std::ofstream file(arguments.output, std::ios::binary);
  file << answer.out;
  file.close();
  if (!file) {
    std::fputs(("fathom: cannot write '" + arguments.output + "'\n").c_str(), stderr);
  }
  return static_cast<bool>(file);
}

int guarded(int argc, char** argv) {
  const auto parsed = fathom::cli::parse_arguments(argc, argv);
  const Arguments arguments = parsed.arguments.value_or(Arguments{});
  const Answer answer = parsed.arguments ? fathom::cli::run(arguments) : parsed.answer;
  if (!deliver(arguments, answer)) {
    return static_cast<int>(ExitStatus::Fault);
  }
  return static_cast<int>(answer.status);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return guarded(argc, argv);
  } catch (const std::exception& fault) {
    std::fputs("fathom: a fault of the program: ", stderr);
    std::fputs(fault.what(), stderr);
    std::fputs("\n", stderr);
  } catch (...) {
    std::fputs("fathom: a fault of the program\n", stderr);
  }
  return static_cast<int>(ExitStatus::Fault);
}
