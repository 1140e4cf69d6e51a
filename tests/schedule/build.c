/* Converts a schedule to a simulation of the engine. */
#include "tests/schedule/build.h"

#include <lockstep/world_term.h>

#include <stddef.h>
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
    IN_PARTS("S"), IN_PARTS("E"), IN_PARTS("F"), IN_PARTS("P"), IN_PARTS("game")};
/* The labels of a par's sides, without modules and with them. */
static const char *const side_names[][SIDES_MAX] = {{"left", "right", "middle"},
                                                    {"n.left", "n.right", "n.middle"}};

static const struct {
    ls_match_kind kind;
    ls_access access;
    uint8_t query;
    bool has_term;
} term_of[OP_COUNT] = {
    [OP_WITH] = {LS_INCLUDE, LS_ACCESS_PRESENCE, 0, true},
    [OP_WITHOUT] = {LS_EXCLUDE, LS_ACCESS_PRESENCE, 0, true},
    [OP_MAYBE] = {LS_OPTIONAL, LS_ACCESS_PRESENCE, 0, true},
    [OP_READ] = {LS_INCLUDE, LS_ACCESS_READ, 0, true},
    [OP_MAYBE_READ] = {LS_OPTIONAL, LS_ACCESS_READ, 0, true},
    [OP_WRITE] = {LS_INCLUDE, LS_ACCESS_WRITE, 0, true},
    [OP_BUMP] = {LS_INCLUDE, LS_ACCESS_WRITE, 0, true},
    [OP_ATTACH] = {LS_OPTIONAL, LS_ACCESS_STRUCTURE, 0, true},
    [OP_DETACH] = {LS_INCLUDE, LS_ACCESS_STRUCTURE, 0, true},
    [OP_PAIR_READ] = {LS_INCLUDE, LS_ACCESS_READ, 1, true},
    [OP_PAIR_ALL] = {LS_OPTIONAL, LS_ACCESS_PRESENCE, 1, true},
    [OP_OTHERS_ASK] = {LS_OTHERS, LS_ACCESS_PRESENCE, 0, true},
    [OP_OTHERS_READ] = {LS_OTHERS, LS_ACCESS_READ, 0, true},
    [OP_OTHERS_WRITE] = {LS_OTHERS, LS_ACCESS_WRITE, 0, true},
    [OP_OTHERS_CHANGE] = {LS_OTHERS, LS_ACCESS_STRUCTURE, 0, true},
    [OP_START] = {LS_START, LS_ACCESS_READ, 0, true},
    [OP_WALK] = {LS_INCLUDE, LS_ACCESS_READ, 0, true}, /* query_of() tells its query */
    [OP_OBSERVE] = {LS_OTHERS, LS_ACCESS_READ, 0, true},
    [OP_ADD] = {LS_ACCUMULATED, LS_ADD, 0, true},
    [OP_MIN] = {LS_ACCUMULATED, LS_MIN, 0, true},
    [OP_MAX] = {LS_ACCUMULATED, LS_MAX, 0, true},
    [OP_OR] = {LS_ACCUMULATED, LS_OR, 0, true},
    [OP_COMMAND] = {LS_COMMANDS, LS_ACCESS_STRUCTURE, 0, true},
    [OP_SEND] = {LS_EVENTS, LS_ACCESS_WRITE, 0, true},
    [OP_RECEIVE] = {LS_EVENTS, LS_ACCESS_READ, 0, true},
    [OP_SPAWN_WITH] = {LS_SPAWNED, LS_ACCESS_STRUCTURE, 0, true},
    [OP_PARTNER] = {LS_PARTNER, LS_ACCESS_WRITE, 0, true},
    [OP_CHANGED] = {LS_INCLUDE, LS_ACCESS_READ, 0, true},
    [OP_ADDED] = {LS_INCLUDE, LS_ACCESS_READ, 0, true},
    [OP_REMOVED] = {LS_EXCLUDE, LS_ACCESS_PRESENCE, 0, true},
    [OP_IN_LANE] = {LS_LANE, LS_ACCESS_PRESENCE, 0, true},
    [OP_ARG_MIN] = {LS_ACCUMULATED, LS_ARG_MIN, 0, true},
    [OP_ARG_MAX] = {LS_ACCUMULATED, LS_ARG_MAX, 0, true},
    [OP_COMBINE] = {LS_ACCUMULATED, LS_COMBINE, 0, true},
    [OP_ANY_OF] = {LS_OPTIONAL, LS_ACCESS_PRESENCE, 0, true},
    [OP_GRID_VALUES] = {LS_OTHERS, LS_ACCESS_READ, 0, true},
    [OP_PAIR_JOINED] = {LS_INCLUDE, LS_ACCESS_READ, 1, true},
    [OP_PAIR_REFERS] = {LS_INCLUDE, LS_ACCESS_READ, 1, true},
    [OP_STATE] = {LS_OTHERS, LS_ACCESS_READ, 0, true},
    [OP_ENTER] = {LS_OTHERS, LS_ACCESS_WRITE, 0, true},
    [OP_READS_WORLD] = {LS_OPTIONAL, LS_ACCESS_PRESENCE, 0, true}, /* a walk of all that live */
    [OP_WRITES_WORLD] = {LS_OPTIONAL, LS_ACCESS_PRESENCE, 0, true},
};

/* Each walked query has a number of its own, above those of the vector. */
static uint32_t query_of(const op *given, uint32_t index)
{
    return given->kind == OP_WALK || op_is_of_world((op_kind)given->kind)
               ? LS_WALKED | (2 + index)
               : term_of[given->kind].query;
}

static const char *lane_name(const schedule *from, uint32_t lane)
{
    return lane == LANES ? "world" : lane_names[lane][from->part_of_lane[lane]];
}

static const char *set_name(const schedule *from, uint32_t set)
{
    return set == 0 && from->has_module_set ? "m" : set_names[set][from->part_of_set[set]];
}

static ls_term make_term(const built *made, const op *given, uint32_t index)
{
    static const uint8_t filters[OP_COUNT] = {[OP_OBSERVE] = LS_FILTER_OBSERVED,
                                              [OP_ANY_OF] = LS_FILTER_ANY,
                                              [OP_CHANGED] = LS_FILTER_CHANGED,
                                              [OP_ADDED] = LS_FILTER_ADDED,
                                              [OP_REMOVED] = LS_FILTER_REMOVED};
    if (given->kind == OP_IN_LANE)
        return (ls_term)LS_IN_LANE(lane_name(made->from, given->column));
    return (ls_term){.component = made->columns[given->column],
                     .kind = term_of[given->kind].kind,
                     .access = term_of[given->kind].access,
                     .query = query_of(given, index),
                     .filter = (ls_filter)filters[given->kind]};
}

/* Adds the second term of an access; false if it has none. */
static bool make_second_term(const built *made, const op *given, ls_term *term)
{
    const ls_component *first = made->columns[COLUMN_A];
    switch (given->kind) {
    case OP_ANY_OF:
        *term =
            (ls_term)LS_TERM_FILTERED(0, LS_OPTIONAL, LS_ACCESS_PRESENCE,
                                      *made->columns[op_alternative(given->column)], LS_FILTER_OR);
        return true;
    case OP_PAIR_JOINED:
        *term = (ls_term)LS_READS(*first);
        return true;
    case OP_PAIR_REFERS:
        *term = (ls_term)LS_WITH(*first);
        return true;
    case OP_READS_WORLD:
        *term = (ls_term)LS_READS_WORLD;
        return true;
    case OP_WRITES_WORLD:
        *term = (ls_term)LS_WRITES_WORLD;
        return true;
    default:
        return false;
    }
}

/* False if the access is by no grid. */
static bool make_grid(const built *made, const op *given, ls_grid *grid)
{
    bool has_with = given->kind == OP_GRID_WITH || given->kind == OP_GRID_VALUES;
    *grid = (ls_grid){.component = made->columns[has_with ? COLUMN_A : given->column],
                      .with = has_with ? made->columns[given->column] : NULL,
                      .offset_x = 8,
                      .offset_y = 12,
                      .cell = 16,
                      .start = given->kind == OP_GRID_START};
    return has_with || given->kind == OP_GRID || given->kind == OP_GRID_START ||
           given->kind == OP_GRID_NEAREST;
}

/* False if the access is by no join. */
static bool make_join(const built *made, const op *given, ls_join *join)
{
    const uint32_t key = offsetof(quad, key), entity = offsetof(reference, entity);
    bool refers = given->kind == OP_JOIN_REFERENCE || given->kind == OP_PAIR_REFERS;
    bool is_driven = given->kind == OP_PAIR_JOINED || given->kind == OP_PAIR_REFERS;
    *join = (ls_join){.component = made->columns[given->column],
                      .offset = refers ? entity : key,
                      .start = given->kind == OP_JOIN_START,
                      .query = is_driven,
                      .from = given->kind == OP_PAIR_JOINED ? made->columns[COLUMN_A] : NULL,
                      .from_offset = given->kind == OP_PAIR_JOINED ? key : 0};
    return refers || is_driven || given->kind == OP_JOIN || given->kind == OP_JOIN_COUNT ||
           given->kind == OP_JOIN_START;
}

static void add_op(ls_system *system, built_system *data, uint32_t index, uint32_t *counts)
{
    const op *given = &data->plan->ops[index];
    const built *made = data->built;
    system_lists *lists = &data->lists;
    enum { TERMS, GRIDS, JOINS, LANE_NAMES, COMMAND_LANES };
    if (term_of[given->kind].has_term) {
        data->term_of[index] = counts[TERMS];
        lists->terms[counts[TERMS]++] = make_term(made, given, index);
        counts[TERMS] += make_second_term(made, given, &lists->terms[counts[TERMS]]);
    }
    ls_grid grid;
    ls_join join;
    if (make_grid(made, given, &grid)) {
        data->grid_of[index] = counts[GRIDS];
        lists->grids[counts[GRIDS]++] = grid;
    } else if (make_join(made, given, &join)) {
        data->grid_of[index] = counts[JOINS];
        lists->joins[counts[JOINS]++] = join;
    }
    if (given->kind == OP_PARTNER) {
        system->partner =
            (ls_partner){made->columns[COLUMN_P], offsetof(reference, entity),
                         data->plan->partner_fails ? LS_PARTNER_FAILS : LS_PARTNER_FIRST_WINS};
    } else if (given->kind == OP_PARENTS_FIRST) {
        system->parents_first =
            (ls_hierarchy){made->columns[COLUMN_P], offsetof(reference, entity)};
    } else if (given->kind == OP_SPAWN) {
        data->grid_of[index] = counts[LANE_NAMES]++;
        system->lanes = test_names_add(&lists->lanes, lane_name(made->from, given->column));
    } else if (given->kind == OP_COMMAND_SPAWN) {
        data->grid_of[index] = counts[COMMAND_LANES]++;
        system->command_lanes =
            test_names_add(&lists->command_lanes, lane_name(made->from, given->column));
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
    if (from->par_sides && plan->side)
        test_names_add(labels, side_names[from->has_modules][plan->side - 1]);
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
                          .main_thread = plan->is_on_main_thread,
                          .cost_ns = plan->cost_ns,
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
    data->lists.terms[data->sink_term] = made->from->has_world
                                             ? (ls_term)LS_SENDS(body_shout)
                                             : (ls_term)LS_ACCUMULATES(body_sink, LS_ADD);
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
    if (given->state_use) {
        made->criteria[index] = *body_states[given->state_use - 1][given->state];
        made->criteria[index].name = criterion_names[index][split_part_of(of)];
        when.criterion = &made->criteria[index];
        return when;
    }
    if (!given->criterion)
        return when;
    data[0] = given->criterion - 1u;
    data[1] = given->asks_again;
    ls_term *terms = made->criterion_terms[index];
    terms[0] = (ls_term)LS_OTHERS_READ(body_roster);
    terms[1] = (ls_term)LS_OTHERS_READ(*made->columns[data[0]]);
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
                                     .insertion_order = from->insertion_order[i],
                                     .main_thread = from->is_on_main_thread[i]};
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
    made->reference = *body_components[COLUMN_P];
    memcpy(made->reference_fields, made->reference.fields, sizeof made->reference_fields);
    made->reference_fields[REFERENCE_FIELDS - 1].on_despawn = (ls_on_despawn)made->from->on_despawn;
    made->reference.fields = made->reference_fields;
    for (uint32_t i = 0; i < COLUMN_COUNT; i++) {
        made->columns[i] = i == COLUMN_P ? &made->reference : body_components[i];
        made->tables[i] = *made->columns[i];
        made->tables[i].name = column_names[i][made->from->part_of_column[i]];
        made->components[i] = &made->tables[i];
    }
    made->components[COLUMN_COUNT] = &body_roster;
    made->components[COLUMN_COUNT + 1] = &body_sink;
    made->components[COLUMN_COUNT + 2] = &body_shout;
    for (uint32_t i = 0; i < LANES; i++)
        made->lanes[i] = lane_name(made->from, i);
    made->never_both = (ls_incompatibility){made->columns[COLUMN_T], made->columns[COLUMN_U]};
}

/* A side that shrinking has left without a system is left out. */
static void build_par(built *made)
{
    uint32_t filled = 0;
    for (uint32_t side = 1; side <= made->from->par_sides; side++) {
        bool has_any = false;
        for (uint32_t i = 0; i < made->from->system_count; i++)
            has_any |= made->from->systems[i].side == side;
        if (has_any)
            test_names_add(&made->sides, side_names[made->from->has_modules][side - 1]);
        filled += has_any;
    }
    made->par = (ls_par){.name = "par",
                         .sides = made->sides.text,
                         .clash = made->from->par_first_wins ? LS_PAR_FIRST_WINS : LS_PAR_FAILS};
    made->sim.pars = &made->par;
    made->sim.par_count = filled > 1;
}

static void build_setup(built *made)
{
    ls_term *terms = made->setup_terms;
    for (uint32_t i = 0; i < COLUMN_S; i++)
        terms[i] = (ls_term)LS_OTHERS_STRUCTURE(*made->columns[i]);
    terms[COLUMN_S] = (ls_term)LS_OTHERS_WRITE(*made->columns[COLUMN_S]);
    terms[SETUP_ROSTER] = (ls_term)LS_OTHERS_WRITE(body_roster);
    terms[SETUP_P] = (ls_term)LS_OTHERS_STRUCTURE(*made->columns[COLUMN_P]);
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
                         .component_count = COLUMN_COUNT + 3,
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
                         .despawns_empty = from->despawns_empty,
                         .setup = &made->setup};
    build_par(made);
}
