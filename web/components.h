/* The lanes and components of a simulation as JSON. Private to this folder. */
#ifndef LS_WEB_COMPONENTS_H
#define LS_WEB_COMPONENTS_H

#include "core/base/builder.h"
#include <lockstep/program.h>

/* Adds the members `lanes` and `components`. */
void ls_web_components_print(const ls_program *program, ls_builder *text);

#endif
