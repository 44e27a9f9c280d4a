#pragma once

#include "hardware/base/quantity.h"
#include "hardware/machine/accelerator.h"
