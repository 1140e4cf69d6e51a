/* The bodies of a random schedule's systems. Each body hashes all that it reads into one number and
 * writes that number to all that it may write, in ways that do not commute. It also adds the number
 * to a sink that every system adds to, so everything that a system sees changes the root. */
#include "tests/schedule/build.h"
#include "tests/schedule/columns.h"

#include <lockstep/by_index.h>
#include <lockstep/context.h>
#include <lockstep/partner.h>
#include <lockstep/world.h>

uint64_t body_calls[SYSTEMS_MAX];

static void update(quad *at, uint32_t column, uint64_t number)
{
    if (at)
        *at = cell_in(column, fold(number, at));
}

static const quad *single_or_cell(const ls_context *context, uint32_t term, uint32_t column,
                                  ls_entity entity)
{
    return column == COLUMN_S ? ls_singleton_read(context, term)
                              : ls_cell_find(context, term, entity);
}

static uint64_t see_grid(const ls_context *context, uint32_t grid, uint64_t number)
{
    ls_grid_walk walk;
    ls_neighbour near;
    ls_grid_begin(context, grid, 30, 30, 40, &walk);
    while (ls_grid_next(&walk, &near))
        number = mix(mix(number, near.entity), (uint64_t)near.x << 32 ^ (uint32_t)near.y);
    return number;
}

static uint64_t see_join(const ls_context *context, uint32_t join, uint64_t number)
{
    for (uint32_t key = 0; key < 4; key++) {
        ls_join_walk walk;
        ls_entity found;
        ls_join_begin(context, join, key, &walk);
        while (ls_join_next(&walk, &found))
            number = mix(number, found + key);
    }
    return number;
}

static uint64_t see_walk(const ls_context *context, uint32_t index, uint32_t term, uint64_t number)
{
    LS_EACH_MATCH(context, 2 + index, entity)
    number = fold(mix(number, entity), ls_cell_find(context, term, entity));
    return number;
}

static uint64_t see_changes(const ls_context *context, uint32_t term, bool is_tag, uint64_t number)
{
    ls_cell_change_walk walk;
    ls_cell_change_begin(context, term, &walk);
    for (const ls_cell_change *change; (change = ls_cell_change_next(&walk));) {
        number = mix(mix(number, change->entity), (uint64_t)change->kind);
        if (!is_tag)
            number = fold(fold(number, change->before), change->now);
    }
    return number;
}

static uint64_t see_events(const ls_context *context, uint32_t term, uint64_t number)
{
    ls_event_walk walk;
    ls_event_begin(context, term, &walk);
    for (const void *event; (event = ls_event_next(&walk));)
        number = fold(number, event);
    return number;
}

static uint64_t see_unborn(const ls_context *context, uint64_t number)
{
    for (uint32_t i = 0; i < 8; i++)
        number = mix(number, ls_is_alive(context, unborn(i)));
    return number;
}

static uint64_t see_others(const ls_context *context, const built_system *self, uint32_t index,
                           uint64_t number)
{
    const roster *known = ls_singleton_read(context, self->roster_term);
    uint32_t term = self->term_of[index], column = self->plan->ops[index].column;
    bool asks =
        self->plan->ops[index].kind == OP_OTHERS_ASK || column == COLUMN_T || column == COLUMN_U;
    if (column == COLUMN_S)
        return fold(number, ls_singleton_read(context, term));
    for (uint32_t i = 0; i < ROSTER + 4; i++) {
        ls_entity entity = i < ROSTER ? known->entities[i] : unborn(i - ROSTER);
        number = asks ? mix(number, ls_cell_has(context, term, entity))
                      : fold(number, ls_cell_find(context, term, entity));
    }
    return number;
}

static uint64_t see(const ls_context *context, const built_system *self, uint32_t index,
                    const ls_entity *entities, uint64_t number)
{
    const op *done = &self->plan->ops[index];
    uint32_t term = self->term_of[index];
    bool is_tag = done->column == COLUMN_T || done->column == COLUMN_U;
    switch (done->kind) {
    case OP_MAYBE:
        return mix(number, ls_cell_has(context, term, entities[0]));
    case OP_READ:
    case OP_CHANGED:
    case OP_ADDED:
    case OP_MAYBE_READ:
    case OP_WRITE:
    case OP_ATTACH:
    case OP_DETACH:
        return is_tag ? mix(number, ls_cell_has(context, term, entities[0]))
                      : fold(number, ls_cell_find(context, term, entities[0]));
    case OP_PAIR_READ:
        return fold(mix(number, entities[1]), ls_cell_find(context, term, entities[1]));
    case OP_PAIR_ALL:
        return mix(mix(number, entities[1]), ls_cell_has(context, term, entities[1]));
    case OP_OTHERS_ASK:
    case OP_OTHERS_READ:
    case OP_OTHERS_WRITE:
    case OP_OTHERS_CHANGE:
    case OP_START:
        return see_others(context, self, index, number);
    case OP_GRID:
    case OP_GRID_WITH:
        return see_grid(context, self->grid_of[index], number);
    case OP_JOIN:
        return see_join(context, self->grid_of[index], number);
    case OP_WALK:
        return see_walk(context, index, term, number);
    case OP_OBSERVE:
        return see_changes(context, term, is_tag, number);
    case OP_RECEIVE:
        return see_events(context, term, number);
    case OP_GUESS:
        return see_unborn(context, number);
    case OP_RANDOM:
        return mix(number, ls_random(context, self->has_query ? entities[0] : LS_ENTITY_NULL, 1));
    default:
        return number;
    }
}

static void change(ls_context *context, uint32_t term, uint32_t column, ls_entity entity,
                   uint64_t number)
{
    const quad given = cell_in(column, number);
    bool is_tag = column == COLUMN_T || column == COLUMN_U;
    if (number >> 40 & 1)
        ls_cell_attach(context, term, entity, is_tag ? NULL : &given);
    else
        ls_cell_detach(context, term, entity);
}

static void act_on_others(ls_context *context, const built_system *self, uint32_t index,
                          uint64_t number)
{
    const roster *known = ls_singleton_read(context, self->roster_term);
    const op *done = &self->plan->ops[index];
    uint32_t term = self->term_of[index], first = 0, end = ROSTER;
    if (done->column == COLUMN_S) {
        update(ls_singleton_write(context, term), done->column, number);
        return;
    }
    if (self->has_query) { /* each match writes to one roster entity */
        first = (uint32_t)(number >> 33) % ROSTER;
        end = first + 1;
    }
    for (uint32_t i = first; i < end; i++) {
        ls_entity entity = known->entities[i];
        if (done->kind == OP_OTHERS_WRITE)
            update(ls_cell_write(context, term, entity), done->column, mix(number, i));
        else
            change(context, term, done->column, entity, mix(number, i));
    }
}

/* Accumulates into S, or into up to three entities. Cells show the values that arrive; the returned
 * number shows which cells exist. */
static uint64_t accumulate(ls_context *context, const built_system *self, uint32_t index,
                           const ls_entity *entities, uint64_t number)
{
    const roster *known = ls_singleton_read(context, self->roster_term);
    uint32_t term = self->term_of[index];
    const quad given = cell_of(number);
    if (self->plan->ops[index].column == COLUMN_S)
        return mix(number, ls_accumulate(context, term, LS_ENTITY_NULL, &given));
    if (self->has_query)
        number = mix(number, ls_accumulate(context, term, entities[0], &given));
    number =
        mix(number, ls_accumulate(context, term, unborn((uint32_t)(number >> 30) % 4), &given));
    ls_entity other = known->entities[(number >> 20) % ROSTER];
    return mix(number, ls_accumulate(context, term, other, &given));
}

static void command(ls_context *context, const built_system *self, uint32_t index, ls_entity entity,
                    uint64_t number)
{
    uint32_t term = self->term_of[index], column = self->plan->ops[index].column;
    const quad given = cell_in(column, number);
    if (number >> 41 & 1)
        ls_command_attach(context, term, entity,
                          column == COLUMN_T || column == COLUMN_U ? NULL : &given);
    else
        ls_command_detach(context, term, entity);
}

/* Leaves a pending handle out of the number: its value is internal to the engine and must not enter
 * the state. */
static uint64_t spawn(ls_context *context, const built_system *self, uint32_t index,
                      uint64_t number)
{
    const actor *plan = self->plan;
    if (self->has_query && number % (self->has_pairs ? 64 : 4))
        return number;
    ls_entity newborn = ls_spawn(context, self->grid_of[index]);
    for (uint32_t i = 0; i < plan->op_count; i++) {
        bool is_tag = plan->ops[i].column == COLUMN_T || plan->ops[i].column == COLUMN_U;
        const quad given = cell_in(plan->ops[i].column, mix(number, i));
        if (plan->ops[i].kind == OP_SPAWN_WITH)
            ls_cell_attach(context, self->term_of[i], newborn, is_tag ? NULL : &given);
    }
    return plan->is_concurrent ? number : mix(number, newborn);
}

static void command_spawn(ls_context *context, const built_system *self, uint32_t index,
                          uint64_t number)
{
    if (self->has_query && number % (self->has_pairs ? 64 : 8))
        return;
    ls_entity newborn = ls_command_spawn(context, self->grid_of[index]);
    for (uint32_t i = 0; i < self->plan->op_count; i++) {
        if (self->plan->ops[i].kind == OP_COMMAND)
            command(context, self, i, newborn, number | UINT64_C(1) << 41);
    }
}

static uint64_t act(ls_context *context, const built_system *self, uint32_t index,
                    const ls_entity *entities, uint64_t number)
{
    const op *done = &self->plan->ops[index];
    const roster *known = ls_singleton_read(context, self->roster_term);
    ls_entity other = known->entities[(number >> 21) % ROSTER];
    uint32_t term = self->term_of[index];
    const quad given = cell_of(number);
    quad *own;
    switch (done->kind) {
    case OP_WRITE:
        update(ls_cell_write(context, term, entities[0]), done->column, number);
        break;
    case OP_BUMP:
        own = ls_cell_write(context, term, entities[0]);
        own->value += 3 + 2 * self->index;
        break;
    case OP_ATTACH:
    case OP_DETACH:
        change(context, term, done->column, entities[0], number);
        break;
    case OP_PARTNER:
        own = ls_partner_write(context, term, entities[0]);
        number = fold(number, own);
        update(own, done->column, number);
        break;
    case OP_OTHERS_WRITE:
    case OP_OTHERS_CHANGE:
        act_on_others(context, self, index, number);
        break;
    case OP_ADD:
    case OP_MIN:
    case OP_MAX:
    case OP_OR:
    case OP_ARG_MIN:
    case OP_ARG_MAX:
    case OP_COMBINE:
        return accumulate(context, self, index, entities, number);
    case OP_COMMAND:
        command(context, self, index, self->has_query ? entities[0] : other, number);
        command(context, self, index, other, mix(number, 3));
        break;
    case OP_SEND:
        ls_event_send(context, term, &given);
        break;
    case OP_SPAWN:
        return spawn(context, self, index, number);
    case OP_COMMAND_SPAWN:
        command_spawn(context, self, index, number);
        break;
    case OP_DESPAWN:
        if (number % 16 == 0)
            ls_despawn(context, self->has_query && number & 16 ? entities[0] : other);
        break;
    default:
        break;
    }
    return number;
}

/* All zeros, whatever an earlier invocation left there. */
static uint64_t use_scratch(ls_context *context, uint64_t number)
{
    unsigned char *memory = ls_scratch_memory(context);
    for (uint32_t i = 0; i < BODY_SCRATCH_BYTES; i++) {
        if (memory[i])
            number = mix(number, memory[i]);
        memory[i] = (unsigned char)(number >> i % 56);
    }
    return number;
}

static void run_body(ls_context *context, const ls_entity *entities)
{
    const built_system *self = ls_system_data(context);
    uint64_t number = mix(self->index + 17, ls_tick(context) << 8 | ls_iteration(context));
    __atomic_fetch_add(&body_calls[self->index], 1, __ATOMIC_RELAXED);
    if (self->has_query)
        number = mix(number, entities[0]);
    const ls_match *match = ls_match_of(context);
    if (match->option_count) /* all options, or those of its module */
        number = mix(
            number,
            (uint64_t)match->options[match->option_count == SPLIT_PARTS ? self->plan->part : 0]);
    if (self->plan->uses_scratch)
        number = use_scratch(context, number);
    for (uint32_t i = 0; i < self->plan->op_count; i++)
        number = see(context, self, i, entities, number);
    for (uint32_t i = 0; i < self->plan->op_count; i++)
        number = act(context, self, i, entities, number);
    const sink given = {number};
    ls_accumulate(context, self->sink_term, LS_ENTITY_NULL, &given);
}

void body_match(ls_context *context, const ls_entity *entities)
{
    run_body(context, entities);
}

void body_span(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        const ls_entity entity = ls_span_entity(span, i);
        run_body(context, &entity);
    }
}

void body_decide(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    const uint32_t *data = ls_system_data(
        context); /* [0] the column that is read, [1] whether the criterion may repeat the stage */
    const roster *known = ls_singleton_read(context, 0);
    uint64_t number = mix(ls_tick(context), data[0]);
    for (uint32_t i = 0; i < ROSTER; i++)
        number = fold(number, single_or_cell(context, 1, data[0], known->entities[i]));
    bool is_yes = number % 4 != 0, again = data[1] && ls_iteration(context) == 0 && number & 4;
    ls_decide(context,
              again ? (is_yes ? LS_YES_AND_AGAIN : LS_NO_AND_AGAIN) : (is_yes ? LS_YES : LS_NO));
}
