// The counting part of the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace mines {

void bind_counting(nanobind::module_& module);

}  // namespace mines
