#include <lockstep/match.h>

/* Whether the player exists and the size is allowed for this kind of input. Player `player_count`
 * is the server itself, which only pauses and resumes. */
static bool input_is_valid(const ls_input *input, uint32_t player_count)
{
    if (input->player > player_count)
        return false;
    bool has_player = input->player < player_count;
    switch (input->kind) {
    case LS_INPUT:
        return has_player && input->bytes >= 1 && input->bytes <= LS_INPUT_BYTES_MAX;
    case LS_JOIN:
    case LS_LEAVE:
        return has_player && input->bytes == 0;
    case LS_STATE:
    case LS_SUBSTITUTE:
        return has_player && input->bytes >= 1 && input->bytes <= LS_STATE_BYTES_MAX;
    case LS_PAUSE:
    case LS_RESUME:
        return input->bytes == 0;
    default:
        return false;
    }
}

size_t ls_frame_bytes(const ls_frame *frame)
{
    size_t bytes = 1;
    for (uint32_t i = 0; i < frame->count; i++)
        bytes += LS_INPUT_HEADER_BYTES + (size_t)frame->inputs[i].bytes;
    return bytes;
}

void ls_frame_encode(const ls_frame *frame, ls_writer *writer)
{
    LS_ASSERT(frame->count <= LS_FRAME_INPUTS_MAX);
    ls_write_u8(writer, (uint8_t)frame->count);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        LS_ASSERT(i == 0 || frame->inputs[i - 1].player <= input->player);
        ls_write_u8(writer, input->player);
        ls_write_u8(writer, input->kind);
        ls_write_u16(writer, input->bytes);
        ls_write_bytes(writer, input->data, input->bytes);
    }
}

bool ls_frame_decode(ls_reader *reader, uint64_t tick, uint32_t player_count, ls_input *inputs,
                     ls_frame *frame)
{
    size_t start = reader->offset;
    uint32_t count = ls_read_u8(reader);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        ls_input *input = &inputs[i];
        input->player = ls_read_u8(reader);
        input->kind = ls_read_u8(reader);
        input->bytes = ls_read_u16(reader);
        input->data = ls_read_view(reader, input->bytes);
        if (!input_is_valid(input, player_count) || (i && inputs[i - 1].player > input->player))
            reader->failed = true;
    }
    if (reader->offset - start > LS_FRAME_BYTES_MAX)
        reader->failed = true;
    *frame = (ls_frame){.tick = tick, .count = reader->failed ? 0 : count, .inputs = inputs};
    return !reader->failed;
}

void ls_match_encode(const ls_match *match, ls_writer *writer)
{
    LS_ASSERT(match->option_count <= LS_OPTIONS_MAX);
    ls_write_u64(writer, match->seed);
    ls_write_u16(writer, (uint16_t)match->tick_rate);
    ls_write_u8(writer, (uint8_t)match->player_count);
    ls_write_u8(writer, (uint8_t)match->option_count);
    for (uint32_t i = 0; i < match->option_count; i++)
        ls_write_u64(writer, (uint64_t)match->options[i]);
}

bool ls_match_decode(ls_reader *reader, ls_match *match)
{
    *match = (ls_match){.seed = ls_read_u64(reader)};
    match->tick_rate = ls_read_u16(reader);
    match->player_count = ls_read_u8(reader);
    match->option_count = ls_read_u8(reader);
    if (match->tick_rate < 1 || match->tick_rate > LS_TICK_RATE_MAX || match->player_count < 1 ||
        match->player_count > LS_PLAYERS_MAX || match->option_count > LS_OPTIONS_MAX) {
        reader->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < match->option_count; i++)
        match->options[i] = (int64_t)ls_read_u64(reader);
    return !reader->failed;
}
