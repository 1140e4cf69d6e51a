/* Converts a schedule to a simulation of the engine, and prints it as C. */
#include "tests/schedule/build.h"
#include "core/schedule/lists.h"
#include "tests/schedule/columns.h"

#include <stdio.h>
#include <string.h>

/* A name in the simulation, and in each module. */
#define IN_PARTS(name)                                                                             \
    {                                                                                              \
        name, "m." name, "m.k." name, "n." name                                                    \
    }
static const char *const label_names[LABELS][SPLIT_PARTS] = {IN_PARTS("red"), IN_PARTS("blue")};
static const char *const set_names[SETS_MAX][SPLIT_PARTS] = {IN_PARTS("odd"), IN_PARTS("even")};
static const char *const stage_names[][STAGES_MAX] = {[STAGES_OF_SIM] = {"main", "late"},
                                                      [STAGE_M] = {"main", "m"},
                                                      [STAGE_WITHIN_M] = {"m", "m.late"}};
static const char *const criterion_names[STAGES_MAX + SETS_MAX][SPLIT_PARTS] = {
    IN_PARTS("ask"), IN_PARTS("inquire"), IN_PARTS("question"), IN_PARTS("wonder")};
static const char *const lane_names[LANES][SPLIT_PARTS] = {IN_PARTS("a"), IN_PARTS("b")};
static const char *const setup_names[SPLIT_PARTS] = IN_PARTS("populate");
static const char *const column_names[COLUMN_COUNT][SPLIT_PARTS] = {
    IN_PARTS("A"), IN_PARTS("B"), IN_PARTS("C"), IN_PARTS("T"), IN_PARTS("U"),
    IN_PARTS("S"), IN_PARTS("E"), IN_PARTS("F"), IN_PARTS("P")};

static const struct {
    ls_match_kind kind;
    ls_access access;
    uint8_t query;
    bool has_term;
} term_of[OP_COUNT] = {
    [OP_WITH] = {LS_INCLUDE, LS_PRESENCE, 0, true},
    [OP_WITHOUT] = {LS_EXCLUDE, LS_PRESENCE, 0, true},
    [OP_MAYBE] = {LS_OPTIONAL, LS_PRESENCE, 0, true},
    [OP_READ] = {LS_INCLUDE, LS_READ, 0, true},
    [OP_MAYBE_READ] = {LS_OPTIONAL, LS_READ, 0, true},
    [OP_WRITE] = {LS_INCLUDE, LS_WRITE, 0, true},
    [OP_BUMP] = {LS_INCLUDE, LS_WRITE, 0, true},
    [OP_ATTACH] = {LS_OPTIONAL, LS_STRUCTURE, 0, true},
    [OP_DETACH] = {LS_INCLUDE, LS_STRUCTURE, 0, true},
    [OP_PAIR_READ] = {LS_INCLUDE, LS_READ, 1, true},
    [OP_PAIR_ALL] = {LS_OPTIONAL, LS_PRESENCE, 1, true},
    [OP_OTHERS_ASK] = {LS_OTHERS, LS_PRESENCE, 0, true},
    [OP_OTHERS_READ] = {LS_OTHERS, LS_READ, 0, true},
    [OP_OTHERS_WRITE] = {LS_OTHERS, LS_WRITE, 0, true},
    [OP_OTHERS_CHANGE] = {LS_OTHERS, LS_STRUCTURE, 0, true},
    [OP_START] = {LS_START, LS_READ, 0, true},
    [OP_WALK] = {LS_INCLUDE, LS_READ, 0, true}, /* query_of() tells its query */
    [OP_OBSERVE] = {LS_OTHERS, LS_READ, 0, true},
    [OP_ADD] = {LS_ACCUMULATED, LS_ADD, 0, true},
    [OP_MIN] = {LS_ACCUMULATED, LS_MIN, 0, true},
    [OP_MAX] = {LS_ACCUMULATED, LS_MAX, 0, true},
    [OP_OR] = {LS_ACCUMULATED, LS_OR, 0, true},
    [OP_COMMAND] = {LS_COMMANDS, LS_STRUCTURE, 0, true},
    [OP_SEND] = {LS_EVENTS, LS_WRITE, 0, true},
    [OP_RECEIVE] = {LS_EVENTS, LS_READ, 0, true},
    [OP_SPAWN_WITH] = {LS_SPAWNED, LS_STRUCTURE, 0, true},
    [OP_PARTNER] = {LS_PARTNER, LS_WRITE, 0, true},
    [OP_CHANGED] = {LS_INCLUDE, LS_READ, 0, true},
    [OP_ADDED] = {LS_INCLUDE, LS_READ, 0, true},
    [OP_REMOVED] = {LS_EXCLUDE, LS_PRESENCE, 0, true},
    [OP_IN_LANE] = {LS_LANE, LS_PRESENCE, 0, true},
    [OP_ARG_MIN] = {LS_ACCUMULATED, LS_ARG_MIN, 0, true},
    [OP_ARG_MAX] = {LS_ACCUMULATED, LS_ARG_MAX, 0, true},
    [OP_COMBINE] = {LS_ACCUMULATED, LS_COMBINE, 0, true},
};

bool op_is_matched(op_kind kind)
{
    return kind <= OP_PAIR_ALL || (kind >= OP_PARTNER && kind <= OP_IN_LANE);
}

/* Each walked query has a number of its own, above those of the vector. */
static uint32_t query_of(const op *given, uint32_t index)
{
    return given->kind == OP_WALK ? LS_WALKED | (2 + index) : term_of[given->kind].query;
}

static const char *lane_name(const schedule *from, uint32_t lane)
{
    return lane == LANES ? "world" : lane_names[lane][from->part_of_lane[lane]];
}

static const char *set_name(const schedule *from, uint32_t set)
{
    return set == 0 && from->has_module_set ? "m" : set_names[set][from->part_of_set[set]];
}

static ls_term make_term(const schedule *from, const op *given, uint32_t index)
{
    static const uint8_t filters[OP_COUNT] = {[OP_OBSERVE] = LS_FILTER_OBSERVED,
                                              [OP_CHANGED] = LS_FILTER_CHANGED,
                                              [OP_ADDED] = LS_FILTER_ADDED,
                                              [OP_REMOVED] = LS_FILTER_REMOVED};
    if (given->kind == OP_IN_LANE)
        return (ls_term)LS_IN_LANE(lane_name(from, given->column));
    return (ls_term){.component = body_components[given->column],
                     .kind = term_of[given->kind].kind,
                     .access = term_of[given->kind].access,
                     .query = query_of(given, index),
                     .filter = (ls_filter)filters[given->kind]};
}

static void add_op(ls_system *system, built_system *data, uint32_t index, uint32_t *counts)
{
    const op *given = &data->plan->ops[index];
    enum { TERMS, GRIDS, JOINS, LANE_NAMES, COMMAND_LANES };
    if (term_of[given->kind].has_term) {
        data->term_of[index] = counts[TERMS];
        data->lists.terms[counts[TERMS]++] = make_term(data->built->from, given, index);
    }
    if (given->kind == OP_PARTNER) {
        system->partner = body_partner;
        system->partner.clash =
            data->plan->partner_fails ? LS_PARTNER_FAILS : LS_PARTNER_FIRST_WINS;
    } else if (given->kind == OP_GRID || given->kind == OP_GRID_WITH) {
        bool has_with = given->kind == OP_GRID_WITH;
        data->grid_of[index] = counts[GRIDS];
        data->lists.grids[counts[GRIDS]++] =
            (ls_grid){.component = body_components[has_with ? COLUMN_A : given->column],
                      .with = has_with ? body_components[given->column] : NULL,
                      .offset_x = 8,
                      .offset_y = 12,
                      .cell = 16};
    } else if (given->kind == OP_JOIN) {
        data->grid_of[index] = counts[JOINS];
        data->lists.joins[counts[JOINS]++] =
            (ls_join){.component = body_components[given->column], .offset = 4};
    } else if (given->kind == OP_SPAWN) {
        data->grid_of[index] = counts[LANE_NAMES]++;
        system->lanes =
            test_names_add(&data->lists.lanes, lane_name(data->built->from, given->column));
    } else if (given->kind == OP_COMMAND_SPAWN) {
        data->grid_of[index] = counts[COMMAND_LANES]++;
        system->command_lanes =
            test_names_add(&data->lists.command_lanes, lane_name(data->built->from, given->column));
    }
}

/* The place in the list: the systems of each module come together, as in the merged list. */
static ls_system *system_of(built *made, uint32_t index)
{
    const actor *systems = made->from->systems;
    uint32_t place = 0;
    for (uint32_t i = 0; i < made->from->system_count; i++)
        place += systems[i].part < systems[index].part ||
                 (systems[i].part == systems[index].part && i < index);
    return &made->systems[place];
}

static void add_labels(const schedule *from, const actor *plan, test_names *labels)
{
    for (uint32_t i = 0; i < LABELS; i++) {
        if (plan->labels >> i & 1)
            test_names_add(labels, label_names[i][from->part_of_label[i]]);
    }
    for (uint32_t i = 0; i < from->set_count; i++) {
        if (plan->sets >> i & 1 && (i || !from->has_module_set))
            test_names_add(labels, set_name(from, i));
    }
    static const char *const paths[SPLIT_PARTS] = {"", "m", "m.k", "n"};
    for (uint32_t i = SPLIT_PARTS - 1; i; i--) {
        if (schedule_is_in(plan, i))
            test_names_add(labels, paths[i]);
    }
}

static void build_system(built *made, uint32_t index)
{
    const actor *plan = &made->from->systems[index];
    built_system *data = &made->data[index];
    ls_system *system = system_of(made, index);
    uint32_t counts[5] = {0};
    data->built = made;
    data->plan = plan;
    data->index = index;
    *system = (ls_system){.name = plan->name,
                          .mode = plan->is_concurrent ? LS_CONCURRENT : LS_SEQUENTIAL,
                          .match = body_match,
                          .data = data,
                          .terms = data->lists.terms,
                          .grids = data->lists.grids,
                          .joins = data->lists.joins,
                          .stage = made->from->stage_count > 1
                                       ? stage_names[made->from->stage_form][plan->stage]
                                       : NULL,
                          .slot = (ls_slot)plan->slot,
                          .home_thread = plan->home_thread,
                          .scratch_bytes = plan->uses_scratch ? BODY_SCRATCH_BYTES : 0};
    for (uint32_t i = 0; i < plan->op_count; i++) {
        add_op(system, data, i, counts);
        data->has_query |= op_is_matched((op_kind)plan->ops[i].kind);
        data->has_pairs |= term_of[plan->ops[i].kind].query > 0;
    }
    if (plan->is_concurrent && plan->uses_spans && !data->has_pairs) {
        system->match = NULL;
        system->span = body_span;
    }
    if (system->partner.component)
        data->lists.terms[counts[0]++] = (ls_term)LS_READS(*system->partner.component);
    data->roster_term = counts[0]++;
    data->sink_term = counts[0]++;
    data->lists.terms[data->roster_term] = (ls_term)LS_OTHERS_READ(body_roster);
    data->lists.terms[data->sink_term] = (ls_term)LS_ACCUMULATES(body_sink, LS_ADD);
    add_labels(made->from, plan, &data->lists.labels);
    system->labels = data->lists.labels.text[0] ? data->lists.labels.text : NULL;
}

/* Declares half of the orders at the later system with `after`, the others with `before`. */
static void build_orders(built *made, uint32_t index)
{
    const schedule *from = made->from;
    ls_system *system = system_of(made, index);
    built_system *data = &made->data[index];
    for (uint32_t i = 0; i < from->system_count; i++) {
        const char *name = from->systems[i].name;
        bool is_here = split_is_at_first(system->name, name, (index + i) % 2);
        bool is_there = split_is_at_first(name, system->name, (index + i) % 2);
        if (from->before[index][i] && is_here)
            system->before = test_names_add(&data->lists.before, name);
        if (from->before[i][index] && !is_there)
            system->after = test_names_add(&data->lists.after, name);
        if (from->weakly[index][i] && is_here)
            system->weakly_before = test_names_add(&data->lists.weakly_before, name);
        if (from->weakly[i][index] && !is_there)
            system->weakly_after = test_names_add(&data->lists.weakly_after, name);
        if (from->needs[i][index])
            system->needs = test_names_add(&data->lists.needs, name);
    }
    uint32_t label = from->systems[index].after_label;
    if (label)
        system->after = test_names_add(&data->lists.after,
                                       label_names[label - 1][from->part_of_label[label - 1]]);
    static const char *const paths[SPLIT_PARTS] = {"", "m", "m.k", "n"};
    if (from->systems[index].after_part)
        system->after = test_names_add(&data->lists.after, paths[from->systems[index].after_part]);
}

static ls_condition build_condition(built *made, uint32_t index, const char *of,
                                    const condition *given)
{
    uint32_t *data = made->decision_data[index];
    ls_condition when = {.every = given->every, .phase = given->phase};
    if (!given->criterion)
        return when;
    data[0] = given->criterion - 1u;
    data[1] = given->asks_again;
    ls_term *terms = made->criterion_terms[index];
    terms[0] = (ls_term)LS_OTHERS_READ(body_roster);
    terms[1] = (ls_term)LS_OTHERS_READ(*body_components[data[0]]);
    made->criteria[index] = (ls_system){.name = criterion_names[index][split_part_of(of)],
                                        .mode = LS_SEQUENTIAL,
                                        .match = body_decide,
                                        .data = data,
                                        .terms = terms};
    when.criterion = &made->criteria[index];
    when.iterations_max = given->asks_again ? 4 : 0;
    return when;
}

static void build_conditions(built *made)
{
    const schedule *from = made->from;
    const char *const *names = stage_names[from->stage_form];
    for (uint32_t i = 0; i < from->stage_count; i++)
        made->stages[i] = (ls_stage){.name = names[i],
                                     .within = i && from->is_nested ? names[0] : NULL,
                                     .when = build_condition(made, i, names[i], &from->stages[i]),
                                     .insertion_order = from->insertion_order[i]};
    for (uint32_t i = 0; i < from->set_count; i++)
        made->sets[i] = (ls_set){
            .name = set_name(from, i),
            .when = build_condition(made, STAGES_MAX + i, set_name(from, i), &from->sets[i])};
}

/* In the order of the merged list: first those of systems of several modules. */
static uint32_t build_independences(built *made)
{
    const schedule *from = made->from;
    uint32_t count = 0;
    for (uint32_t at = 0; at < SPLIT_PARTS * SYSTEMS_MAX * SYSTEMS_MAX; at++) {
        uint32_t part = at / SYSTEMS_MAX / SYSTEMS_MAX;
        uint32_t i = at / SYSTEMS_MAX % SYSTEMS_MAX, j = at % SYSTEMS_MAX;
        const actor *one = &from->systems[i], *other = &from->systems[j];
        if (i < j && (from->independent[i][j] || from->independent[j][i]) &&
            part == (one->part == other->part ? one->part : 0))
            made->independences[count++] =
                (ls_independence){one->name, other->name, "the test looks what happens"};
    }
    return count;
}

/* Terms name the components by their tables without a prefix. */
static void build_components(built *made)
{
    for (uint32_t i = 0; i < COLUMN_COUNT; i++) {
        made->tables[i] = *body_components[i];
        made->tables[i].name = column_names[i][made->from->part_of_column[i]];
        made->components[i] = &made->tables[i];
    }
    made->components[COLUMN_COUNT] = &body_roster;
    made->components[COLUMN_COUNT + 1] = &body_sink;
    for (uint32_t i = 0; i < LANES; i++)
        made->lanes[i] = lane_name(made->from, i);
    made->never_both = (ls_incompatibility){body_components[COLUMN_T], body_components[COLUMN_U]};
}

static void build_setup(built *made)
{
    ls_term *terms = made->setup_terms;
    for (uint32_t i = 0; i < COLUMN_S; i++)
        terms[i] = (ls_term)LS_OTHERS_STRUCTURE(*body_components[i]);
    terms[COLUMN_S] = (ls_term)LS_OTHERS_WRITE(*body_components[COLUMN_S]);
    terms[SETUP_ROSTER] = (ls_term)LS_OTHERS_WRITE(body_roster);
    terms[SETUP_P] = (ls_term)LS_OTHERS_STRUCTURE(*body_components[COLUMN_P]);
    made->setup = (ls_system){.name = setup_names[made->from->part_of_setup],
                              .mode = LS_SEQUENTIAL,
                              .match = body_populate,
                              .data = made->from,
                              .terms = terms,
                              .lanes = "world"};
}

/* Each module has one; body.c finds that of its own system. */
static const ls_option options[SPLIT_PARTS] = {{"speed", "", 0, 99, 10},
                                               {"m.speed", "", 0, 99, 11},
                                               {"m.k.speed", "", 0, 99, 12},
                                               {"n.speed", "", 0, 99, 13}};

void schedule_build(const schedule *from, built *made)
{
    memset(made, 0, sizeof *made);
    made->from = from;
    build_components(made);
    build_setup(made);
    for (uint32_t i = 0; i < from->system_count; i++) {
        build_system(made, i);
        build_orders(made, i);
    }
    build_conditions(made);
    made->sim = (ls_sim){.abi = LS_SIM_ABI,
                         .name = "schedule",
                         .version = "1",
                         .tick_rate = 10,
                         .player_count = 1,
                         .options = options,
                         .option_count = from->has_modules ? SPLIT_PARTS : 0,
                         .components = made->components,
                         .component_count = COLUMN_COUNT + 2,
                         .lanes = made->lanes,
                         .lane_count = LANES,
                         .systems = made->systems,
                         .system_count = from->system_count,
                         .stages = made->stages,
                         .stage_count = from->stage_count,
                         .sets = made->sets,
                         .set_count = from->set_count,
                         .independences = made->independences,
                         .independence_count = build_independences(made),
                         .operations = body_operations,
                         .operation_count = COLUMNS_OPERATIONS,
                         .incompatibilities = &made->never_both,
                         .incompatibility_count = from->never_both,
                         .setup = &made->setup};
}

static void print_names(const char *member, const char *names)
{
    if (names)
        fprintf(stderr, ", .%s = \"%s\"", member, names);
}

static void print_system(const ls_system *system)
{
    static const char *const kinds[] = {"LS_INCLUDE", "LS_EXCLUDE", "LS_OPTIONAL", "LS_OTHERS",
                                        "LS_START",   "LS_SPAWNED", "LS_COMMANDS", "LS_ACCUMULATED",
                                        "LS_EVENTS",  "LS_LANE",    "LS_WORLD",    "LS_PARTNER"};
    static const char *const accesses[] = {"LS_PRESENCE", "LS_READ",    "LS_WRITE",  "LS_STRUCTURE",
                                           "LS_ADD",      "LS_MIN",     "LS_MAX",    "LS_OR",
                                           "LS_ARG_MIN",  "LS_ARG_MAX", "LS_COMBINE"};
    static const char *const filters[] = {"NONE",  "ANY",     "OR",      "CHANGED",
                                          "ADDED", "REMOVED", "OBSERVED"};
    static const char *const slots[] = {"", ", .slot = LS_AT_START", ", .slot = LS_BEFORE_COMMANDS",
                                        ", .slot = LS_AT_END"};
    fprintf(stderr, "    {.name = \"%s\"%s", system->name,
            system->mode == LS_SEQUENTIAL ? ", .mode = LS_SEQUENTIAL" : "");
    fprintf(stderr, ", .%s = body,\n     .terms = LS_TERM_LIST(", system->span ? "span" : "match");
    for (uint32_t i = 0; system->terms[i + 2].component || system->terms[i + 2].lane; i++) {
        const ls_term *term = &system->terms[i];
        if (term->lane)
            fprintf(stderr, "%sLS_IN_LANE(\"%s\")", i ? ", " : "", term->lane);
        else if (term->filter)
            fprintf(stderr, "%sLS_%s(%s)", i ? ", " : "", filters[term->filter],
                    term->component->name);
        else
            fprintf(stderr, "%sLS_TERM(%u, %s, %s, %s)", i ? ", " : "", term->query,
                    kinds[term->kind], accesses[term->access], term->component->name);
    }
    fprintf(stderr, ")");
    for (uint32_t i = 0; ls_grid_of(system, i); i++)
        fprintf(stderr, "%s{&%s, %s%s, 8, 12, 16}", i ? ", " : ",\n     .grids = LS_GRIDS(",
                system->grids[i].component->name, system->grids[i].with ? "&" : "",
                system->grids[i].with ? system->grids[i].with->name : "NULL");
    fprintf(stderr, "%s", ls_grid_of(system, 0) ? ")" : "");
    for (uint32_t i = 0; ls_join_of(system, i); i++)
        fprintf(stderr, "%s{.component = &%s, .offset = 4}",
                i ? ", " : ",\n     .joins = LS_JOINS(", system->joins[i].component->name);
    fprintf(stderr, "%s", ls_join_of(system, 0) ? ")" : "");
    if (system->partner.component)
        fprintf(stderr, ",\n     .partner = {&P, 8, %s}",
                system->partner.clash ? "LS_PARTNER_FIRST_WINS" : "LS_PARTNER_FAILS");
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

static void print_condition(const ls_condition *when)
{
    const uint32_t *data = when->criterion ? when->criterion->data : NULL;
    fprintf(stderr, ", .when = {.every = %u, .phase = %u, .iterations_max = %u}},", when->every,
            when->phase, when->iterations_max);
    fprintf(stderr, "%s%s%s\n", data ? " /* a criterion reads " : "",
            data ? body_components[data[0]]->name : "", data ? " */" : "");
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
        fprintf(stderr, "    {.name = \"%s\"%s%s", stage->name,
                stage->within ? ", .within = the first" : "",
                stage->insertion_order ? ", .insertion_order = true" : "");
        print_condition(&stage->when);
    }
    fprintf(stderr, "};\nstatic const ls_set sets[] = {\n");
    for (uint32_t i = 0; i < from->set_count; i++) {
        fprintf(stderr, "    {.name = \"%s\"", made.sets[i].name);
        print_condition(&made.sets[i].when);
    }
    fprintf(stderr, "};\n");
    if (from->never_both)
        fprintf(stderr, "/* never both T and U */\n");
    for (uint32_t i = 0; i < made.sim.independence_count; i++)
        fprintf(stderr, "/* independent: \"%s\" and \"%s\" */\n", made.independences[i].one,
                made.independences[i].other);
}
