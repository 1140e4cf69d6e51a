/* States of a game, such as a lobby, a round and a result, with systems that run in one of them or
 * when one is entered or left.
 *
 *     LS_STATES(game, LOBBY, PLAYING, OVER);
 *     static const ls_set sets[] = {
 *         {.name = "round", .when = LS_IN_STATE(game, PLAYING)},
 *         {.name = "kick_off", .when = LS_ON_ENTER(game, PLAYING)},
 *         {.name = "clean_up", .when = LS_ON_EXIT(game, PLAYING)},
 *     };
 *
 * defines the singleton `game`, which the simulation lists among its components, the enum
 * `game_state`, and a run criterion for each use of a state. The first state is that of tick 0.
 *   order    a state holds for whole ticks: LS_ENTER_STATE changes it from the next tick on. The
 *            last change in a tick counts. In the first tick of a state, the systems of its
 *            LS_ON_ENTER, those of LS_ON_EXIT of the state before and those of LS_IN_STATE run;
 *            orders between them are declared like all others
 *   source   docs/ecs.md, "States of the game" */
#ifndef LS_STATES_H
#define LS_STATES_H
#pragma GCC system_header /* for the reason in define_table.h */

#include <lockstep/uses.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_states_use_ { LS_STATES_IN_, LS_STATES_ENTER_, LS_STATES_EXIT_ } ls_states_use_;
typedef struct ls_states_test_ {
    ls_states_use_ use;
    uint8_t value;
} ls_states_test_;
/* The run criterion of a test. The test is the data of the criterion, term 0 the singleton. */
LS_API void ls_states_decide_(ls_context *context, const ls_entity *entities);
LS_API uint8_t ls_states_now_(const void *cell, uint64_t tick);
LS_API void ls_states_enter_(void *cell, uint64_t tick, uint8_t value);
/* Stops the process when the value is none of the `count` states. */
LS_API void ls_states_enter_value_(const ls_context *context, void *cell, const char *name,
                                   uint32_t value, uint32_t count);

#define LS_STATES_MAX_ 255 /* with 0 for none, all values of a byte */
/* `before` and `next` are 0 for none, otherwise 1 + a state; `from` is the first tick of `next`. */
#define LS_STATES(name, ...)                                                                       \
    LS_ENUM(name##_state, __VA_ARGS__);                                                            \
    LS_DEMAND_((int)name##_state_count_ <= LS_STATES_MAX_,                                         \
               "LS_STATES(" #name ", ...) takes at most 255 states");                              \
    LS_SINGLETON(name, U64(since), U64(from), ENUM(now, name##_state),                             \
                 U8_UP_TO(before, name##_state_count_), U8_UP_TO(next, name##_state_count_));      \
    LS_UNUSED_ static const ls_term name##_states_terms_[] = {                                     \
        LS_OTHERS_READ(name##_component),                                                          \
        {NULL, LS_INCLUDE, LS_ACCESS_PRESENCE, 0, LS_FILTER_NONE, NULL}};                          \
    LS_EACH_(LS_STATES_CRITERIA_, name, __VA_ARGS__)                                               \
    LS_UNUSED_ static inline uint8_t name##_now_of_LS_STATES_(const name##_cell_ *cell,            \
                                                              uint64_t tick)                       \
    {                                                                                              \
        return ls_states_now_(cell, tick);                                                         \
    }                                                                                              \
    LS_UNUSED_ static inline void name##_enter_of_LS_STATES_(name##_cell_ *cell, uint64_t tick,    \
                                                             uint8_t value)                        \
    {                                                                                              \
        ls_states_enter_(cell, tick, value);                                                       \
    }                                                                                              \
    LS_UNUSED_ static inline void name##_enter_value_of_LS_STATES_(                                \
        const ls_context *context, name##_cell_ *cell, name##_state value)                         \
    {                                                                                              \
        ls_states_enter_value_(context, cell, #name, (uint32_t)value, name##_state_count_);        \
    }                                                                                              \
    enum { LS_EACH_(LS_STATES_HAS_, name, __VA_ARGS__) }
#define LS_STATES_HAS_(name, value) name##_has_state_##value = value,
#define LS_STATES_CRITERIA_(name, value)                                                           \
    LS_STATES_CRITERION_(name, in, LS_STATES_IN_, value)                                           \
    LS_STATES_CRITERION_(name, enter, LS_STATES_ENTER_, value)                                     \
    LS_STATES_CRITERION_(name, exit, LS_STATES_EXIT_, value)
#define LS_STATES_CRITERION_(name, word, use, value)                                               \
    LS_UNUSED_ static const ls_states_test_ name##_##word##_##value##_test_ = {use, value};        \
    LS_UNUSED_ static const ls_system name##_##word##_##value = {#name " " #word " " #value,       \
                                                                 LS_SEQUENTIAL,                    \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 ls_states_decide_,                \
                                                                 &name##_##word##_##value##_test_, \
                                                                 name##_states_terms_,             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 NULL,                             \
                                                                 LS_PARALLEL,                      \
                                                                 false,                            \
                                                                 0,                                \
                                                                 0,                                \
                                                                 0,                                \
                                                                 {NULL, 0, LS_PARTNER_FAILS},      \
                                                                 {NULL, 0}};

/* Conditions of sets and stages. */
#define LS_IN_STATE(name, value)                                                                   \
    {                                                                                              \
        &name##_in_##value, 0, 0, 0                                                                \
    }
#define LS_ON_ENTER(name, value)                                                                   \
    {                                                                                              \
        &name##_enter_##value, 0, 0, 0                                                             \
    }
#define LS_ON_EXIT(name, value)                                                                    \
    {                                                                                              \
        &name##_exit_##value, 0, 0, 0                                                              \
    }

/* In a system with WRITES_SINGLETON(game), or READS_SINGLETON(game); the term has the name of its
 * component. Entering the present state takes back a change of the same tick. A singleton that is
 * not of LS_STATES, and a state of another one, do not compile. */
#define LS_ENTER_STATE(context, name, value)                                                       \
    (&name##_enter_of_LS_STATES_)(LS_WRITE_SINGLETON(context, name), ls_tick(context),             \
                                  name##_has_state_##value)
/* Like LS_ENTER_STATE with a `game_state` that is known at run time. A value that is no state of
 * `game` stops the process. */
#define LS_ENTER_STATE_VALUE(context, name, value)                                                 \
    (&name##_enter_value_of_LS_STATES_)(context, LS_WRITE_SINGLETON(context, name), value)
#define LS_STATE_OF(context, name)                                                                 \
    ((name##_state)(&name##_now_of_LS_STATES_)(LS_READ_SINGLETON(context, name), ls_tick(context)))
/* Between ticks: the state of the next tick. */
#define LS_WORLD_STATE(world, name)                                                                \
    ((name##_state)(&name##_now_of_LS_STATES_)(LS_WORLD_SINGLETON(world, name),                    \
                                               ls_world_tick(world)))

#ifdef __cplusplus
}
#endif

#endif
