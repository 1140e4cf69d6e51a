#include "core/schedule/modules.h"

#include "core/base/builder.h"
#include "core/schedule/lists.h"

#include <string.h>

typedef struct piece {
    struct piece *next;
    uint64_t data[];
} piece;

/* Zeroed memory that lives as long as the merged simulation. */
static void *keep(ls_merged_sim *merged, size_t bytes)
{
    piece *made = ls_alloc(sizeof *made + bytes);
    made->next = merged->pieces;
    merged->pieces = made;
    return made->data;
}

void ls_part_full_name(const ls_part *part, const char *name, uint32_t name_bytes, ls_builder *text)
{
    const char *dot = memchr(name, '.', name_bytes);
    bool is_full = dot && !ls_part_module(part, name, (size_t)(dot - name));
    if (part->user && !is_full)
        ls_builder_add(text, "%s.", part->path);
    ls_builder_put(text, name, name_bytes);
}

static const char *keep_text(ls_merged_sim *merged, ls_builder *text)
{
    char *kept = keep(merged, text->count + 1);
    memcpy(kept, text->data ? text->data : "", text->count);
    ls_free(text->data);
    return kept;
}

static const char *full_name(ls_merged_sim *merged, const ls_part *part, const char *name)
{
    ls_builder text = {0};
    if (!name || !part->user)
        return name;
    ls_part_full_name(part, name, (uint32_t)strlen(name), &text);
    return keep_text(merged, &text);
}

/* A list of names with the part's full names. `shared` is a name of the engine, which each module
 * uses as it is; NULL: there is none. A name that is too long is cut here, but with the module's
 * path in front it is still too long, so ls_lists_check() finds it. */
static const char *full_list(ls_merged_sim *merged, const ls_part *part, const char *names,
                             const char *shared)
{
    ls_builder text = {0};
    if (!names || !part->user)
        return names;
    for (ls_name_list walk = ls_name_list_of(names); ls_name_list_next(&walk);) {
        ls_builder_add(&text, "%s", text.count ? ", " : "");
        if (shared && strcmp(walk.name, shared) == 0)
            ls_builder_add(&text, "%s", shared);
        else
            ls_part_full_name(part, walk.name, (uint32_t)strlen(walk.name), &text);
    }
    return keep_text(merged, &text);
}

static const char *full_names(ls_merged_sim *merged, const ls_part *part, const char *names)
{
    return full_list(merged, part, names, NULL);
}

/* The labels of a system, and the names of its module and of the modules around that. */
static const char *full_labels(ls_merged_sim *merged, const ls_part *part, const char *labels)
{
    ls_builder text = {0};
    if (!part->user)
        return labels;
    const char *own = full_names(merged, part, labels);
    ls_builder_add(&text, "%s", own ? own : "");
    for (; part->user; part = part->user)
        ls_builder_add(&text, "%s%s", text.count ? ", " : "", part->path);
    return keep_text(merged, &text);
}

/* The stage of a system that names none; NULL: the simulation's first. */
static const char *default_stage(ls_merged_sim *merged, const ls_part *part)
{
    if (!part->user)
        return NULL;
    if (part->module.stage_count)
        return full_name(merged, part, part->module.stages[0].name);
    return ls_part_has_stage(part->user, part->module.name) ? part->path
                                                            : default_stage(merged, part->user);
}

static ls_system full_system(ls_merged_sim *merged, const ls_part *part, const ls_system *given)
{
    ls_system made = *given;
    made.name = full_name(merged, part, given->name);
    made.lanes = full_list(merged, part, given->lanes, "world");
    made.command_lanes = full_list(merged, part, given->command_lanes, "world");
    made.labels = full_labels(merged, part, given->labels);
    made.before = full_names(merged, part, given->before);
    made.after = full_names(merged, part, given->after);
    made.weakly_before = full_names(merged, part, given->weakly_before);
    made.weakly_after = full_names(merged, part, given->weakly_after);
    made.needs = full_names(merged, part, given->needs);
    made.stage = given->stage ? full_name(merged, part, given->stage) : default_stage(merged, part);
    return made;
}

/* Conditions of one part that share a criterion share its copy. */
typedef struct criterion {
    struct criterion *next;
    const ls_system *given;
    ls_system made;
} criterion;

typedef struct merger {
    ls_merged_sim *merged;
    const ls_part *part;
    criterion *criteria; /* of the part */
} merger;

static ls_condition full_condition(merger *self, const ls_condition *given)
{
    ls_condition made = *given;
    if (!given->criterion || !self->part->user)
        return made;
    criterion *found = self->criteria;
    while (found && found->given != given->criterion)
        found = found->next;
    if (!found) {
        found = keep(self->merged, sizeof *found);
        *found = (criterion){self->criteria, given->criterion,
                             full_system(self->merged, self->part, given->criterion)};
        self->criteria = found;
    }
    made.criterion = &found->made;
    return made;
}

static const ls_component *full_component(merger *self, const ls_component *given)
{
    if (!given || !self->part->user)
        return given;
    ls_component *made = keep(self->merged, sizeof *made);
    *made = *given;
    made->name = full_name(self->merged, self->part, given->name);
    return made;
}

/* The lists of the merged simulation, to be filled. */
typedef struct lists {
    ls_option *options;
    const ls_component **components;
    const char **lanes;
    ls_system *systems, *setup;
    ls_stage *stages;
    ls_set *sets;
    ls_independence *independences;
    ls_par *pars;
    ls_match_table *tables;
    ls_operation *operations;
    ls_incompatibility *incompatibilities;
} lists;

static void add_stages_and_sets(merger *self, lists *to)
{
    ls_merged_sim *merged = self->merged;
    const ls_part *part = self->part;
    const ls_module *own = &part->module;
    for (uint32_t i = 0; i < own->stage_count; i++) {
        ls_stage *made = &to->stages[merged->sim.stage_count++];
        *made = own->stages[i];
        made->name = full_name(merged, part, made->name);
        made->within = made->within ? full_name(merged, part, made->within)
                       : part->user ? part->path
                                    : NULL;
        made->before = full_name(merged, part, made->before);
        made->after = full_name(merged, part, made->after);
        made->when = full_condition(self, &made->when);
    }
    for (uint32_t i = 0; i < own->set_count; i++) {
        ls_set *made = &to->sets[merged->sim.set_count++];
        *made = own->sets[i];
        made->name = full_name(merged, part, made->name);
        made->labels = full_names(merged, part, made->labels);
        made->before = full_names(merged, part, made->before);
        made->after = full_names(merged, part, made->after);
        made->weakly_before = full_names(merged, part, made->weakly_before);
        made->weakly_after = full_names(merged, part, made->weakly_after);
        made->when = full_condition(self, &made->when);
    }
}

static void add_order(merger *self, lists *to)
{
    ls_merged_sim *merged = self->merged;
    const ls_module *own = &self->part->module;
    add_stages_and_sets(self, to);
    for (uint32_t i = 0; i < own->independence_count; i++) {
        ls_independence *made = &to->independences[merged->sim.independence_count++];
        *made = own->independences[i];
        made->one = full_name(merged, self->part, made->one);
        made->other = full_name(merged, self->part, made->other);
    }
    for (uint32_t i = 0; i < own->par_count; i++) {
        ls_par *made = &to->pars[merged->sim.par_count++];
        *made = own->pars[i];
        made->name = full_name(merged, self->part, made->name);
        made->sides = full_names(merged, self->part, made->sides);
    }
}

static void add_part(merger *self, lists *to)
{
    ls_merged_sim *merged = self->merged;
    const ls_module *own = &self->part->module;
    for (uint32_t i = 0; i < own->option_count; i++) {
        ls_option *made = &to->options[merged->sim.option_count++];
        *made = own->options[i];
        made->name = full_name(merged, self->part, made->name);
    }
    for (uint32_t i = 0; i < own->component_count; i++)
        to->components[merged->sim.component_count++] = full_component(self, own->components[i]);
    for (uint32_t i = 0; i < own->lane_count; i++)
        to->lanes[merged->sim.lane_count++] = full_name(merged, self->part, own->lanes[i]);
    for (uint32_t i = 0; i < own->system_count; i++)
        to->systems[merged->sim.system_count++] = full_system(merged, self->part, &own->systems[i]);
    for (uint32_t i = 0; i < own->table_count; i++) {
        ls_match_table *made = &to->tables[merged->sim.table_count++];
        *made = own->tables[i];
        made->row = full_component(self, made->row);
    }
    for (uint32_t i = 0; i < own->operation_count; i++)
        to->operations[merged->sim.operation_count++] = own->operations[i];
    for (uint32_t i = 0; i < own->incompatibility_count; i++)
        to->incompatibilities[merged->sim.incompatibility_count++] = own->incompatibilities[i];
    add_order(self, to);
}

/* A setup has no order, so it does not get the label and the stage of its module; it keeps the
 * labels and the stage that it lists itself. */
static void add_setups(ls_merged_sim *merged, const ls_part *part, lists *to)
{
    for (uint32_t i = 0; i < part->module.setup_count; i++) {
        const ls_system *given = &part->module.setup[i];
        ls_system *made = &to->setup[merged->sim.setup_count++];
        *made = full_system(merged, part, given);
        made->labels = given->labels;
        made->stage = given->stage;
    }
}

/* Allocates a list for all parts, and lets the simulation have it. */
#define MAKE(list, counted)                                                                        \
    do {                                                                                           \
        uint32_t sum_ = 0;                                                                         \
        for (uint32_t i_ = 0; i_ < parts->count; i_++)                                             \
            sum_ += parts->parts[i_].module.counted;                                               \
        to.list = keep(merged, sizeof *to.list * (sum_ + 1));                                      \
        merged->sim.list = to.list;                                                                \
        merged->sim.counted = 0;                                                                   \
    } while (0)

static void merge(ls_merged_sim *merged)
{
    lists to;
    ls_part_list *parts = &merged->parts;
    LS_MODULE_LISTS(MAKE);
    for (uint32_t i = 0; i < parts->count; i++) {
        merger self = {.merged = merged, .part = &parts->parts[i]};
        parts->parts[i].option_first = merged->sim.option_count;
        add_part(&self, &to);
    }
    for (uint32_t i = 0; i < parts->count; i++)
        add_setups(merged, &parts->parts[parts->setup_order[i]], &to);
    if (!merged->sim.setup_count)
        merged->sim.setup = NULL;
}

ls_status ls_merged_sim_create(const ls_sim *sim, ls_schedule_report *report,
                               ls_merged_sim **merged)
{
    ls_merged_sim *made = ls_alloc(sizeof *made);
    ls_status status = ls_part_list_init(&made->parts, sim, report);
    made->sim = *sim;
    merge(made);
    *merged = made;
    return status;
}

void ls_merged_sim_destroy(ls_merged_sim *merged)
{
    if (!merged)
        return;
    for (piece *at = merged->pieces, *next; at; at = next) {
        next = at->next;
        ls_free(at);
    }
    ls_part_list_reset(&merged->parts);
    ls_free(merged);
}

uint32_t ls_merged_part_of(const ls_merged_sim *merged, const char *name)
{
    const char *dot = strrchr(name, '.');
    for (uint32_t i = 1; merged && dot && i < merged->parts.count; i++) {
        const char *path = merged->parts.parts[i].path;
        if (strlen(path) == (size_t)(dot - name) && memcmp(path, name, (size_t)(dot - name)) == 0)
            return i;
    }
    return 0;
}

ls_match ls_merged_match(const ls_merged_sim *merged, uint32_t part, const ls_match *match)
{
    if (!part)
        return *match;
    const ls_part *own = &merged->parts.parts[part];
    ls_match seen = {
        match->seed, match->tick_rate, match->player_count, own->module.option_count, {0}};
    for (uint32_t i = 0; i < seen.option_count; i++)
        seen.options[i] = match->options[own->option_first + i];
    return seen;
}
