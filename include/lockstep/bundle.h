/* Spawns an entity with several components, or gives them to one.
 *
 *     LS_SPAWN_WITH(context, 0, VALUE(place, .x = 1), VALUE(life, .points = 10), TAG(asleep));
 *
 * Each part is an LS_ATTACH or an LS_ATTACH_TAG of include/lockstep/uses.h, with its names and its
 * checks, in the order of the list. A bundle that several systems spawn is a macro; it may have
 * parameters and other bundles:
 *
 *     #define SHEEP(at) VALUE(place, .x = at), VALUE(life, .points = 10)
 *     LS_SPAWN_WITH(context, 0, SHEEP(LS_FIX(3)), TAG(asleep))
 */
#ifndef LS_BUNDLE_H
#define LS_BUNDLE_H
#pragma GCC system_header /* for the reason in define_table.h */

#include <lockstep/each.h>
#include <lockstep/uses.h>

/* Gives the entity, as ls_spawn() does. When the lane is full, nothing is attached. */
#define LS_SPAWN_WITH(context, lane, ...)                                                          \
    LS_BUNDLE_ON_(context, ls_spawn(bundle_context_, lane), ATTACH, __VA_ARGS__)
/* Like LS_SPAWN_WITH, but with commands that take effect at the sync point: see
 * ls_command_spawn(). */
#define LS_COMMAND_SPAWN_WITH(context, lane, ...)                                                  \
    LS_BUNDLE_ON_(context, ls_command_spawn(bundle_context_, lane), COMMAND, __VA_ARGS__)
/* Gives these components to an existing entity; those that it already has get the values. */
#define LS_ATTACH_WITH(context, entity, ...) LS_BUNDLE_ON_(context, entity, ATTACH, __VA_ARGS__)

#define LS_BUNDLE_ON_(context, entity, way, ...)                                                   \
    __extension__({                                                                                \
        ls_context *bundle_context_ = context;                                                     \
        ls_entity bundle_entity_ = entity;                                                         \
        LS_EACH_(LS_BUNDLE_PART_, way, __VA_ARGS__)                                                \
        bundle_entity_;                                                                            \
    })
#define LS_BUNDLE_PART_(way, part) LS_BUNDLE_##way##_##part
#define LS_BUNDLE_ATTACH_VALUE(name, ...)                                                          \
    (void)LS_ATTACH(bundle_context_, name, bundle_entity_, __VA_ARGS__);
#define LS_BUNDLE_ATTACH_TAG(name) (void)LS_ATTACH_TAG(bundle_context_, name, bundle_entity_);
#define LS_BUNDLE_COMMAND_VALUE(name, ...)                                                         \
    LS_COMMAND_ATTACH(bundle_context_, name, bundle_entity_, __VA_ARGS__);
#define LS_BUNDLE_COMMAND_TAG(name) LS_COMMAND_ATTACH_TAG(bundle_context_, name, bundle_entity_);

#endif
