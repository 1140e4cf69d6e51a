/* Shared by the tests of batch calls (calls for many handles): components of many sizes, and a
 * random script. Two worlds run the script, one with batch calls and one with single calls. */
#ifndef LS_BATCH_SIM_H
#define LS_BATCH_SIM_H

#include "harness.h"

enum { C0, C4, C8, C16, C24, C40, C100, COMPONENTS };
enum { LANE_A = 1, LANE_B, LANE_FAR, LANE_NEW, LANES };
/* Random handles mostly name the first HOT slots of lanes "a" and "b"; lane "far" reaches into a
 * second directory. When a match begins, only lane "a" has components. */
enum { HOT = 1024, COUNT_MAX = 300, A_COUNT = 900, B_COUNT = 600, FAR_COUNT = 65536 + 300 };

extern const ls_component batch_components[COMPONENTS];

/* One of the two worlds runs with `is_many`; everything else in their scripts must stay equal. */
typedef struct batch_script {
    bool is_many;
    uint64_t random, log;      /* for systems on one thread; `log` hashes all results */
    uint32_t life[LANES][HOT]; /* the last generation spawned in each slot */
} batch_script;
extern batch_script *script;

void batch_note(uint64_t value);
/* Draws random handles in one of several orders. Half of the lists contain handles without an
 * entity, or entities on sparse pages. */
void batch_pick(uint64_t *random, ls_entity *entities, uint32_t count);
/* Draws 0, 1, 63, 64, 65 or 300. */
uint32_t batch_count(uint64_t *random);
/* Draws this many bytes, which repeat after 1 KiB, or NULL. */
const uint8_t *batch_values(uint64_t *random, uint8_t *bytes, size_t count);
uint64_t batch_sum(const void *const *cells, uint32_t count, uint32_t bytes);

uint32_t batch_attach(ls_context *context, uint32_t term, const ls_entity *entities, uint32_t count,
                      const uint8_t *values, uint32_t bytes);
uint32_t batch_detach(ls_context *context, uint32_t term, const ls_entity *entities,
                      uint32_t count);
/* The batch form also checks its results against single lookups, and returns another number if they
 * differ. */
uint32_t batch_find(ls_context *context, uint32_t term, const ls_entity *entities, uint32_t count,
                    const void **cells);
uint32_t batch_spawn(ls_context *context, uint32_t lane, uint32_t count, ls_entity *entities);
void batch_despawn(ls_context *context, const ls_entity *entities, uint32_t count);

/* Checks the summary of each page in the directory: empty or full. */
void batch_assert_summaries(const ls_world *world);

/* Returns the simulation of these systems; valid until the next call. */
const ls_sim *batch_sim(const ls_system *systems, uint32_t system_count);
/* Runs two worlds of the simulation in several rounds with other seeds; asserts that they stay
 * equal. The world with batch calls runs on `threads` threads. */
void batch_agree(const char *test, const ls_sim *sim, uint32_t ticks, uint32_t threads);
#define batch_systems_agree(test, systems, ticks, threads)                                         \
    batch_agree(test, batch_sim(systems, LS_COUNT_OF(systems)), ticks, threads)

#endif
