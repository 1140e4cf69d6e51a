/* A simulation: constant tables that describe it, and a few pure functions. A user writes nothing
 * else. It is built in, or a shared object that exports `ls_sim_export`. */
#ifndef LS_SIM_H
#define LS_SIM_H
#include <lockstep/float_probe.h>
#include <lockstep/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the tick rules: rises when the same simulation would reach another state. */
#define LS_ENGINE_RULES 3u
/* The version of the layout of these structs, and of the inline functions of the headers (fixed
 * point, random numbers). A shared object with another version is refused. */
#define LS_SIM_ABI (18u << 16 | LS_ENGINE_RULES)

typedef struct ls_sim {
    uint32_t abi; /* LS_SIM_ABI */
    const char *name;
    const char *version;
    const char *summary;     /* one line for people */
    const char *source_hash; /* LS_SIM_SOURCE_HASH, from lockstep_add_simulation() */
    uint32_t tick_rate;      /* default ticks per second */
    uint32_t player_count;   /* default seats */

    const ls_option *options;
    uint32_t option_count;
    const ls_component *const *components;
    uint32_t component_count;
    const char *const *lanes; /* lanes besides "world"; unique names, numbered as in span_types.h */
    uint32_t lane_count;
    const ls_system *systems;
    uint32_t system_count;
    const ls_stage *stages; /* none: one stage named "main" */
    uint32_t stage_count;
    const ls_set *sets;
    uint32_t set_count;
    const ls_independence *independences;
    uint32_t independence_count;
    const ls_par *pars;
    uint32_t par_count;
    const ls_algebra *schedule; /* may be NULL */
    /* Makes it an error, instead of a hint, when two systems that command one component in one
     * stage have no order. */
    bool is_strict;
    /* An entity without components is despawned at the next sync point, as if it were marked. The
     * setups have sync points, too. */
    bool despawns_empty;
    const ls_match_table *tables;
    uint32_t table_count;
    /* Modules that it uses: their parts become parts of the simulation, with names such as
     * "physics.move" (include/lockstep/module.h). */
    const ls_module *const *modules;
    uint32_t module_count;

    const ls_operation *operations; /* of LS_ACCUMULATES(component, LS_COMBINE) */
    uint32_t operation_count;

    const ls_incompatibility *incompatibilities; /* LS_NEVER_BOTH(): pairs that no entity has */
    uint32_t incompatibility_count;

    /* Systems that run once, before tick 0, to create the first state. They run one after another
     * in the order of this list, each ends with a sync point, and a query finds what earlier ones
     * spawned. So each is a stage of its own. They have no events, no order and no filter by
     * change. */
    const ls_system *setup;
    uint32_t setup_count; /* 0: one if `setup` is set */

    /* The validator of orders: true when these bytes may enter a tick. It must be a pure function
     * of its arguments, because every machine may call it. NULL refuses all orders. */
    bool (*input_is_valid)(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count);
    /* The size of a state input: what a player holds in one tick, such as a stick and buttons. Each
     * player has one for each tick between JOIN and LEAVE. 0: players only give orders. At most
     * LS_STATE_BYTES_MAX, and small enough that the states of all players fit into a frame. */
    uint32_t state_bytes;
    ls_missing_state state_missing;
    /* The validator of states, like input_is_valid. NULL accepts all. */
    bool (*state_is_valid)(const ls_match *match, uint32_t player, const uint8_t *bytes);
    /* Decides the state input of a bot that has seen `world`. NULL: zeros. */
    void (*bot_state)(const ls_world *world, uint32_t player, uint8_t *bytes);
    /* Decides the order of a bot that has seen `world`: writes at most LS_INPUT_BYTES_MAX bytes and
     * returns their count, 0 for no order. A pure function of its arguments. May be NULL. */
    uint32_t (*bot)(const ls_world *world, uint32_t player, uint8_t *bytes);
    /* One short line about the match for spectators. May be NULL. */
    void (*describe)(const ls_world *world, char *text, size_t bytes);
} ls_sim;

/* True when the simulation's validator accepts this input. A server asks before it broadcasts an
 * input, a client before it sends one. The bytes may be hostile; a pure function. */
LS_API bool ls_sim_accepts(const ls_sim *sim, const ls_match *match, const ls_input *input);

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
