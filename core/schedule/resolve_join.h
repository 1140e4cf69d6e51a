/* Resolves columns, and the grids and joins of a system. */
#ifndef LS_RESOLVE_JOIN_H
#define LS_RESOLVE_JOIN_H
#include "core/schedule/program_data.h"

/* The index of the component in the list, found by address, else by name and fields, else by fields
 * and the name without its modules' names, else by name alone. UINT32_MAX when there is none. */
uint32_t ls_component_find(const ls_component *const *list, uint32_t count,
                           const ls_component *component);
/* The field that begins at the offset; NULL when none does. */
const ls_field *ls_component_field_at(const ls_component *component, uint32_t offset);
/* UINT32_MAX when the simulation has no such component. */
uint32_t ls_program_find_column(const ls_program *program, const ls_component *component);
/* LS_LANES_MAX when the simulation has no such lane. */
uint32_t ls_lane_find(const ls_program *program, const char *name);
/* The lane that the system means by the name: "world", or one of its own module. LS_LANES_MAX when
 * there is no such lane. */
uint32_t ls_plan_find_lane(const ls_program *program, const ls_plan_system *plan, const char *name);
/* Resolves the system's grids and joins; its terms must be resolved. */
ls_status ls_plan_resolve_joins(ls_program *program, ls_plan_system *plan,
                                ls_error *error) LS_MUST_USE;

#endif
