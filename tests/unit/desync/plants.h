/* Systems with one planted fault over the population of check_sim.h. Two worlds run them, and tests
 * search for the system to blame. */
#ifndef LS_PLANTS_H
#define LS_PLANTS_H

#include "desync/system_search.h"
#include "desync/write_log.h"
#include "tests/unit/core/check_sim.h"

/* Executes a statement and records its line in plants_line. */
extern uint32_t plants_line;
#define PLANT(statement)                                                                           \
    do {                                                                                           \
        plants_line = __LINE__;                                                                    \
        statement;                                                                                 \
    } while (0)

typedef struct plants {
    harness a, b; /* with two builds, b has a program of its own */
    bool has_two_builds;
    ls_run_variant runs[2];
    ls_suspect suspect;
} plants;

/* With NULL for `other`, both worlds have one program. The second run fills the stack with other
 * bytes. */
void plants_begin(plants *self, const ls_sim *sim, const ls_sim *other);
/* Searches for the system to blame. Fails the test on any error, or if the search changed a
 * world. */
ls_blame plants_find(plants *self);
void plants_end(plants *self);
/* Runs plants_begin() and plants_find() with one program of these systems. */
ls_blame plants_blame(plants *self, const ls_system *systems, uint32_t count);
#define PLANTS_BLAME(self, systems) plants_blame(self, systems, LS_COUNT_OF(systems))

/* Asserts site, system and cell; a cell is written like `place.x of a/3:1`. */
void plants_expect(const plants *self, ls_difference_site site, const char *system,
                   const char *cell);
/* Watches both runs and compares their writes. Asserts that the first different write is to `cell`,
 * from `line` of `file`. `now`, unless NULL, is the value that the first run writes. */
void plants_expect_store(plants *self, const char *cell, const char *file, uint32_t line,
                         const char *now);

#endif
