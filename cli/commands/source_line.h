#pragma once

#include "hardware/base/spec_node.h"

#include <string>

namespace fathom::cli {

/// "link.bandwidth 63 GB/s: configs/systems/x.yaml:8 (PCIe Gen5 x16 ...)", or empty.
std::string source_line(const hardware::SpecNode& root, const std::string& path);

}  // namespace fathom::cli
