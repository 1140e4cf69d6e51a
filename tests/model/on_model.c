#include "tests/model/on_model.h"

#include "tests/model/model_machine.h"
#include <lockstep/random.h>

#include <string.h>

static const program_term *term_of(const machine *self, uint32_t term)
{
    return &self->system->terms[term];
}

static ls_entity target_of(const machine *self, uint32_t term, ls_entity entity)
{
    uint8_t role = self->program->components[term_of(self, term)->component].role;
    return role == ROLE_SINGLETON ? MODEL_SINGLETON : entity;
}

static const uint8_t *look_up(machine *self, uint32_t term, ls_entity entity)
{
    const program_term *found = term_of(self, term);
    if (found->kind == LS_START)
        return model_read_start(invocation_of(self), found->component, entity);
    return model_read(invocation_of(self), found->component, target_of(self, term, entity));
}

static bool on_read(machine *self, uint32_t term, ls_entity entity, uint8_t *cell)
{
    const uint8_t *value = look_up(self, term, entity);
    if (value)
        memcpy(cell, value, CELL_BYTES);
    return value != NULL;
}

static bool on_has(machine *self, uint32_t term, ls_entity entity)
{
    return look_up(self, term, entity) != NULL;
}

static bool on_write(machine *self, uint32_t term, ls_entity entity, uint32_t offset,
                     uint32_t bytes, const uint8_t *value)
{
    const uint8_t *old = look_up(self, term, entity);
    uint8_t cell[CELL_BYTES];
    if (!old)
        return false;
    memcpy(cell, old, CELL_BYTES);
    memcpy(cell + offset, value, bytes);
    return model_attach(invocation_of(self), term_of(self, term)->component,
                        target_of(self, term, entity), cell);
}

static bool on_give(machine *self, uint32_t term, ls_entity own, uint32_t offset, uint32_t bytes,
                    const uint8_t *value)
{
    ls_entity partner = invocation_of(self)->partner;
    (void)own; /* the match */
    return partner && on_write(self, term, partner, offset, bytes, value);
}

static bool on_attach(machine *self, uint32_t term, ls_entity entity, const uint8_t *cell)
{
    return model_attach(invocation_of(self), term_of(self, term)->component, entity, cell);
}

static bool on_detach(machine *self, uint32_t term, ls_entity entity)
{
    return model_detach(invocation_of(self), term_of(self, term)->component, entity);
}

static ls_entity on_spawn(machine *self, uint32_t lane)
{
    return model_new(invocation_of(self),
                     program_lane_number(self->program, self->system->lanes[lane]));
}

static void on_despawn(machine *self, ls_entity entity)
{
    model_mark(invocation_of(self), entity);
}

static bool on_is_alive(machine *self, ls_entity entity)
{
    return model_sees_alive(invocation_of(self), entity);
}

static uint64_t on_random(machine *self, ls_entity entity, uint32_t draw)
{
    const model_state *state = invocation_of(self)->seen;
    const ls_random_key key = {state->seed, state->tick, ls_name_key(self->system->name), entity,
                               draw};
    return ls_random_u64(&key);
}

static uint64_t on_tick(machine *self)
{
    return invocation_of(self)->seen->tick;
}

static bool on_accumulate(machine *self, uint32_t term, ls_entity entity, const uint8_t *cell)
{
    const program_term *found = term_of(self, term);
    invocation_of(self)->out->coverage |= found->access == LS_COMBINE   ? MODEL_COMBINED
                                          : found->access >= LS_ARG_MIN ? MODEL_CHOSEN
                                                                        : 0;
    return model_accumulate(invocation_of(self), found->component, (ls_access)found->access,
                            target_of(self, term, entity), cell);
}

static void on_send(machine *self, uint32_t term, const uint8_t *event)
{
    model_send(invocation_of(self), term_of(self, term)->component, event);
}

static void on_each_event(machine *self, uint32_t term, machine_visit *visit, void *visitor)
{
    const model_mutation *events = &invocation_of(self)->begun->events;
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->steps[i].component != term_of(self, term)->component)
            continue;
        visit(visitor, events->steps[i].value);
        invocation_of(self)->out->coverage |= events->steps[i].age ? MODEL_KEPT_EVENT : 0;
    }
}

static void on_each_match(machine *self, uint32_t query, machine_visit_match *visit, void *visitor)
{
    const model_invocation *invocation = invocation_of(self);
    const model_query *walked = &invocation->system->queries[query];
    uint32_t count;
    ls_entity *found = model_matches_of(invocation->begun, invocation->system, walked, &count);
    bool is_affordable = model_afford_walk(invocation, count);
    for (uint32_t i = 0; is_affordable && i < count; i++) {
        if (model_still_matches(invocation, walked, found[i]))
            visit(visitor, found[i]);
    }
    ls_free(found);
}

static void on_each_change(machine *self, uint32_t term, machine_visit_change *visit, void *visitor)
{
    const model_invocation *invocation = invocation_of(self);
    uint32_t component = term_of(self, term)->component, count;
    ls_cell_change *found =
        model_changes_of(invocation->begun, invocation->system, component, &count);
    bool is_affordable = model_afford_walk(invocation, count);
    for (uint32_t i = 0; is_affordable && i < count; i++) {
        if (model_looks_again(invocation, component, &found[i]))
            visit(visitor, &found[i]);
    }
    ls_free(found);
}

static void on_command_attach(machine *self, uint32_t term, ls_entity entity, const uint8_t *cell)
{
    model_command(invocation_of(self), MODEL_COMMAND_ATTACH, term_of(self, term)->component, entity,
                  cell);
}

static void on_command_detach(machine *self, uint32_t term, ls_entity entity)
{
    model_command(invocation_of(self), MODEL_COMMAND_DETACH, term_of(self, term)->component, entity,
                  NULL);
}

static ls_entity on_command_spawn(machine *self, uint32_t lane)
{
    return model_command_new(invocation_of(self),
                             program_lane_number(self->program, self->system->command_lanes[lane]));
}

static void on_enter(machine *self, uint8_t state)
{
    model_enter(invocation_of(self), state);
}

static bool on_world_read(machine *self, uint32_t component, ls_entity entity, uint8_t *cell)
{
    const uint8_t *value = model_read(invocation_of(self), component, entity);
    if (value)
        memcpy(cell, value, CELL_BYTES);
    return value != NULL;
}

static bool on_world_attach(machine *self, uint32_t component, ls_entity entity,
                            const uint8_t *cell)
{
    return model_attach(invocation_of(self), component, entity, cell);
}

static bool on_world_detach(machine *self, uint32_t component, ls_entity entity)
{
    return model_detach(invocation_of(self), component, entity);
}

static const machine_functions functions = {
    on_read,
    on_has,
    on_write,
    on_give,
    on_attach,
    on_detach,
    on_spawn,
    on_despawn,
    on_is_alive,
    on_random,
    on_tick,
    on_accumulate,
    on_send,
    on_each_event,
    on_each_match,
    on_each_change,
    on_command_attach,
    on_command_detach,
    on_command_spawn,
    on_enter,
    on_world_read,
    on_world_attach,
    on_world_detach,
    on_model_each_neighbour,
    on_model_nearest,
    on_model_each_of_key,
    on_model_count_of_key,
    on_model_each_input,
    on_model_spawn_prefab,
};

static void invoke(model_invocation *invocation, const ls_entity *entities)
{
    const on_model_data *data = invocation->system->data;
    struct model_machine self = {{&functions, data->program, data->system, 0}, invocation};
    interpret(&self.machine, entities);
}

static void invoke_setup(model_invocation *invocation, const ls_entity *entities)
{
    (void)entities;
    const on_model_data *data = invocation->system->data;
    const program_system setup = program_setup_system(data->program);
    struct model_machine self = {{&functions, data->program, &setup, 0}, invocation};
    interpret_setup(&self.machine);
}

static void make_components(on_model *self)
{
    for (uint32_t i = 0; i < self->program->component_count; i++) {
        const program_component *given = &self->program->components[i];
        const program_layout *layout = program_layout_of(self->program, i);
        for (uint32_t j = 0; j < layout->field_count; j++) {
            self->fields[i][j] = layout->fields[j];
            self->fields[i][j].on_despawn = (ls_on_despawn)given->on_despawn;
        }
        self->components[i] = (ls_component){.name = given->name,
                                             .bytes = layout->bytes,
                                             .field_count = layout->field_count,
                                             .fields = self->fields[i],
                                             .is_singleton = given->role == ROLE_SINGLETON,
                                             .event_ticks = given->ticks};
        self->pointers[i] = &self->components[i];
    }
    self->schema = (model_schema){self->program->component_count,
                                  self->pointers,
                                  self->program->lane_count + 1,
                                  self->program->despawns_empty,
                                  self->pairs,
                                  self->program->pair_count,
                                  self->program->system_count * self->program->component_count};
    for (uint32_t i = 0; i < self->program->pair_count; i++)
        self->pairs[i] = (model_pair){self->program->pairs[i].one, self->program->pairs[i].other};
}

static void make_system(on_model *self, uint32_t i, const program_system *given)
{
    model_system *made = &self->systems[i];
    self->data[i] = (on_model_data){self->program, given};
    *made = (model_system){.name = given->name,
                           .is_concurrent = given->is_concurrent,
                           .first_baseline = i * self->program->component_count,
                           .query_count = program_query_count(given),
                           .parents_first = given->parents_first,
                           .states = given->states,
                           .invoke = invoke,
                           .data = &self->data[i]};
    for (uint32_t j = 0; j < given->term_count; j++) {
        const program_term *term = &given->terms[j];
        model_query *query = &made->queries[term->query];
        made->observed |= (uint32_t)(term->filter == LS_FILTER_OBSERVED) << term->component;
        if (term->kind <= LS_OPTIONAL)
            query->terms[query->count++] =
                (model_term){(ls_match_kind)term->kind, term->component, (ls_filter)term->filter};
    }
    if (given->partner.is_set)
        made->partner = (model_partner){
            .is_set = true,
            .first_wins = given->partner.first_wins,
            .component = given->partner.component,
            .offset = self->fields[given->partner.component][given->partner.field].offset};
    for (uint32_t j = 0; j < given->term_count; j++) {
        const program_term *term = &given->terms[j];
        made->partner.given |= (uint32_t)(term->kind == LS_PARTNER) << term->component;
        if (term->kind <= LS_OPTIONAL && term->query == 0 && term->access >= LS_ACCESS_READ)
            made->partner.own |= 1u << term->component;
    }
    for (uint32_t j = 0; j < given->limit_count; j++)
        made->queries[given->limits[j].query].lanes |=
            1u << program_lane_number(self->program, given->limits[j].lane);
    for (uint32_t j = 0; j < given->join_count; j++) {
        const program_join *join = &given->joins[j];
        if (!join->query)
            continue;
        made->joins[made->join_count++] = (model_join){
            join->query, join->component, join->from, &self->fields[join->component][join->field],
            join->has_from ? &self->fields[join->from][join->from_field] : NULL};
    }
}

static model_schedule leaf_of(const on_model *self, uint32_t i)
{
    const model_system *system = &self->systems[i];
    return (model_schedule){.form = system->is_concurrent ? MODEL_CONC : MODEL_SEQ,
                            .system = system};
}

static void make_systems(on_model *self)
{
    for (uint32_t i = 0; i < self->program->system_count; i++) {
        make_system(self, i, &self->program->systems[i]);
        self->leaves[i] = leaf_of(self, i);
    }
}

/* Repeatedly appends the system with the lowest name among those without missing predecessors. */
static void make_order(on_model *self)
{
    const struct program *program = self->program;
    bool placed[PROGRAM_SYSTEMS_MAX] = {false};
    for (uint32_t position = 0; position < program->system_count; position++) {
        uint32_t best = PROGRAM_SYSTEMS_MAX;
        for (uint32_t i = 0; i < program->system_count; i++) {
            bool is_ready = !placed[i];
            for (uint32_t j = 0; j < program->system_count; j++)
                is_ready = is_ready && (placed[j] || !program->before[j][i]);
            if (is_ready && (best == PROGRAM_SYSTEMS_MAX ||
                             strcmp(program->systems[i].name, program->systems[best].name) < 0))
                best = i;
        }
        LS_ASSERT(best < PROGRAM_SYSTEMS_MAX);
        placed[best] = true;
        self->order[position] = best;
    }
    memcpy(self->is_ordered, program->before, sizeof self->is_ordered);
    for (uint32_t k = 0; k < program->system_count; k++) {
        for (uint32_t i = 0; i < program->system_count; i++) {
            for (uint32_t j = 0; j < program->system_count; j++)
                self->is_ordered[i][j] |= self->is_ordered[i][k] && self->is_ordered[k][j];
        }
    }
}

/* The end of the group of systems from `first` on that are unordered with each other. */
static uint32_t group_end(const on_model *self, uint32_t first)
{
    for (uint32_t end = first + 1; end < self->program->system_count; end++) {
        for (uint32_t i = first; i < end; i++) {
            if (self->is_ordered[self->order[i]][self->order[end]])
                return end;
        }
    }
    return self->program->system_count;
}

static void make_schedules(on_model *self)
{
    uint32_t count = self->program->system_count;
    self->serial = self->grouped = NULL;
    for (uint32_t i = count; i-- > 0;) {
        const model_schedule *leaf = &self->leaves[self->order[i]];
        self->chain[i] = (model_schedule){MODEL_THEN, NULL, leaf, self->serial};
        self->serial = self->serial ? &self->chain[i] : leaf;
    }
    uint32_t used = 0;
    const model_schedule *groups[PROGRAM_SYSTEMS_MAX];
    uint32_t group_count = 0;
    for (uint32_t first = 0, end; first < count; first = end) {
        end = group_end(self, first);
        const model_schedule *group = &self->leaves[self->order[first]];
        for (uint32_t i = first + 1; i < end; i++) {
            self->parallel[used] =
                (model_schedule){MODEL_PAR, NULL, group, &self->leaves[self->order[i]]};
            group = &self->parallel[used++];
        }
        groups[group_count++] = group;
    }
    for (uint32_t i = group_count; i-- > 0;) {
        if (!self->grouped) {
            self->grouped = groups[i];
            continue;
        }
        self->parallel[used] = (model_schedule){MODEL_THEN, NULL, groups[i], self->grouped};
        self->grouped = &self->parallel[used++];
    }
}

/* Runs a setup, and its sync point. */
static void run_setup(on_model *self, uint32_t i)
{
    const model_schedule setup = leaf_of(self, i);
    uint64_t budget = UINT32_MAX;
    LS_ASSERT(model_advance(&self->state, &setup, &budget));
    self->state.tick = 0;
}

static void run_setups(on_model *self)
{
    const struct program *program = self->program;
    uint32_t first = program->system_count;
    self->data[first] = (on_model_data){program, NULL};
    self->systems[first] =
        (model_system){.name = "setup", .invoke = invoke_setup, .data = &self->data[first]};
    run_setup(self, first);
    if (!program_second_setup(program, &self->second_setup))
        return;
    make_system(self, first + 1, &self->second_setup);
    run_setup(self, first + 1);
}

void on_model_begin(on_model *self, const struct program *program)
{
    *self = (on_model){.program = program};
    make_components(self);
    make_systems(self);
    make_order(self);
    make_schedules(self);
    model_init(&self->state, &self->schema, program->seed);
    run_setups(self);
}

void on_model_end(on_model *self)
{
    model_reset(&self->state);
}
