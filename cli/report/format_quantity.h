#pragma once

#include <string>

namespace fathom::cli {

/// Numbers as people read them, three significant digits: "19.5 ms", "120 us", "1.29 s".
std::string show_seconds(double seconds);
/// The same in a given unit, right for a column: "19.5".
std::string show_milliseconds(double seconds);
std::string show_gib(double bytes);               ///< "379.7 GiB"
std::string show_kib(double bytes);               ///< a message: "12.0 KiB", "3.1 MiB"
std::string show_rate(double bytes_per_second);   ///< "1597 GB/s"
std::string show_count(double count);             ///< "743.9 B", "40.8 B", "12,288"
std::string show_percent(double share);           ///< "62 %"
std::string show_tokens_per_second(double rate);  ///< "2,812 tok/s"
std::string show_number(double value);            ///< three significant digits, thousands separated

}  // namespace fathom::cli
