/* A simulation after its checks: columns and lanes in canonical order, a schedule that is proved
 * free of ambiguity, a fingerprint. Immutable; any number of worlds on any threads share it. */
#ifndef LS_PROGRAM_H
#define LS_PROGRAM_H
#include <lockstep/program_view.h>
#include <lockstep/schedule_report.h>
#include <lockstep/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Checks everything and reports every finding at once.
 *   errors  LS_ERROR_USAGE       a wrong description (padding, two things of one name, ...)
 *           LS_ERROR_REFUSED     a schedule with a cycle or an ambiguity
 *           LS_ERROR_INCOMPATIBLE  another LS_SIM_ABI
 *   owns    `sim` outlives the program; ls_program_destroy after the last world */
LS_API ls_status ls_program_create(const ls_sim *sim, ls_program **program,
                                   ls_error *error) LS_MUST_USE;
LS_API void ls_program_destroy(ls_program *program);
/* Builds the program only for its findings, hints included. There is always a report.
 *   errors  as ls_program_create() */
LS_API ls_status ls_program_check(const ls_sim *sim, ls_schedule_report **report,
                                  ls_error *error) LS_MUST_USE;

LS_API const ls_sim *ls_program_sim(const ls_program *program);
/* Equal on two machines when the same inputs give the same states there: hash of component and
 * system tables, lanes, options, engine rules and the simulation's sources. No compiler, no CPU. */
LS_API const uint8_t *ls_program_fingerprint(const ls_program *program);
/* Hash of the components alone. If two programs have the same, each can read the cells of the
 * other. */
LS_API uint64_t ls_program_schema(const ls_program *program);
/* The match that a user gets who sets nothing. */
LS_API ls_match ls_program_match(const ls_program *program, uint64_t seed);
/* LS_ERROR_USAGE names the option or the value that is out of range. */
LS_API ls_status ls_program_check_match(const ls_program *program, const ls_match *match,
                                        ls_error *error) LS_MUST_USE;
/* Columns in canonical order: by component name. */
LS_API uint32_t ls_program_column_count(const ls_program *program);
LS_API const ls_component *ls_program_component(const ls_program *program, uint32_t column);
/* The number of the lane with that name, as in spans (include/lockstep/span_types.h); LS_LANES_MAX
 * when there is none. */
LS_API uint32_t ls_program_find_lane(const ls_program *program, const char *name);
/* Systems in the order that the serial executor takes them. */
LS_API uint32_t ls_program_system_count(const ls_program *program);
LS_API const ls_system *ls_program_system(const ls_program *program, uint32_t position);
#ifdef __cplusplus
}
#endif

#endif
