/* Systems with one planted fault over the population of check_sim.h, run in two worlds in order to
 * find the system to blame. */
#ifndef LS_PLANTS_H
#define LS_PLANTS_H

#include "desync/system_search.h"
#include "desync/write_log.h"
#include "tests/unit/core/check_sim.h"

/* Records the line of the planted statement. */
extern uint32_t plants_line;
#define PLANT(statement)                                                                           \
    do {                                                                                           \
        plants_line = __LINE__;                                                                    \
        statement;                                                                                 \
    } while (0)

typedef struct plants {
    harness a, b; /* b.program is a.program except with two builds */
    bool has_two_builds;
    ls_run_variant runs[2];
    ls_suspect suspect;
} plants;

/* NULL for `other` makes two worlds of one program. The second run fills the stack with other
 * bytes. */
void plants_begin(plants *self, const ls_sim *sim, const ls_sim *other);
/* Fails the test on any error, and if a world has changed. */
ls_blame plants_find(plants *self);
void plants_end(plants *self);
/* plants_begin() and plants_find() of one program with these systems. */
ls_blame plants_blame(plants *self, const ls_system *systems, uint32_t count);
#define PLANTS_BLAME(self, systems) plants_blame(self, systems, LS_COUNT_OF(systems))

/* Asserts site, system and cell, which is written like `place.x of a/3:1`. */
void plants_expect(const plants *self, ls_difference_site site, const char *system,
                   const char *cell);
/* Watches both runs, compares them, and asserts that their first differing store is into `cell`,
 * from `line` of `file`. The first run stores `now`, unless that is NULL. */
void plants_expect_store(plants *self, const char *cell, const char *file, uint32_t line,
                         const char *now);

#endif
