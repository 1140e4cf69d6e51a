/* Resolves columns, and the grids and joins of a system. */
#ifndef LS_RESOLVE_JOIN_H
#define LS_RESOLVE_JOIN_H
#include "core/schedule/program_data.h"

/* UINT32_MAX when the simulation has no such component. */
uint32_t ls_program_find_column(const ls_program *program, const ls_component *component);
/* LS_LANES_MAX when the simulation has no such lane. */
uint32_t ls_lane_find(const ls_program *program, const char *name);
/* Resolves the system's grids and joins; its terms must be resolved. */
ls_status ls_plan_resolve_joins(ls_program *program, ls_plan_system *plan,
                                ls_error *error) LS_MUST_USE;

#endif
