#pragma once

#include "hardware/cost/price.h"
#include "hardware/cost/work.h"
