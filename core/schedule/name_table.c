#include "core/schedule/name_table.h"

#include "core/base/builder.h"
#include "core/base/sort.h"
#include "core/schedule/lists.h"
#include "core/schedule/schedule_report_internal.h"
#include <lockstep/random.h>

#include <stdio.h>
#include <string.h>

/* The slot of the hash table where the name is, or would be inserted. */
static uint32_t slot_of(const ls_name_table *names, const char *name)
{
    uint32_t slot = (uint32_t)ls_name_key(name) & (names->slot_count - 1);
    while (names->slots[slot] && strcmp(names->names[names->slots[slot] - 1], name) != 0)
        slot = (slot + 1) & (names->slot_count - 1);
    return slot;
}

static uint64_t *add_name(ls_name_table *names, const char *name)
{
    uint32_t slot = slot_of(names, name);
    if (!names->slots[slot]) {
        names->names[names->count] = ls_text_duplicate(name);
        names->slots[slot] = ++names->count;
    }
    return names->members + (size_t)(names->slots[slot] - 1) * names->words;
}

static void reserve(ls_name_table *names)
{
    const ls_sim *sim = names->program->sim;
    uint32_t max = sim->set_count + names->program->system_count + names->program->par_count;
    for (uint32_t i = 0; i < sim->set_count; i++)
        max += ls_name_list_count(sim->sets[i].labels);
    for (uint32_t i = 0; i < names->program->system_count; i++)
        max += ls_name_list_count(names->program->systems[i].system->labels);
    names->words = LS_BIT_WORDS(names->program->system_count + 1);
    for (names->slot_count = 64; names->slot_count < max * 2;)
        names->slot_count *= 2;
    names->slots = ls_alloc(sizeof *names->slots * names->slot_count);
    names->names = ls_alloc(sizeof *names->names * (max + 1));
    names->members = ls_alloc(sizeof *names->members * names->words * (max + 1));
}

/* Fills in a graph of the sets by number: an edge leads from each set to the sets that it is
 * inside. Also reports sets with the same name. */
static void nest_sets(ls_name_table *names, ls_graph *inside, ls_schedule_report *report)
{
    const ls_sim *sim = names->program->sim;
    for (uint32_t i = 0; i < sim->set_count; i++) {
        for (uint32_t j = 0; j < sim->set_count; j++) {
            if (report && j < i && strcmp(sim->sets[i].name, sim->sets[j].name) == 0)
                ls_schedule_report_add(report, LS_FINDING_DUPLICATE, sim->sets[i].name, NULL,
                                       "two sets are named \"%s\"; rename one", sim->sets[i].name);
            for (ls_name_list list = ls_name_list_of(sim->sets[i].labels);
                 ls_name_list_next(&list);) {
                if (strcmp(list.name, sim->sets[j].name) == 0)
                    ls_graph_add(inside, i, j);
            }
        }
    }
}

/* Reports cycles of nested sets; destroys the edges. */
static void report_nesting(const ls_sim *sim, ls_graph *inside, ls_schedule_report *report)
{
    uint32_t *path = ls_alloc(sizeof *path * (inside->count + 1));
    for (uint32_t length; (length = ls_graph_find_cycle(inside, path)) > 0;) {
        if (length == 1)
            ls_schedule_report_add(report, LS_FINDING_CYCLE, sim->sets[path[0]].name, NULL,
                                   "set \"%s\" is inside itself; take its name out of its labels",
                                   sim->sets[path[0]].name);
        else
            ls_schedule_report_add(
                report, LS_FINDING_CYCLE, sim->sets[path[0]].name, sim->sets[path[1]].name,
                "set \"%s\" is inside set \"%s\", which is inside the first again (%u sets in "
                "all); take one label away",
                sim->sets[path[0]].name, sim->sets[path[1]].name, length);
        ls_graph_cut(inside, path, length);
    }
    ls_free(path);
}

/* Visits inner sets first, so that their members reach all outer sets. */
static void join_sets(ls_name_table *names, ls_schedule_report *report)
{
    const ls_sim *sim = names->program->sim;
    ls_graph inside;
    ls_graph_init(&inside, sim->set_count);
    nest_sets(names, &inside, report);
    uint32_t *order = ls_alloc(sizeof *order * (sim->set_count + 1));
    if (ls_graph_sort(&inside, order) < sim->set_count) {
        if (report)
            report_nesting(sim, &inside, report);
    } else {
        for (uint32_t i = 0; i < sim->set_count; i++) {
            const ls_set *set = &sim->sets[order[i]];
            for (ls_name_list list = ls_name_list_of(set->labels); ls_name_list_next(&list);)
                ls_bits_or(add_name(names, list.name), add_name(names, set->name), names->words);
        }
    }
    ls_free(order);
    ls_graph_reset(&inside);
}

/* Adds the names of the pars that ls_pars_place() has placed. */
static void add_pars(ls_name_table *names)
{
    const ls_program *program = names->program;
    for (uint32_t i = 0; i < program->par_count; i++) {
        if (program->pars[i].inside)
            ls_bits_or(add_name(names, program->pars[i].name), program->pars[i].inside,
                       names->words);
    }
}

void ls_name_table_init(ls_name_table *names, const ls_program *program, ls_schedule_report *report)
{
    *names = (ls_name_table){.program = program};
    reserve(names);
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_system *system = program->systems[i].system;
        ls_bit_set(add_name(names, system->name), i);
        for (ls_name_list list = ls_name_list_of(system->labels); ls_name_list_next(&list);)
            ls_bit_set(add_name(names, list.name), i);
    }
    for (uint32_t i = 0; i < program->sim->set_count; i++)
        (void)add_name(names, program->sim->sets[i].name);
    join_sets(names, report);
    add_pars(names);
}

void ls_name_table_reset(ls_name_table *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        ls_free(names->names[i]);
    ls_free(names->slots);
    ls_free(names->names);
    ls_free(names->members);
    *names = (ls_name_table){0};
}

const uint64_t *ls_name_table_find(const ls_name_table *names, const char *name)
{
    uint32_t slot = slot_of(names, name);
    return names->slots[slot] ? names->members + (size_t)(names->slots[slot] - 1) * names->words
                              : NULL;
}

/* The edit distance of two names (Levenshtein), or more than `most` if it is more. Their common
 * begin and end cost nothing. No distance is less than the least number of a row, so a row above
 * `most` ends the search. */
static uint32_t distance(const char *one, size_t height, const char *other, uint32_t most)
{
    uint32_t row[LS_NAME_BYTES_MAX + 1];
    size_t width = strlen(other);
    if (width > LS_NAME_BYTES_MAX || width > height + most || height > width + most)
        return most + 1;
    for (; width && height && one[height - 1] == other[width - 1]; width--)
        height--;
    for (; width && height && *one == *other; one++, other++, width--)
        height--;
    for (uint32_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= height; i++) {
        uint32_t diagonal = row[0], least = (uint32_t)i;
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= width; j++) {
            uint32_t change = diagonal + (one[i - 1] != other[j - 1]);
            uint32_t step = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = change < step ? change : step;
            least = row[j] < least ? row[j] : least;
        }
        if (least > most)
            return least;
    }
    return row[width];
}

const char *ls_name_nearest(const char *const *names, uint32_t count, ls_name_use use)
{
    size_t length = strlen(use.name);
    uint32_t best = length < 3 ? 0 : length < 6 ? 1 : 2;
    const char *found = NULL;
    for (uint32_t i = 0; best && i < count; i++) {
        uint32_t apart = distance(use.name, length, names[i], best);
        if (apart == 0 || (use.owner && strcmp(names[i], use.owner) == 0))
            continue;
        if (apart < best || (apart == best && !found)) {
            best = apart;
            found = names[i];
        } else if (apart == best) {
            found = NULL; /* two are as near; only a nearer one may still be meant */
            best--;
        }
    }
    return found;
}

const char *ls_name_table_nearest(const ls_name_table *names, ls_name_use use)
{
    return ls_name_nearest((const char *const *)names->names, names->count, use);
}

static bool is_criterion(const ls_program *program, const char *name)
{
    for (uint32_t i = 0; i < program->gate_count; i++) {
        const ls_system *criterion = program->gates[i].criterion.system;
        if (criterion && strcmp(criterion->name, name) == 0)
            return true;
    }
    return false;
}

const char *ls_name_table_advise(const ls_name_table *names, ls_name_use use, char *text,
                                 size_t bytes)
{
    const char *meant = ls_name_table_nearest(names, use);
    if (is_criterion(names->program, use.name))
        snprintf(text, bytes,
                 "it is a criterion, which runs before its stage or its set does; take it out");
    else if (meant)
        snprintf(text, bytes, "is \"%s\" meant? Correct it or take it out", meant);
    else
        snprintf(text, bytes, "correct it or take it out");
    return meant;
}

static const char *word_of(const ls_program *program, uint32_t position)
{
    if (position >= program->system_count)
        return position < ls_plan_first_gate(program) ? "a setup" : "a criterion";
    return program->systems[position].step ? "a par" : "a system";
}

static void compare_keys(const ls_program *program, uint32_t i, uint32_t j,
                         ls_schedule_report *report)
{
    const ls_plan_system *a = ls_plan_at(program, i), *b = ls_plan_at(program, j);
    const char *one = a->system->name, *other = b->system->name;
    if (a->key != b->key)
        return;
    if (strcmp(one, other) != 0)
        ls_schedule_report_add(
            report, LS_FINDING_DUPLICATE, one, other,
            "the names \"%s\" and \"%s\" have one key; rename one of the systems", one, other);
    else if (i < program->system_count && j < program->system_count)
        ls_schedule_report_add(report, LS_FINDING_DUPLICATE, one, NULL,
                               "two systems are named \"%s\"; rename one", one);
    else if (i >= ls_plan_first_gate(program))
        ls_schedule_report_add(report, LS_FINDING_DUPLICATE, one, NULL,
                               "two criteria are named \"%s\"; rename one, or let both conditions "
                               "name one system",
                               one);
    else
        ls_schedule_report_add(report, LS_FINDING_DUPLICATE, one, NULL,
                               "%s and %s are named \"%s\", and so would draw the same random "
                               "numbers; rename one",
                               word_of(program, i), word_of(program, j), one);
}

/* Whether an earlier gate has the same criterion; several sets may share one. */
static bool has_earlier_request(const ls_program *program, uint32_t position)
{
    const ls_system *criterion = ls_plan_at(program, position)->system;
    for (uint32_t i = ls_plan_first_gate(program); i < position; i++) {
        if (ls_plan_at(program, i)->system == criterion)
            return true;
    }
    return false;
}

static bool has_name_of_its_own(const ls_program *program, uint32_t position)
{
    return ls_plan_at(program, position)->system &&
           (position < ls_plan_first_gate(program) || !has_earlier_request(program, position));
}

static bool has_equal_keys(const ls_program *program)
{
    uint32_t whole = ls_plan_count(program), count = 0;
    ls_sort_item *items = ls_alloc(sizeof *items * (whole + 1) * 2);
    for (uint32_t i = 0; i < whole; i++) {
        if (has_name_of_its_own(program, i))
            items[count++].key = ls_plan_at(program, i)->key;
    }
    ls_sort(items, items + count, count);
    bool has = false;
    for (uint32_t i = 1; i < count; i++)
        has |= items[i].key == items[i - 1].key;
    ls_free(items);
    return has;
}

/* A system's random numbers depend on the key of its name, so keys must be unique. Findings come in
 * the order of positions. */
void ls_name_table_find_duplicates(const ls_program *program, ls_schedule_report *report)
{
    if (!has_equal_keys(program))
        return;
    for (uint32_t i = 0; i < ls_plan_count(program); i++) {
        bool is_compared = has_name_of_its_own(program, i);
        for (uint32_t j = 0; is_compared && j < i; j++) {
            if (ls_plan_at(program, j)->system)
                compare_keys(program, j, i, report);
        }
    }
}
