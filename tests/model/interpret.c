#include "tests/model/interpret.h"

#include "tests/model/registers.h"

#include <string.h>

static const program_layout *layout_of(const machine *self, uint32_t term)
{
    static const program_layout nothing; /* for instructions that name no term */
    if (term >= LS_COUNT_OF(self->system->terms))
        return &nothing;
    return program_layout_of(self->program, self->system->terms[term].component);
}

static uint64_t arith(uint32_t op, uint64_t a, uint64_t b)
{
    switch (op % 8) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    case 3:
        return a ^ b;
    case 4:
        return a < b;
    case 5:
        return a == b;
    case 6:
        return a >> (b % 64);
    default:
        return a % (b % 16 + 1);
    }
}

struct fold {
    const program_layout *layout;
    uint64_t sum;
    ls_entity last;
};

static void fold_event(void *self, const uint8_t *event)
{
    struct fold *fold = self;
    fold->sum = fold->sum * 31 + 7;
    for (uint32_t i = 0; i < fold->layout->field_count; i++) {
        const ls_field *field = &fold->layout->fields[i];
        if (field->type == LS_TYPE_ENTITY)
            memcpy(&fold->last, event + field->offset, sizeof fold->last);
        fold->sum = fold->sum * 31 + program_load_field(field, event);
    }
}

static void receive(machine *self, const struct instruction *at, struct registers *r)
{
    struct fold fold = {.layout = layout_of(self, at->term)};
    self->functions->each_event(self, at->term, fold_event, &fold);
    r->numbers[at->c] = fold.sum;
    r->entities[at->to] = fold.last;
}

struct walk {
    machine *machine;
    const struct instruction *at;
    uint64_t sum;
    uint32_t matches;
    bool is_inner;
};

static void visit_match(void *visitor, ls_entity entity);
static void visit_change(void *visitor, const ls_cell_change *change);

static void begin_walk(struct walk *walk)
{
    const machine_functions *f = walk->machine->functions;
    if (walk->at->op == OP_OBSERVE)
        f->each_change(walk->machine, walk->at->b, visit_change, walk);
    else
        f->each_match(walk->machine, walk->at->b, visit_match, walk);
}

/* Changes two of three matches, so that some of those ahead still match. */
static uint64_t change_match(const struct walk *walk, ls_entity entity)
{
    const machine_functions *f = walk->machine->functions;
    const struct instruction *at = walk->at;
    uint8_t cell[CELL_BYTES];
    if ((ls_entity_slot(entity) + (at->imm >> WALK_SHIFT)) % 3 == 0)
        return 0;
    switch (at->imm % WALK_ACTIONS) {
    case WALK_DETACH:
        return f->detach(walk->machine, at->term, entity);
    case WALK_ATTACH:
        program_make_cell(layout_of(walk->machine, at->term), at->imm, entity, cell);
        return f->attach(walk->machine, at->term, entity, cell);
    default:
        f->despawn(walk->machine, entity);
        return 1;
    }
}

static void visit_match(void *visitor, ls_entity entity)
{
    struct walk *walk = visitor;
    const struct instruction *at = walk->at;
    uint8_t cell[CELL_BYTES] = {0};
    walk->sum = walk->sum * 31 + (uint32_t)entity + 7;
    if (walk->is_inner)
        return;
    if (at->imm % WALK_ACTIONS != WALK_LOAD)
        walk->sum = walk->sum * 31 + change_match(walk, entity);
    else if (walk->machine->functions->read(walk->machine, at->term, entity, cell))
        walk->sum =
            walk->sum * 31 +
            program_load_field(&layout_of(walk->machine, at->term)->fields[at->field], cell);
    if (!(at->imm & WALK_NESTED) || walk->matches++ >= 3)
        return;
    struct walk inner = {.machine = walk->machine, .at = at, .is_inner = true};
    begin_walk(&inner);
    walk->sum = walk->sum * 31 + inner.sum;
}

static void fold_cell(struct walk *walk, const void *cell)
{
    const program_layout *layout = layout_of(walk->machine, walk->at->b);
    walk->sum = walk->sum * 31 + (cell ? 1 : 0);
    for (uint32_t i = 0; cell && i < layout->field_count; i++)
        walk->sum = walk->sum * 31 + program_load_field(&layout->fields[i], cell);
}

static void visit_change(void *visitor, const ls_cell_change *change)
{
    struct walk *walk = visitor;
    walk->sum = walk->sum * 31 + (uint64_t)change->kind;
    walk->sum = walk->sum * 31 + ls_entity_generation(change->entity);
    fold_cell(walk, change->before);
    fold_cell(walk, change->now);
    visit_match(walk, change->entity);
}

uint32_t program_lane_number(const struct program *program, uint8_t lane)
{
    uint32_t number = 1;
    if (lane == 0)
        return 0;
    for (uint32_t i = 0; i < program->lane_count; i++)
        number += strcmp(program->lanes[i], program->lanes[lane - 1]) < 0;
    return number;
}

/* Makes up a handle: an entity of the setup, which may be dead by now, or one that never existed.
 * It is never an entity spawned in this tick. `||` and `;` differ in whether other systems see
 * those, and fresh entities of the paper cannot be guessed. */
static ls_entity guess(const machine *self, uint32_t imm)
{
    uint32_t lane = imm % 8 % (self->program->lane_count + 1), count = 0;
    for (uint32_t i = 0; i < self->program->group_count; i++)
        count += program_lane_number(self->program, self->program->groups[i].lane) == lane
                     ? self->program->groups[i].count
                     : 0;
    if (imm & 8 || count == 0)
        return ls_entity_make(lane, imm >> 4, 0x7ffffffd);
    return ls_entity_make(lane, (imm >> 4) % count, 1);
}

/* Executes instructions that read. */
static void look(machine *self, const struct instruction *at, struct registers *r)
{
    const machine_functions *f = self->functions;
    ls_entity entity = r->entities[at->entity];
    uint8_t cell[CELL_BYTES] = {0};
    uint64_t *c = &r->numbers[at->c];
    switch (at->op) {
    case OP_CONST:
        *c = at->imm;
        break;
    case OP_ARITH:
        *c = arith(at->imm, r->numbers[at->a], r->numbers[at->b]);
        break;
    case OP_LOAD:
        *c = f->read(self, at->term, entity, cell)
                 ? program_load_field(&layout_of(self, at->term)->fields[at->field], cell)
                 : 0x55;
        break;
    case OP_HAS:
        *c = f->has(self, at->term, entity);
        break;
    case OP_FOLLOW:
        f->read(self, at->term, entity, cell);
        memcpy(&r->entities[at->to], cell + layout_of(self, at->term)->fields[at->field].offset,
               sizeof(ls_entity));
        break;
    case OP_ALIVE:
        *c = f->is_alive(self, entity);
        break;
    case OP_RANDOM:
        *c = f->random(self, entity, at->imm);
        break;
    case OP_GUESS:
        r->entities[at->to] = guess(self, at->imm);
        break;
    case OP_TICK:
        *c = f->tick(self);
        break;
    default:
        receive(self, at, r);
        break;
    }
}

static void run_walk(machine *self, const struct instruction *at, struct registers *r)
{
    struct walk walk = {.machine = self, .at = at};
    begin_walk(&walk);
    r->numbers[at->c] = walk.sum;
}

static void use_world(machine *self, const struct instruction *at, struct registers *r)
{
    const machine_functions *f = self->functions;
    const program_layout *layout = program_layout_of(self->program, at->b);
    ls_entity entity = r->entities[at->entity];
    uint64_t *c = &r->numbers[at->c];
    uint8_t cell[CELL_BYTES] = {0};
    if (at->op == OP_WORLD_LOAD) {
        *c = f->world_read(self, at->b, entity, cell) ? 1 : 0x55;
        if (layout->field_count)
            *c += program_load_field(&layout->fields[at->field % layout->field_count], cell);
        return;
    }
    program_make_cell(layout, r->numbers[at->a] + at->imm, r->entities[at->to], cell);
    *c = at->op == OP_WORLD_ATTACH ? f->world_attach(self, at->b, entity, cell)
                                   : f->world_detach(self, at->b, entity);
}

static void store(machine *self, const struct instruction *at, const struct registers *r)
{
    const ls_field *field = &layout_of(self, at->term)->fields[at->field];
    uint8_t cell[CELL_BYTES];
    program_layout one = {.field_count = 1};
    one.fields[0] = *field;
    program_make_cell(&one, r->numbers[at->a], r->entities[at->to], cell);
    (at->op == OP_GIVE ? self->functions->give : self->functions->write)(
        self, at->term, r->entities[at->entity], field->offset, field->bytes, cell + field->offset);
}

/* Executes instructions that write. */
static void act(machine *self, const struct instruction *at, struct registers *r)
{
    const machine_functions *f = self->functions;
    ls_entity entity = r->entities[at->entity];
    uint8_t cell[CELL_BYTES];
    program_make_cell(layout_of(self, at->term), r->numbers[at->a] + at->imm, r->entities[at->to],
                      cell);
    switch (at->op) {
    case OP_STORE:
    case OP_POINT:
    case OP_GIVE:
        store(self, at, r);
        break;
    case OP_ATTACH: /* an even `imm` attaches zeros */
        r->numbers[at->c] = f->attach(self, at->term, entity, at->imm & 1 ? cell : NULL);
        break;
    case OP_DETACH:
        r->numbers[at->c] = f->detach(self, at->term, entity);
        break;
    case OP_SPAWN:
        r->entities[at->entity] = f->spawn(self, at->imm);
        break;
    case OP_DESPAWN:
        f->despawn(self, entity);
        break;
    case OP_ACCUMULATE:
        r->numbers[at->c] = f->accumulate(self, at->term, entity, cell);
        break;
    case OP_SEND:
        f->send(self, at->term, cell);
        break;
    case OP_COMMAND_ATTACH:
        f->command_attach(self, at->term, entity, at->imm & 1 ? cell : NULL);
        break;
    case OP_COMMAND_DETACH:
        f->command_detach(self, at->term, entity);
        break;
    case OP_COMMAND_SPAWN:
        r->entities[at->entity] = f->command_spawn(self, at->imm);
        break;
    default:
        break;
    }
}

void interpret_bulk_value(const machine *self, const struct instruction *instruction, uint8_t *cell)
{
    program_make_cell(layout_of(self, instruction->term), instruction->a, LS_ENTITY_NULL, cell);
}

void interpret_bulk(machine *self, const struct instruction *at, ls_entity entity)
{
    uint8_t cell[CELL_BYTES];
    if (!interpret_bulk_takes(at, ls_entity_slot(entity)))
        return;
    interpret_bulk_value(self, at, cell);
    if (at->op == OP_BULK_ATTACH && at->a != 0)
        self->functions->attach(self, at->term, entity, cell);
    else if (at->op == OP_BULK_ATTACH && !self->functions->has(self, at->term, entity))
        self->functions->attach(self, at->term, entity, NULL);
    else if (at->op == OP_BULK_DETACH)
        self->functions->detach(self, at->term, entity);
}

void interpret(machine *self, const ls_entity *entities)
{
    struct registers r = {.numbers = {1, 2, 3, 4, 5, 6}};
    uint32_t count = program_query_count(self->system);
    for (uint32_t i = 0; i < count; i++)
        r.entities[E_MATCH + i] = entities[i];
    for (uint32_t i = self->from; i < self->system->body_count; i++) {
        const struct instruction *at = &self->system->body[i];
        if (at->op == OP_NOTHING)
            continue;
        if (at->op == OP_BULK_ATTACH || at->op == OP_BULK_DETACH)
            interpret_bulk(self, at, entities[0]);
        else if (at->op == OP_SKIP)
            i += (r.numbers[at->a] % (at->imm % 16 + 2) == 0) != (at->imm >> 4 & 1) ? at->b : 0;
        else if (at->op == OP_WALK || at->op == OP_OBSERVE)
            run_walk(self, at, &r);
        else if (interpret_is_find(at->op))
            interpret_find(self, at, &r);
        else if (at->op >= OP_WORLD_LOAD && at->op <= OP_WORLD_DETACH)
            use_world(self, at, &r);
        else if (at->op < OP_STORE || (at->op >= OP_ALIVE && at->op <= OP_TICK) ||
                 at->op == OP_RECEIVE || at->op == OP_GUESS)
            look(self, at, &r);
        else
            act(self, at, &r);
    }
    if (!self->system->states.enters)
        return;
    uint64_t number = r.numbers[0] + self->functions->tick(self);
    if (number % 2)
        self->functions->enter(self, (uint8_t)(number / 2 % PROGRAM_STATES));
}

/* The value of a component of an entity of the first state. Numbers are small, so that conditions
 * vary and keys collide. */
static void first_cell(const machine *self, uint64_t key, const ls_entity *known, uint32_t count,
                       uint32_t component, uint8_t *cell)
{
    uint64_t hash = program_hash(key, component);
    ls_entity other = count && hash % 4 ? known[hash / 8 % count] : LS_ENTITY_NULL;
    bool is_place = self->program->components[component].layout >= PROGRAM_PLANE;
    program_make_cell(program_layout_of(self->program, component),
                      hash >> 20 & (is_place         ? 255
                                    : hash >> 40 & 1 ? 15
                                                     : 1),
                      other, cell);
}

static bool has_at_first(const program_group *group, uint64_t seed, uint32_t i, uint32_t component)
{
    uint64_t chance = program_hash(seed + component, i >> group->run[component]);
    return chance % 100 < group->density[component];
}

/* Whether an earlier component of the same entity is incompatible with this one. */
static bool is_barred(const struct program *program, uint32_t had, uint32_t component)
{
    bool is_barred = false;
    for (uint32_t i = 0; i < program->pair_count; i++)
        is_barred |= program->pairs[i].other == component && had >> program->pairs[i].one & 1;
    return is_barred;
}

enum { KNOWN = 64 };

static void setup_group(machine *self, uint32_t index, ls_entity *known, uint32_t *known_count)
{
    const struct program *program = self->program;
    const program_group *group = &program->groups[index];
    uint64_t seed = program_hash(program->seed, index + 100);
    for (uint32_t i = 0; i < group->count; i++) {
        ls_entity entity = self->functions->spawn(self, group->lane);
        uint32_t had = 0;
        for (uint32_t component = 0; component < program->component_count; component++) {
            uint8_t cell[CELL_BYTES];
            if (program->components[component].role != ROLE_CELL ||
                !has_at_first(group, seed, i, component) || is_barred(program, had, component))
                continue;
            if (program->components[component].is_chain)
                first_cell(self, program_hash(seed, i), &known[(i - 1) % KNOWN], i > 0, component,
                           cell);
            else
                first_cell(self, program_hash(seed, i), known, *known_count, component, cell);
            self->functions->attach(self, component, entity, cell);
            had |= 1u << component;
        }
        if (program_hash(seed, i + 100000) % 100 < group->despawned)
            self->functions->despawn(self, entity);
        known[i % KNOWN] = entity;
        if (*known_count < KNOWN)
            known[(*known_count)++] = entity;
    }
}

void interpret_setup(machine *self)
{
    ls_entity known[KNOWN];
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->program->group_count; i++)
        setup_group(self, i, known, &count);
    for (uint32_t i = 0; i < self->program->component_count; i++) {
        uint8_t cell[CELL_BYTES];
        const program_layout *layout = program_layout_of(self->program, i);
        if (self->program->components[i].role != ROLE_SINGLETON)
            continue;
        first_cell(self, self->program->seed, known, count, i, cell);
        self->functions->write(self, i, LS_ENTITY_NULL, 0, layout->bytes, cell);
    }
}
