/* Prefabs: entities by name, each a row of component values. A list of prefabs is constant data. It
 * may be in a file of its own, with a row for each prefab:
 *
 *     LS_PREFABS(castes,
 *         PREFAB(worker, VALUE(life, .points = 10), TAG(busy)),
 *         PREFAB(queen, ROW(life, lives, 1), VALUE(crown, .age = 3)));
 *
 *     ls_spawn_prefab(context, 0, &castes[castes_queen]);
 *     const ls_prefab *found = LS_PREFAB_NAMED(castes, "queen");
 *
 * ROW(life, lives, 1) is a `life` with the value of row 1 of the match data table that
 * `lives_component` describes (include/lockstep/module.h). So it may depend on the options of the
 * match. Both have the same fields: LS_COMPONENT_OF(life, lives, "lives", I32(points)).
 *   errors  A field that the component lacks does not compile; the message has the file and the
 *           line of the prefab. A component that the system does not spawn with, a row that the
 *           table lacks, and NULL, which is what LS_PREFAB_NAMED of an unknown name returns,
 *           stop the process: the message names prefab, component and row
 *   source  docs/ecs.md, "Spawn prefabs" */
#ifndef LS_PREFAB_H
#define LS_PREFAB_H
#pragma GCC system_header /* for the reason in define_table.h */

#include <lockstep/context.h>
#include <lockstep/define.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_prefab_part {
    const ls_component *component; /* NULL ends the list */
    const void *value;             /* NULL: zeros, or the value of `row` in `table` */
    const ls_component *table;     /* the match data table; NULL: `value` counts */
    uint32_t row;
} ls_prefab_part;

typedef struct ls_prefab {
    const char *name;
    const ls_prefab_part *parts;
} ls_prefab;

/* Spawns an entity with the components of the prefab, as ls_spawn() does; the system lists each in
 * SPAWNS_WITH. LS_ATTACH changes single values afterwards. When the lane is full, nothing is
 * attached. */
LS_API ls_entity ls_spawn_prefab(ls_context *context, uint32_t lane, const ls_prefab *prefab);
/* Like ls_spawn_prefab(), but with commands that take effect at the sync point; the system lists
 * each component in COMMANDED. */
LS_API ls_entity ls_command_spawn_prefab(ls_context *context, uint32_t lane,
                                         const ls_prefab *prefab);

/* The prefab of that name among `count`; NULL without one. */
LS_API const ls_prefab *ls_prefab_find(const ls_prefab *prefabs, uint32_t count, const char *name);
#define LS_PREFAB_NAMED(list, name) ls_prefab_find(list, list##_count, name)

#ifdef __cplusplus
}
#endif

/* Defines the array `list`, an index list_NAME for each prefab, and list_count. */
#define LS_PREFABS(list, ...)                                                                      \
    enum { LS_EACH_(LS_PREFAB_INDEX_, list, __VA_ARGS__) list##_count };                           \
    LS_UNUSED_ static const ls_prefab list[] = {LS_EACH_(LS_PREFAB_ROW_, ~, __VA_ARGS__)}
#define LS_PREFAB_INDEX_(list, prefab)   LS_PREFAB_INDEX_2_(list, LS_PREFAB_NAME_##prefab)
#define LS_PREFAB_INDEX_2_(list, name)   LS_PREFAB_INDEX_3_(list, name)
#define LS_PREFAB_INDEX_3_(list, name)   list##_##name,
#define LS_PREFAB_NAME_PREFAB(name, ...) name
#define LS_PREFAB_ROW_(c, prefab)        LS_PREFAB_ROW_##prefab
/* The parts are not in an argument of a macro: there LS_EACH_WITHIN_ would expand too early. */
#define LS_PREFAB_ROW_PREFAB(name, ...)                                                            \
    {#name, LS_LASTING_(ls_prefab_part) LS_EACH_WITHIN_(LS_PREFAB_PART_, ~, __VA_ARGS__){          \
                NULL, NULL, NULL, 0} LS_LASTING_END_},
#define LS_PREFAB_PART_(c, part) LS_PREFAB_PART_##part
#define LS_PREFAB_PART_VALUE(name, ...)                                                            \
    {&name##_component, LS_LASTING_(name##_cell_){__VA_ARGS__} LS_LASTING_END_, NULL, 0},
#define LS_PREFAB_PART_TAG(name)                                                                   \
    {&name##_component, NULL, NULL, 0 * (uint32_t)sizeof(name##_attached_bare_)},
#define LS_PREFAB_PART_ROW(name, table, row) {&name##_component, NULL, &table##_component, row},

#endif
