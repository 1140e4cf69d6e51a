#include "desync/divergence_search.h"

#include "desync/bisect.h"

#include <stdio.h>
#include <string.h>

/* Appends to `how`; text that does not fit is left out. */
static void add_how(ls_divergence *divergence, const char *text)
{
    char *to = divergence->how;
    size_t used = strlen(to);
    snprintf(to + used, sizeof divergence->how - used, "%s%s", used && text[0] ? "; " : "", text);
}

static void take_line(const ls_first_difference *difference, ls_divergence *divergence)
{
    for (uint32_t i = 2; i-- > 0;) {
        const ls_first_difference_store *store = &difference->stores[i];
        if (!store->is_there || !store->place.function)
            continue;
        ls_source_place_print(&store->place, divergence->line, sizeof divergence->line);
        return;
    }
}

/* Takes over the cell with its values. A difference with is_alone has the replay first and the
 * recording second; any other has the recording first. */
static void take_place(const ls_program *program, const ls_first_difference *difference,
                       ls_divergence *divergence)
{
    const ls_suspect *suspect = &difference->suspect;
    const char *values[2] = {suspect->a, suspect->b};
    const ls_difference place = {.component = suspect->component,
                                 .field = suspect->field,
                                 .item = suspect->item,
                                 .entity = suspect->entity,
                                 .a = values[difference->is_alone],
                                 .b = values[!difference->is_alone]};
    ls_divergence_set_place(divergence, program, &place);
    if (!suspect->has_values)
        divergence->expected[0] = divergence->found[0] = 0;
    ls_divergence_set(divergence->system, suspect->system);
    if (suspect->system)
        divergence->writers[0] = 0;
    snprintf(divergence->why, sizeof divergence->why, "%s", suspect->text);
    if (difference->is_alone && !suspect->system && difference->why.text[0])
        snprintf(divergence->why, sizeof divergence->why, "the store is unknown: %.280s",
                 difference->why.text);
    take_line(difference, divergence);
}

static void describe_variants(const ls_bisect *bisect, ls_divergence *divergence)
{
    char text[LS_DIVERGENCE_TEXT_BYTES] = "";
    if (bisect->is_guess)
        snprintf(text, sizeof text,
                 "two runs of the tick differ so here; neither need be what was recorded");
    else if (!bisect->has_difference && bisect->variants[0][0])
        snprintf(text, sizeof text, "run once more %s, the tick ends as recorded",
                 bisect->variants[0]);
    else if (bisect->has_difference && strcmp(bisect->variants[0], bisect->variants[1]) == 0)
        snprintf(text, sizeof text, "the tick does not end the same each time");
    else if (bisect->has_difference)
        snprintf(text, sizeof text, "run %s, the tick ends as recorded; found: %s",
                 bisect->variants[0], bisect->variants[1]);
    add_how(divergence, text);
}

void ls_divergence_find(ls_recording *recording, const ls_program *program,
                        const ls_root_difference *difference, ls_divergence *divergence)
{
    ls_bisect bisect;
    ls_bisect_replay(recording, program, difference, &bisect);
    const ls_suspect *suspect = &bisect.difference.suspect;
    bool is_start = bisect.kind == LS_BISECT_START;
    bool is_recorded = bisect.has_difference && bisect.difference.is_alone;
    bool is_run = bisect.has_difference && !is_recorded && (suspect->component || suspect->system);
    *divergence = is_run ? (ls_divergence){.seen_tick = difference->tick} : bisect.recorded_diff;
    divergence->is_start = is_start;
    divergence->tick = bisect.tick;
    divergence->expected_root = difference->expected;
    divergence->found_root = difference->found;
    divergence->how[0] = 0;
    add_how(divergence, bisect.trouble.text);
    if (!is_recorded)
        describe_variants(&bisect, divergence);
    if (!is_run && (!divergence->how[0] || divergence->component[0] || divergence->found[0]))
        add_how(divergence, bisect.recorded_diff.how);
    if (is_run || is_recorded)
        take_place(program, &bisect.difference, divergence);
    ls_bisect_reset(&bisect);
}
