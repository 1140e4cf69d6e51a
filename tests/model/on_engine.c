#include "tests/model/on_engine.h"

#include "tests/model/engine_machine.h"
#include <lockstep/by_index.h>
#include <lockstep/context.h>
#include <lockstep/partner.h>
#include <lockstep/states.h>

#include <string.h>

static struct engine_machine *engine_of(machine *self)
{
    return (struct engine_machine *)(void *)self;
}

static bool is_singleton(const machine *self, uint32_t term)
{
    return self->program->components[self->system->terms[term].component].role == ROLE_SINGLETON;
}

static uint32_t bytes_of(const machine *self, uint32_t term)
{
    return program_layout_of(self->program, self->system->terms[term].component)->bytes;
}

/* True if the term's cells can be accessed through the pointers of the span or block. They stay
 * valid only if the system cannot attach or detach the component. */
static bool has_array(const machine *self, uint32_t term)
{
    const program_term *wanted = &self->system->terms[term];
    if ((wanted->kind != LS_INCLUDE && wanted->kind != LS_OPTIONAL) || wanted->query != 0)
        return false;
    for (uint32_t i = 0; i < self->system->term_count; i++) {
        const program_term *other = &self->system->terms[i];
        if (other->component == wanted->component && other->access == LS_ACCESS_STRUCTURE &&
            other->kind <= LS_OTHERS)
            return false;
    }
    return bytes_of(self, term) > 0;
}

/* The cell in the array of the span or block; NULL if there is no array or no cell. */
static uint8_t *array_cell(machine *self, uint32_t term, bool writes)
{
    struct engine_machine *engine = engine_of(self);
    const void *cells = NULL;
    if (engine->span)
        cells = writes ? ls_span_write(engine->context, engine->span, term)
                       : ls_span_read(engine->context, engine->span, term);
    else if (engine->block->present[term] >> engine->index & 1)
        cells = writes ? ls_block_write(engine->context, engine->block, term)
                       : ls_block_read(engine->context, engine->block, term);
    return cells ? (uint8_t *)(uintptr_t)cells + (size_t)bytes_of(self, term) * engine->index
                 : NULL;
}

static bool uses_array(machine *self, uint32_t term)
{
    return (engine_of(self)->span || engine_of(self)->block) && has_array(self, term);
}

/* About half of all operations use the calls for many handles; the choice is the same in every
 * run. */
static bool takes_many(machine *self, ls_entity entity)
{
    uint64_t place = program_hash(self->program->seed, ls_tick(context_of(self)));
    return program_hash(place + engine_of(self)->calls++, entity) & 1;
}

/* Tests the call too: the null handle must have no cell, and both lookups of one handle give the
 * same cell. */
static const void *find_cell(machine *self, uint32_t term, ls_entity entity)
{
    const ls_entity many[] = {entity, LS_ENTITY_NULL, entity};
    const void *cells[LS_COUNT_OF(many)];
    if (!takes_many(self, entity))
        return ls_cell_find(context_of(self), term, entity);
    uint32_t found = ls_cells_find(context_of(self), term, many, LS_COUNT_OF(many), cells);
    bool is_one_answer = !cells[1] && cells[0] == cells[2] && found == (cells[0] ? 2u : 0u);
    return is_one_answer ? cells[0] : NULL;
}

static bool on_read(machine *self, uint32_t term, ls_entity entity, uint8_t *cell)
{
    const void *found = is_singleton(self, term) ? ls_singleton_read(context_of(self), term)
                        : uses_array(self, term) ? array_cell(self, term, false)
                                                 : find_cell(self, term, entity);
    if (found)
        memcpy(cell, found, bytes_of(self, term));
    return found != NULL;
}

static bool on_has(machine *self, uint32_t term, ls_entity entity)
{
    return ls_cell_has(context_of(self), term, entity);
}

static bool on_write(machine *self, uint32_t term, ls_entity entity, uint32_t offset,
                     uint32_t bytes, const uint8_t *value)
{
    uint8_t *found = is_singleton(self, term) ? ls_singleton_write(context_of(self), term)
                     : uses_array(self, term) ? array_cell(self, term, true)
                                              : ls_cell_write(context_of(self), term, entity);
    if (found)
        memcpy(found + offset, value, bytes);
    return found != NULL;
}

static bool on_give(machine *self, uint32_t term, ls_entity own, uint32_t offset, uint32_t bytes,
                    const uint8_t *value)
{
    uint8_t *found = ls_partner_write(context_of(self), term, own);
    if (found)
        memcpy(found + offset, value, bytes);
    return found != NULL;
}

static bool on_attach(machine *self, uint32_t term, ls_entity entity, const uint8_t *cell)
{
    const ls_entity many[] = {LS_ENTITY_NULL, entity};
    uint8_t values[2 * CELL_BYTES] = {0};
    if (!takes_many(self, entity))
        return ls_cell_attach(context_of(self), term, entity, cell);
    if (cell)
        memcpy(values + bytes_of(self, term), cell, bytes_of(self, term));
    return ls_cells_attach(context_of(self), term, many, 2, cell ? values : NULL) == 1;
}

static bool on_detach(machine *self, uint32_t term, ls_entity entity)
{
    const ls_entity many[] = {entity, LS_ENTITY_NULL, entity};
    return takes_many(self, entity)
               ? ls_cells_detach(context_of(self), term, many, LS_COUNT_OF(many)) == 1
               : ls_cell_detach(context_of(self), term, entity);
}

static ls_entity on_spawn(machine *self, uint32_t lane)
{
    ls_entity newborn;
    if (!takes_many(self, lane))
        return ls_spawn(context_of(self), lane);
    ls_spawn_many(context_of(self), lane, 1, &newborn);
    return newborn;
}

static void on_despawn(machine *self, ls_entity entity)
{
    const ls_entity many[] = {entity, LS_ENTITY_NULL, entity};
    if (self->program->is_planted)
        return;
    if (takes_many(self, entity))
        ls_despawn_many(context_of(self), many, LS_COUNT_OF(many));
    else
        ls_despawn(context_of(self), entity);
}

static bool on_is_alive(machine *self, ls_entity entity)
{
    return ls_is_alive(context_of(self), entity);
}

static uint64_t on_random(machine *self, ls_entity entity, uint32_t draw)
{
    return ls_random(context_of(self), entity, draw);
}

static uint64_t on_tick(machine *self)
{
    return ls_tick(context_of(self));
}

static bool on_accumulate(machine *self, uint32_t term, ls_entity entity, const uint8_t *cell)
{
    return ls_accumulate(context_of(self), term, entity, cell);
}

static void on_send(machine *self, uint32_t term, const uint8_t *event)
{
    ls_event_send(context_of(self), term, event);
}

static void on_each_event(machine *self, uint32_t term, machine_visit *visit, void *visitor)
{
    ls_event_walk walk;
    ls_event_begin(context_of(self), term, &walk);
    for (const void *event; (event = ls_event_next(&walk));)
        visit(visitor, event);
}

static void on_each_match(machine *self, uint32_t query, machine_visit_match *visit, void *visitor)
{
    ls_query_walk walk;
    ls_query_walk_begin(context_of(self), query, &walk);
    for (ls_entity entity; (entity = ls_query_walk_next(&walk));)
        visit(visitor, entity);
}

static void on_each_change(machine *self, uint32_t term, machine_visit_change *visit, void *visitor)
{
    ls_cell_change_walk walk;
    ls_cell_change_begin(context_of(self), term, &walk);
    for (const ls_cell_change *change; (change = ls_cell_change_next(&walk));)
        visit(visitor, change);
}

static void on_command_attach(machine *self, uint32_t term, ls_entity entity, const uint8_t *cell)
{
    ls_command_attach(context_of(self), term, entity, cell);
}

static void on_command_detach(machine *self, uint32_t term, ls_entity entity)
{
    ls_command_detach(context_of(self), term, entity);
}

static ls_entity on_command_spawn(machine *self, uint32_t lane)
{
    return ls_command_spawn(context_of(self), lane);
}

/* Enters a state of the game. The term of its singleton is the last one of the system. */
static void on_enter(machine *self, uint8_t state)
{
    uint32_t term = self->system->term_count + self->system->limit_count;
    ls_context *context = context_of(self);
    ls_states_enter_(ls_singleton_write(context, term), ls_tick(context), state);
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
    on_engine_world_read,
    on_engine_world_attach,
    on_engine_world_detach,
    on_engine_each_neighbour,
    on_engine_nearest,
    on_engine_each_of_key,
    on_engine_count_of_key,
    on_engine_each_input,
    on_engine_spawn_prefab,
};

static struct engine_machine machine_of(ls_context *context)
{
    const on_engine_data *data = ls_system_data(context);
    return (struct engine_machine){
        {&functions, data->program, data->system, 0}, context, NULL, NULL, 0, 0};
}

static void run_match(ls_context *context, const ls_entity *entities)
{
    struct engine_machine self = machine_of(context);
    interpret(&self.machine, entities);
}

/* The next instruction for all entities of a span or block; NULL when the instructions for single
 * entities follow. */
static const struct instruction *take_bulk(machine *self)
{
    const struct instruction *at = &self->system->body[self->from];
    bool is_bulk = self->from < self->system->body_count && at->op <= OP_BULK_DETACH;
    self->from += is_bulk;
    return is_bulk ? at : NULL;
}

static void fill_cells(const machine *self, const struct instruction *at, uint8_t *cells,
                       uint64_t which)
{
    uint8_t value[CELL_BYTES];
    uint32_t bytes = bytes_of(self, at->term);
    interpret_bulk_value(self, at, value);
    for (uint32_t i; at->a != 0 && cells && ls_mask_take(&which, &i);)
        memcpy(cells + (size_t)i * bytes, value, bytes);
}

/* A bit for each slot from `i` on, a multiple of 64, that is in the span and matches. */
static uint64_t which_of(const ls_span *span, uint32_t i)
{
    uint64_t rest = span->count - i < 64 ? ((uint64_t)1 << (span->count - i)) - 1 : UINT64_MAX;
    return span->matches ? span->matches[i / 64] : rest;
}

static bool is_in(const ls_span *span, uint32_t i)
{
    return which_of(span, i & ~63u) >> (i % 64) & 1;
}

/* Applies a bulk instruction to the selected entities of the span by handle. */
static void bulk_many(struct engine_machine *self, const struct instruction *at)
{
    size_t bytes = bytes_of(&self->machine, at->term);
    ls_entity part[LS_PAGE_SLOTS];
    uint8_t values[LS_PAGE_SLOTS * CELL_BYTES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->span->count; i++) {
        ls_entity entity = ls_span_entity(self->span, i);
        /* Attaching without a value must not change an existing cell. */
        bool is_left_out =
            at->op == OP_BULK_ATTACH && at->a == 0 && ls_cell_has(self->context, at->term, entity);
        if (is_left_out || !is_in(self->span, i) ||
            !interpret_bulk_takes(at, ls_entity_slot(entity)))
            continue;
        interpret_bulk_value(&self->machine, at, values + bytes * count);
        part[count++] = entity;
    }
    if (at->op == OP_BULK_ATTACH)
        ls_cells_attach(self->context, at->term, part, count, at->a ? values : NULL);
    else
        ls_cells_detach(self->context, at->term, part, count);
}

static void bulk_part(struct engine_machine *self, const struct instruction *at)
{
    if (takes_many(&self->machine, at->imm)) {
        bulk_many(self, at);
        return;
    }
    for (uint32_t i = 0; i < self->span->count; i++) {
        if (is_in(self->span, i))
            interpret_bulk(&self->machine, at, ls_span_entity(self->span, i));
    }
}

static void bulk_span(struct engine_machine *self, const struct instruction *at)
{
    const ls_span *span = self->span;
    if (at->op == OP_NOTHING)
        return;
    if (at->imm != 0) {
        bulk_part(self, at);
        return;
    }
    if (at->op == OP_BULK_DETACH)
        ls_span_detach(self->context, span, at->term);
    if (at->op != OP_BULK_ATTACH)
        return;
    uint8_t *cells = ls_span_attach(self->context, span, at->term);
    size_t bytes = bytes_of(&self->machine, at->term);
    for (uint32_t i = 0; cells && i < span->count; i += 64)
        fill_cells(&self->machine, at, cells + i * bytes, which_of(span, i));
}

static void bulk_block(struct engine_machine *self, const struct instruction *at)
{
    uint64_t which = self->block->matches, part = at->imm;
    if (at->op == OP_NOTHING)
        return;
    if (part)
        which &= part | part << 32;
    if (at->op == OP_BULK_DETACH)
        ls_block_detach(self->context, self->block, at->term, which);
    else
        fill_cells(&self->machine, at, ls_block_attach(self->context, self->block, at->term, which),
                   which);
}

static LS_EACH_FUNCTION(run_span, context, span)
{
    struct engine_machine self = machine_of(context);
    self.span = span;
    for (const struct instruction *at; (at = take_bulk(&self.machine));)
        bulk_span(&self, at);
    LS_EACH_IN_SPAN(span, i)
    {
        ls_entity entity = ls_span_entity(span, i);
        self.index = i;
        interpret(&self.machine, &entity);
    }
}

static void run_block(ls_context *context, const ls_block *block)
{
    struct engine_machine self = machine_of(context);
    self.block = block;
    for (const struct instruction *at; (at = take_bulk(&self.machine));)
        bulk_block(&self, at);
    for (uint64_t left = block->matches; ls_mask_take(&left, &self.index);) {
        ls_entity entity = ls_block_entity(block, self.index);
        interpret(&self.machine, &entity);
    }
}

static void run_setup(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    struct engine_machine self = machine_of(context);
    interpret_setup(&self.machine);
}

static void choose_form(const program_system *given, uint32_t turn, ls_system *made)
{
    uint32_t form = (given->form + turn) % FORM_COUNT;
    if (!given->is_concurrent || program_query_count(given) != 1)
        form = FORM_MATCH;
    made->span = form == FORM_SPAN ? run_span : NULL;
    made->each = form == FORM_EACH ? run_span : NULL;
    made->block = form == FORM_BLOCK ? run_block : NULL;
    made->match = form == FORM_MATCH ? run_match : NULL;
}

static void make_systems(on_engine *self, uint32_t turn)
{
    for (uint32_t i = 0; i < self->program->system_count; i++) {
        ls_system *made = &self->systems[(i + turn) % self->program->system_count];
        self->data[i] = (on_engine_data){self, self->program, &self->program->systems[i]};
        on_engine_fill(self, self->data[i].system, i, made);
        choose_form(self->data[i].system, turn, made);
        on_engine_order(self, i, turn, made);
    }
}

/* Returns how many setups there are. */
static uint32_t make_setups(on_engine *self, uint32_t turn)
{
    program_system *given = self->setup_systems;
    given[0] = program_setup_system(self->program);
    uint32_t count = program_second_setup(self->program, &given[1]) ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        self->data[PROGRAM_SYSTEMS_MAX + i] = (on_engine_data){self, self->program, &given[i]};
        on_engine_fill(self, &given[i], PROGRAM_SYSTEMS_MAX + i, &self->setups[i]);
        choose_form(&given[i], turn, &self->setups[i]);
    }
    self->setups[0].match = run_setup;
    return count;
}

static bool accept(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    (void)match, (void)player, (void)bytes, (void)count;
    return true;
}

void on_engine_make(on_engine *self, const struct program *program, uint32_t turn)
{
    *self = (on_engine){.program = program};
    on_engine_make_parts(self);
    make_systems(self, turn);
    for (uint32_t i = 0; i < program->component_count; i++)
        self->pointers[(i + turn) % program->component_count] = &self->components[i];
    for (uint32_t i = 0; i < program->lane_count; i++)
        self->lanes[(i + turn) % program->lane_count] = program->lanes[i];
    self->sim =
        (ls_sim){.abi = LS_SIM_ABI,
                 .name = "model",
                 .version = "1",
                 .source_hash = "model",
                 .tick_rate = 10,
                 .player_count = PROGRAM_PLAYERS,
                 .components = self->pointers,
                 .component_count = program->component_count + 1,
                 .lanes = self->lanes,
                 .lane_count = program->lane_count,
                 .systems = self->systems,
                 .system_count = program->system_count,
                 .sets = self->sets,
                 .set_count = self->set_count,
                 .setup = self->setups,
                 .setup_count = make_setups(self, turn),
                 .operations = self->operations,
                 .operation_count = self->sim.operation_count,
                 .tables = program_tables(),
                 .table_count = PROGRAM_TABLES,
                 .input_is_valid = accept,
                 .state_bytes = program->inputs == INPUTS_WITH_STATES ? PROGRAM_STATE_BYTES : 0,
                 .despawns_empty = program->despawns_empty,
                 .incompatibilities = self->pairs,
                 .incompatibility_count = program->pair_count};
    if (program->has_modules && turn)
        self->sim = *split_sim_make(&self->split, &self->sim, program->seed);
}
