/* The modules of a simulation as one list, and what is wrong with them. */
#ifndef LS_MODULE_LIST_H
#define LS_MODULE_LIST_H
#include <lockstep/schedule_report.h>
#include <lockstep/sim.h>

/* The lists of a module that are merged into the lists of a simulation with modules. */
#define LS_MODULE_LISTS(LIST)                                                                      \
    LIST(options, option_count);                                                                   \
    LIST(components, component_count);                                                             \
    LIST(lanes, lane_count);                                                                       \
    LIST(systems, system_count);                                                                   \
    LIST(setup, setup_count);                                                                      \
    LIST(stages, stage_count);                                                                     \
    LIST(sets, set_count);                                                                         \
    LIST(independences, independence_count);                                                       \
    LIST(pars, par_count);                                                                         \
    LIST(tables, table_count);                                                                     \
    LIST(operations, operation_count);                                                             \
    LIST(incompatibilities, incompatibility_count)

/* A part: the simulation itself, or a module that it uses. */
typedef struct ls_part {
    ls_module module;      /* the simulation's own lists, or a copy of the module */
    const ls_module *is;   /* the module; NULL for the simulation */
    const char *path;      /* "physics", or "economy.market"; "" for the simulation */
    struct ls_part *user;  /* the part that lists it; NULL for the simulation */
    uint32_t option_first; /* the index of its first option in the match */
} ls_part;

typedef struct ls_part_list {
    uint32_t count;
    ls_part parts[1 + LS_MODULES_MAX]; /* the simulation first, each part before its modules */
    uint32_t
        setup_order[1 + LS_MODULES_MAX]; /* indexes: each part after its modules, the first last */
} ls_part_list;

/* Lists the parts without the faulty modules.
 *   errors  USAGE, LIMIT; the report has all faults
 *   owns    ls_part_list_reset() by the caller, also after an error */
ls_status ls_part_list_init(ls_part_list *list, const ls_sim *sim, ls_schedule_report *report);
void ls_part_list_reset(ls_part_list *list);
bool ls_part_has_stage(const ls_part *part, const char *name);
/* The module that the part lists with the first `bytes` of `name` as its name; NULL if none. */
const ls_module *ls_part_module(const ls_part *part, const char *name, size_t bytes);

#endif
