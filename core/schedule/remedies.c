#include "core/schedule/remedies.h"

#include "core/schedule/schedule_report_internal.h"
#include <lockstep/program_view.h>

#include <string.h>

/* Up to these numbers of pairs and systems every edge is tried, in both directions; beyond them
 * pairs keep the serial order. STEPS_MAX: how many edges the exact search tries in all. */
enum { PAIRS_TO_SEARCH = 48, SYSTEMS_TO_SEARCH = 96, STEPS_MAX = 200000 };

struct edge {
    uint32_t earlier, later;
};

struct search {
    struct edge *pairs, *candidates;
    uint32_t pair_count, candidate_count;
    uint32_t steps; /* number of edges tried */
    struct edge *chosen;
    uint32_t chosen_count;
};

static bool reaches(const ls_graph *paths, uint32_t earlier, uint32_t later)
{
    return earlier == later || ls_graph_has(paths, earlier, later);
}

static bool is_settled(const ls_graph *paths, struct edge pair)
{
    return ls_graph_has(paths, pair.earlier, pair.later) ||
           ls_graph_has(paths, pair.later, pair.earlier);
}

static uint32_t count_open(const struct search *search, const ls_graph *paths)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->pair_count; i++)
        count += !is_settled(paths, search->pairs[i]);
    return count;
}

/* The number of unordered pairs that the edge would order. */
static uint32_t gain_of(const struct search *search, const ls_graph *paths, struct edge edge)
{
    uint32_t gain = 0;
    for (uint32_t i = 0; i < search->pair_count; i++) {
        struct edge pair = search->pairs[i];
        gain += !is_settled(paths, pair) && ((reaches(paths, pair.earlier, edge.earlier) &&
                                              reaches(paths, edge.later, pair.later)) ||
                                             (reaches(paths, pair.later, edge.earlier) &&
                                              reaches(paths, edge.later, pair.earlier)));
    }
    return gain;
}

static void add_path(ls_graph *paths, struct edge edge)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        if (!reaches(paths, i, edge.earlier))
            continue;
        ls_graph_add(paths, i, edge.later);
        ls_bits_or(ls_graph_row(paths, i), ls_graph_row(paths, edge.later), paths->words);
    }
}

static void copy_graph(const ls_graph *from, ls_graph *to)
{
    ls_graph_init(to, from->count);
    memcpy(to->after, from->after, sizeof(uint64_t) * from->words * from->count);
}

/* Chooses the best edge repeatedly. Candidates are sorted so that an edge of an open pair comes
 * before an edge between other systems. */
static uint32_t search_greedily(struct search *search, const ls_graph *known)
{
    ls_graph paths;
    copy_graph(known, &paths);
    uint32_t count = 0;
    while (count_open(search, &paths)) {
        uint32_t best = 0;
        for (uint32_t i = 0; i < search->candidate_count; i++) {
            struct edge edge = search->candidates[i];
            uint32_t gain = is_settled(&paths, edge) ? 0 : gain_of(search, &paths, edge);
            if (gain > best) {
                best = gain;
                search->chosen[count] = edge;
            }
        }
        add_path(&paths, search->chosen[count++]);
    }
    ls_graph_reset(&paths);
    return count;
}

/* Whether `left` more edges, among the candidates from `first` on, order all pairs; search->chosen
 * then has them. False also when STEPS_MAX edges were tried. */
static bool search_exactly(struct search *search, const ls_graph *known, uint32_t first,
                           uint32_t chosen, uint32_t left)
{
    if (left == 0)
        return count_open(search, known) == 0;
    for (uint32_t i = first; i < search->candidate_count && search->steps < STEPS_MAX; i++) {
        struct edge edge = search->candidates[i];
        search->steps++;
        if (is_settled(known, edge))
            continue;
        ls_graph paths;
        copy_graph(known, &paths);
        add_path(&paths, edge);
        struct edge kept = search->chosen[chosen];
        search->chosen[chosen] = edge;
        bool is_found = search_exactly(search, &paths, i + 1, chosen + 1, left - 1);
        ls_graph_reset(&paths);
        if (is_found)
            return true;
        search->chosen[chosen] = kept;
    }
    return false;
}

static void find_candidates(struct search *search, const ls_program *program)
{
    uint32_t count = program->system_count;
    search->candidates = ls_alloc(sizeof *search->candidates * ((size_t)count * count + 1));
    for (uint32_t i = 0; i < search->pair_count; i++)
        search->candidates[search->candidate_count++] = search->pairs[i];
    for (uint32_t i = 0; i < count * count; i++) {
        struct edge edge = {i / count, i % count};
        bool is_listed = edge.earlier == edge.later ||
                         ls_program_is_ordered(program, i / count, i % count) ||
                         ls_program_is_ordered(program, i % count, i / count);
        for (uint32_t j = 0; j < search->pair_count && !is_listed; j++)
            is_listed =
                search->pairs[j].earlier == edge.earlier && search->pairs[j].later == edge.later;
        if (!is_listed && gain_of(search, &program->paths, edge))
            search->candidates[search->candidate_count++] = edge;
    }
}

static void search_small(struct search *search, const ls_program *program,
                         ls_schedule_report *report)
{
    find_candidates(search, program);
    uint32_t count = search_greedily(search, &program->paths);
    report->is_smallest = true;
    for (uint32_t fewer = 1; fewer < count; fewer++) {
        if (search_exactly(search, &program->paths, 0, 0, fewer)) {
            count = fewer;
            break;
        }
        report->is_smallest = search->steps < STEPS_MAX;
        if (!report->is_smallest)
            break;
    }
    search->chosen_count = count;
}

/* Chooses an edge in serial order for each pair, without edges that the others imply. */
static void take_serial_order(struct search *search, const ls_program *program,
                              const ls_graph *ambiguous)
{
    ls_graph edges, paths;
    uint32_t *order = ls_alloc(sizeof *order * program->system_count);
    for (uint32_t i = 0; i < program->system_count; i++)
        order[i] = i;
    copy_graph(&program->paths, &edges);
    ls_graph_init(&paths, edges.count);
    ls_bits_or(edges.after, ambiguous->after, edges.words * edges.count);
    ls_graph_close(&edges, order, &paths);
    ls_graph_reduce(&edges, order, &paths);
    for (uint32_t i = 0; i < search->pair_count; i++) {
        if (ls_graph_has(&edges, search->pairs[i].earlier, search->pairs[i].later))
            search->chosen[search->chosen_count++] = search->pairs[i];
    }
    ls_graph_reset(&edges);
    ls_graph_reset(&paths);
    ls_free(order);
}

static void find_pairs(struct search *search, const ls_graph *ambiguous)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ambiguous->words * ambiguous->count; i++)
        count += (uint32_t)__builtin_popcountll(ambiguous->after[i]);
    search->pairs = ls_alloc(sizeof *search->pairs * (count + 1));
    search->chosen = ls_alloc(sizeof *search->chosen * (count + 1));
    for (uint32_t i = 0; i < ambiguous->count; i++) {
        const uint64_t *row = ls_graph_row(ambiguous, i);
        for (uint32_t j = ls_bits_next(row, ambiguous->words, 0); j < ambiguous->count;
             j = ls_bits_next(row, ambiguous->words, j + 1))
            search->pairs[search->pair_count++] = (struct edge){i, j};
    }
}

void ls_remedies_find(const ls_program *program, const ls_graph *ambiguous,
                      ls_schedule_report *report)
{
    struct search search = {0};
    find_pairs(&search, ambiguous);
    if (search.pair_count == 0)
        ;
    else if (search.pair_count <= PAIRS_TO_SEARCH && program->system_count <= SYSTEMS_TO_SEARCH)
        search_small(&search, program, report);
    else
        take_serial_order(&search, program, ambiguous);
    for (uint32_t i = 0; i < search.chosen_count; i++)
        ls_schedule_report_add_remedy(report,
                                      program->systems[search.chosen[i].earlier].system->name,
                                      program->systems[search.chosen[i].later].system->name);
    ls_free(search.pairs);
    ls_free(search.candidates);
    ls_free(search.chosen);
}
