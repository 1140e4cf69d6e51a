#include "par_sim.h"

const ls_par par_of_two[1] = {{.name = "both", .sides = "one, two"}};
const part par_parts[4] = {{3, 0}, {3, 1}, {3, 2}, {6, 1}};

const ls_sim *par_sim(const ls_system *systems, uint32_t count, const ls_par *pars,
                      uint32_t par_count)
{
    static ls_sim sim;
    sim = *mutation_sim(systems, count);
    sim.pars = pars;
    sim.par_count = par_count;
    return &sim;
}

bool par_is_mine(const ls_context *context, uint32_t slot)
{
    const part *mine = ls_system_data(context);
    return slot % mine->every == mine->phase;
}

void par_add(ls_context *context, const ls_span *span)
{
    tally *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value += par_is_mine(context, span->first_slot + i) ? 100000 : 0;
}

void par_attach(ls_context *context, const ls_entity *entities)
{
    if (par_is_mine(context, ls_entity_slot(entities[0])))
        ls_cell_attach(context, 0, entities[0], &(tally){7});
}

void par_bear(ls_context *context, const ls_entity *unused)
{
    for (uint32_t i = 0; i < 300; i++)
        ls_cell_attach(context, 0, ls_spawn(context, 0), &(tally){1000});
}
