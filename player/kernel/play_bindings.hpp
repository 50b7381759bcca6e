// The playing part of the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace mines {

void bind_play(nanobind::module_& module);

}  // namespace mines
