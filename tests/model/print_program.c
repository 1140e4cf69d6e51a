/* Prints a program for debugging: one declaration or instruction per line. */
#include "tests/model/program.h"

#include <inttypes.h>

static const char *const kind_names[] = {"include", "exclude",  "anyway",   "others",
                                         "start",   "newborns", "commands", "accumulates",
                                         "events",  "lane",     "world",    "partner"};
static const char *const filter_names[] = {"",       "any of ",  "or ",      "changed ",
                                           "added ", "removed ", "observed "};
static const char *const access_names[] = {"presence", "read",    "write",  "structure",
                                           "add",      "min",     "max",    "or",
                                           "arg_min",  "arg_max", "combine"};
static const char *const entity_names[E_COUNT] = {
    "own", "other1", "other2", "other3", "ref0", "ref1", "newborn0", "newborn1", "ordered", "null"};

static void print_components(const struct program *program, FILE *file)
{
    static const char *const roles[] = {"component", "event", "singleton"};
    static const char *const deaths[] = {"", " null on death", " cascade on death", " parent"};
    for (uint32_t i = 0; i < program->component_count; i++) {
        const program_component *component = &program->components[i];
        const program_layout *layout = program_layout_of(program, i);
        fprintf(file, "%s %s {", roles[component->role], component->name);
        for (uint32_t j = 0; j < layout->field_count; j++)
            fprintf(file, "%s%s:%s[%u]", j ? ", " : "", layout->fields[j].name,
                    ls_type_name(layout->fields[j].type), layout->fields[j].bytes);
        fprintf(file, "}%s%s", deaths[component->on_despawn], component->is_chain ? " chain" : "");
        fprintf(file, component->ticks > 1 ? " for %u ticks\n" : "\n", component->ticks);
    }
}

static const char *lane_name(const struct program *program, uint32_t lane)
{
    return lane == 0 ? "world" : program->lanes[lane - 1];
}

static void print_groups(const struct program *program, FILE *file)
{
    for (uint32_t i = 0; i < program->group_count; i++) {
        const program_group *group = &program->groups[i];
        fprintf(file, "setup: %u entities in lane %s, %u %% despawned;", group->count,
                lane_name(program, group->lane), group->despawned);
        for (uint32_t j = 0; j < program->component_count; j++)
            fprintf(file, " %s %u %% by %u", program->components[j].name, group->density[j],
                    1u << group->run[j]);
        fprintf(file, "\n");
    }
}

static void print_term(const struct program *program, const program_system *system, uint32_t index,
                       FILE *file)
{
    const program_term *term = &system->terms[index];
    fprintf(file, "    %u: %squery %u %s%s %s %s\n", index, term->is_walked ? "walked " : "",
            term->query, filter_names[term->filter], kind_names[term->kind],
            access_names[term->access], program->components[term->component].name);
}

static const char *term_name(const struct program *program, const program_system *system,
                             const struct instruction *at)
{
    return at->term < system->term_count
               ? program->components[system->terms[at->term].component].name
               : "?";
}

static const char *field_name(const struct program *program, const program_system *system,
                              const struct instruction *at)
{
    const program_layout *layout = program_layout_of(program, system->terms[at->term].component);
    return at->field < layout->field_count ? layout->fields[at->field].name : "?";
}

/* Prints the operations up to OP_POINT. */
static void print_first_ops(const struct program *program, const program_system *system,
                            const struct instruction *at, FILE *file)
{
    const char *entity = entity_names[at->entity % E_COUNT], *to = entity_names[at->to % E_COUNT];
    const char *name = term_name(program, system, at);
    const char *field = field_name(program, system, at);
    unsigned a = at->a, b = at->b, c = at->c, imm = at->imm, term = at->term;
    switch ((program_op)at->op) {
    case OP_BULK_ATTACH:
        fprintf(file, "bulk attach %u:%s value %u where %x", term, name, a, imm);
        break;
    case OP_BULK_DETACH:
        fprintf(file, "bulk detach %u:%s where %x", term, name, imm);
        break;
    case OP_CONST:
        fprintf(file, "r%u = %u", c, imm);
        break;
    case OP_ARITH:
        fprintf(file, "r%u = r%u %s r%u", c, a,
                (const char *const[]){"+", "-", "*", "^", "<", "==", ">>", "mod"}[imm % 8], b);
        break;
    case OP_SKIP:
        fprintf(file, "skip %u if r%u mod %u %s 0", b, a, imm % 16 + 2, imm >> 4 & 1 ? "!=" : "==");
        break;
    case OP_LOAD:
        fprintf(file, "r%u = %s.%u:%s.%s", c, entity, term, name, field);
        break;
    case OP_HAS:
        fprintf(file, "r%u = %s has %u:%s", c, entity, term, name);
        break;
    case OP_FOLLOW:
        fprintf(file, "%s = %s.%u:%s.%s", to, entity, term, name, field);
        break;
    case OP_STORE:
        fprintf(file, "%s.%u:%s.%s = r%u", entity, term, name, field, a);
        break;
    case OP_POINT:
        fprintf(file, "%s.%u:%s.%s = %s", entity, term, name, field, to);
        break;
    default:
        break;
    }
}

/* Prints the operations from OP_ATTACH on. */
static void print_last_ops(const struct program *program, const program_system *system,
                           const struct instruction *at, FILE *file)
{
    const char *entity = entity_names[at->entity % E_COUNT], *to = entity_names[at->to % E_COUNT];
    const char *name = term_name(program, system, at);
    unsigned a = at->a, c = at->c, imm = at->imm, term = at->term;
    switch ((program_op)at->op) {
    case OP_ATTACH:
        fprintf(file, "r%u = attach %u:%s to %s, value r%u + %u, %s%s", c, term, name, entity, a,
                imm, to, imm & 1 ? "" : " (zeros)");
        break;
    case OP_DETACH:
        fprintf(file, "r%u = detach %u:%s from %s", c, term, name, entity);
        break;
    case OP_SPAWN:
        fprintf(file, "%s = spawn in lane %s", entity, lane_name(program, system->lanes[imm]));
        break;
    case OP_DESPAWN:
        fprintf(file, "despawn %s", entity);
        break;
    case OP_ALIVE:
        fprintf(file, "r%u = %s is alive", c, entity);
        break;
    case OP_RANDOM:
        fprintf(file, "r%u = random %s, draw %u", c, entity, imm);
        break;
    case OP_TICK:
        fprintf(file, "r%u = tick", c);
        break;
    case OP_GIVE:
        fprintf(file, "%u:%s.%u of the partner = r%u", term, name, at->field, a);
        break;
    case OP_ACCUMULATE:
        fprintf(file, "r%u = accumulate %u:%s of %s, value r%u + %u", c, term, name, entity, a,
                imm);
        break;
    case OP_SEND:
        fprintf(file, "send %u:%s, value r%u + %u, %s", term, name, a, imm, to);
        break;
    case OP_GUESS:
        fprintf(file, "%s = handle made of %u", to, imm);
        break;
    case OP_WALK:
    case OP_OBSERVE:
        fprintf(file, "r%u = walk %s %u and %s %u:%s%s, where slot + %u", c,
                at->op == OP_WALK ? "query" : "changes of term", at->b,
                (const char *const[]){"load", "detach", "attach", "despawn"}[imm % WALK_ACTIONS],
                term, name, imm & WALK_NESTED ? ", nested" : "", imm >> WALK_SHIFT);
        break;
    case OP_RECEIVE:
        fprintf(file, "r%u, %s = receive %u:%s", c, to, term, name);
        break;
    case OP_COMMAND_ATTACH:
        fprintf(file, "command: attach %u:%s to %s, value r%u + %u, %s%s", term, name, entity, a,
                imm, to, imm & 1 ? "" : " (zeros)");
        break;
    case OP_COMMAND_DETACH:
        fprintf(file, "command: detach %u:%s from %s", term, name, entity);
        break;
    case OP_COMMAND_SPAWN:
        fprintf(file, "%s = command: spawn in lane %s", entity,
                lane_name(program, system->command_lanes[imm]));
        break;
    default:
        break;
    }
}

static void print_world_op(const struct program *program, const struct instruction *at, FILE *file)
{
    static const char *const words[] = {"load", "attach", "detach"};
    fprintf(file, "r%u = %s %s of %s, field %u, value r%u + %u, %s, by the world", at->c,
            words[at->op - OP_WORLD_LOAD], program->components[at->b].name,
            entity_names[at->entity % E_COUNT], at->field, at->a, at->imm,
            entity_names[at->to % E_COUNT]);
}

static void print_find_op(const struct program *program, const program_system *system,
                          const struct instruction *at, FILE *file)
{
    const char *entity = entity_names[at->entity % E_COUNT], *to = entity_names[at->to % E_COUNT];
    unsigned imm = at->imm;
    switch ((program_op)at->op) {
    case OP_NEAR:
        fprintf(file, "r%u, %s = %s of grid %u, radius %u, %u at most, around %s by %u:%s, or r%u",
                at->c, to,
                (const char *const[]){"walk", "walk with values", "nearest"}[imm % NEAR_KINDS],
                at->b, imm / NEAR_KINDS % NEAR_RADII, imm / NEAR_KINDS / NEAR_RADII % NEAR_MOST,
                entity, at->term, term_name(program, system, at), at->a);
        break;
    case OP_KEYS:
        fprintf(file, "r%u, %s = %s join %u by %s or r%u + %u", at->c, to,
                (const char *const[]){"walk", "count", "walk with values"}[imm % KEYS_KINDS], at->b,
                entity, at->a, imm / KEYS_KINDS);
        break;
    case OP_INPUT:
        fprintf(file, "r%u = inputs of player %u", at->c, imm % 4);
        break;
    default:
        fprintf(file, "%s = %sprefab %u in lane %u", entity,
                at->op == OP_PREFAB ? "" : "command: ", imm, imm % 2);
        break;
    }
}

static void print_instruction(const struct program *program, const program_system *system,
                              const struct instruction *at, FILE *file)
{
    if (at->op >= OP_WORLD_LOAD && at->op <= OP_WORLD_DETACH)
        print_world_op(program, at, file);
    else if ((at->op >= OP_NEAR && at->op <= OP_PREFAB) || at->op == OP_COMMAND_PREFAB)
        print_find_op(program, system, at, file);
    else if (at->op >= OP_ATTACH)
        print_last_ops(program, system, at, file);
    else
        print_first_ops(program, system, at, file);
    fprintf(file, "\n");
}

static void print_system(const struct program *program, uint32_t index, FILE *file)
{
    static const char *const forms[] = {"span", "block", "match", "each"};
    const program_system *system = &program->systems[index];
    fprintf(file, "system %s: %s", system->name, system->is_concurrent ? "conc, " : "seq");
    if (system->is_concurrent)
        fprintf(file, "%s", program_query_count(system) == 1 ? forms[system->form] : "match");
    for (uint32_t i = 0; i < program->system_count; i++) {
        if (program->before[index][i])
            fprintf(file, ", before %s", program->systems[i].name);
    }
    for (uint32_t i = 0; i < system->lane_count; i++)
        fprintf(file, ", spawns into %s", lane_name(program, system->lanes[i]));
    for (uint32_t i = 0; i < system->command_lane_count; i++)
        fprintf(file, ", commands into %s", lane_name(program, system->command_lanes[i]));
    fprintf(file, "\n");
    for (uint32_t i = 0; i < system->term_count; i++)
        print_term(program, system, i, file);
    for (uint32_t i = 0; i < system->limit_count; i++)
        fprintf(file, "    query %u in lane %s\n", system->limits[i].query,
                lane_name(program, system->limits[i].lane));
    for (uint32_t i = 0; i < system->join_count; i++) {
        const program_join *join = &system->joins[i];
        fprintf(
            file, "    query %u joined by %s.%s = own%s%s%s%s%s%s%s\n", join->query,
            program->components[join->component].name,
            program_layout_of(program, join->component)->fields[join->field].name,
            join->has_from ? "." : "", join->has_from ? program->components[join->from].name : "",
            join->has_from ? "." : "",
            join->has_from ? program_layout_of(program, join->from)->fields[join->from_field].name
                           : "",
            join->has_with ? ", with " : "",
            join->has_with ? program->components[join->with].name : "",
            join->start ? ", as at the start" : "");
    }
    for (uint32_t i = 0; i < system->grid_count; i++) {
        const program_grid *grid = &system->grids[i];
        fprintf(file, "    grid %u of %s at %u, %u, %u%s, cells of %d%s%s%s\n", i,
                program->components[grid->component].name, grid->offsets[0], grid->offsets[1],
                grid->offsets[2], grid->has_z ? " with z" : "", grid->cell,
                grid->has_with ? ", with " : "",
                grid->has_with ? program->components[grid->with].name : "",
                grid->start ? ", as at the start" : "");
    }
    if (system->world)
        fprintf(file, "    %s the world\n", system->world == LS_ACCESS_READ ? "reads" : "writes");
    if (system->partner.is_set)
        fprintf(file, "    partner by field %u of %s%s\n", system->partner.field,
                program->components[system->partner.component].name,
                system->partner.first_wins ? ", the first wins" : "");
    if (system->parents_first)
        fprintf(file, "    parents first by field 0 of %s\n",
                program->components[system->parents_first - 1].name);
    if (system->states.use || system->states.enters)
        fprintf(file, "    %s %u%s\n",
                (const char *const[]){"state", "in state", "on enter of",
                                      "on exit of"}[system->states.use],
                system->states.state, system->states.enters ? ", enters states" : "");
    for (uint32_t i = 0; i < system->body_count; i++) {
        if (system->body[i].op == OP_NOTHING)
            continue;
        fprintf(file, "      %2u  ", i);
        print_instruction(program, system, &system->body[i], file);
    }
}

void program_print(const struct program *program, FILE *file)
{
    fprintf(file, "program of seed %" PRIu64 ", %u ticks\n", program->seed, program->ticks);
    print_components(program, file);
    print_groups(program, file);
    if (program->despawns_empty)
        fprintf(file, "despawns empty entities\n");
    for (uint32_t i = 0; i < program->pair_count; i++)
        fprintf(file, "never both %s and %s\n", program->components[program->pairs[i].one].name,
                program->components[program->pairs[i].other].name);
    if (program->inputs)
        fprintf(file, "with orders%s\n",
                program->inputs == INPUTS_WITH_STATES ? " and states" : "");
    if (program->has_second_setup)
        fprintf(file,
                "setup: then a copy of the first system with one query and without events and "
                "filters by change\n");
    for (uint32_t i = 0; i < program->system_count; i++)
        print_system(program, i, file);
}
