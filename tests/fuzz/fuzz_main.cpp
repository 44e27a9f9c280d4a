// The entry of one fuzz program; CMake says which target by FATHOM_FUZZ_TARGET.

#include "tests/fuzz/targets.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);  // ends where the input does, for the sanitizer
  const std::string_view input(bytes.data(), bytes.size());
  for (const fathom::test::NamedFuzzTarget& target : fathom::test::kFuzzTargets) {
    if (target.name != FATHOM_FUZZ_TARGET) {
      continue;
    }
    const std::string fault = target.run(input);
    if (!fault.empty()) {
      std::fputs(fault.c_str(), stderr);
      std::abort();
    }
  }
  return 0;
}
