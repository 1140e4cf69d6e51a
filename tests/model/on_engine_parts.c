/* The components of the engine's simulation, what is declared of them, and the systems' lists. */
#include "tests/model/on_engine.h"

#include <lockstep/world_term.h>

void on_engine_make_parts(on_engine *self)
{
    for (uint32_t i = 0; i < self->program->component_count; i++) {
        const program_component *given = &self->program->components[i];
        const program_layout *layout = program_layout_of(self->program, i);
        for (uint32_t j = 0; j < layout->field_count; j++) {
            self->fields[i][j] = layout->fields[j];
            self->fields[i][j].on_despawn = (ls_on_despawn)given->on_despawn;
            if (layout->fields[j].type != LS_TYPE_ENTITY)
                self->fields[i][j].on_despawn = LS_KEEP;
        }
        self->components[i] = (ls_component){.name = given->name,
                                             .bytes = layout->bytes,
                                             .field_count = layout->field_count,
                                             .fields = self->fields[i],
                                             .is_singleton = given->role == ROLE_SINGLETON,
                                             .event_ticks = given->ticks};
        if (given->role != ROLE_EVENT && layout->bytes)
            self->operations[self->sim.operation_count++] =
                (ls_operation){&self->components[i], "xor", program_operation(layout->bytes)};
    }
    self->pointers[self->program->component_count] = program_game();
    for (uint32_t i = 0; i < self->program->pair_count; i++) {
        const program_pair *pair = &self->program->pairs[i];
        self->pairs[i] =
            (ls_incompatibility){&self->components[pair->one], &self->components[pair->other]};
    }
}

static ls_partner partner_of(const on_engine *self, const program_partner *given)
{
    return (ls_partner){.component = &self->components[given->component],
                        .offset = self->fields[given->component][given->field].offset,
                        .clash = given->first_wins ? LS_PARTNER_FIRST_WINS : LS_PARTNER_FAILS};
}

static ls_grid grid_of(const on_engine *self, const program_grid *given)
{
    return (ls_grid){.component = &self->components[given->component],
                     .with = given->has_with ? &self->components[given->with] : NULL,
                     .offset_x = given->offsets[0],
                     .offset_y = given->offsets[1],
                     .cell = given->cell,
                     .start = given->start,
                     .has_z = given->has_z,
                     .offset_z = given->has_z ? given->offsets[2] : 0};
}

/* Adds a set whose condition is on the state. Returns its name; with modules it is of one. */
static const char *make_set(on_engine *self, const program_states *when)
{
    static const char *const names[PROGRAM_SYSTEMS_MAX][2] = {
        {"set0", "n.set0"}, {"set1", "n.set1"}, {"set2", "n.set2"}, {"set3", "n.set3"},
        {"set4", "n.set4"}, {"set5", "n.set5"}, {"set6", "n.set6"}, {"set7", "n.set7"}};
    static const char *const criteria[PROGRAM_SYSTEMS_MAX][2] = {
        {"ask0", "n.ask0"}, {"ask1", "n.ask1"}, {"ask2", "n.ask2"}, {"ask3", "n.ask3"},
        {"ask4", "n.ask4"}, {"ask5", "n.ask5"}, {"ask6", "n.ask6"}, {"ask7", "n.ask7"}};
    uint32_t index = self->set_count++;
    self->criteria[index] = *program_criterion(when);
    self->criteria[index].name = criteria[index][self->program->has_modules];
    self->sets[index] = (ls_set){.name = names[index][self->program->has_modules],
                                 .when = {.criterion = &self->criteria[index]}};
    return self->sets[index].name;
}

static const char *lane_name(const struct program *program, uint8_t lane)
{
    return lane == 0 ? "world" : program->lanes[lane - 1];
}

void on_engine_fill(on_engine *self, const program_system *given, uint32_t index, ls_system *made)
{
    on_engine_lists *lists = &self->lists[index];
    *made = (ls_system){.name = given->name,
                        .mode = given->is_concurrent ? LS_CONCURRENT : LS_SEQUENTIAL,
                        .data = &self->data[index],
                        .terms = lists->terms,
                        .joins = lists->joins,
                        .grids = lists->grids};
    for (uint32_t i = 0; i < given->term_count; i++) {
        const program_term *term = &given->terms[i];
        lists->terms[i] = (ls_term){&self->components[term->component],
                                    (ls_match_kind)term->kind,
                                    (ls_access)term->access,
                                    term->query | (term->is_walked ? LS_WALKED : 0),
                                    (ls_filter)term->filter,
                                    NULL};
    }
    if (given->partner.is_set)
        made->partner = partner_of(self, &given->partner);
    if (given->parents_first)
        made->parents_first =
            (ls_hierarchy){.component = &self->components[given->parents_first - 1]};
    for (uint32_t i = 0; i < given->limit_count; i++)
        lists->terms[given->term_count + i] = (ls_term)LS_TERM_LANE(
            given->limits[i].query | (program_walks(given, given->limits[i].query) ? LS_WALKED : 0),
            lane_name(self->program, given->limits[i].lane));
    uint32_t term = (uint32_t)given->term_count + given->limit_count;
    if (given->states.enters)
        lists->terms[term++] = (ls_term)LS_OTHERS_WRITE(*program_game());
    if (given->world)
        lists->terms[term] =
            given->world == LS_ACCESS_READ ? (ls_term)LS_READS_WORLD : (ls_term)LS_WRITES_WORLD;
    if (given->states.use)
        made->labels = make_set(self, &given->states);
    for (uint32_t i = 0; i < given->join_count; i++) {
        const program_join *join = &given->joins[i];
        lists->joins[i] = (ls_join){.component = &self->components[join->component],
                                    .offset = self->fields[join->component][join->field].offset,
                                    .start = join->start,
                                    .query = join->query,
                                    .with = join->has_with ? &self->components[join->with] : NULL};
        if (!join->has_from)
            continue;
        lists->joins[i].from = &self->components[join->from];
        lists->joins[i].from_offset = self->fields[join->from][join->from_field].offset;
    }
    for (uint32_t i = 0; i < given->grid_count; i++)
        lists->grids[i] = grid_of(self, &given->grids[i]);
    for (uint32_t i = 0; i < given->lane_count; i++)
        made->lanes = test_names_add(&lists->lanes, lane_name(self->program, given->lanes[i]));
    for (uint32_t i = 0; i < given->command_lane_count; i++)
        made->command_lanes = test_names_add(&lists->command_lanes,
                                             lane_name(self->program, given->command_lanes[i]));
}

void on_engine_order(on_engine *self, uint32_t index, uint32_t turn, ls_system *made)
{
    const struct program *program = self->program;
    for (uint32_t i = 0; i < program->system_count; i++) {
        const char *name = program->systems[i].name;
        bool is_odd = (index + i + turn) % 2; /* half of the orders are at the later system */
        if (program->before[index][i] && split_is_at_first(made->name, name, is_odd))
            made->before = test_names_add(&self->lists[index].before, name);
        if (program->before[i][index] && !split_is_at_first(name, made->name, is_odd))
            made->after = test_names_add(&self->lists[index].after, name);
    }
}
