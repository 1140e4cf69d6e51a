#include <lockstep/prefab.h>

#include "core/run/access_fault.h"
#include "core/schedule/lists.h"
#include "core/schedule/match_data.h"

#include <stdio.h>
#include <string.h>

static _Noreturn void refuse(const ls_context *context, const ls_prefab *prefab,
                             const ls_component *component, const char *why)
{
    char text[320];
    snprintf(text, sizeof text, "spawns the prefab \"%.60s\", %s \"%.60s\"", prefab->name, why,
             component->name);
    ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL, text);
}

static void refuse_none(const ls_context *context, const ls_prefab *prefab)
{
    if (!prefab)
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL,
                        "spawns no prefab: its list has none of that name; compare what "
                        "LS_PREFAB_NAMED() returns with NULL, or refuse such an input");
}

/* The first term by which the system attaches the component to what it spawns. */
static uint32_t find_term(const ls_context *context, const ls_prefab *prefab,
                          const ls_component *component, bool is_command)
{
    const ls_term *terms = context->plan->system->terms;
    for (uint32_t i = 0; terms && ls_term_is_listed(&terms[i]); i++) {
        bool is_right = is_command ? terms[i].kind == LS_COMMANDS
                                   : terms[i].kind == LS_SPAWNED || terms[i].kind == LS_OTHERS;
        if (is_right && terms[i].access == LS_ACCESS_STRUCTURE &&
            ls_component_is(terms[i].component, component))
            return i;
    }
    refuse(context, prefab, component,
           is_command ? "but has no term COMMANDED for its component"
                      : "but has no term SPAWNS_WITH for its component");
}

/* Whether a row of the table is a value of the component; the names may differ. */
static bool has_rows_of(const ls_component *table, const ls_component *component)
{
    if (table->bytes != component->bytes || table->field_count != component->field_count)
        return false;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const ls_field *one = &table->fields[i], *other = &component->fields[i];
        if (one->type != other->type || one->offset != other->offset ||
            one->bytes != other->bytes || one->max != other->max)
            return false;
    }
    return true;
}

static const void *value_of(const ls_context *context, const ls_prefab *prefab,
                            const ls_prefab_part *part)
{
    if (!part->table)
        return part->value;
    const ls_world *world = context->world;
    const void *rows;
    uint32_t count = 0;
    if (!ls_match_data_rows(world->program, world->match_data, part->table, &rows, &count))
        refuse(context, prefab, part->table, "but there is no match data table");
    if (!has_rows_of(part->table, part->component)) {
        char why[160];
        snprintf(why, sizeof why, "but a row of match data table \"%.60s\" is no",
                 part->table->name);
        refuse(context, prefab, part->component, why);
    }
    if (part->row < count)
        return (const uint8_t *)rows + (size_t)part->table->bytes * part->row;
    char why[100];
    snprintf(why, sizeof why, "but row %u is not among the %u rows of match data table", part->row,
             count);
    refuse(context, prefab, part->table, why);
}

ls_entity ls_spawn_prefab(ls_context *context, uint32_t lane, const ls_prefab *prefab)
{
    refuse_none(context, prefab);
    ls_entity spawned = ls_spawn(context, lane);
    for (const ls_prefab_part *part = prefab->parts; spawned && part->component; part++)
        (void)ls_cell_attach_(context, find_term(context, prefab, part->component, false), spawned,
                              value_of(context, prefab, part));
    return spawned;
}

ls_entity ls_command_spawn_prefab(ls_context *context, uint32_t lane, const ls_prefab *prefab)
{
    refuse_none(context, prefab);
    ls_entity spawned = ls_command_spawn(context, lane);
    for (const ls_prefab_part *part = prefab->parts; spawned && part->component; part++)
        ls_command_attach_(context, find_term(context, prefab, part->component, true), spawned,
                           value_of(context, prefab, part));
    return spawned;
}

const ls_prefab *ls_prefab_find(const ls_prefab *prefabs, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(prefabs[i].name, name) == 0)
            return &prefabs[i];
    }
    return NULL;
}
