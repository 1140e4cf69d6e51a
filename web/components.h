/* A simulation, a match and a world as JSON. Private to this folder. */
#ifndef LS_WEB_COMPONENTS_H
#define LS_WEB_COMPONENTS_H

#include "core/base/builder.h"
#include <lockstep/program.h>
#include <lockstep/world.h>

/* Adds the members `lanes` and `components`. */
void ls_web_components_print(const ls_program *program, ls_builder *text);
/* Adds the member `options`, with the values of a match. */
void ls_web_options_print(const ls_program *program, const ls_match *match, ls_builder *text);
/* Adds the members `line`, the text of the simulation's `describe`, and `singletons`, with their
 * cells. */
void ls_web_world_print(const ls_program *program, const ls_world *world, ls_builder *text);

#endif
