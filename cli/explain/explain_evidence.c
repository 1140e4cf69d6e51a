#include "cli/explain/explain_evidence.h"

#include "cli/explain/explain_place.h"
#include "core/schedule/program_data.h"
#include "core/schedule/value_text.h"
#include "desync/divergence_search.h"
#include "desync/start_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static ls_status place_pages(const ls_evidence *evidence, bool of_server, ls_world *world,
                             ls_error *error)
{
    ls_cells_claim claims[LS_EVIDENCE_PAGES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < evidence->page_count; i++) {
        const ls_evidence_page *page = &evidence->pages[i];
        const ls_evidence_bytes *bytes = of_server ? &page->server : &page->client;
        if (!bytes->is_missing)
            claims[count++] = (ls_cells_claim){page->column, page->key, bytes->data, bytes->count};
    }
    return ls_cells_place(world, claims, count, error);
}

/* Makes the state that the other side had after the tick: the result here, with the pages of the
 * evidence. `place->side` becomes the name of that side. */
static ls_status make_other(ls_explain_place *place, ls_world **other, ls_error *error)
{
    const ls_evidence *evidence = place->subject.evidence;
    ls_status status = ls_start_state_copy(ls_rerun_world(place->rerun),
                                           place->subject.loaded.program, other, error);
    if (status)
        return status;
    status = ls_world_advance(*other, place->frame, NULL, error);
    if (place->reached)
        ls_statics_put(place->reached);
    bool is_server = !status && ls_world_root(*other) == evidence->client.root;
    place->side = is_server ? "server" : "client";
    if (!status)
        status = place_pages(evidence, is_server, *other, error);
    if (status)
        ls_world_destroy(*other);
    return status;
}

static ls_status compare_other(ls_explain_place *place, void *argument,
                               ls_first_difference *difference, ls_error *error)
{
    ls_world *other;
    const ls_run_variant variant = ls_explain_place_variant(place);
    (void)argument;
    ls_status status = make_other(place, &other, error);
    if (status)
        return status;
    status = ls_first_difference_find_state(&variant, place->frame, other, difference, error);
    ls_world_destroy(other);
    return status;
}

ls_status ls_explain_by_evidence(ls_explain_case *subject, const ls_explain_row *row,
                                 ls_builder *text, ls_error *error)
{
    const ls_explain_search search = {compare_other, NULL};
    return ls_explain_place_search(subject, row, subject->evidence->tick - 1, &search, text, error);
}

struct finding {
    uint64_t tick;
    char system[128], component[128], field[128], entity[128];
};

/* Parses the cell in `Position.x of army2/0:1`; more text may follow. */
static bool parse_cell(const char *text, struct finding *finding)
{
    int end = 0;
    if (sscanf(text, "%127[^. ]%n", finding->component, &end) != 1)
        return false;
    text += end;
    if (*text == '.' && sscanf(text, ".%127[^[ ]%n", finding->field, &end) == 1)
        text += end;
    const char *of = strstr(text, " of ");
    if (of)
        sscanf(of, " of %127[^ ,\n]", finding->entity);
    return true;
}

/* Parses `tick 5: system "steer" writes what it may not write: Position.x of army2/0:1 is ...`. */
static bool parse_finding(const char *text, struct finding *finding)
{
    *finding = (struct finding){0};
    int end = 0;
    if (sscanf(text, "tick %" SCNu64 ": system \"%127[^\"]\" writes what it may not write: %n",
               &finding->tick, finding->system, &end) != 2 ||
        !end)
        return false;
    return parse_cell(text + end, finding);
}

static ls_status find_claim(const ls_program *program, const struct finding *finding,
                            ls_cell_claim *claim, const ls_field **field, ls_error *error)
{
    *claim = (ls_cell_claim){.column = program->column_count, .entity = LS_ENTITY_NULL};
    *field = NULL;
    for (uint32_t i = 0; i < program->column_count; i++)
        if (strcmp(program->components[i]->name, finding->component) == 0)
            claim->column = i;
    if (claim->column == program->column_count ||
        (finding->entity[0] && !ls_entity_parse(program, finding->entity, &claim->entity)))
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "no cell is named");
    const ls_component *component = program->components[claim->column];
    for (uint32_t i = 0; i < component->field_count; i++)
        if (strcmp(component->fields[i].name, finding->field) == 0)
            *field = &component->fields[i];
    return LS_OK;
}

static ls_status find_store(ls_explain_place *place, void *argument,
                            ls_first_difference *difference, ls_error *error)
{
    const struct finding *finding = argument;
    const ls_run_variant variant = ls_explain_place_variant(place);
    ls_cell_claim claim;
    const ls_field *field;
    ls_status status = find_claim(place->subject.loaded.program, finding, &claim, &field, error);
    return status ? status
                  : ls_first_difference_find_store(&variant, place->frame, finding->system, &claim,
                                                   field, difference, error);
}

static ls_status search_store(const ls_explain_case *subject, const ls_explain_row *row,
                              struct finding *finding, ls_builder *text, ls_error *error)
{
    const ls_explain_search search = {find_store, finding};
    return ls_explain_place_search(subject, row, finding->tick, &search, text, error);
}

ls_status ls_explain_by_finding(ls_explain_case *subject, const ls_explain_row *row,
                                ls_builder *text, ls_error *error)
{
    struct finding finding;
    if (!subject->config.finding || !parse_finding(subject->config.finding, &finding))
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "what is read leaves no store");
    return search_store(subject, row, &finding, text, error);
}

ls_status ls_explain_by_cell(ls_explain_case *subject, const ls_explain_row *row,
                             const char *system, const char *component, ls_builder *text,
                             ls_error *error)
{
    const ls_evidence *evidence = subject->evidence;
    struct finding finding = {0};
    for (uint32_t i = 0; i < evidence->finding_count; i++) {
        struct finding next = {.tick = evidence->tick - 1};
        bool is_cell = parse_cell(evidence->findings[i].place, &next);
        bool is_better = !finding.component[0] || (strcmp(next.component, component) == 0 &&
                                                   strcmp(finding.component, component) != 0);
        if (is_cell && is_better)
            finding = next;
    }
    if (!finding.component[0])
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "the evidence names no cell");
    snprintf(finding.system, sizeof finding.system, "%s", system);
    return search_store(subject, row, &finding, text, error);
}

/* Replays the inputs with this program, from the last keyframe at or before `subject->from`, and
 * gives the root of the world before `tick`. */
static ls_status find_root(ls_explain_case *subject, uint64_t tick, uint64_t *root, ls_error *error)
{
    ls_rerun *rerun;
    ls_status status = ls_explain_case_begin(subject, subject->from, &rerun, error);
    if (!status)
        status = ls_explain_case_run(subject, rerun, tick, error);
    if (!status)
        *root = ls_world_root(ls_rerun_world(rerun));
    ls_rerun_destroy(rerun);
    return status;
}

ls_status ls_explain_by_file(ls_explain_case *subject, uint64_t tick, ls_builder *text,
                             ls_error *error)
{
    ls_divergence divergence;
    ls_root_difference difference = {.tick = tick};
    if (!ls_recording_find_root(subject->recording, tick, &difference.expected))
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "the file has no root of tick %" PRIu64,
                            tick);
    ls_status status = find_root(subject, tick, &difference.found, error);
    if (status)
        return status;
    if (difference.found == difference.expected)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "run once more, the tick is the same");
    ls_divergence_find(subject->recording, subject->loaded.program, &difference, &divergence);
    if (!divergence.system[0] && !divergence.component[0] && !divergence.found[0])
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "%s", divergence.how);
    ls_result_writer result;
    ls_result_begin(&result, "");
    ls_divergence_print(&divergence, &result);
    ls_result_pack(&result, text);
    return LS_OK;
}
