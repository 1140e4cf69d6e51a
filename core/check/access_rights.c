#include "core/check/access_rights.h"

#include "core/run/partner_internal.h"
#include "core/run/query.h"

#include <string.h>

static void grant(uint8_t *right, ls_right to)
{
    if ((*right == LS_RIGHT_OWN && to == LS_RIGHT_PARTNERS) ||
        (*right == LS_RIGHT_PARTNERS && to == LS_RIGHT_OWN))
        to = LS_RIGHT_OWN_AND_PARTNERS;
    if (*right < to)
        *right = (uint8_t)to;
}

static void add_term(ls_access_rights *rights, const ls_plan_term *term)
{
    bool is_concurrent = rights->plan->system->mode == LS_CONCURRENT;
    bool is_own = is_concurrent && term->kind <= LS_OPTIONAL && term->query == 0;
    /* For a filter by change the engine compares the whole column. */
    if (ls_filter_compares(term->filter))
        grant(&rights->reads[term->column], LS_RIGHT_ANY);
    ls_right right = is_own ? LS_RIGHT_OWN : LS_RIGHT_ANY;
    if (term->kind == LS_SPAWNED)
        right = is_concurrent ? LS_RIGHT_NONE : LS_RIGHT_SPAWNED;
    else if (term->kind == LS_PARTNER)
        right = LS_RIGHT_PARTNERS;
    else if (term->kind >= LS_COMMANDS)
        return;
    if (term->access >= LS_ACCESS_READ)
        grant(&rights->reads[term->column], right);
    if (term->access >= LS_ACCESS_WRITE)
        grant(&rights->writes[term->column], right);
    if (term->access >= LS_ACCESS_STRUCTURE)
        grant(&rights->structure[term->column], right);
}

/* Adds the reads that the engine makes for the system: to build its join indexes, and to find the
 * order of its matches. */
static void add_indexes(ls_access_rights *rights, const ls_program *program)
{
    const ls_plan_system *plan = rights->plan;
    for (uint32_t i = 0; i < plan->grid_count; i++)
        grant(&rights->reads[program->grids[plan->grids[i]].column], LS_RIGHT_ANY);
    for (uint32_t i = 0; i < plan->join_count; i++) {
        uint32_t from = plan->join_from[i].column;
        grant(&rights->reads[program->joins[plan->joins[i]].column], LS_RIGHT_ANY);
        if (plan->system->joins[i].query && from != UINT32_MAX)
            grant(&rights->reads[from], LS_RIGHT_ANY);
    }
    if (plan->is_parents_first)
        grant(&rights->reads[plan->parent_column], LS_RIGHT_ANY);
}

void ls_access_rights_find(ls_access_rights *rights, const ls_world *world,
                           const ls_plan_system *plan, const ls_run *run)
{
    uint64_t(*own)[LS_PAGE_WORDS] = rights->own;
    *rights =
        (ls_access_rights){.plan = plan, .run = run, .own = own, .capacity = rights->capacity};
    for (uint32_t i = 0; i < plan->term_count; i++)
        add_term(rights, &plan->terms[i]);
    add_indexes(rights, world->program);
    if (plan->system->mode == LS_SEQUENTIAL) {
        for (uint32_t i = 0; i < plan->lane_count; i++)
            rights->spawns[plan->lanes[i] / 64] |= (uint64_t)1 << (plan->lanes[i] % 64);
        return;
    }
    rights->list = &run->queries[0];
    if (rights->list->count > rights->capacity) {
        rights->capacity = rights->list->count * 2;
        rights->own = ls_realloc(rights->own, sizeof *rights->own * rights->capacity);
    }
    for (uint32_t i = 0; i < rights->list->count; i++) {
        uint32_t key = rights->list->keys[i];
        if (!ls_query_mask(world, plan->terms, plan->term_count, 0, key >> 16, key & 0xffff,
                           rights->own[i]))
            memset(rights->own[i], 0, sizeof rights->own[i]);
    }
}

void ls_access_rights_reset(ls_access_rights *rights)
{
    ls_free(rights->own);
    *rights = (ls_access_rights){0};
}

static void own_mask(const ls_access_rights *rights, const ls_page_place *place,
                     uint64_t mask[LS_PAGE_WORDS])
{
    uint32_t key = place->lane << 16 | place->page;
    uint32_t at = rights->list ? ls_page_list_find(rights->list, key) : UINT32_MAX;
    if (at != UINT32_MAX)
        memcpy(mask, rights->own[at], sizeof rights->own[at]);
    else
        memset(mask, 0, sizeof *mask * LS_PAGE_WORDS);
}

static void spawned_mask(const ls_access_rights *rights, const ls_page_place *place,
                         const ls_image *before, uint64_t mask[LS_PAGE_WORDS])
{
    const ls_world *world = before->world;
    ls_page_place liveness = *place;
    liveness.column = ls_liveness(world);
    const ls_page *lives = ls_world_page(world, liveness.column, liveness.lane, liveness.page);
    const ls_page *old = ls_image_page(before, &liveness);
    bool spawns = lives && ls_access_rights_may_spawn(rights, place->lane);
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        mask[word] = spawns ? lives->present[word] & ~old->present[word] : 0;
}

static void add_partners(const ls_access_rights *rights, const ls_page_place *place, ls_right right,
                         uint64_t mask[LS_PAGE_WORDS])
{
    const uint64_t *claimed = ls_partners_claimed(rights->run, place->lane, place->page);
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        mask[word] = (right == LS_RIGHT_PARTNERS ? 0 : mask[word]) | (claimed ? claimed[word] : 0);
}

void ls_access_rights_mask(const ls_access_rights *rights, ls_right right,
                           const ls_page_place *place, const ls_image *before,
                           uint64_t mask[LS_PAGE_WORDS])
{
    if (right >= LS_RIGHT_OWN && right <= LS_RIGHT_OWN_AND_PARTNERS)
        own_mask(rights, place, mask);
    if (right == LS_RIGHT_PARTNERS || right == LS_RIGHT_OWN_AND_PARTNERS)
        add_partners(rights, place, right, mask);
    else if (right == LS_RIGHT_OWN)
        return;
    else if (right == LS_RIGHT_SPAWNED)
        spawned_mask(rights, place, before, mask);
    else
        memset(mask, right == LS_RIGHT_ANY ? 0xff : 0, sizeof *mask * LS_PAGE_WORDS);
}
