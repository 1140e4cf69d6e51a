#include "cli/common/inspect.h"
#include "core/text/json_print.h"

#include "cli/common/suggest.h"
#include "core/schedule/value_text.h"

static ls_status find_component(const ls_program *program, const char *name,
                                const ls_component **found, ls_error *error)
{
    const char *names[LS_COMPONENTS_MAX];
    uint32_t count = ls_program_column_count(program);
    for (uint32_t column = 0; column < count; column++) {
        *found = ls_program_component(program, column);
        names[column] = (*found)->name;
        if (strcmp(names[column], name) == 0)
            return LS_OK;
    }
    const char *nearest = ls_suggest(name, names, count);
    *found = NULL;
    return ls_error_set(error, LS_ERROR_NOT_FOUND, "%s has no component '%s'%s%s%s",
                        ls_program_sim(program)->name, name, nearest ? ", did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : "");
}

ls_status ls_inspect_find(const ls_program *program, const char *component, const char *entity,
                          ls_inspect *inspect, ls_error *error)
{
    *inspect = (ls_inspect){0};
    if (component) {
        ls_status status = find_component(program, component, &inspect->component, error);
        if (status)
            return status;
    }
    if (!entity)
        return LS_OK;
    if (!ls_entity_parse(program, entity, &inspect->entity))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "'%s' is no entity: give LANE/SLOT:GENERATION, as `print` shows them",
                            entity);
    if (inspect->component && inspect->component->is_singleton)
        return ls_error_set(error, LS_ERROR_USAGE, "%s belongs to the whole world, not to %s",
                            component, entity);
    return LS_OK;
}

/* Called for each chosen cell of one component; `entity` is LS_ENTITY_NULL for a singleton. */
typedef void visit_cell(void *argument, const ls_world *world, const ls_component *component,
                        ls_entity entity, const void *cell);

static void walk_column(const ls_world *world, const ls_component *component, visit_cell *visit,
                        void *argument)
{
    const ls_term terms[2] = {{component, LS_INCLUDE, LS_ACCESS_READ, 0}};
    ls_world_walk walk;
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        const uint8_t *cells = walk.span.const_cells[0]; /* NULL if the component is a tag */
        for (uint32_t i = 0; i < walk.span.count; i++)
            visit(argument, world, component, ls_span_entity(&walk.span, i),
                  component->bytes ? cells + (size_t)component->bytes * i : cells);
    }
}

/* A search for one entity with a tag. A tag has no cell whose address could tell, so all entities
 * with the tag are visited. */
struct wanted {
    ls_entity entity;
    bool is_found;
};

static void look_for(void *argument, const ls_world *world, const ls_component *component,
                     ls_entity entity, const void *cell)
{
    struct wanted *wanted = argument;
    (void)world, (void)component, (void)cell;
    wanted->is_found |= entity == wanted->entity;
}

static void visit_column(const ls_inspect *inspect, const ls_world *world,
                         const ls_component *component, visit_cell *visit, void *argument)
{
    struct wanted wanted = {.entity = inspect->entity};
    if (component->is_singleton) {
        if (inspect->entity == LS_ENTITY_NULL)
            visit(argument, world, component, LS_ENTITY_NULL, ls_world_singleton(world, component));
    } else if (inspect->entity == LS_ENTITY_NULL) {
        walk_column(world, component, visit, argument);
    } else if (component->bytes == 0) {
        walk_column(world, component, look_for, &wanted);
        if (wanted.is_found)
            visit(argument, world, component, inspect->entity, NULL);
    } else {
        const void *cell = ls_world_cell(world, component, inspect->entity);
        if (cell)
            visit(argument, world, component, inspect->entity, cell);
    }
}

static void add_line(void *argument, const ls_world *world, const ls_component *component,
                     ls_entity entity, const void *cell)
{
    ls_builder *text = argument;
    const ls_program *program = ls_world_program(world);
    if (entity != LS_ENTITY_NULL) {
        ls_entity_print(text, program, entity);
        ls_builder_add(text, " ");
    }
    ls_builder_add(text, "%s ", component->name);
    ls_cell_json(text, program, NULL, component, cell);
    ls_builder_add(text, "\n");
}

static bool is_chosen(const ls_inspect *inspect, const ls_component *component)
{
    return !inspect->component || inspect->component == component;
}

void ls_inspect_text(const ls_inspect *inspect, const ls_world *world, ls_builder *text)
{
    const ls_program *program = ls_world_program(world);
    if (inspect->entity != LS_ENTITY_NULL && !ls_world_is_alive(world, inspect->entity)) {
        ls_entity_print(text, program, inspect->entity);
        ls_builder_add(text, " does not live\n");
        return;
    }
    for (uint32_t column = 0; column < ls_program_column_count(program); column++) {
        const ls_component *component = ls_program_component(program, column);
        if (is_chosen(inspect, component))
            visit_column(inspect, world, component, add_line, text);
    }
}

/* Adds a cell as JSON: a singleton's value belongs to the component itself, other values to their
 * entity. */
static void add_member(void *argument, const ls_world *world, const ls_component *component,
                       ls_entity entity, const void *cell)
{
    ls_builder *text = argument, name = {0};
    const ls_program *program = ls_world_program(world);
    if (component->is_singleton)
        ls_builder_add(&name, "%s", component->name);
    else
        ls_entity_print(&name, program, entity);
    ls_cell_json(text, program, name.data, component, cell);
    ls_free(name.data);
}

static void add_component(const ls_inspect *inspect, const ls_world *world,
                          const ls_component *component, ls_builder *text)
{
    size_t begin = text->count;
    if (!component->is_singleton)
        ls_json_open(text, component->name, '{');
    size_t empty = text->count;
    visit_column(inspect, world, component, add_member, text);
    if (text->count == empty)
        ls_builder_cut(text, empty - begin); /* no chosen entity has this component */
    else if (!component->is_singleton)
        ls_json_close(text, '}');
}

void ls_inspect_json(const ls_inspect *inspect, const ls_world *world, ls_builder *text)
{
    const ls_program *program = ls_world_program(world);
    ls_json_open(text, NULL, '{');
    for (uint32_t column = 0; column < ls_program_column_count(program); column++) {
        const ls_component *component = ls_program_component(program, column);
        if (is_chosen(inspect, component))
            add_component(inspect, world, component, text);
    }
    ls_json_close(text, '}');
}
