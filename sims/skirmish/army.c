/* Armies: setup, damage, deaths, respawns and the winner. */
#include "skirmish_terms.h"
#include <lockstep/random.h>

enum {
    KEEP_SCORE = 25,
    KEEP_REBUILD_TICKS = 600,
    CREDIT_ONE = 65536,
    CREDIT_KEPT = CREDIT_ONE * 3 / 10, /* of the army, while the keep is destroyed */
    TICK_RATE = 20,
    WAVE_TICKS = 100, /* units respawn in waves; the players' waves are offset against each other */
    WAVE_PHASE = 37,
};
#define RESPAWN_EXTENT                                                                             \
    LS_FIX(4) /* half the edge of the square around the keep in which units respawn */

static void spawn_unit(ls_context *context, const skirmish_field *field, skirmish_unit unit,
                       ls_fix2 at)
{
    LS_USES(context, skirmish_raising);
    const skirmish_kind_rules *rules = skirmish_rules(skirmish_kind_of(unit.squad));
    at = skirmish_clamp(field, at);
    ls_entity entity = ls_spawn(context, skirmish_side_of(field, unit.player));
    LS_ATTACH_COPY(context, position, entity, &at);
    LS_ATTACH_COPY(context, unit, entity, &unit);
    LS_ATTACH(context, health, entity, .points = rules->health, .attacker = unit.player);
    LS_ATTACH(context, target, entity, .entity = LS_ENTITY_NULL);
    LS_ATTACH(context, weapon, entity, .ready_tick = 0);
    LS_ATTACH(context, wound, entity, .points = 0);
    LS_ATTACH(context, blame, entity, .hit = 0);
    if (rules->speed)
        LS_ATTACH(context, velocity, entity, .x = 0, .y = 0);
}

static void spawn_keep(ls_context *context, const skirmish_field *field, uint32_t player)
{
    skirmish_unit keep = {.player = (uint8_t)player, .squad = SKIRMISH_KEEP};
    spawn_unit(context, field, keep, skirmish_base(field, player));
}

void skirmish_muster(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, skirmish_mustering);
    skirmish_field field = skirmish_field_of(ls_match_of(context));
    skirmish_standing *standing = LS_WRITE_SINGLETON(context, standing);
    for (uint32_t player = 0; player < field.players; player++) {
        skirmish_send_home(&field, player, standing);
        spawn_keep(context, &field, player);
        for (uint32_t squad = 0; squad < SKIRMISH_SQUADS; squad++) {
            ls_fix2 post = skirmish_post(&field, player, squad);
            for (uint32_t place = 0; place < field.squad_size[squad]; place++) {
                ls_fix2 offset = skirmish_place_offset(&field, squad, place);
                skirmish_unit unit = {(uint16_t)place, (uint8_t)player, (uint8_t)squad};
                spawn_unit(context, &field, unit, ls_fix2_add(post, offset));
            }
        }
    }
}

/* Subtracts the tick's damage from the health and tags dead units, so that the sequential system
 * `bury` visits only these. */
void skirmish_suffer(ls_context *context, const ls_span *span)
{
    LS_USES(context, skirmish_suffering);
    skirmish_wound *wounds = LS_WRITE_SPAN(context, wound, span);
    skirmish_blame *blames = LS_WRITE_SPAN(context, blame, span);
    skirmish_health *health = LS_WRITE_SPAN(context, health, span);
    for (uint32_t i = 0; i < span->count; i++) {
        if (wounds[i].points == 0)
            continue;
        int32_t left = health[i].points;
        left = (uint32_t)left > wounds[i].points ? left - (int32_t)wounds[i].points : 0;
        health[i].points = (int16_t)left;
        health[i].attacker = (uint16_t)(blames[i].hit % LS_PLAYERS_MAX);
        if (left == 0)
            LS_ATTACH_TAG(context, dead, ls_span_entity(span, i));
        wounds[i].points = 0;
        blames[i].hit = 0;
    }
}

void skirmish_bury(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, skirmish_burying);
    const skirmish_unit *unit = LS_READ(context, unit, entities[0]);
    const skirmish_health *health = LS_READ(context, health, entities[0]);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    bool is_keep = unit->squad == SKIRMISH_KEEP;
    roster->score[health->attacker] += is_keep ? KEEP_SCORE : 1;
    if (is_keep) {
        roster->keep_tick[unit->player] = (uint32_t)ls_tick(context) + KEEP_REBUILD_TICKS;
    } else {
        roster->losses[unit->player]++;
        roster->fallen[unit->player][unit->squad]++;
    }
    ls_despawn(context, entities[0]);
}

/* The squad with the max losses; SKIRMISH_SQUADS when all are complete. */
static uint32_t weakest_squad(const uint16_t *fallen)
{
    uint32_t best = 0;
    for (uint32_t squad = 1; squad < SKIRMISH_SQUADS; squad++)
        best = fallen[squad] > fallen[best] ? squad : best;
    return fallen[best] ? best : SKIRMISH_SQUADS;
}

static void respawn_one(ls_context *context, const skirmish_field *field, skirmish_roster *roster,
                        uint32_t player, uint32_t squad)
{
    uint16_t *next = &roster->next_place[player][squad];
    skirmish_unit unit = {*next, (uint8_t)player, (uint8_t)squad};
    *next = (uint16_t)((*next + 1) % field->squad_size[squad]);
    uint32_t draw = (player * SKIRMISH_SQUADS + squad) << 16 | roster->fallen[player][squad];
    uint64_t bits = ls_random(context, LS_ENTITY_NULL, draw);
    ls_fix2 offset = ls_fix2_make(ls_random_fix_range(bits, -RESPAWN_EXTENT, RESPAWN_EXTENT),
                                  ls_random_fix_range(bits << 32, -RESPAWN_EXTENT, RESPAWN_EXTENT));
    spawn_unit(context, field, unit, ls_fix2_add(skirmish_base(field, player), offset));
    roster->fallen[player][squad]--;
}

static void reinforce_player(ls_context *context, const skirmish_field *field,
                             skirmish_roster *roster, uint32_t player)
{
    const ls_match *match = ls_match_of(context);
    uint32_t ticks = (uint32_t)match->options[OPTION_RESPAWN_S] * TICK_RATE;
    uint32_t *credit = &roster->credit[player];
    uint32_t keep_tick = roster->keep_tick[player];
    uint32_t squad = weakest_squad(roster->fallen[player]);
    if (keep_tick && (uint32_t)ls_tick(context) >= keep_tick) {
        spawn_keep(context, field, player);
        roster->keep_tick[player] = 0;
    }
    if (squad == SKIRMISH_SQUADS) {
        *credit = 0;
        return;
    }
    uint32_t max = field->army * CREDIT_KEPT + CREDIT_ONE;
    *credit += field->army * CREDIT_ONE / ticks;
    *credit = *credit > max ? max : *credit;
    bool is_wave = (ls_tick(context) + (uint64_t)player * WAVE_PHASE) % WAVE_TICKS == 0;
    if (roster->keep_tick[player] || !is_wave)
        return;
    for (; *credit >= CREDIT_ONE && squad < SKIRMISH_SQUADS; *credit -= CREDIT_ONE) {
        respawn_one(context, field, roster, player, squad);
        squad = weakest_squad(roster->fallen[player]);
    }
}

void skirmish_reinforce(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, skirmish_raising);
    skirmish_field field = skirmish_field_of(ls_match_of(context));
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    if (roster->winner)
        return;
    for (uint32_t player = 0; player < field.players; player++)
        reinforce_player(context, &field, roster, player);
}

/* The side that reaches the limit first wins. If several reach it in one tick, the highest score
 * wins, then the lowest number. */
static uint32_t find_winner(const skirmish_field *field, const skirmish_roster *roster,
                            uint64_t limit)
{
    uint64_t score[SKIRMISH_SIDES_MAX] = {0};
    uint32_t best = 0;
    for (uint32_t player = 0; player < field->players; player++)
        score[skirmish_side_of(field, player)] += roster->score[player];
    for (uint32_t side = 1; side < field->sides; side++)
        best = score[side] > score[best] ? side : best;
    return score[best] >= limit ? best + 1 : 0;
}

void skirmish_judge(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, skirmish_judging);
    const ls_match *match = ls_match_of(context);
    uint64_t limit = (uint64_t)match->options[OPTION_SCORE_LIMIT];
    const skirmish_roster *roster = LS_READ_SINGLETON(context, roster);
    if (limit == 0 || roster->winner)
        return;
    skirmish_field field = skirmish_field_of(match);
    uint32_t winner = find_winner(&field, roster, limit);
    if (winner == 0)
        return;
    LS_WRITE_SINGLETON(context, roster)->winner = winner;
    skirmish_standing *standing = LS_WRITE_SINGLETON(context, standing);
    for (uint32_t player = 0; player < field.players; player++)
        skirmish_send_home(&field, player, standing);
}
