/* The bodies of a random schedule's systems. Each body hashes all that it reads into one number and
 * writes that number to all that it may write, in ways that do not commute. It also adds the number
 * to a sink that every system adds to, so everything that a system sees changes the root. Where
 * systems read the whole world they would need an order because of the sink, so there all send the
 * number as an event. */
#include "tests/schedule/build.h"

#include <lockstep/by_index.h>
#include <lockstep/context.h>
#include <lockstep/partner.h>
#include <lockstep/states.h>
#include <lockstep/whole_world.h>
#include <lockstep/world.h>

uint64_t body_calls[SYSTEMS_MAX];

static void update(quad *at, uint32_t column, uint64_t number)
{
    if (at)
        *at = cell_in(column, fold(number, at));
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

/* Changes all columns of one entity, the singletons, and the roster that all systems read. */
static void change_world(ls_context *context, const built_system *self, ls_entity other,
                         uint64_t number)
{
    for (uint32_t column = 0; column < COLUMN_COUNT; column++) {
        uint64_t own = mix(number, column);
        if (column == COLUMN_E || column == COLUMN_F)
            continue;
        uint32_t term = ls_world_term(context, self->built->columns[column]);
        if (column == COLUMN_S)
            update(ls_singleton_write(context, term), column, own);
        else if (column == COLUMN_G)
            ls_states_enter_(ls_singleton_write(context, term), ls_tick(context),
                             (uint8_t)(own % STATES));
        else if (own >> 41 & 1)
            change(context, term, column, other, own);
    }
    roster *known = ls_singleton_write(context, ls_world_term(context, &body_roster));
    ls_entity first = known->entities[0];
    uint32_t with = (uint32_t)(number >> 37) % ROSTER;
    known->entities[0] = known->entities[with];
    known->entities[with] = first;
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
    case OP_ENTER:
        ls_states_enter_(ls_singleton_write(context, term), ls_tick(context),
                         (uint8_t)((number >> 9) % STATES));
        break;
    case OP_WRITES_WORLD:
        change_world(context, self, other, number);
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
        number = body_see(context, self, i, entities, number);
    for (uint32_t i = 0; i < self->plan->op_count; i++)
        number = act(context, self, i, entities, number);
    const sink given = {number};
    if (self->built->from->has_world)
        ls_event_send(context, self->sink_term, &given);
    else
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

static const quad *single_or_cell(const ls_context *context, uint32_t term, uint32_t column,
                                  ls_entity entity)
{
    return column == COLUMN_S ? ls_singleton_read(context, term)
                              : ls_cell_find(context, term, entity);
}

void body_decide(ls_context *context, const ls_entity *entities)
{
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
