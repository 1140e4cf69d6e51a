/* A simulation: constant tables that say what it is made of, and a few pure functions. This is all
 * that a user writes; built in or in a shared object that exports `ls_sim_export`. */
#ifndef LS_SIM_H
#define LS_SIM_H
#include <lockstep/float_probe.h>
#include <lockstep/match.h>
#include <lockstep/schedule.h>

#define LS_FINGERPRINT_BYTES 16

#ifdef __cplusplus
extern "C" {
#endif

/* Meaning of a tick: raised when the same simulation would reach another state. */
#define LS_ENGINE_RULES 3u
/* Layout of these structs, and the rules of the headers that were compiled in (fixed point, random
 * numbers): a shared object built against others is refused. */
#define LS_SIM_ABI (9u << 16 | LS_ENGINE_RULES)

/* Something that a match can set, e.g. `--set units=2000`. */
typedef struct ls_option {
    const char *name;
    const char *summary;
    int64_t min, max, standard;
} ls_option;

/* Data that a match never changes, such as a map: rows made once from the match, shared by all
 * worlds of it, part of the root but not of snapshots. */
typedef struct ls_match_table {
    const ls_component *row; /* describes a row; listed here, not among the components */
    uint32_t (*count)(const ls_match *match); /* at most LS_MATCH_ROWS_MAX */
    /* Fills `count` zeroed rows. Both are pure functions of their arguments. */
    void (*fill)(const ls_match *match, void *rows, uint32_t count);
} ls_match_table;

#define LS_MATCH_TABLES_MAX 16
#define LS_MATCH_ROWS_MAX   (1u << 24)

typedef struct ls_sim {
    uint32_t abi; /* LS_SIM_ABI */
    const char *name;
    const char *version;
    const char *summary;     /* one line for people */
    const char *source_hash; /* LS_SIM_SOURCE_HASH, from lockstep_add_simulation() */
    uint32_t tick_rate;      /* usual ticks a second */
    uint32_t player_count;   /* usual seats */

    const ls_option *options;
    uint32_t option_count;
    const ls_component *const *components;
    uint32_t component_count;
    const char *const *lanes; /* besides lane 0; unique names, numbered as span_types.h says */
    uint32_t lane_count;
    const ls_system *systems;
    uint32_t system_count;
    const ls_stage *stages; /* none: one named "main" */
    uint32_t stage_count;
    const ls_set *sets;
    uint32_t set_count;
    const ls_independence *independences;
    uint32_t independence_count;
    const ls_par *pars;
    uint32_t par_count;
    const ls_algebra *schedule; /* may be NULL */
    /* Two systems that command one component in one stage need an order, instead of a hint. */
    bool is_strict;
    const ls_match_table *tables;
    uint32_t table_count;

    /* Runs once, before tick 0, to make the first state: a sequential system without a query. */
    const ls_system *setup;

    /* True when these bytes may enter a tick. A pure function of its arguments: every machine may
     * ask it. NULL refuses all inputs. */
    bool (*input_is_valid)(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count);
    /* A state input is what a player holds in one tick, such as a stick and buttons: exactly this
     * many bytes for each player of each tick between JOIN and LEAVE. 0: the simulation has none,
     * players only give orders. At most LS_STATE_BYTES_MAX, and few enough that all players' fit a
     * frame. */
    uint32_t state_bytes;
    ls_missing_state state_missing;
    /* True when these state_bytes may enter a tick; as input_is_valid. NULL takes all. */
    bool (*state_is_valid)(const ls_match *match, uint32_t player, const uint8_t *bytes);
    /* Decides what a computer player holds after seeing `world`. NULL: zeros. */
    void (*bot_state)(const ls_world *world, uint32_t player, uint8_t *bytes);
    /* Decides what a computer player sends after seeing `world`: writes at most LS_INPUT_BYTES_MAX
     * bytes and returns their count, 0 for nothing. A pure function of its arguments. May be NULL.
     */
    uint32_t (*bot)(const ls_world *world, uint32_t player, uint8_t *bytes);
    /* One short line about the match for people who watch it. May be NULL. */
    void (*describe)(const ls_world *world, char *text, size_t bytes);
} ls_sim;

/* True when the simulation takes these bytes of this kind from this player. A server asks before it
 * broadcasts an input, a client before it sends one. The bytes are hostile; a pure function. */
LS_API bool ls_sim_takes(const ls_sim *sim, const ls_match *match, const ls_input *input);

#define LS_SIM_EXPORT_NAME "ls_sim_export"
/* Put before the definition of `ls_sim_export` in a shared object. */
#define LS_SIM_EXPORT LS_API
typedef const ls_sim *ls_sim_export_function(void);

#ifndef LS_SIM_SOURCE_HASH
#define LS_SIM_SOURCE_HASH "unknown"
#endif

#ifdef __cplusplus
}
#endif

#endif
