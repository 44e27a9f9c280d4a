#include "hardware/telemetry/telemetry.h"
