#include "cli/report/text_report.h"

#include <CLI/CLI.hpp>
