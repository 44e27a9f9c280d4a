#pragma once

#include "model/llm/model_spec.h"
