/* A module: a part of a simulation that several simulations use, such as physics. A simulation
 * lists the modules that it uses in `.modules`.
 *
 * All names of a module get its own name in front: "physics.move". In the lists of a module, a name
 * without a dot is the module's own, and a name with a dot is a full name.
 *
 * Each system of the module also has the label "physics": `.after = "physics"` waits for the whole
 * module, and a set of that name gives it conditions. Two modules are checked against each other
 * like any systems.
 *
 * The stages of a module nest in the stage "physics", which its user lists. A module without stages
 * runs in that stage if its user lists one, otherwise in the first stage of its user.
 *
 * The systems and tables of a module see a match in which options[0] is the module's first option.
 *   source  docs/ecs.md, "Use a module" */
#ifndef LS_MODULE_H
#define LS_MODULE_H
#include <lockstep/incompatibility.h>
#include <lockstep/match.h>
#include <lockstep/operation.h>
#include <lockstep/schedule.h>

#define LS_MODULES_MAX 64 /* in a simulation, with those that modules use */

/* A setting of a match, e.g. `--set units=2000`. */
typedef struct ls_option {
    const char *name;
    const char *summary;
    int64_t min, max, standard;
} ls_option;

/* Data that never changes during a match, such as a map. The rows are computed once from the match
 * and shared by all its worlds. The root covers them, but snapshots leave them out. */
typedef struct ls_match_table {
    const ls_component *row;                  /* describes a row; not listed among the components */
    uint32_t (*count)(const ls_match *match); /* row count, at most LS_MATCH_ROWS_MAX */
    /* Fills `count` zeroed rows. `count` and `fill` must be pure functions of their arguments. */
    void (*fill)(const ls_match *match, void *rows, uint32_t count);
} ls_match_table;

#define LS_MATCH_TABLES_MAX 16
#define LS_MATCH_ROWS_MAX   (1u << 24)

/* The members have the meaning of those of ls_sim. */
typedef struct ls_module {
    const char *name;
    const ls_option *options;
    uint32_t option_count;
    const ls_component *const *components;
    uint32_t component_count;
    const char *const *lanes;
    uint32_t lane_count;
    const ls_system *systems;
    uint32_t system_count;
    const ls_stage *stages;
    uint32_t stage_count;
    const ls_set *sets;
    uint32_t set_count;
    const ls_independence *independences;
    uint32_t independence_count;
    const ls_par *pars;
    uint32_t par_count;
    const ls_algebra *schedule; /* orders the module's own systems; may be NULL */
    const ls_match_table *tables;
    uint32_t table_count;
    const struct ls_module *const *modules; /* modules within the module: "economy.market.trade" */
    uint32_t module_count;
    const ls_operation *operations; /* of its own components */
    uint32_t operation_count;
    const ls_incompatibility *incompatibilities;
    uint32_t incompatibility_count;
    const ls_system *setup; /* runs before the setup of its user, in the order of `modules` */
    uint32_t setup_count;
} ls_module;

#endif
