// See optimal_bindings.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace mines {

void bind_optimal(nanobind::module_& module);

}  // namespace mines
