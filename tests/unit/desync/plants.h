/* What the tests of desync/ share: systems with one planted fault over the population of the tests
 * of the check, in two worlds that are asked for whom to blame. */
#ifndef LS_PLANTS_H
#define LS_PLANTS_H

#include "desync/system_search.h"
#include "desync/write_log.h"
#include "tests/unit/core/check_sim.h"

/* Keeps where the planted statement stands. */
extern uint32_t plants_line;
#define PLANT(statement)                                                                           \
    do {                                                                                           \
        plants_line = __LINE__;                                                                    \
        statement;                                                                                 \
    } while (0)

typedef struct plants {
    harness a, b; /* b.program is that of a but for two builds */
    bool has_two_builds;
    ls_run_variant ways[2];
    ls_suspect suspect;
} plants;

/* NULL for `other` makes two worlds of one program. The second way fills the stack with other
 * bytes. */
void plants_begin(plants *self, const ls_sim *sim, const ls_sim *other);
/* Fails the test on any error, and when a world is not as it was. */
ls_blame plants_find(plants *self);
void plants_end(plants *self);
/* plants_begin() and plants_find() of one program of these systems. */
ls_blame plants_blame(plants *self, const ls_system *systems, uint32_t count);
#define PLANTS_BLAME(self, systems) plants_blame(self, systems, LS_COUNT_OF(systems))

/* Asserts who, what, and where: `cell` is as in `place.x of a/3:1`. */
void plants_expect(const plants *self, ls_difference_site site, const char *system,
                   const char *cell);
/* Watches both, compares, and asserts that the first store of them that differs is of the item
 * `cell` and stands in `file` at `line`. The first store's value is `now`, unless that is NULL. */
void plants_expect_store(plants *self, const char *cell, const char *file, uint32_t line,
                         const char *now);

#endif
