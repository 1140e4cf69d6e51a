#include "core/check/run_outcome.h"

#include "core/base/grow.h"
#include "core/run/command_walk.h"
#include "core/run/scratch.h"
#include "core/schedule/value_text.h"

#include <inttypes.h>
#include <string.h>

static void add_record(ls_run_outcome *outcome, ls_stream stream, ls_entry *entry)
{
    outcome->records =
        ls_grow(outcome->records, outcome->count, &outcome->capacity, sizeof *outcome->records);
    outcome->records[outcome->count++] = (ls_run_outcome_record){.stream = stream,
                                                                 .kind = entry->kind,
                                                                 .at = entry->at,
                                                                 .bytes = entry->bytes,
                                                                 .entity = entry->entity,
                                                                 .offset = outcome->values.count};
    if (entry->bytes)
        ls_builder_put(&outcome->values, ls_entry_value(entry), entry->bytes);
}

static void take_marks(ls_run_outcome *outcome, const ls_despawn_marks *marks, uint32_t first)
{
    uint32_t count = marks->count - first;
    if (count > outcome->mark_capacity) {
        outcome->mark_capacity = count * 2;
        outcome->marks = ls_realloc(outcome->marks, sizeof *outcome->marks * count * 2);
        outcome->scratch = ls_realloc(outcome->scratch, sizeof *outcome->scratch * count * 2);
    }
    outcome->mark_count = 0;
    for (uint32_t i = 0; i < count; i++)
        outcome->marks[i] = (ls_sort_item){.key = marks->entities[first + i]};
    if (count)
        ls_sort(outcome->marks, outcome->scratch, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || outcome->marks[i].key != outcome->marks[outcome->mark_count - 1].key)
            outcome->marks[outcome->mark_count++] = outcome->marks[i];
    }
}

void ls_run_outcome_take(ls_run_outcome *outcome, const ls_world *world, uint32_t position,
                         uint32_t first_mark)
{
    const ls_program *program = world->program;
    outcome->count = 0;
    outcome->values.count = 0;
    for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++) {
        ls_commands_walk walk = {.commands = &world->scratch->runs[position].commands,
                                 .stream = (ls_stream)stream,
                                 .left = UINT32_MAX};
        if (!ls_plan_at(program, position)->has_commands)
            break;
        for (ls_entry *entry; (entry = ls_commands_next(&walk));)
            add_record(outcome, (ls_stream)stream, entry);
    }
    take_marks(outcome, &world->base->scratch->marks[0], first_mark);
    outcome->decision = LS_NO;
    if (position >= ls_plan_first_gate(program))
        outcome->decision = world->scratch->gates[position - ls_plan_first_gate(program)].decision;
}

void ls_run_outcome_reset(ls_run_outcome *outcome)
{
    ls_free(outcome->records);
    ls_free(outcome->values.data);
    ls_free(outcome->marks);
    ls_free(outcome->scratch);
    *outcome = (ls_run_outcome){0};
}

static bool record_differs(const ls_run_outcome *a, const ls_run_outcome *b, uint32_t i)
{
    const ls_run_outcome_record *x = &a->records[i], *y = &b->records[i];
    return x->stream != y->stream || x->kind != y->kind || x->at != y->at || x->bytes != y->bytes ||
           x->entity != y->entity ||
           (x->bytes &&
            memcmp(a->values.data + x->offset, b->values.data + y->offset, x->bytes) != 0);
}

uint32_t ls_run_outcome_first_record(const ls_run_outcome *a, const ls_run_outcome *b)
{
    uint32_t i = 0;
    while (i < a->count && i < b->count && !record_differs(a, b, i))
        i++;
    return i;
}

bool ls_run_outcome_first_mark(const ls_run_outcome *a, const ls_run_outcome *b, bool *is_in_a,
                               ls_entity *marked)
{
    uint32_t i = 0;
    while (i < a->mark_count && i < b->mark_count && a->marks[i].key == b->marks[i].key)
        i++;
    if (i == a->mark_count && i == b->mark_count)
        return false;
    *is_in_a = i < a->mark_count && (i == b->mark_count || a->marks[i].key < b->marks[i].key);
    *marked = *is_in_a ? a->marks[i].key : b->marks[i].key;
    return true;
}

static void add_what(const ls_world *world, const ls_plan_system *plan,
                     const ls_run_outcome_record *record, ls_builder *text)
{
    static const char *const streams[LS_STREAM_COUNT] = {
        "what it spawns", "the events that it sends", "what it accumulates", "what it commands"};
    const ls_program *program = world->program;
    ls_builder_add(text, "%s", streams[record->stream]);
    if (record->kind == LS_ENTRY_SPAWN)
        return;
    const ls_plan_term *term = &plan->terms[record->at];
    const ls_component *component =
        term->kind == LS_EVENTS ? program->events[term->column] : program->components[term->column];
    ls_builder_add(text, ", \"%s\"", component->name);
    if (record->entity >> 62 || record->entity == LS_ENTITY_NULL)
        return;
    ls_builder_add(text, " of ");
    ls_entity_print(text, program, record->entity);
}

bool ls_run_outcome_differs(const ls_world *world, const ls_plan_system *plan,
                            const ls_run_outcome *a, const ls_run_outcome *b, ls_builder *text)
{
    uint32_t i = ls_run_outcome_first_record(a, b);
    if (i < a->count || i < b->count) {
        add_what(world, plan, i < b->count ? &b->records[i] : &a->records[i], text);
        ls_builder_add(text, " (record %" PRIu32 ") is another", i);
        return true;
    }
    if (a->decision != b->decision) {
        ls_builder_add(text, "it decides %d instead of %d", (int)b->decision, (int)a->decision);
        return true;
    }
    bool is_in_a;
    ls_entity marked;
    if (!ls_run_outcome_first_mark(a, b, &is_in_a, &marked))
        return false;
    ls_builder_add(text, "it %s ", is_in_a ? "no longer despawns" : "despawns");
    ls_entity_print(text, world->program, marked);
    return true;
}
