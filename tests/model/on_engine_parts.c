/* The components of the engine's simulation, and what is declared of them. */
#include "tests/model/on_engine.h"

void on_engine_make_parts(on_engine *self)
{
    for (uint32_t i = 0; i < self->program->component_count; i++) {
        const program_component *given = &self->program->components[i];
        const program_layout *layout = program_layout_of(self->program, i);
        for (uint32_t j = 0; j < layout->field_count; j++) {
            self->fields[i][j] = layout->fields[j];
            self->fields[i][j].on_death = (ls_on_death)given->on_death;
            if (layout->fields[j].type != LS_TYPE_ENTITY)
                self->fields[i][j].on_death = LS_KEEP;
        }
        self->components[i] = (ls_component){.name = given->name,
                                             .bytes = layout->bytes,
                                             .field_count = layout->field_count,
                                             .fields = self->fields[i],
                                             .is_singleton = given->role == ROLE_SINGLETON,
                                             .event_ticks = given->ticks};
        if (given->role != ROLE_EVENT && layout->bytes)
            self->operations[self->sim.operation_count++] =
                (ls_operation){&self->components[i], "xor", program_operation(layout->bytes)};
    }
    for (uint32_t i = 0; i < self->program->pair_count; i++) {
        const program_pair *pair = &self->program->pairs[i];
        self->pairs[i] =
            (ls_incompatibility){&self->components[pair->one], &self->components[pair->other]};
    }
}

ls_partner on_engine_partner(const on_engine *self, const program_partner *given)
{
    return (ls_partner){.component = &self->components[given->component],
                        .offset = self->fields[given->component][given->field].offset,
                        .clash = given->first_wins ? LS_PARTNER_FIRST_WINS : LS_PARTNER_FAILS};
}
