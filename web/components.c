#include "web/components.h"

#include "core/base/json_writer.h"
#include "core/text/json_print.h"

enum { DESCRIBE_BYTES = 256 };

static void add_field(ls_builder *text, const ls_field *field)
{
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", field->name);
    ls_json_string(text, "type", ls_type_name(field->type));
    ls_json_u64(text, "offset", field->offset);
    ls_json_u64(text, "bytes", field->bytes);
    ls_json_u64(text, "count", field->bytes / ls_type_bytes(field->type));
    ls_json_u64(text, "max", field->max);
    if (field->names) {
        ls_json_open(text, "names", '[');
        for (uint64_t i = 0; i <= field->max; i++)
            ls_json_string(text, NULL, field->names[i]);
        ls_json_close(text, ']');
    }
    ls_json_close(text, '}');
}

static void add_lanes(const ls_program *program, ls_builder *text)
{
    const ls_sim *sim = ls_program_sim(program);
    ls_json_open(text, "lanes", '{');
    for (uint32_t i = 0; i < sim->lane_count; i++)
        ls_json_u64(text, sim->lanes[i], ls_program_find_lane(program, sim->lanes[i]));
    ls_json_close(text, '}');
}

void ls_web_components_print(const ls_program *program, ls_builder *text)
{
    add_lanes(program, text);
    ls_json_open(text, "components", '[');
    for (uint32_t i = 0; i < ls_program_column_count(program); i++) {
        const ls_component *component = ls_program_component(program, i);
        ls_json_open(text, NULL, '{');
        ls_json_string(text, "name", component->name);
        ls_json_u64(text, "bytes", component->bytes);
        ls_json_bool(text, "isSingleton", component->is_singleton);
        ls_json_open(text, "fields", '[');
        for (uint32_t k = 0; k < component->field_count; k++)
            add_field(text, &component->fields[k]);
        ls_json_close(text, ']');
        ls_json_close(text, '}');
    }
    ls_json_close(text, ']');
}

void ls_web_options_print(const ls_program *program, const ls_match *match, ls_builder *text)
{
    const ls_sim *sim = ls_program_sim(program);
    ls_json_open(text, "options", '{');
    for (uint32_t i = 0; i < sim->option_count; i++)
        ls_json_i64(text, sim->options[i].name, match->options[i]);
    ls_json_close(text, '}');
}

void ls_web_world_print(const ls_program *program, const ls_world *world, ls_builder *text)
{
    const ls_sim *sim = ls_program_sim(program);
    char line[DESCRIBE_BYTES] = "";
    if (sim->describe)
        sim->describe(world, line, sizeof line);
    ls_json_string(text, "line", line);
    ls_json_open(text, "singletons", '{');
    for (uint32_t i = 0; i < ls_program_column_count(program); i++) {
        const ls_component *component = ls_program_component(program, i);
        if (component->is_singleton)
            ls_cell_json(text, program, component->name, component,
                         ls_world_singleton(world, component));
    }
    ls_json_close(text, '}');
}
