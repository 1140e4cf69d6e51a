/* The calls of a system with READS_WORLD or WRITES_WORLD: cells of any component of the simulation
 * by its name, without a term of its own.
 *
 *     LS_TERMS(resetting, WRITES_WORLD, WALKS(1, WITH(place)));
 *     LS_EACH_MATCH(context, 1, entity)
 *         LS_DETACH_ANY(context, life, entity);
 *
 *   errors  without such a term they do not compile; a component that the simulation does not list
 *           stops the process, and the message names it */
#ifndef LS_WHOLE_WORLD_H
#define LS_WHOLE_WORLD_H
#pragma GCC system_header /* for the reason in define_table.h */

#include <lockstep/uses.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The index of a component's term, for the functions of access.h and context.h. It follows the
 * indexes of the system's own terms. Compares names: ask once per invocation, not once per
 * entity. */
LS_API uint32_t ls_world_term(const ls_context *context, const ls_component *component);

#define LS_ANY_TERM_(context, component, grant)                                                    \
    ((void)sizeof(LS_USES_is_missing->world.grant), ls_world_term(context, &component##_component))

/* As LS_READ() and so on of uses.h, with the name of the component instead of that of a term. */
#define LS_READ_ANY(context, component, entity)                                                    \
    ((const component##_cell_ *)ls_cell_find_(                                                     \
        context, LS_ANY_TERM_(context, component, may_read_any), entity))
#define LS_HAS_ANY(context, component, entity)                                                     \
    ls_cell_has(context, LS_ANY_TERM_(context, component, may_read_any), entity)
#define LS_WRITE_ANY(context, component, entity)                                                   \
    ((component##_cell_ *)ls_cell_write_(context, LS_ANY_TERM_(context, component, may_write_any), \
                                         entity))
#define LS_ATTACH_ANY(context, component, entity, ...)                                             \
    ls_cell_attach_(context, LS_ANY_TERM_(context, component, may_write_any), entity,              \
                    LS_VALUE_(component##_cell_, __VA_ARGS__))
#define LS_ATTACH_ANY_TAG(context, component, entity)                                              \
    ls_cell_attach_(context, LS_ANY_TERM_(context, component, may_write_any), entity, NULL)
#define LS_DETACH_ANY(context, component, entity)                                                  \
    ls_cell_detach(context, LS_ANY_TERM_(context, component, may_write_any), entity)
#define LS_READ_ANY_SINGLETON(context, component)                                                  \
    ((const component##_cell_ *)ls_singleton_read_(                                                \
        context, LS_ANY_TERM_(context, component, may_read_any)))
#define LS_WRITE_ANY_SINGLETON(context, component)                                                 \
    ((component##_cell_ *)ls_singleton_write_(context,                                             \
                                              LS_ANY_TERM_(context, component, may_write_any)))

#ifdef __cplusplus
}
#endif

#endif
