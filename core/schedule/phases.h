/* Systems that never run in one tick, because sets run them at different phases. */
#ifndef LS_PHASES_H
#define LS_PHASES_H
#include "core/schedule/program_data.h"

/* Whether the systems at positions i and j never run in the same tick, because they are in sets
 * that run at different phases. Call it when the gates have their members. */
bool ls_phases_exclude(const ls_program *program, uint32_t i, uint32_t j);

#endif
