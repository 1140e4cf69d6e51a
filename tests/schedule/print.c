/* Prints a schedule as C. */
#include "core/schedule/lists.h"
#include "tests/schedule/build.h"

#include <stdio.h>

static void print_names(const char *member, const char *names)
{
    if (names)
        fprintf(stderr, ", .%s = \"%s\"", member, names);
}

static void print_joins(const ls_system *system)
{
    for (uint32_t i = 0; ls_grid_of(system, i); i++)
        fprintf(stderr, "%s{&%s, %s%s, 8, 12, 16%s}", i ? ", " : ",\n     .grids = LS_GRIDS(",
                system->grids[i].component->name, system->grids[i].with ? "&" : "",
                system->grids[i].with ? system->grids[i].with->name : "NULL",
                system->grids[i].start ? ", .start = true" : "");
    fprintf(stderr, "%s", ls_grid_of(system, 0) ? ")" : "");
    for (uint32_t i = 0; ls_join_of(system, i); i++) {
        const ls_join *join = &system->joins[i];
        fprintf(stderr, "%s{.component = &%s, .offset = %u, .start = %d, .query = %u",
                i ? ", " : ",\n     .joins = LS_JOINS(", join->component->name, join->offset,
                join->start, join->query);
        if (join->from)
            fprintf(stderr, ", .from = &%s, .from_offset = %u", join->from->name,
                    join->from_offset);
        fprintf(stderr, "}");
    }
    fprintf(stderr, "%s", ls_join_of(system, 0) ? ")" : "");
}

static void print_system(const ls_system *system)
{
    static const char *const kinds[] = {"LS_INCLUDE", "LS_EXCLUDE", "LS_OPTIONAL", "LS_OTHERS",
                                        "LS_START",   "LS_SPAWNED", "LS_COMMANDS", "LS_ACCUMULATED",
                                        "LS_EVENTS",  "LS_LANE",    "LS_WORLD",    "LS_PARTNER"};
    static const char *const accesses[] = {"LS_ACCESS_PRESENCE",
                                           "LS_ACCESS_READ",
                                           "LS_ACCESS_WRITE",
                                           "LS_ACCESS_STRUCTURE",
                                           "LS_ADD",
                                           "LS_MIN",
                                           "LS_MAX",
                                           "LS_OR",
                                           "LS_ARG_MIN",
                                           "LS_ARG_MAX",
                                           "LS_COMBINE"};
    static const char *const filters[] = {"NONE",  "ANY",     "OR",      "CHANGED",
                                          "ADDED", "REMOVED", "OBSERVED"};
    static const char *const slots[] = {"", ", .slot = LS_AT_START", ", .slot = LS_BEFORE_COMMANDS",
                                        ", .slot = LS_AT_END"};
    fprintf(stderr, "    {.name = \"%s\"%s", system->name,
            system->mode == LS_SEQUENTIAL ? ", .mode = LS_SEQUENTIAL" : "");
    fprintf(stderr, ", .%s = body,\n     .terms = LS_TERM_LIST(", system->span ? "span" : "match");
    for (uint32_t i = 0; system->terms[i + 2].component || system->terms[i + 2].lane; i++) {
        const ls_term *term = &system->terms[i];
        if (term->kind == LS_WORLD)
            fprintf(stderr, "%sLS_%s_WORLD", i ? ", " : "",
                    term->access == LS_ACCESS_READ ? "READS" : "WRITES");
        else if (term->lane)
            fprintf(stderr, "%sLS_IN_LANE(\"%s\")", i ? ", " : "", term->lane);
        else if (term->filter)
            fprintf(stderr, "%sLS_%s(%s)", i ? ", " : "", filters[term->filter],
                    term->component->name);
        else
            fprintf(stderr, "%sLS_TERM(%u, %s, %s, %s)", i ? ", " : "", term->query,
                    kinds[term->kind], accesses[term->access], term->component->name);
    }
    fprintf(stderr, ")");
    print_joins(system);
    if (system->partner.component)
        fprintf(stderr, ",\n     .partner = {&P, 8, %s}",
                system->partner.clash ? "LS_PARTNER_FIRST_WINS" : "LS_PARTNER_FAILS");
    if (system->parents_first.component)
        fprintf(stderr, ",\n     .parents_first = {&P, 8}");
    if (system->main_thread || system->cost_ns)
        fprintf(stderr, ", .main_thread = %d, .cost_ns = %u", system->main_thread, system->cost_ns);
    if (system->home_thread || system->scratch_bytes)
        fprintf(stderr, ", .home_thread = %u, .scratch_bytes = %u", system->home_thread,
                system->scratch_bytes);
    print_names("lanes", system->lanes);
    print_names("command_lanes", system->command_lanes);
    print_names("labels", system->labels);
    print_names("before", system->before);
    print_names("after", system->after);
    print_names("weakly_before", system->weakly_before);
    print_names("weakly_after", system->weakly_after);
    print_names("needs", system->needs);
    if (system->stage)
        fprintf(stderr, ", .stage = \"%s\"", system->stage);
    fprintf(stderr, "%s},\n", slots[system->slot]);
}

static void print_condition(const ls_condition *when, const condition *given)
{
    static const char *const uses[] = {"in", "on enter of", "on exit of"};
    fprintf(stderr, ", .when = {.every = %u, .phase = %u, .iterations_max = %u}},", when->every,
            when->phase, when->iterations_max);
    if (given->state_use)
        fprintf(stderr, " /* %s state %u */", uses[given->state_use - 1], given->state);
    else if (given->criterion)
        fprintf(stderr, " /* a criterion reads %s */", body_components[given->criterion - 1]->name);
    fprintf(stderr, "\n");
}

void schedule_print(const schedule *from)
{
    static built made;
    schedule_build(from, &made);
    fprintf(stderr, "static const ls_system systems[] = {\n");
    for (uint32_t i = 0; i < from->system_count; i++)
        print_system(&made.systems[i]);
    fprintf(stderr, "};\nstatic const ls_stage stages[] = {\n");
    for (uint32_t i = 0; i < from->stage_count; i++) {
        const ls_stage *stage = &made.stages[i];
        fprintf(stderr, "    {.name = \"%s\"%s%s%s", stage->name,
                stage->within ? ", .within = the first" : "",
                stage->insertion_order ? ", .insertion_order = true" : "",
                stage->main_thread ? ", .main_thread = true" : "");
        print_condition(&stage->when, &from->stages[i]);
    }
    fprintf(stderr, "};\nstatic const ls_set sets[] = {\n");
    for (uint32_t i = 0; i < from->set_count; i++) {
        fprintf(stderr, "    {.name = \"%s\"", made.sets[i].name);
        print_condition(&made.sets[i].when, &from->sets[i]);
    }
    fprintf(stderr, "};\n");
    if (from->never_both)
        fprintf(stderr, "/* never both T and U */\n");
    if (from->on_despawn || from->despawns_empty)
        fprintf(stderr, "/* on_despawn of P is %u, despawns_empty is %d */\n", from->on_despawn,
                from->despawns_empty);
    if (made.sim.par_count)
        fprintf(stderr, "static const ls_par pars[] = {{\"%s\", \"%s\", %s}};\n", made.par.name,
                made.par.sides, made.par.clash ? "LS_PAR_FIRST_WINS" : "LS_PAR_FAILS");
    for (uint32_t i = 0; i < made.sim.independence_count; i++)
        fprintf(stderr, "/* independent: \"%s\" and \"%s\" */\n", made.independences[i].one,
                made.independences[i].other);
}
