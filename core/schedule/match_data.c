#include "core/schedule/match_data.h"

#include "core/base/platform.h"
#include "core/schedule/modules.h"
#include "core/schema/codec.h"
#include "core/schema/match_equal.h"
#include <lockstep/hash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ls_match_cache {
    ls_mutex lock;
    ls_match_data *first;
};

ls_match_cache *ls_match_cache_create(void)
{
    ls_match_cache *cache = ls_alloc(sizeof *cache);
    ls_mutex_init(&cache->lock);
    return cache;
}

void ls_match_cache_destroy(ls_match_cache *cache)
{
    if (!cache)
        return;
    LS_ASSERT(!cache->first);
    ls_mutex_destroy(&cache->lock);
    ls_free(cache);
}

static ls_status check_table(const ls_match_table *table, ls_error *error)
{
    if (!table->row || !table->count || !table->fill)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a match data table lacks its row, count or fill");
    ls_status status = ls_component_check(table->row, error);
    if (status != LS_OK)
        return status;
    if (table->row->is_singleton || table->row->event_ticks || table->row->bytes == 0)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "match data table \"%s\": a row is neither a tag nor a singleton nor "
                            "an event; describe it with LS_COMPONENT",
                            table->row->name);
    return LS_OK;
}

static bool is_component(const ls_sim *sim, const char *name)
{
    for (uint32_t i = 0; i < sim->component_count; i++) {
        const ls_component *component = sim->components[i];
        if (component && component->name && strcmp(component->name, name) == 0)
            return true;
    }
    return false;
}

ls_status ls_match_tables_check(const ls_sim *sim, ls_error *error)
{
    if (sim->table_count > LS_MATCH_TABLES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "simulation \"%s\" has %u match data tables, at most %u are allowed",
                            sim->name, sim->table_count, LS_MATCH_TABLES_MAX);
    for (uint32_t i = 0; i < sim->table_count; i++) {
        ls_status status = check_table(&sim->tables[i], error);
        if (status != LS_OK)
            return status;
        const char *name = sim->tables[i].row->name;
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(sim->tables[j].row->name, name) == 0)
                return ls_error_set(error, LS_ERROR_USAGE,
                                    "two match data tables are named \"%s\"; rename one", name);
        }
        if (is_component(sim, name))
            return ls_error_set(error, LS_ERROR_USAGE,
                                "\"%s\" is a match data table and a component; rename one, or "
                                "leave it out of the components",
                                name);
    }
    return LS_OK;
}

void ls_match_tables_order(const ls_sim *sim, uint32_t *order)
{
    for (uint32_t i = 0; i < sim->table_count; i++) {
        uint32_t at = i;
        for (; at > 0 && strcmp(sim->tables[order[at - 1]].row->name, sim->tables[i].row->name) > 0;
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void free_data(const ls_sim *sim, ls_match_data *data)
{
    for (uint32_t i = 0; i < sim->table_count; i++)
        ls_free(data->rows[i]);
    ls_free(data->seen);
    ls_free(data);
}

static void hash_rows(const ls_sim *sim, ls_match_data *data)
{
    uint32_t order[LS_MATCH_TABLES_MAX];
    ls_match_tables_order(sim, order);
    for (uint32_t i = 0; i < sim->table_count; i++) {
        uint32_t at = order[i];
        const uint64_t parts[2] = {
            data->hash, ls_cells_hash(sim->tables[at].row, data->rows[at], data->counts[at])};
        data->hash = ls_words_hash(parts, LS_COUNT_OF(parts));
    }
}

static void make_seen(const ls_merged_sim *merged, ls_match_data *data)
{
    data->seen = ls_alloc(sizeof *data->seen * merged->parts.count);
    for (uint32_t i = 0; i < merged->parts.count; i++)
        data->seen[i] = ls_merged_match(merged, i, &data->match);
}

static ls_status make(const ls_program *program, const ls_match *given, ls_match_data **data,
                      ls_error *error)
{
    const ls_sim *sim = program->sim;
    ls_match_data *made = ls_alloc(sizeof *made);
    made->match = *given;
    if (program->merged)
        make_seen(program->merged, made);
    for (uint32_t i = 0; i < sim->table_count; i++) {
        const ls_match_table *table = &sim->tables[i];
        uint32_t part = ls_merged_part_of(program->merged, table->row->name);
        const ls_match *match = part ? &made->seen[part] : given;
        made->counts[i] = table->count(match);
        if (made->counts[i] > LS_MATCH_ROWS_MAX) {
            ls_status status = ls_error_set(
                error, LS_ERROR_LIMIT,
                "match data table \"%s\" wants %u rows for this match, at most %u are allowed",
                table->row->name, made->counts[i], LS_MATCH_ROWS_MAX);
            free_data(sim, made);
            return status;
        }
        made->rows[i] = ls_alloc((size_t)table->row->bytes * made->counts[i]);
        table->fill(match, made->rows[i], made->counts[i]);
    }
    hash_rows(sim, made);
    *data = made;
    return LS_OK;
}

ls_status ls_match_data_take(const ls_program *program, const ls_match *match,
                             const ls_match_data **data, ls_error *error)
{
    ls_match_cache *cache = program->match_cache;
    ls_status status = LS_OK;
    ls_mutex_lock(&cache->lock);
    ls_match_data *found = cache->first;
    while (found && !ls_match_equal(&found->match, match))
        found = found->next;
    if (!found) {
        status = make(program, match, &found, error);
        if (status == LS_OK) {
            found->next = cache->first;
            cache->first = found;
        }
    }
    if (status == LS_OK)
        found->refs++;
    ls_mutex_unlock(&cache->lock);
    *data = status == LS_OK ? found : NULL;
    return status;
}

void ls_match_data_drop(const ls_program *program, const ls_match_data *data)
{
    ls_match_cache *cache = program->match_cache;
    ls_mutex_lock(&cache->lock);
    ls_match_data **link = &cache->first;
    while (*link != data)
        link = &(*link)->next;
    ls_match_data *found = *link;
    if (--found->refs == 0) {
        *link = found->next;
        free_data(program->sim, found);
    }
    ls_mutex_unlock(&cache->lock);
}

/* Whether the two describe the same row: by address, or by ls_component_is() and size. */
static bool is_row(const ls_component *row, const ls_component *wanted)
{
    return row == wanted || (ls_component_is(row, wanted) && row->bytes == wanted->bytes);
}

bool ls_match_data_rows(const ls_program *program, const ls_match_data *data,
                        const ls_component *row, const void **rows, uint32_t *count)
{
    const ls_sim *sim = program->sim;
    uint32_t at = 0;
    while (at < sim->table_count && !is_row(sim->tables[at].row, row))
        at++;
    if (at == sim->table_count)
        return false;
    *rows = data->rows[at];
    *count = data->counts[at];
    return true;
}
