#include "desync/cell_search.h"

#include "core/schedule/value_text.h"

#include <inttypes.h>
#include <string.h>

struct look {
    ls_variant_runner *runners;
    const ls_frame *frame;
    ls_suspect *suspect;
    ls_halt there;          /* the point at which the second world is compared */
    const ls_tick_probe *a; /* the first world's probe, while the second world runs */
    bool takes_any;         /* accept any cell: none that the system declares differs */
};

uint32_t ls_cell_search_position(const ls_program *here, const ls_program *there, uint32_t position)
{
    if (here == there)
        return position;
    const char *name = ls_plan_at(here, position)->system->name;
    for (uint32_t i = 0; i < ls_plan_count(there); i++) {
        const ls_system *system = ls_plan_at(there, i)->system;
        bool is_criterion = i >= ls_plan_first_gate(there);
        if (system && is_criterion == (position >= ls_plan_first_gate(here)) &&
            strcmp(system->name, name) == 0)
            return i;
    }
    return UINT32_MAX;
}

const char *ls_cell_search_stage(const ls_program *program, uint32_t position)
{
    if (position >= program->system_count)
        return NULL;
    return ls_program_stage(program, ls_program_stage_of(program, position))->name;
}

ls_status ls_cell_search_check(const ls_program *a, const ls_program *b, ls_error *error)
{
    bool agree = ls_program_schema(a) == ls_program_schema(b) && a->lane_count == b->lane_count;
    for (uint32_t i = 0; agree && i < a->lane_count; i++)
        agree = strcmp(a->lanes[i], b->lanes[i]) == 0;
    return agree ? LS_OK
                 : ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                                "the two builds have other components or lanes, so their cells "
                                "cannot be compared");
}

/* Whether the difference is in a cell that the suspect names: one that its system declares, or with
 * LS_SITE_UNDECLARED one that the system does not declare. Other cells of the column differ because
 * of other systems. */
static bool is_meant(const struct look *look, const ls_difference *difference)
{
    const ls_suspect *suspect = look->suspect;
    if (!look->a || look->takes_any || suspect->site == LS_SITE_LIVENESS)
        return true;
    ls_system_trace_claim claim =
        suspect->blame == LS_BLAME_SYSTEM ? LS_SYSTEM_TRACE_WRITES : LS_SYSTEM_TRACE_READS;
    return ls_tick_probe_may(look->a, claim, suspect->column, difference->entity) !=
           (suspect->site == LS_SITE_UNDECLARED);
}

static bool take_difference(void *argument, const ls_difference *difference)
{
    struct look *look = argument;
    ls_suspect *suspect = look->suspect;
    if (!is_meant(look, difference))
        return true;
    suspect->has_values = true;
    suspect->component = difference->component;
    suspect->field = difference->field;
    suspect->item = difference->item;
    suspect->entity = difference->entity;
    suspect->place = ls_text_duplicate(difference->place);
    suspect->a = ls_text_duplicate(difference->a);
    suspect->b = ls_text_duplicate(difference->b);
    return false;
}

static void compare_column(struct look *look, const ls_world *a, const ls_world *b)
{
    ls_world_diff_column(a, b, look->suspect->column, take_difference, look);
    look->takes_any = true; /* a system may ask for presence without a right to the cell */
    if (!look->suspect->has_values && look->suspect->site != LS_SITE_UNDECLARED)
        ls_world_diff_column(a, b, look->suspect->column, take_difference, look);
}

static void compare_records(struct look *look, const ls_tick_probe *b)
{
    ls_suspect *suspect = look->suspect;
    const ls_program *program = look->a->world->program;
    const ls_run_outcome *one = &look->a->outcome, *other = &b->outcome;
    uint32_t i = ls_run_outcome_first_record(one, other);
    const ls_run_outcome_record *x = i < one->count ? &one->records[i] : NULL;
    const ls_run_outcome_record *y = i < other->count ? &other->records[i] : NULL;
    const ls_run_outcome_record *record = x ? x : y;
    const ls_plan_system *plan = x ? look->a->plan : b->plan;
    suspect->has_values = true;
    suspect->stream = (ls_stream)record->stream;
    while (suspect->record < i &&
           (x ? one : other)->records[i - suspect->record - 1].stream == record->stream)
        suspect->record++;
    if (record->kind != LS_ENTRY_SPAWN) {
        const ls_plan_term *term = &plan->terms[record->at];
        program = x ? program : b->world->program;
        suspect->component = term->kind == LS_EVENTS ? program->events[term->column]
                                                     : program->components[term->column];
    }
    if (record->entity >> 62 == 0) /* not a pending handle of a spawn, which names no slot yet */
        suspect->entity = record->entity;
    bool is_one = x && y && x->stream == y->stream && x->kind == y->kind && x->at == y->at &&
                  x->bytes == y->bytes && x->entity == y->entity;
    if (is_one && suspect->component)
        (void)!ls_suspect_compare(suspect, program, (const uint8_t *)one->values.data + x->offset,
                                  (const uint8_t *)other->values.data + y->offset);
    suspect->place = ls_suspect_place(suspect, program);
}

static void compare_marks(struct look *look, const ls_tick_probe *b)
{
    ls_suspect *suspect = look->suspect;
    bool is_in_a;
    ls_entity marked;
    if (!ls_run_outcome_first_mark(&look->a->outcome, &b->outcome, &is_in_a, &marked))
        return;
    suspect->site = LS_SITE_MARKS;
    suspect->has_values = true;
    suspect->entity = marked;
    *(is_in_a ? &suspect->a : &suspect->b) = ls_text_duplicate("despawned");
    suspect->place = ls_suspect_place(suspect, look->a->world->program);
}

static void compare_outcomes(struct look *look, const ls_tick_probe *b)
{
    ls_suspect *suspect = look->suspect;
    const ls_run_outcome *one = &look->a->outcome, *other = &b->outcome;
    uint32_t i = ls_run_outcome_first_record(one, other);
    if (i < one->count || i < other->count) {
        compare_records(look, b);
    } else if (one->decision != other->decision) {
        static const char *const words[] = {"no", "yes", "no, and again", "yes, and again"};
        suspect->site = LS_SITE_DECISION;
        suspect->has_values = true;
        suspect->a = ls_text_duplicate(words[one->decision % LS_COUNT_OF(words)]);
        suspect->b = ls_text_duplicate(words[other->decision % LS_COUNT_OF(words)]);
        suspect->place = ls_text_duplicate("what it decides");
    } else {
        compare_marks(look, b);
    }
}

static void look_at_second(void *argument, ls_tick_probe *tick_probe)
{
    struct look *look = argument;
    if (look->suspect->site == LS_SITE_COMMANDS)
        compare_outcomes(look, tick_probe);
    else if (look->suspect->column != UINT32_MAX)
        compare_column(look, look->a->world, tick_probe->world);
}

static void look_at_first(void *argument, ls_tick_probe *tick_probe)
{
    struct look *look = argument;
    look->a = tick_probe;
    ls_tick_trace_visit(&look->runners[1], look->frame, &look->there);
}

static void look_in_tick(struct look *look)
{
    const ls_suspect *suspect = look->suspect;
    ls_tick_point kind = suspect->blame == LS_BLAME_SYSTEM ? LS_POINT_RAN : LS_POINT_BEGUN;
    ls_halt here = {.kind = kind,
                    .position = suspect->positions[0],
                    .nth = suspect->nth,
                    .look = look_at_first,
                    .argument = look};
    look->there = (ls_halt){.kind = kind,
                            .position = suspect->positions[1],
                            .nth = suspect->nth,
                            .look = look_at_second,
                            .argument = look};
    ls_tick_trace_visit(&look->runners[0], look->frame, &here);
}

static void search_after_tick(struct look *look)
{
    for (uint32_t i = 0; i < 2; i++) {
        ls_status status = ls_run_variant_run(&look->runners[i], look->frame, NULL, NULL);
        (void)status; /* a failed tick leaves a state too, and it is compared */
    }
    compare_column(look, look->runners[0].variant.world, look->runners[1].variant.world);
    for (uint32_t i = 0; i < 2; i++)
        ls_run_variant_back(&look->runners[i]);
}

static void add_difference(ls_builder *text, const ls_suspect *suspect)
{
    static const char *const streams[LS_STREAM_COUNT] = {
        "what it spawns", "the events that it sends", "what it accumulates", "what it commands"};
    static const char *const words[] = {
        [LS_SITE_NONE] = "the counters of what was left out",
        [LS_SITE_MATCHES] = "the entities that its queries match",
        [LS_SITE_EVENTS] = "the events that reach it",
        [LS_SITE_LOOP] = "how often its stage ran",
    };
    if (suspect->site == LS_SITE_UNDECLARED)
        ls_builder_add(text, "what it does not declare, ");
    if (suspect->site == LS_SITE_COMMANDS && suspect->has_values)
        ls_builder_add(text, "%s, record %" PRIu32 ", ", streams[suspect->stream], suspect->record);
    if (!suspect->has_values) {
        const char *word = suspect->site < LS_COUNT_OF(words) ? words[suspect->site] : NULL;
        ls_builder_add(text, "%s",
                       word ? word
                            : "something of its columns, which was the same when it ran once more "
                              "to be looked at");
        return;
    }
    ls_builder_add(text, "%s: %s and %s", suspect->place, suspect->a ? suspect->a : "nothing",
                   suspect->b ? suspect->b : "nothing");
}

static void add_last_change(ls_builder *text, const char *system)
{
    if (system)
        ls_builder_add(text, "\"%s\" changed it last", system);
    else
        ls_builder_add(text, "no system changed it");
}

static void add_order(ls_builder *text, const ls_suspect *suspect)
{
    ls_builder_add(text, "; before it ");
    add_last_change(text, suspect->others[0]);
    ls_builder_add(text, " in the one run, ");
    add_last_change(text, suspect->others[1]);
    ls_builder_add(text, " in the other%s", suspect->is_undeclared ? ", without declaring it" : "");
}

static void print_suspect(ls_suspect *suspect)
{
    ls_builder text = {0};
    if (suspect->system) {
        ls_builder_add(&text, "system \"%s\"", suspect->system);
        if (suspect->stage)
            ls_builder_add(&text, " of stage \"%s\"", suspect->stage);
        ls_builder_add(&text, " ");
    }
    switch (suspect->blame) {
    case LS_BLAME_NONE:
        ls_builder_add(&text, "the tick ends in one state both ways");
        break;
    case LS_BLAME_START:
        ls_builder_add(&text, "the states differ before the tick: ");
        add_difference(&text, suspect);
        break;
    case LS_BLAME_SYSTEM:
        ls_builder_add(&text, "has equal input and different output: ");
        add_difference(&text, suspect);
        break;
    case LS_BLAME_ORDER:
        ls_builder_add(&text, "%s",
                       suspect->system ? "has different input: " : "the tick has another result: ");
        add_difference(&text, suspect);
        add_order(&text, suspect);
        break;
    case LS_BLAME_PRESENT:
        ls_builder_add(&text, "runs in one of the two only");
        break;
    case LS_BLAME_OUTSIDE:
        ls_builder_add(&text, "%s",
                       suspect->system ? "reads what no system wrote: "
                                       : "no system wrote this state at the end of the tick: ");
        add_difference(&text, suspect);
        break;
    }
    suspect->text = text.data;
}

void ls_cell_search_look(ls_variant_runner runners[2], const ls_frame *frame, ls_suspect *suspect)
{
    struct look look = {.runners = runners, .frame = frame, .suspect = suspect};
    bool has_column = suspect->column != UINT32_MAX;
    if (suspect->blame == LS_BLAME_START && has_column)
        compare_column(&look, runners[0].variant.world, runners[1].variant.world);
    else if (suspect->blame == LS_BLAME_PRESENT || suspect->blame == LS_BLAME_NONE)
        ;
    else if (suspect->system)
        look_in_tick(&look);
    else if (has_column)
        search_after_tick(&look);
    print_suspect(suspect);
}
