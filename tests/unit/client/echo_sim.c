#include "echo_sim.h"
#include <lockstep/by_index.h>

static const ls_field sum_fields[] = {LS_FIELD(echo_sum, value, LS_TYPE_U64),
                                      LS_FIELD(echo_sum, orders, LS_TYPE_U64)};
static const ls_field shout_fields[] = {LS_FIELD(echo_shout, player, LS_TYPE_U32),
                                        LS_FIELD(echo_shout, what, LS_TYPE_U32)};
const ls_component echo_sums = LS_SINGLETON_TABLE(echo_sum, "sum", sum_fields);
const ls_component echo_shouts = LS_EVENT_TABLE(echo_shout, "shout", shout_fields);
const ls_component echo_beeps = {.name = "beep", .event_ticks = 1};

static void hear(ls_context *context, const ls_entity *entities)
{
    echo_sum *sum = ls_singleton_write(context, 0);
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        for (uint32_t at = 0; at < input->bytes; at++)
            sum->value = (sum->value ^ input->data[at]) * 31 + input->player;
        if (input->kind != LS_INPUT)
            continue;
        sum->orders++;
        ls_event_send(context, 1,
                      &(echo_shout){input->player, input->data[0] + (uint32_t)sum->value % 4});
    }
    if (sum->value % 8 == 0)
        ls_event_send(context, 2, NULL);
}

static const ls_system systems[] = {
    {.name = "receive",
     .mode = LS_SEQUENTIAL,
     .match = hear,
     .terms =
         LS_TERM_LIST(LS_OTHERS_WRITE(echo_sums), LS_SENDS(echo_shouts), LS_SENDS(echo_beeps))}};

static bool takes(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    return count > 0 && bytes[0] != 255;
}

static const ls_component *const components[] = {&echo_sums, &echo_shouts, &echo_beeps};

const ls_sim echo_sim = {.abi = LS_SIM_ABI,
                         .name = "echo",
                         .version = "1",
                         .tick_rate = 60,
                         .player_count = ECHO_PLAYERS,
                         .components = components,
                         .component_count = LS_COUNT_OF(components),
                         .systems = systems,
                         .system_count = LS_COUNT_OF(systems),
                         .input_is_valid = takes,
                         .state_bytes = ECHO_STATE_BYTES};
