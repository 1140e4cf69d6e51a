/* A program: a checked simulation, with columns and lanes in canonical order, a schedule without
 * ambiguity, and a fingerprint. It is immutable; any number of worlds on any threads share it. */
#ifndef LS_PROGRAM_H
#define LS_PROGRAM_H
#include <lockstep/program_view.h>
#include <lockstep/schedule_report.h>
#include <lockstep/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Checks the simulation, and reports all findings at once.
 *   errors  LS_ERROR_USAGE: a wrong description (padding, a name used twice, ...);
 *           LS_ERROR_REFUSED: a schedule with a cycle or an ambiguity; LS_ERROR_INCOMPATIBLE:
 *           another LS_SIM_ABI
 *   owns    `sim` must outlive the program; call ls_program_destroy() after the last world is
 *           destroyed */
LS_API ls_status ls_program_create(const ls_sim *sim, ls_program **program,
                                   ls_error *error) LS_MUST_USE;
LS_API void ls_program_destroy(ls_program *program);
/* Checks the simulation as ls_program_create() does, but returns only the report, with hints. The
 * report is set even on errors.
 *   errors  as ls_program_create() */
LS_API ls_status ls_program_check(const ls_sim *sim, ls_schedule_report **report,
                                  ls_error *error) LS_MUST_USE;

LS_API const ls_sim *ls_program_sim(const ls_program *program);
/* Equal fingerprints on two machines mean that equal inputs give equal states on both. It hashes
 * the component and system tables, lanes, options, engine rules and the simulation's sources;
 * neither compiler nor CPU. */
LS_API const uint8_t *ls_program_fingerprint(const ls_program *program);
/* A hash of the components only. Programs with the same value can read each other's cells. */
LS_API uint64_t ls_program_schema(const ls_program *program);
/* The match with the simulation's default settings. */
LS_API ls_match ls_program_match(const ls_program *program, uint64_t seed);
/* Checks a match against the simulation.
 *   errors  LS_ERROR_USAGE names the option or value that is out of range */
LS_API ls_status ls_program_check_match(const ls_program *program, const ls_match *match,
                                        ls_error *error) LS_MUST_USE;
/* Columns in canonical order: by component name. */
LS_API uint32_t ls_program_column_count(const ls_program *program);
LS_API const ls_component *ls_program_component(const ls_program *program, uint32_t column);
/* The number of the lane with that name, as in spans (include/lockstep/span_types.h). LS_LANES_MAX
 * when no lane has it. */
LS_API uint32_t ls_program_find_lane(const ls_program *program, const char *name);
/* Systems in the order of the serial executor. A position is an index into that order. */
LS_API uint32_t ls_program_system_count(const ls_program *program);
LS_API const ls_system *ls_program_system(const ls_program *program, uint32_t position);
#ifdef __cplusplus
}
#endif

#endif
