/* The simulation fingerprint hashes, in canonical order, everything that decides what a tick does.
 * It leaves out everything that only tells where it was compiled. */
#include "core/schedule/fingerprint.h"

#include "core/base/builder.h"
#include "core/schedule/match_data.h"
#include "core/schedule/program_data.h"
#include <lockstep/hash.h>

#include <string.h>

/* The bytes to hash are all items in turn, each with its length. */
static void add_text(ls_builder *digest, const char *text)
{
    uint8_t bytes[8];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_write_u64(&writer, strlen(text));
    ls_builder_put(digest, (const char *)bytes, sizeof bytes);
    ls_builder_put(digest, text, strlen(text));
}

static void add_number(ls_builder *digest, uint64_t value)
{
    uint8_t bytes[16];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_write_u64(&writer, sizeof value);
    ls_write_u64(&writer, value);
    ls_builder_put(digest, (const char *)bytes, sizeof bytes);
}

static void add_field(ls_builder *digest, const ls_field *field)
{
    add_text(digest, field->name);
    add_text(digest, ls_type_name(field->type));
    add_number(digest, field->offset);
    add_number(digest, field->bytes);
    add_number(digest, field->max);
    for (uint64_t value = 0; field->names && value <= field->max; value++)
        add_text(digest, field->names[value]);
    add_number(digest, field->on_despawn);
    add_text(digest, field->count ? field->count : "");
}

static void add_component(ls_builder *digest, const ls_component *component)
{
    add_text(digest, component->name);
    add_number(digest, component->bytes);
    add_number(digest, component->is_singleton);
    add_number(digest, component->event_ticks);
    add_number(digest, component->field_count);
    for (uint32_t i = 0; i < component->field_count; i++)
        add_field(digest, &component->fields[i]);
}

/* Components and events. */
static void add_components(ls_builder *digest, const ls_program *program)
{
    add_number(digest, program->column_count);
    for (uint32_t i = 0; i < program->column_count; i++)
        add_component(digest, program->components[i]);
    add_number(digest, program->event_count);
    for (uint32_t i = 0; i < program->event_count; i++)
        add_component(digest, program->events[i]);
}

/* Sorted by name, because the order of the simulation's list has no effect. */
static void add_match_tables(ls_builder *digest, const ls_sim *sim)
{
    uint32_t order[LS_MATCH_TABLES_MAX];
    ls_match_tables_order(sim, order);
    add_number(digest, sim->table_count);
    for (uint32_t i = 0; i < sim->table_count; i++)
        add_component(digest, sim->tables[order[i]].row);
}

static void add_join(ls_builder *digest, const ls_plan_join *join)
{
    add_number(digest, join->column);
    add_number(digest, join->offset);
}

static void add_system(ls_builder *digest, const ls_program *program, const ls_plan_system *plan)
{
    add_text(digest, plan->system->name);
    add_number(digest, plan->system->mode);
    /* A term of the whole world adds a term for each component to the plan; these are not in the
     * system's list. */
    uint32_t listed = plan->world_access ? plan->world_first : plan->term_count;
    add_number(digest, plan->term_count);
    for (uint32_t i = 0; i < plan->term_count; i++) {
        add_number(digest, plan->terms[i].column);
        add_number(digest, plan->terms[i].kind);
        add_number(digest, plan->terms[i].access);
        /* the query's number, with the bit LS_WALKED */
        add_number(digest, i < listed ? plan->system->terms[i].query : 0);
        if (plan->terms[i].filter)
            add_number(digest, plan->terms[i].filter);
    }
    add_number(digest, plan->lane_count);
    for (uint32_t i = 0; i < plan->lane_count; i++)
        add_number(digest, plan->lanes[i]);
    add_number(digest, plan->command_lane_count);
    for (uint32_t i = 0; i < plan->command_lane_count; i++)
        add_number(digest, plan->command_lanes[i]);
    add_number(digest, plan->grid_count);
    for (uint32_t i = 0; i < plan->grid_count; i++) {
        const ls_plan_grid *grid = &program->grids[plan->grids[i]];
        /* A grid with z has one number more. */
        add_number(digest, (uint64_t)grid->grid.has_z << 32 | grid->column);
        if (grid->grid.has_z)
            add_number(digest, grid->grid.offset_z);
        add_number(digest, grid->with);
        add_number(digest, grid->grid.offset_x);
        add_number(digest, grid->grid.offset_y);
        add_number(digest, (uint64_t)(int64_t)grid->grid.cell);
    }
    add_number(digest, plan->join_count);
    for (uint32_t i = 0; i < plan->join_count; i++) {
        const ls_plan_join *join = &program->joins[plan->joins[i]];
        bool has_with = join->with != UINT32_MAX;
        add_join(digest, join);
        /* A join with a filter has one number more. */
        add_number(digest, (uint64_t)has_with << 32 | plan->system->joins[i].query);
        if (has_with)
            add_number(digest, join->with);
        add_join(digest, &plan->join_from[i]);
    }
    if (plan->has_partner) {
        add_number(digest, (uint64_t)plan->partner_column << 32 | plan->partner_offset);
        add_number(digest, plan->system->partner.clash);
    }
    if (plan->is_parents_first)
        add_number(digest, (uint64_t)plan->parent_column << 32 | plan->parent_offset);
    add_number(digest, plan->successor_count);
    for (uint32_t i = 0; i < plan->successor_count; i++)
        add_number(digest, plan->successors[i]);
}

/* Adds stages, exclusive slots, needs, and the conditions of stages and sets. Adds nothing for a
 * simulation that has none of them. */
static void add_stages(ls_builder *digest, const ls_program *program)
{
    for (uint32_t i = 0; program->stage_count > 1 && i < program->stage_count; i++)
        add_number(digest, program->stages[i].first[LS_SLOT_COUNT]);
    for (uint32_t i = 0; i < program->stage_count; i++) {
        const ls_plan_stage *stage = &program->stages[i];
        if (stage->end != i + 1 || stage->gate != UINT32_MAX)
            add_number(digest, (uint64_t)stage->end << 32 | stage->gate);
    }
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_plan_system *plan = &program->systems[i];
        if (plan->system->slot != LS_PARALLEL)
            add_number(digest, (uint64_t)plan->system->slot << 32 | i);
        for (uint32_t j = 0; j < plan->need_count; j++)
            add_number(digest, (uint64_t)plan->needs[j] << 32 | i);
    }
    for (uint32_t i = 0; i < program->gate_count; i++) {
        const ls_plan_gate *gate = &program->gates[i];
        add_number(digest, gate->when->every);
        add_number(digest, gate->when->phase);
        add_number(digest, gate->when->iterations_max);
        for (uint32_t word = 0; gate->set && word < program->paths.words; word++)
            add_number(digest, gate->members[word]);
        if (gate->when->criterion)
            add_system(digest, program, &gate->criterion);
    }
}

/* Adds nothing for a simulation without operations of its own. */
static void add_operations(ls_builder *digest, const ls_program *program)
{
    for (uint32_t column = 0; column < program->column_count; column++) {
        if (!program->operations[column])
            continue;
        add_number(digest, column);
        add_text(digest, program->operations[column]->name);
    }
}

/* Adds nothing for a simulation without incompatible components. */
static void add_incompatibilities(ls_builder *digest, const ls_program *program)
{
    for (uint32_t i = 0; i < program->incompatibility_count; i++) {
        const ls_plan_incompatibility *pair = &program->incompatibilities[i];
        add_text(digest, "never both");
        add_number(digest, (uint64_t)pair->one << 32 | pair->other);
    }
}

/* Adds the view in which each system runs, because the view decides which systems' changes it sees;
 * and each par that does not fail when two sides change one cell. Adds nothing for a simulation
 * without pars. */
static void add_views(ls_builder *digest, const ls_program *program)
{
    for (uint32_t i = 0; program->view_count > 1 && i < program->system_count; i++)
        add_number(digest, (uint64_t)program->systems[i].view << 32 | i);
    for (uint32_t i = 0; i < program->par_count; i++) {
        const ls_plan_par *par = &program->pars[i];
        if (par->has_steps && par->clash != LS_PAR_FAILS)
            add_number(digest, (uint64_t)par->clash << 32 | par->fork);
    }
}

void ls_program_compute_fingerprint(ls_program *program)
{
    const ls_sim *sim = program->sim;
    ls_builder digest = {0};
    add_number(&digest, LS_ENGINE_RULES);
    add_text(&digest, sim->name);
    add_text(&digest, sim->version);
    add_text(&digest, sim->source_hash ? sim->source_hash : "");
    add_components(&digest, program);
    add_match_tables(&digest, sim);
    add_number(&digest, program->lane_count);
    for (uint32_t i = 0; i < program->lane_count; i++)
        add_text(&digest, program->lanes[i]);
    add_number(&digest, sim->option_count);
    for (uint32_t i = 0; i < sim->option_count; i++) {
        add_text(&digest, sim->options[i].name);
        add_number(&digest, (uint64_t)sim->options[i].min);
        add_number(&digest, (uint64_t)sim->options[i].max);
    }
    if (sim->state_bytes) {
        add_text(&digest, "state");
        add_number(&digest, (uint64_t)sim->state_missing << 32 | sim->state_bytes);
    }
    add_number(&digest, program->system_count);
    for (uint32_t i = 0; i < program->system_count; i++)
        add_system(&digest, program, &program->systems[i]);
    for (uint32_t i = 0; i < program->setup_count; i++)
        add_system(&digest, program, &program->setups[i]);
    add_stages(&digest, program);
    add_views(&digest, program);
    add_operations(&digest, program);
    add_incompatibilities(&digest, program);
    if (sim->despawns_empty)
        add_text(&digest, "despawns empty");
    /* The second half hashes the same bytes, followed by the first half. */
    ls_writer writer;
    uint64_t low = ls_hash_bytes(digest.data, digest.count);
    add_number(&digest, low);
    ls_writer_init(&writer, program->fingerprint, sizeof program->fingerprint);
    ls_write_u64(&writer, low);
    ls_write_u64(&writer, ls_hash_bytes(digest.data, digest.count));
    ls_free(digest.data);
}

uint64_t ls_fingerprint_schema(const ls_program *program)
{
    ls_builder digest = {0};
    add_components(&digest, program);
    uint64_t schema = ls_hash_bytes(digest.data, digest.count);
    ls_free(digest.data);
    return schema;
}
