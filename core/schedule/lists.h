/* Walks the lists of a declaration. A list of names is text with commas between the names; other
 * lists end with an all-zero item. */
#ifndef LS_LISTS_H
#define LS_LISTS_H

#include <lockstep/sim.h>

static inline uint32_t ls_sim_setup_count(const ls_sim *sim)
{
    if (!sim->setup)
        return 0;
    return sim->setup_count ? sim->setup_count : 1;
}

typedef struct ls_name_list {
    const char *rest; /* NULL or "": the list ends */
    uint32_t bytes;   /* length of the name in the text; `name` may be cut to LS_NAME_BYTES_MAX */
    char name[LS_NAME_BYTES_MAX + 1];
} ls_name_list;

static inline ls_name_list ls_name_list_of(const char *text)
{
    return (ls_name_list){.rest = text};
}

/* Copies the next name to list->name; false at the end. */
bool ls_name_list_next(ls_name_list *list);
uint32_t ls_name_list_count(const char *text);
/* Whether the list contains this name. */
bool ls_name_list_has(const char *text, const char *name);
/* Whether a list can contain this name. */
bool ls_name_is_listable(const char *name);

static inline bool ls_term_is_listed(const ls_term *term)
{
    return term->component || term->lane;
}

/* Item `i` of a system's list of terms, where all earlier items exist; NULL after the last.
 * ls_grid_of() and ls_join_of() do the same for the lists of grids and joins. */
static inline const ls_term *ls_term_of(const ls_system *system, uint32_t i)
{
    return system->terms && i < LS_TERMS_MAX && ls_term_is_listed(&system->terms[i])
               ? &system->terms[i]
               : NULL;
}

static inline const ls_grid *ls_grid_of(const ls_system *system, uint32_t i)
{
    return system->grids && i < LS_SYSTEM_GRIDS_MAX && system->grids[i].component
               ? &system->grids[i]
               : NULL;
}

static inline const ls_join *ls_join_of(const ls_system *system, uint32_t i)
{
    return system->joins && i < LS_SYSTEM_JOINS_MAX && system->joins[i].component
               ? &system->joins[i]
               : NULL;
}

#endif
