/* Prints one cell as JSON. ls_world_json() prints each cell of a world with it; the commands also
 * print single cells. */
#ifndef LS_JSON_PRINT_H
#define LS_JSON_PRINT_H
#include "core/base/builder.h"
#include <lockstep/program.h>

/* Prints a cell as a JSON object of its fields, as in ls_world_json(); `name` as in
 * core/base/json_writer.h. The cell may be NULL for a tag. */
void ls_cell_json(ls_builder *text, const ls_program *program, const char *name,
                  const ls_component *component, const void *cell);

#endif
