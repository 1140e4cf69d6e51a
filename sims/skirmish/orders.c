/* Players' orders: their encoding, and the system that stores them as orders of the squads. */
#include "skirmish_terms.h"
#include <lockstep/bytes.h>

enum { ORDER_BYTES = 6, COORDINATE_SHIFT = 16 - 6 /* to 1/64 */ };

static uint16_t encode_coordinate(ls_fix coordinate)
{
    LS_ASSERT(coordinate >= 0 && coordinate >> COORDINATE_SHIFT <= UINT16_MAX);
    return (uint16_t)(coordinate >> COORDINATE_SHIFT);
}

uint32_t skirmish_orders_encode(const skirmish_order *orders, uint32_t count, uint8_t *bytes)
{
    LS_ASSERT(count >= 1 && count <= SKIRMISH_ORDERS_MAX);
    ls_writer writer;
    ls_writer_init(&writer, bytes, LS_INPUT_BYTES_MAX);
    ls_write_u8(&writer, (uint8_t)count);
    for (uint32_t i = 0; i < count; i++) {
        ls_write_u8(&writer, (uint8_t)orders[i].kind);
        ls_write_u8(&writer, orders[i].squads);
        ls_write_u16(&writer, encode_coordinate(orders[i].to.x));
        ls_write_u16(&writer, encode_coordinate(orders[i].to.y));
    }
    return (uint32_t)writer.count;
}

static bool read_order(ls_reader *reader, ls_fix edge, skirmish_order *order)
{
    uint32_t kind = ls_read_u8(reader);
    order->kind = (skirmish_order_kind)kind;
    order->squads = ls_read_u8(reader);
    order->to.x = (ls_fix)ls_read_u16(reader) << COORDINATE_SHIFT;
    order->to.y = (ls_fix)ls_read_u16(reader) << COORDINATE_SHIFT;
    if (kind >= SKIRMISH_ORDER_KINDS_ || order->squads == 0)
        return false;
    /* An order has one encoding: an unused position has to be zero. */
    if (kind == SKIRMISH_HOLD)
        return order->to.x == 0 && order->to.y == 0;
    return order->to.x < edge && order->to.y < edge;
}

uint32_t skirmish_orders_decode(const ls_match *match, const uint8_t *bytes, uint32_t count,
                                skirmish_order *orders)
{
    ls_reader reader;
    ls_reader_init(&reader, bytes, count);
    uint32_t order_count = ls_read_u8(&reader);
    if (order_count < 1 || order_count > SKIRMISH_ORDERS_MAX ||
        count != 1 + order_count * ORDER_BYTES)
        return 0;
    ls_fix edge = skirmish_edge(match);
    for (uint32_t i = 0; i < order_count; i++) {
        if (!read_order(&reader, edge, &orders[i]))
            return 0;
    }
    return ls_reader_done(&reader) ? order_count : 0;
}

bool skirmish_input_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                             uint32_t count)
{
    skirmish_order orders[SKIRMISH_ORDERS_MAX];
    return player < match->player_count && skirmish_orders_decode(match, bytes, count, orders) > 0;
}

void skirmish_send_home(const skirmish_field *field, uint32_t player, skirmish_standing *standing)
{
    for (uint32_t squad = 0; squad < SKIRMISH_SQUADS; squad++) {
        ls_fix2 post = skirmish_post(field, player, squad);
        standing->x[player][squad] = post.x;
        standing->y[player][squad] = post.y;
        standing->kind[player][squad] = SKIRMISH_ATTACK;
    }
}

static void apply_order(const skirmish_order *order, uint32_t player, skirmish_standing *standing)
{
    for (uint32_t squad = 0; squad < SKIRMISH_SQUADS; squad++) {
        if (!(order->squads >> squad & 1))
            continue;
        standing->x[player][squad] = order->to.x;
        standing->y[player][squad] = order->to.y;
        standing->kind[player][squad] = (uint8_t)order->kind;
    }
}

void skirmish_command(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, skirmish_commanding);
    const ls_frame *frame = ls_inputs(context);
    const skirmish_roster *roster = LS_READ_SINGLETON(context, roster);
    if (frame->count == 0 || roster->winner)
        return;
    const ls_match *match = ls_match_of(context);
    skirmish_field field = skirmish_field_of(match);
    skirmish_standing *standing = LS_WRITE_SINGLETON(context, standing);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        skirmish_order orders[SKIRMISH_ORDERS_MAX];
        uint32_t count = 0;
        if (input->kind == LS_INPUT)
            count = skirmish_orders_decode(match, input->data, input->bytes, orders);
        for (uint32_t j = 0; j < count; j++)
            apply_order(&orders[j], input->player, standing);
        /* An army without a player defends its keep. */
        if (input->kind == LS_LEAVE)
            skirmish_send_home(&field, input->player, standing);
    }
}
