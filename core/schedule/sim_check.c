#include "core/schedule/sim_check.h"

#include "core/schedule/lists.h"
#include "core/schedule/schedule_report_internal.h"

#include <string.h>

/* Adds one fault. */
#define FAULT(name, status, ...)                                                                   \
    do {                                                                                           \
        ls_error reason_;                                                                          \
        ls_status status_ = ls_error_set(&reason_, status, __VA_ARGS__);                           \
        ls_schedule_report_note(report, name, status_, &reason_, first);                           \
    } while (0)

bool ls_sim_check_abi(const ls_sim *sim, ls_schedule_report *report, ls_status *first)
{
    if (sim->abi != LS_SIM_ABI)
        FAULT(NULL, LS_ERROR_INCOMPATIBLE,
              "the simulation was built for ABI %u with rules %u, this engine has %u with rules "
              "%u; rebuild it with the engine's headers",
              sim->abi >> 16, sim->abi & 0xffff, LS_SIM_ABI >> 16, LS_ENGINE_RULES);
    return sim->abi == LS_SIM_ABI;
}

bool ls_sim_cut_to_limits(ls_sim *sim, ls_schedule_report *report, ls_status *first)
{
    bool is_whole = true;
    const struct {
        const char *what;
        uint32_t *count, limit;
    } lists[] = {{"components", &sim->component_count, LS_COMPONENTS_MAX},
                 {"lanes", &sim->lane_count, LS_LANES_MAX - 1},
                 {"systems", &sim->system_count, LS_SYSTEMS_MAX},
                 {"setups", &sim->setup_count, LS_SYSTEMS_MAX},
                 {"options", &sim->option_count, LS_OPTIONS_MAX},
                 {"stages", &sim->stage_count, LS_STAGES_MAX},
                 {"sets", &sim->set_count, LS_SETS_MAX},
                 {"independences", &sim->independence_count, LS_INDEPENDENCES_MAX},
                 {"pars", &sim->par_count, LS_PARS_MAX},
                 {"incompatibilities", &sim->incompatibility_count, LS_INCOMPATIBILITIES_MAX}};
    for (uint32_t i = 0; i < LS_COUNT_OF(lists); i++) {
        if (*lists[i].count <= lists[i].limit)
            continue;
        FAULT(NULL, LS_ERROR_LIMIT,
              "simulation \"%s\" has %u %s; at most %u are allowed, so merge some of them",
              sim->name ? sim->name : "", *lists[i].count, lists[i].what, lists[i].limit);
        *lists[i].count = lists[i].limit;
        is_whole &= lists[i].count == &sim->option_count || lists[i].count == &sim->setup_count;
    }
    return is_whole;
}

void ls_sim_check_settings(const ls_sim *sim, ls_schedule_report *report, ls_status *first)
{
    ls_error reason;
    ls_status status = ls_float_check(ls_sim_float_faults(), "this program", &reason);
    ls_schedule_report_note(report, NULL, status, &reason, first);
    if (ls_sim_is_nameless(sim->name) || strlen(sim->name) > 64 || !sim->version ||
        strlen(sim->version) > 64)
        FAULT(NULL, LS_ERROR_USAGE, "a simulation needs a name and a version of at most 64 bytes");
    const char *name = sim->name ? sim->name : "";
    if (sim->tick_rate < 1 || sim->tick_rate > LS_TICK_RATE_MAX || sim->player_count < 1 ||
        sim->player_count > LS_PLAYERS_MAX)
        FAULT(NULL, LS_ERROR_USAGE,
              "simulation \"%s\": tick_rate is 1 to %u and player_count 1 to %u", name,
              LS_TICK_RATE_MAX, LS_PLAYERS_MAX);
    for (uint32_t i = 0; i < sim->option_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (sim->options[i].name && sim->options[j].name &&
                strcmp(sim->options[i].name, sim->options[j].name) == 0)
                FAULT(NULL, LS_ERROR_USAGE, "two options are named \"%s\"; rename one",
                      sim->options[i].name);
        }
    }
    if (sim->state_bytes > LS_STATE_BYTES_MAX || sim->state_missing > LS_MISSING_NEUTRAL)
        FAULT(NULL, LS_ERROR_USAGE,
              "simulation \"%s\": state_bytes is 0 to %u, and state_missing repeat or neutral",
              name, LS_STATE_BYTES_MAX);
}

static void check_criterion(const ls_condition *when, const char *kind, const char *name,
                            ls_schedule_report *report, ls_status *first)
{
    if (when->criterion && ls_sim_is_nameless(when->criterion->name))
        FAULT(name, LS_ERROR_USAGE, "the criterion of %s \"%s\" has no name; give it one", kind,
              name ? name : "");
}

/* Messages name a nameless part by its index in its list, from 0. */
bool ls_sim_check_names(const ls_sim *sim, ls_schedule_report *report, ls_status *first)
{
    uint32_t before = report->count;
    for (uint32_t i = 0; i < sim->system_count; i++) {
        if (ls_sim_is_nameless(sim->systems[i].name))
            FAULT(NULL, LS_ERROR_USAGE, "system %u of %u has no name; give it one", i,
                  sim->system_count);
    }
    for (uint32_t i = 0; i < ls_sim_setup_count(sim); i++) {
        if (ls_sim_is_nameless(sim->setup[i].name))
            FAULT(NULL, LS_ERROR_USAGE, "setup %u of %u has no name; give it one", i,
                  ls_sim_setup_count(sim));
    }
    for (uint32_t i = 0; i < sim->stage_count; i++) {
        if (ls_sim_is_nameless(sim->stages[i].name))
            FAULT(NULL, LS_ERROR_USAGE, "stage %u of %u has no name; give it one", i,
                  sim->stage_count);
        check_criterion(&sim->stages[i].when, "stage", sim->stages[i].name, report, first);
    }
    for (uint32_t i = 0; i < sim->set_count; i++) {
        if (ls_sim_is_nameless(sim->sets[i].name))
            FAULT(NULL, LS_ERROR_USAGE, "set %u of %u has no name; its members carry it as a label",
                  i, sim->set_count);
        check_criterion(&sim->sets[i].when, "set", sim->sets[i].name, report, first);
    }
    for (uint32_t i = 0; i < sim->independence_count; i++) {
        const ls_independence *given = &sim->independences[i];
        if (ls_sim_is_nameless(given->one) || ls_sim_is_nameless(given->other))
            FAULT(NULL, LS_ERROR_USAGE,
                  "independence %u of %u is between \"%s\" and \"%s\"; name two systems, labels "
                  "or sets",
                  i, sim->independence_count, given->one ? given->one : "",
                  given->other ? given->other : "");
    }
    return report->count == before;
}
