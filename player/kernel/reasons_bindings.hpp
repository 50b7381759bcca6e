// The part of the Python module about reasons.
#pragma once

#include <nanobind/nanobind.h>

namespace mines {

void bind_reasons(nanobind::module_& module);

}  // namespace mines
