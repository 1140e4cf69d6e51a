#include "cli/common/system_text.h"
#include "core/schedule/lists.h"

static const char *const kind_words[] = {
    [LS_INCLUDE] = "",
    [LS_EXCLUDE] = "without ",
    [LS_OPTIONAL] = "optionally ",
    [LS_OTHERS] = "others' ",
    [LS_START] = "others' first ",
    [LS_SPAWNED] = "spawned entities' ",
    [LS_COMMANDS] = "later ",
    [LS_ACCUMULATED] = "any entity's ",
    [LS_EVENTS] = "event ",
    [LS_LANE] = "in lane ",
    [LS_PARTNER] = "partner's ",
};
static const char *const access_words[] = {
    [LS_ACCESS_PRESENCE] = "",      [LS_ACCESS_READ] = "read ",
    [LS_ACCESS_WRITE] = "write ",   [LS_ACCESS_STRUCTURE] = "structure ",
    [LS_ADD] = "add to ",           [LS_MIN] = "minimum of ",
    [LS_MAX] = "maximum of ",       [LS_OR] = "or into ",
    [LS_ARG_MIN] = "least of ",     [LS_ARG_MAX] = "greatest of ",
    [LS_COMBINE] = "combine into ",
};

static const char *access_word(const ls_term *term)
{
    if (term->kind == LS_EVENTS)
        return term->access == LS_ACCESS_WRITE ? "send " : "receive ";
    if (term->filter >= LS_FILTER_CHANGED)
        return "";
    if (term->kind == LS_INCLUDE && term->access == LS_ACCESS_PRESENCE)
        return "with ";
    return access_words[term->access];
}

/* The terms of a choice follow each other: "any of a", "or b". */
static const char *const filter_words[] = {
    [LS_FILTER_ANY] = "any of ",      [LS_FILTER_OR] = "or ",
    [LS_FILTER_CHANGED] = "changed ", [LS_FILTER_ADDED] = "added ",
    [LS_FILTER_REMOVED] = "removed ", [LS_FILTER_OBSERVED] = "observe "};

static const char *kind_word(const ls_term *term)
{
    return term->filter ? filter_words[term->filter] : kind_words[term->kind];
}

static void print_term(const ls_term *term, char *text, size_t bytes)
{
    int used = snprintf(text, bytes, "%s%s%s", access_word(term), kind_word(term),
                        term->lane ? term->lane : term->component->name);
    if (term->query && (size_t)used < bytes)
        snprintf(text + used, bytes - (size_t)used, " (%squery %u)",
                 term->query & LS_WALKED ? "walked " : "", term->query & ~LS_WALKED);
}

static void print_join(const ls_join *join, char *text, size_t bytes)
{
    if (join->query)
        snprintf(text, bytes, "join by key of %s (drives query %u)", join->component->name,
                 join->query);
    else
        snprintf(text, bytes, "join by key of %s%s%s", join->component->name,
                 join->with ? " with " : "", join->with ? join->with->name : "");
}

bool ls_system_touch(const ls_system *system, uint32_t index, char *text, size_t bytes)
{
    for (uint32_t i = 0; ls_term_of(system, i); i++) {
        if (index-- == 0)
            return print_term(&system->terms[i], text, bytes), true;
    }
    for (uint32_t i = 0; ls_join_of(system, i); i++) {
        if (index-- == 0)
            return print_join(&system->joins[i], text, bytes), true;
    }
    for (uint32_t i = 0; ls_grid_of(system, i); i++) {
        const ls_grid *grid = &system->grids[i];
        if (index-- == 0)
            return snprintf(text, bytes, "join by place%s of %s%s%s", grid->has_z ? " in 3D" : "",
                            grid->component->name, grid->with ? " with " : "",
                            grid->with ? grid->with->name : ""),
                   true;
    }
    const ls_component *parents = system->parents_first.component;
    if (parents && index == 0)
        return snprintf(text, bytes, "parents first by %s", parents->name), true;
    return false;
}

void ls_system_text_names(ls_builder *text, const char *title, const char *names)
{
    uint32_t count = 0;
    for (ls_name_list list = ls_name_list_of(names); ls_name_list_next(&list); count++)
        ls_builder_add(text, "%s%s", count ? ", " : title, list.name);
    if (count)
        ls_builder_add(text, "\n");
}
