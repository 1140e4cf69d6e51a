/* The macros of a simulation in C++: states, bundles, lists of joins and grids, partners,
 * components that exclude each other. C++17 cannot name members in an initialiser, so functions set
 * them. */
#include <lockstep/lockstep.hpp>

#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                                                          \
    if (!(condition)) {                                                                            \
        std::printf("line %d: %s\n", __LINE__, #condition);                                        \
        std::exit(1);                                                                              \
    }

namespace
{

LS_STATES(game, LOBBY, PLAYING, OVER);
LS_COMPONENT(place, FIX(x), FIX(y));
LS_COMPONENT(ewe, U32(lambs), U32(near));
LS_COMPONENT(lamb, ENTITY(mother, LS_NULL));
LS_TAG(asleep);
LS_TAG(grazing);
LS_SINGLETON(score, U32(entered), U32(left), U32(ticks), U32(bonus));
LS_SINGLETON(bounds, FIX(left));
LS_COMPONENTS(components, bounds, game, place, ewe, lamb, asleep, grazing, score);
const ls_incompatibility never[] = {LS_NEVER_BOTH(asleep, grazing)};

#define LAMB(of, x) VALUE(lamb, of), VALUE(place, LS_FIX(x), 0)
LS_TERMS(beginning, SPAWNS_WITH(place), SPAWNS_WITH(ewe), SPAWNS_WITH(lamb), SPAWNS_WITH(asleep),
         SPAWNS_WITH(grazing));
void begin(ls_context *context, const ls_entity *)
{
    LS_USES(context, beginning);
    ls_entity mother =
        LS_SPAWN_WITH(context, 0, VALUE(ewe, 0, 0), VALUE(place, 0, 0), TAG(grazing));
    LS_SPAWN_WITH(context, 0, LAMB(mother, 1), TAG(asleep));
    LS_SPAWN_WITH(context, 0, LAMB(LS_ENTITY_NULL, 9));
}

/* Each lamb counts at its mother, which is its partner. */
LS_TERMS(bleating, READS(lamb), PARTNER_WRITES(ewe));
void bleat(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, bleating);
    if (ewe *mother = LS_WRITE_PARTNER(context, ewe, entities[0]))
        mother->lambs++;
}

/* The ewe looks for lambs near it, and asks for its own. */
LS_TERMS(looking, READS(place), WRITES(ewe));
void look(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, looking);
    const place *here = LS_READ(context, place, entities[0]);
    ls_grid_walk walk;
    ls_neighbour near;
    uint32_t count = 0;
    for (ls_grid_begin(context, 0, here->x, here->y, LS_FIX(4), &walk); ls_grid_next(&walk, &near);)
        count++;
    LS_WRITE(context, ewe, entities[0])->near = count + 10 * ls_join_count(context, 0, entities[0]);
}

void enclose(bounds *all, const bounds *part) noexcept
{
    all->left = part->left < all->left ? part->left : all->left;
}
LS_OPERATIONS(operations, OPERATION(bounds, enclose));
LS_TERMS(measuring, READS(place), ACCUMULATES(bounds, LS_COMBINE));
void measure(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, measuring);
    const ls_fix x = LS_READ(context, place, entities[0])->x;
    (void)LS_ACCUMULATE(context, bounds, LS_ENTITY_NULL, -x);
}

constexpr uint32_t bonus = 7;
LS_TERMS(scoring, WRITES_SINGLETON(score));
void enter(ls_context *context, const ls_entity *)
{
    LS_USES(context, scoring);
    LS_WRITE_SINGLETON(context, score)->entered++;
}
void leave(ls_context *context, const ls_entity *)
{
    LS_USES(context, scoring);
    LS_WRITE_SINGLETON(context, score)->left++;
}
void play(ls_context *context, const ls_entity *)
{
    LS_USES(context, scoring);
    uint32_t *scratch = static_cast<uint32_t *>(ls_scratch_memory(context));
    scratch[3] += *static_cast<const uint32_t *>(ls_system_data(context));
    LS_WRITE_SINGLETON(context, score)->ticks++;
    LS_WRITE_SINGLETON(context, score)->bonus += scratch[3];
}

/* The lobby ends after tick 1, the game after tick 3. */
LS_TERMS(directing, WRITES_SINGLETON(game));
void direct(ls_context *context, const ls_entity *)
{
    LS_USES(context, directing);
    if (ls_tick(context) == 1)
        LS_ENTER_STATE(context, game, PLAYING);
    if (ls_tick(context) == 3)
        LS_ENTER_STATE_VALUE(context, game, LS_STATE_OF(context, game) == PLAYING ? OVER : LOBBY);
}

constexpr ls_grid of_places()
{
    ls_grid made = {};
    made.component = &place_component;
    made.offset_x = offsetof(place, x);
    made.offset_y = offsetof(place, y);
    made.cell = LS_FIX(4);
    return made;
}
constexpr ls_join of_mothers()
{
    ls_join made = {};
    made.component = &lamb_component;
    made.offset = offsetof(lamb, mother);
    return made;
}
constexpr ls_partner by_mother()
{
    ls_partner made = {};
    made.component = &lamb_component;
    made.offset = offsetof(lamb, mother);
    return made;
}
constexpr ls_set set_of(const char *name, const ls_condition &when)
{
    ls_set made = {};
    made.name = name;
    made.when = when;
    return made;
}

const ls_set sets[] = {set_of("round", LS_IN_STATE(game, PLAYING)),
                       set_of("kick_off", LS_ON_ENTER(game, PLAYING)),
                       set_of("clean_up", LS_ON_EXIT(game, PLAYING))};
const ls_system systems[] = {
    lockstep::system("bleat").terms(bleating).concurrent(bleat).partner(by_mother()).cost_ns(900),
    lockstep::system("look")
        .terms(looking)
        .concurrent(look)
        .grids(LS_GRIDS(of_places()))
        .joins(LS_JOINS(of_mothers()))
        .after("bleat"),
    lockstep::system("enter").terms(scoring).sequential(enter).labels("kick_off").main_thread(),
    lockstep::system("play")
        .terms(scoring)
        .sequential(play)
        .labels("round")
        .data(&bonus)
        .scratch_bytes(16)
        .home_thread(1)
        .after("enter"),
    lockstep::system("leave").terms(scoring).sequential(leave).labels("clean_up").after("play"),
    lockstep::system("measure").terms(measuring).concurrent(measure),
    lockstep::system("direct").terms(directing).sequential(direct),
};
const ls_system setup = lockstep::system("begin").terms(beginning).sequential(begin).lanes("world");
constexpr ls_independence independences[] = {{"bleat", "direct", "they share nothing", 0}};
constexpr ls_algebra order[] = {LS_SEQ("enter"), LS_SEQ("play")};
constexpr ls_algebra schedule = {LS_ALGEBRA_THEN, LS_COUNT_OF(order), nullptr, order};

const ls_sim sim = lockstep::simulation("features", "1", "")
                       .defaults(20, 1)
                       .components(components)
                       .systems(systems)
                       .sets(sets)
                       .setup(setup)
                       .operations(operations)
                       .incompatibilities(never)
                       .independences(independences)
                       .schedule(schedule)
                       .strict();

} // namespace

int main()
{
    ls_error error;
    uint64_t root = 0;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        lockstep::program program;
        lockstep::world world;
        lockstep::executor executor;
        ls_executor_config config = {};
        config.threads = threads;
        config.check = threads == 1;
        if (program.create(sim, &error) != LS_OK)
            std::puts(error.text);
        EXPECT(program.get());
        EXPECT(world.create(program, ls_program_match(program, 1), &error) == LS_OK);
        EXPECT(executor.create(config, &error) == LS_OK);
        for (uint64_t i = 0; i < 6; i++) {
            const ls_frame frame = {i, 0, nullptr};
            if (ls_world_advance(world, &frame, executor, &error) != LS_OK)
                std::puts(error.text);
        }
        EXPECT(ls_world_tick(world) == 6);
        EXPECT(LS_WORLD_SINGLETON(world, bounds)->left == LS_FIX(-9));
        const ewe *mother = LS_WORLD_READ(world, ewe, ls_entity_make(0, 0, 1));
        EXPECT(mother && mother->lambs == 6 && mother->near == 12);
        const score *all = LS_WORLD_SINGLETON(world, score);
        EXPECT(all->entered == 1 && all->left == 1 && all->ticks == 2 && all->bonus == 2 * bonus);
        EXPECT(LS_WORLD_STATE(world, game) == OVER);
        EXPECT(threads == 1 || root == ls_world_root(world));
        root = ls_world_root(world);
    }
    std::puts("good");
    return 0;
}
