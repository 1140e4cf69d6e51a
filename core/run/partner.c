#include "core/run/partner_internal.h"

#include "core/base/bits.h"
#include "core/run/access_check.h"
#include "core/run/query.h"
#include "core/run/write_set.h"
#include "core/schedule/value_text.h"
#include "core/state/store.h"
#include <lockstep/partner.h>

#include <inttypes.h>
#include <string.h>

/* The slots of one page. */
typedef struct claims {
    uint64_t matched[LS_PAGE_WORDS]; /* the system's matches */
    uint64_t claimed[LS_PAGE_WORDS]; /* partners of a match */
    uint64_t lost[LS_PAGE_WORDS];    /* matches that lost their partner to another one */
} claims;

typedef struct lane_claims {
    claims *pages;
    uint32_t count, capacity;
} lane_claims;

struct ls_partners {
    uint64_t stamp; /* of the state from which the claims were made; 0: of none */
    uint64_t lost;  /* number of matches that lost their partner */
    lane_claims lanes[];
};

ls_partners *ls_partners_create(const ls_program *program)
{
    return ls_alloc(sizeof(ls_partners) + sizeof(lane_claims) * program->lane_count);
}

void ls_partners_destroy(ls_partners *partners, const ls_program *program)
{
    for (uint32_t i = 0; partners && i < program->lane_count; i++)
        ls_free(partners->lanes[i].pages);
    ls_free(partners);
}

static claims *find_claims(const ls_partners *partners, uint32_t lane, uint32_t page)
{
    const lane_claims *found = &partners->lanes[lane];
    return page < found->count ? &found->pages[page] : NULL;
}

static claims *claims_of(ls_partners *partners, uint32_t lane, uint32_t page)
{
    lane_claims *found = &partners->lanes[lane];
    if (page >= found->capacity) {
        found->capacity = (page + 1) * 2;
        found->pages = ls_realloc(found->pages, sizeof *found->pages * found->capacity);
    }
    if (page >= found->count) {
        memset(found->pages + found->count, 0, sizeof(claims) * (page + 1 - found->count));
        found->count = page + 1;
    }
    return &found->pages[page];
}

/* The sum of the counters of all that the claims depend on; 0 if something of it has no counter.
 * Spawns need no counter of their own: a new entity gets a component that the system writes only by
 * a change of presence, which is counted. */
static uint64_t find_stamp(const ls_world *world, const ls_plan_system *plan)
{
    uint64_t sum = ls_query_presence(world, plan->terms, plan->term_count, 0);
    if (sum == 0 || (plan->comparing & 1))
        return 0;
    sum += world->versions[plan->partner_column] + world->versions[ls_liveness(world)];
    for (uint32_t i = 0; i < plan->term_count; i++) {
        uint32_t column = plan->terms[i].column;
        if (plan->terms[i].kind != LS_PARTNER)
            continue;
        if (plan->has_unsettled && ls_bit_has(plan->unsettled_columns, column))
            return 0; /* no counter tells that an entity is settled from the next slot on */
        sum += world->presences[column];
    }
    return sum;
}

/* Whether the entity is alive to the system, see ls_is_alive_to(). An entity spawned in this slot
 * by a system that has no order with this system is not. */
static bool is_settled(const ls_world *world, const ls_plan_system *plan, uint32_t column,
                       ls_entity entity)
{
    return !plan->has_unsettled || !ls_bit_has(plan->unsettled_columns, column) ||
           !ls_bit_has(plan->unsettled_lanes, ls_entity_lane(entity)) ||
           !ls_store_is_spawned(world, entity);
}

/* A walk over the matches in canonical order. */
typedef struct match_walk {
    const ls_world *world;
    const ls_plan_system *plan;
    const ls_page_list *list;
    uint32_t page;
    uint64_t mask[LS_PAGE_WORDS];
} match_walk;

static bool find_mask(match_walk *walk)
{
    uint32_t key = walk->list->keys[walk->page];
    if (walk->plan->comparing & 1) {
        memcpy(walk->mask, walk->list->masks[walk->page], sizeof walk->mask);
        return true;
    }
    return ls_query_mask(walk->world, walk->plan->terms, walk->plan->term_count, 0, key >> 16,
                         key & 0xffff, walk->mask);
}

/* Goes to the next page with a match; false when there is none. `page` begins at UINT32_MAX. */
static bool next_page(match_walk *walk, uint32_t *lane, uint32_t *at)
{
    while (++walk->page < walk->list->count) {
        *lane = walk->list->keys[walk->page] >> 16;
        *at = walk->list->keys[walk->page] & 0xffff;
        if (find_mask(walk))
            return true;
    }
    return false;
}

static ls_entity partner_of(const ls_world *world, const ls_plan_system *plan, ls_page *references,
                            uint32_t slot)
{
    ls_entity partner;
    const uint8_t *cell =
        ls_page_cells(references) + (size_t)world->sources[plan->partner_column].cell_bytes * slot;
    memcpy(&partner, cell + plan->partner_offset, sizeof partner);
    return partner;
}

/* The cells of its partner that a match could write. */
typedef enum reach {
    REACH_NOTHING,
    REACH_CELLS,
    REACH_OWN_CELLS, /* also cells that the system reads or writes on its own entities */
} reach;

static bool looks_at_own(const ls_plan_system *plan, uint32_t column)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        if (term->kind <= LS_OPTIONAL && term->query == 0 && term->column == column &&
            term->access >= LS_ACCESS_READ)
            return true;
    }
    return false;
}

static reach find_reach(const ls_world *world, const ls_plan_system *plan, ls_entity partner)
{
    reach found = REACH_NOTHING;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        uint32_t column = plan->terms[i].column;
        if (plan->terms[i].kind != LS_PARTNER || !ls_store_find_page(world, column, partner) ||
            !is_settled(world, plan, column, partner))
            continue;
        bool is_own = plan->meets_partner && looks_at_own(plan, column);
        found = is_own || found == REACH_OWN_CELLS ? REACH_OWN_CELLS : REACH_CELLS;
    }
    return found;
}

/* Claims the partner for the match with the lane and slot `index`. False if another match has
 * claimed it, or if the partner is itself another match, which reads or writes the same cells. */
static bool claim(ls_partners *partners, const match_walk *walk, uint32_t index, ls_entity partner)
{
    reach found = find_reach(walk->world, walk->plan, partner);
    if (found == REACH_NOTHING)
        return true;
    uint32_t slot = ls_entity_slot(partner) % LS_PAGE_SLOTS, lane = ls_entity_lane(partner);
    claims *to = claims_of(partners, lane, ls_entity_slot(partner) / LS_PAGE_SLOTS);
    bool is_another = (uint32_t)partner != index;
    if (ls_bit_has(to->claimed, slot) ||
        (found == REACH_OWN_CELLS && is_another && ls_bit_has(to->matched, slot)))
        return false;
    ls_bit_set(to->claimed, slot);
    return true;
}

/* The first match that refers to the partner. If that is the match which could not claim it, the
 * partner is itself a match: see note_clash(). */
static ls_entity find_holder(match_walk walk, ls_entity partner)
{
    uint32_t lane, at;
    walk.page = UINT32_MAX;
    while (next_page(&walk, &lane, &at)) {
        ls_page *references = ls_world_page(walk.world, walk.plan->partner_column, lane, at);
        for (uint32_t slot = ls_mask_next_set(walk.mask, 0); slot < LS_PAGE_SLOTS;
             slot = ls_mask_next_set(walk.mask, slot + 1)) {
            if (partner_of(walk.world, walk.plan, references, slot) == partner)
                return ls_store_entity_at(walk.world, lane, at * LS_PAGE_SLOTS + slot);
        }
    }
    return LS_ENTITY_NULL;
}

/* Several systems may have clashes. The one at the lowest position is named: it does not run, so
 * clashes of later systems may only be a consequence. */
static void note_clash(ls_world *world, const match_walk *walk, uint32_t position, ls_entity own,
                       ls_entity partner)
{
    ls_scratch *scratch = world->scratch;
    ls_entity holder = find_holder(*walk, partner);
    ls_partner_breach found = {.is_set = true,
                               .position = position,
                               .first = holder == own ? partner : holder,
                               .second = own,
                               .partner = partner};
    ls_mutex_lock(&scratch->merge_lock);
    if (!scratch->partner_breach.is_set || position < scratch->partner_breach.position)
        scratch->partner_breach = found;
    ls_mutex_unlock(&scratch->merge_lock);
}

static void mark_matches(ls_partners *partners, match_walk walk)
{
    uint32_t lane, at;
    while (next_page(&walk, &lane, &at))
        memcpy(claims_of(partners, lane, at)->matched, walk.mask, sizeof walk.mask);
}

/* Finds the partners of all matches; false at the first clash that fails the tick. */
static bool claim_all(ls_world *world, ls_partners *partners, match_walk walk, uint32_t position)
{
    const ls_plan_system *plan = walk.plan;
    uint32_t lane, at;
    mark_matches(partners, walk);
    while (next_page(&walk, &lane, &at)) {
        ls_page *references = ls_world_page(world, plan->partner_column, lane, at);
        for (uint32_t slot = ls_mask_next_set(walk.mask, 0); slot < LS_PAGE_SLOTS;
             slot = ls_mask_next_set(walk.mask, slot + 1)) {
            uint32_t index = lane << 24 | (at * LS_PAGE_SLOTS + slot);
            ls_entity partner = partner_of(world, plan, references, slot);
            if (LS_LIKELY(claim(partners, &walk, index, partner)))
                continue;
            if (plan->system->partner.clash == LS_PARTNER_FAILS) {
                note_clash(world, &walk, position,
                           ls_store_entity_at(world, lane, at * LS_PAGE_SLOTS + slot), partner);
                return false;
            }
            ls_bit_set(claims_of(partners, lane, at)->lost, slot);
            partners->lost++;
        }
    }
    return true;
}

/* Opens the pages of all partners, because two threads may write to one page. */
static void open_pages(ls_world *world, const ls_plan_system *plan, const ls_partners *partners)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        uint32_t column = plan->terms[i].column;
        for (uint32_t lane = 0;
             plan->terms[i].kind == LS_PARTNER && lane < world->program->lane_count; lane++) {
            const lane_claims *found = &partners->lanes[lane];
            for (uint32_t at = 0; at < found->count; at++) {
                const ls_page *page = ls_world_page(world, column, lane, at);
                uint64_t used = 0;
                for (uint32_t word = 0; page && word < LS_PAGE_WORDS; word++)
                    used |= found->pages[at].claimed[word] & page->present[word];
                if (used)
                    ls_table_write(*ls_world_table(world, column, lane), at,
                                   &world->sources[column]);
            }
        }
    }
}

bool ls_partners_begin(ls_world *world, const ls_plan_system *plan, ls_run *run, uint32_t position)
{
    ls_partners *partners = run->partners;
    const match_walk walk = {world, plan, &run->queries[0], UINT32_MAX, {0}};
    uint64_t stamp = find_stamp(world, plan);
    if (stamp == 0 || stamp != partners->stamp) {
        partners->stamp = partners->lost = 0;
        for (uint32_t lane = 0; lane < world->program->lane_count; lane++)
            partners->lanes[lane].count = 0;
        if (!claim_all(world, partners, walk, position))
            return false;
        partners->stamp = stamp;
    }
    open_pages(world, plan, partners);
    return true;
}

void ls_partners_end(ls_world *world, const ls_run *run)
{
    if (run->partners->lost == 0 || run->chunks == 0)
        return;
    ls_mutex_lock(&world->base->scratch->merge_lock);
    world->base->state.dropped[LS_DROPPED_VALUES] += run->partners->lost;
    ls_mutex_unlock(&world->base->scratch->merge_lock);
}

const uint64_t *ls_partners_claimed(const ls_run *run, uint32_t lane, uint32_t page)
{
    const claims *found = find_claims(run->partners, lane, page);
    return found ? found->claimed : NULL;
}

void *ls_partner_write_(ls_context *context, uint32_t term, ls_entity own)
{
    const ls_plan_term *found = ls_check_kind(context, term, own, LS_PARTNER, LS_ACCESS_WRITE);
    const ls_plan_system *plan = context->plan;
    ls_world *world = context->world;
    uint32_t lane = ls_entity_lane(own), slot = ls_entity_slot(own) % LS_PAGE_SLOTS;
    if (LS_UNLIKELY((uint32_t)own - context->front.own_first >= context->front.own_count))
        ls_access_fault(context, term, own,
                        "a concurrent system writes the partner of another entity than its own");
    const claims *of_own =
        find_claims(context->run->partners, lane, ls_entity_slot(own) / LS_PAGE_SLOTS);
    ls_page *references = ls_store_find_page(world, plan->partner_column, own);
    if (LS_UNLIKELY(!of_own || !references || !ls_bit_has(of_own->matched, slot) ||
                    ls_bit_has(of_own->lost, slot)))
        return NULL;
    ls_entity partner = partner_of(world, plan, references, slot);
    if (!ls_is_reachable(context, found, partner))
        return NULL;
    ls_page *cells = ls_store_find_page(world, found->column, partner);
    if (!cells)
        return NULL;
    LS_ASSERT(cells->is_open); /* since ls_partners_begin(): other threads may be writing to it */
    ls_write_set_note(context->asked, found->column, partner);
    return ls_store_cell(world, found->column, cells, ls_entity_slot(partner));
}

static const char *met_component(const ls_program *program, const ls_plan_system *plan)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        if (plan->terms[i].kind == LS_PARTNER && looks_at_own(plan, plan->terms[i].column))
            return program->components[plan->terms[i].column]->name;
    }
    return "";
}

ls_status ls_partner_clash_print(const ls_world *world, ls_error *error)
{
    const ls_program *program = world->program;
    const ls_partner_breach *breach = &world->scratch->partner_breach;
    const ls_plan_system *plan = ls_plan_at(program, breach->position);
    const char *by = program->components[plan->partner_column]->name;
    ls_builder first = {0}, second = {0}, partner = {0};
    ls_entity_print(&first, program, breach->first);
    ls_entity_print(&second, program, breach->second);
    ls_entity_print(&partner, program, breach->partner);
    if (breach->first == breach->partner)
        ls_error_set(error, LS_ERROR_REFUSED,
                     "tick %" PRIu64 ": system \"%s\" matches %s and its partner %s (by \"%s\"), "
                     "which reads or writes its own \"%s\"; let partners be no matches, or the "
                     "first one win (LS_PARTNER_FIRST_WINS)",
                     world->state.tick, plan->system->name, second.data, partner.data, by,
                     met_component(program, plan));
    else
        ls_error_set(error, LS_ERROR_REFUSED,
                     "tick %" PRIu64 ": system \"%s\" matches %s and %s, which both have the "
                     "partner %s (by \"%s\"); give them different ones, or let the first one win "
                     "(LS_PARTNER_FIRST_WINS)",
                     world->state.tick, plan->system->name, first.data, second.data, partner.data,
                     by);
    ls_free(first.data);
    ls_free(second.data);
    ls_free(partner.data);
    return LS_ERROR_REFUSED;
}
