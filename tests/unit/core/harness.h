/* Shared by the tests of core/: cmocka, seeded random numbers, small programs and worlds, death
 * tests. */
#ifndef LS_CORE_HARNESS_H
#define LS_CORE_HARNESS_H

#include "tests/support/test.h"
#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

/* The tables of a simulation, from three arrays; `lane_table` may be a compound literal. */
#define HARNESS_SIM(component_table, lane_table, system_table)                                     \
    {                                                                                              \
        .abi = LS_SIM_ABI, .name = "harness", .version = "1", .tick_rate = 10, .player_count = 2,  \
        .components = component_table, .component_count = LS_COUNT_OF(component_table),            \
        .lanes = lane_table, .lane_count = LS_COUNT_OF(lane_table), .systems = system_table,       \
        .system_count = LS_COUNT_OF(system_table)                                                  \
    }

/* The same without lanes, and with further members. */
#define HARNESS_TABLES(component_table, system_table, ...)                                         \
    {                                                                                              \
        .abi = LS_SIM_ABI, .name = "harness", .version = "1", .tick_rate = 10,                     \
        .components = component_table, .component_count = LS_COUNT_OF(component_table),            \
        .systems = system_table, .system_count = LS_COUNT_OF(system_table), __VA_ARGS__            \
    }

/* Initialises a simulation without systems: a store of columns. */
#define HARNESS_STORE(component_table, lane_table)                                                 \
    {                                                                                              \
        .abi = LS_SIM_ABI, .name = "store", .version = "1", .tick_rate = 1, .player_count = 1,     \
        .components = component_table, .component_count = LS_COUNT_OF(component_table),            \
        .lanes = lane_table, .lane_count = LS_COUNT_OF(lane_table)                                 \
    }

typedef struct harness {
    ls_program *program;
    ls_world *world;
} harness;

/* Creates a program, and a world of its default match with `seed`; fails the test on any
 * refusal. */
void harness_begin(harness *self, const ls_sim *sim, uint64_t seed);
void harness_end(harness *self);
/* The teardown of a cmocka test whose *state is a harness. */
int harness_teardown(void **state);
/* Creates another world of the program, with the same match. */
ls_world *harness_world(const harness *self);

/* Asserts that no program can be created; the error contains the reason. */
ls_status harness_refusal(const ls_sim *sim, ls_error *error);
#define assert_refused(sim, status, ...)                                                           \
    harness_assert_refused(sim, status, (const char *const[]){__VA_ARGS__, NULL}, __FILE__,        \
                           __LINE__)
void harness_assert_refused(const ls_sim *sim, ls_status status, const char *const *words,
                            const char *file, int line);

/* A concurrent and a sequential system that do nothing. */
void harness_span(ls_context *context, const ls_span *span);
void harness_match(ls_context *context, const ls_entity *entities);

/* Leaves no page shared with a snapshot. */
void harness_own_all(ls_world *world);
/* Marks an entity for despawn, as a system on that thread would. */
void harness_mark(ls_world *world, uint32_t worker, ls_entity entity);
/* Runs one tick without inputs. */
void harness_tick(ls_world *world, ls_executor *executor);
/* Runs a tick twice without inputs. It is refused both times, with the same message, which has
 * these words, and leaves the world as it was. */
void harness_assert_tick_refused(ls_world *world, ls_executor *executor, const char *const *words,
                                 ls_error *error);
/* A setup is refused: the program can be created, but no world of it. The error has the reason. */
void harness_assert_setup_refused(const ls_sim *sim, ls_error *error);
ls_executor *harness_executor(uint32_t threads, uint64_t shuffle_seed);
/* Returns a check executor. */
ls_executor *harness_checker(void);

/* Runs `function` in a child process; asserts that it aborts and that its message contains every
 * word. */
#define assert_dies(function, argument, ...)                                                       \
    harness_assert_dies(function, argument, (const char *const[]){__VA_ARGS__, NULL}, __FILE__,    \
                        __LINE__)
void harness_assert_dies(void (*function)(void *), void *argument, const char *const *words,
                         const char *file, int line);

/* The encoded snapshot of the world; the caller frees it with ls_free(). */
uint8_t *harness_bytes(ls_world *world, size_t *count);

/* Checks the world beside one from its bytes, one from a keyframe and a sibling. */
void harness_each_copy(const harness *self, void (*check)(ls_world *world, ls_world *other));

/* A random coordinate within `extent` around 0. With extent 0 all 32 bits, often an extreme. */
ls_fix harness_coordinate(uint64_t *random, uint32_t extent);

/* The seed of a property test. It is printed; set LS_TEST_SEED to repeat a failure. */
uint64_t harness_seed(const char *test);

#endif
