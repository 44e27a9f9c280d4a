// must not compile: conversion from 'double' to .*Bytes

#include "hardware/base/quantity.h"

namespace fathom::hardware {

const Bytes weights = 3.0;

}  // namespace fathom::hardware
