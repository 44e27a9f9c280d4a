#pragma once

#include <fmt/core.h>

#include "price.h"
#include <boost/any.hpp>
