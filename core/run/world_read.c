/* Reads a world between ticks. */
#include <lockstep/world_read.h>

#include "core/run/event_internal.h"
#include "core/run/query.h"
#include "core/schedule/lists.h"
#include "core/schedule/resolve.h"
#include "core/schedule/resolve_join.h"
#include "core/state/store.h"
#include <lockstep/program.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void stop(const ls_world *world, const ls_component *component, const char *why)
{
    fprintf(stderr, "lockstep: component \"%s\" %s of simulation \"%s\"\n", component->name, why,
            world->program->sim->name);
    abort();
}

static uint32_t find_column(const ls_world *world, const ls_component *component)
{
    uint32_t column = ls_program_find_column(world->program, component);
    if (LS_UNLIKELY(column == UINT32_MAX))
        stop(world, component, "is none");
    return column;
}

bool ls_world_is_alive(const ls_world *world, ls_entity entity)
{
    return ls_store_is_alive(world, entity);
}

uint64_t ls_world_entity_count(const ls_world *world)
{
    return ls_store_count_living(world, UINT64_MAX);
}

const void *ls_world_cell(const ls_world *world, const ls_component *component, ls_entity entity)
{
    return ls_store_find(world, find_column(world, component), entity);
}

const void *ls_world_singleton(const ls_world *world, const ls_component *component)
{
    uint32_t column = find_column(world, component);
    if (LS_UNLIKELY(!world->program->components[column]->is_singleton))
        stop(world, component, "is no singleton");
    return ls_page_cells(ls_world_page(world, column, 0, 0));
}

/* The column of a term, or its lane. */
static uint32_t find_term(const ls_world *world, const ls_term *term)
{
    if (!term->lane) {
        uint32_t column = find_column(world, term->component);
        /* A filter by change compares with a system's previous run; a walk of a world has none. */
        LS_ASSERT(term->kind <= LS_OPTIONAL && term->access <= LS_ACCESS_READ &&
                  !ls_filter_compares(term->filter));
        if (LS_UNLIKELY(world->program->components[column]->is_singleton))
            stop(world, term->component, "is no component of entities, but a singleton");
        return column;
    }
    uint32_t lane = ls_program_find_lane(world->program, term->lane);
    if (LS_LIKELY(lane != LS_LANES_MAX))
        return lane;
    fprintf(stderr, "lockstep: a walk names lane \"%s\", which simulation \"%s\" does not list\n",
            term->lane, world->program->sim->name);
    abort();
}

void ls_world_walk_begin(const ls_world *world, const ls_term *terms, ls_world_walk *walk)
{
    *walk = (ls_world_walk){.world = world, .terms = terms};
    for (uint32_t i = 0; ls_term_is_listed(&terms[i]); i++) {
        if (LS_UNLIKELY(i == LS_QUERY_TERMS_MAX)) {
            fprintf(stderr,
                    "lockstep: a walk over a world of simulation \"%s\" has more than 16 terms\n",
                    world->program->sim->name);
            abort();
        }
        walk->columns[i] = find_term(world, &terms[i]);
    }
    walk->page = UINT32_MAX; /* before the first page */
}

void ls_world_event_begin(const ls_world *world, const ls_component *event, ls_event_walk *walk)
{
    uint32_t found = ls_program_find_event(world->program, event);
    if (LS_UNLIKELY(found == UINT32_MAX))
        stop(world, event, "is no event");
    ls_events_walk(world, found, world->has_events ? world->program->system_count : 0, walk);
}

static uint32_t plan_terms(const ls_world_walk *walk, ls_plan_term *terms)
{
    uint32_t count = 0;
    for (; ls_term_is_listed(&walk->terms[count]); count++) {
        terms[count] = (ls_plan_term){.column = walk->columns[count],
                                      .kind = (uint8_t)walk->terms[count].kind,
                                      .filter = (uint8_t)walk->terms[count].filter,
                                      .access = (uint8_t)walk->terms[count].access};
    }
    return count;
}

/* Moves to the next page with a match. */
static bool next_page(ls_world_walk *walk, const ls_plan_term *terms, uint32_t term_count)
{
    const ls_world *world = walk->world;
    uint32_t key = walk->page == UINT32_MAX ? 0 : (walk->lane << 16 | walk->page) + 1;
    for (; ls_query_next(world, terms, term_count, 0, &key); key++) {
        walk->lane = key >> 16;
        walk->page = key & 0xffff;
        if (ls_query_mask(world, terms, term_count, 0, walk->lane, walk->page, walk->mask))
            return true;
    }
    walk->lane = world->state.lanes;
    memset(walk->mask, 0, sizeof walk->mask); /* further calls return false, too */
    return false;
}

bool ls_world_walk_next(ls_world_walk *walk)
{
    const ls_world *world = walk->world;
    ls_plan_term terms[LS_QUERY_TERMS_MAX];
    uint32_t term_count = plan_terms(walk, terms);
    uint32_t first = ls_mask_next_set(walk->mask, 0);
    if (first == LS_PAGE_SLOTS) {
        if (!next_page(walk, terms, term_count))
            return false;
        first = ls_mask_next_set(walk->mask, 0);
    }
    ls_query_page view;
    ls_query_begin(world, terms, term_count, 0, &view);
    ls_query_look(world, walk->lane, walk->page, &view);
    walk->span = *ls_query_span(&view, walk->mask, first);
    for (uint32_t slot = first; slot < first + walk->span.count; slot++)
        walk->mask[slot / 64] &= ~((uint64_t)1 << (slot % 64));
    return true;
}
