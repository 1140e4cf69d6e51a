/* The partners of a concurrent system's matches: before it starts, the check that no two matches
 * could write one cell. It reads the state at the system's start alone, so neither threads nor
 * their timing can change its result.
 *   source  include/lockstep/system.h; theorem 4.7 of the Core ECS paper, case 3 */
#ifndef LS_PARTNER_RUN_H
#define LS_PARTNER_RUN_H
#include "core/run/scratch.h"

typedef struct ls_partners ls_partners; /* of one system, reused from run to run */

ls_partners *ls_partners_create(const ls_program *program);
void ls_partners_destroy(ls_partners *partners, const ls_program *program);

/* Begins a run: finds the partner of each match and makes its cells writable. False when two
 * matches clash and the tick has to fail: then the system must not run, because its writes could
 * race. If nothing that the partners depend on may have changed since the last run, its result is
 * used again. */
bool ls_partners_begin(ls_world *world, const ls_plan_system *plan, ls_run *run, uint32_t position);
/* Ends a run: counts the matches that lost their partner. */
void ls_partners_end(ls_world *world, const ls_run *run);
/* The slots of a page that are partners of a match; NULL, or no bit set, when there are none. */
const uint64_t *ls_partners_claimed(const ls_run *run, uint32_t lane, uint32_t page);
/* Describes the clash of the last tick.
 *   errors  always LS_ERROR_REFUSED, with system, matches and partner in the message */
ls_status ls_partner_clash_print(const ls_world *world, ls_error *error);

#endif
