/* The dense form has one head byte before each input. Bits 0 to 2: its kind; bits 3 and 4: how its
 * player is encoded; bit 5: its state equals the player's last one; bit 6: it is as long as the
 * last input with bytes. The reader accepts only the shortest encoding. */
#include "replays/state_memory.h"

#include <lockstep/recording_format.h>

#include <string.h>

enum {
    KIND_MASK = 0x07,
    PLAYER_SAME = 0 << 3,     /* the previous input's player */
    PLAYER_NEXT = 1 << 3,     /* the player after that; player 0 for the first input */
    PLAYER_EXPLICIT = 2 << 3, /* a byte with the player follows */
    PLAYER_MASK = 3 << 3,
    REPEATED = 1 << 5,
    SAME_LENGTH = 1 << 6,
    NO_PLAYER = -1, /* before the first input */
};

static bool is_state(uint32_t kind)
{
    return kind == LS_STATE || kind == LS_SUBSTITUTE;
}

static bool is_repeated(const ls_state_memory *memory, const ls_input *input)
{
    return is_state(input->kind) && input->player < LS_PLAYERS_MAX && input->bytes &&
           memory->bytes[input->player] == input->bytes &&
           memcmp(memory->data[input->player], input->data, input->bytes) == 0;
}

static void remember(ls_state_memory *memory, const ls_input *input)
{
    if (!is_state(input->kind) || input->player >= LS_PLAYERS_MAX ||
        input->bytes > LS_STATE_BYTES_MAX)
        return;
    memory->bytes[input->player] = (uint8_t)input->bytes;
    memory->data[input->player] = input->data;
}

static void begin(ls_state_memory *memory, uint64_t tick)
{
    if (tick % LS_RECORDING_FRESH_TICKS == 0)
        *memory = (ls_state_memory){0};
}

static uint8_t player_form(int before, uint8_t player)
{
    if (player == before)
        return PLAYER_SAME;
    return player == before + 1 ? PLAYER_NEXT : PLAYER_EXPLICIT;
}

void ls_dense_encode(const ls_frame *frame, ls_state_memory *memory, ls_writer *writer)
{
    int player = NO_PLAYER;
    uint32_t length = 0;
    begin(memory, frame->tick);
    ls_write_u8(writer, (uint8_t)frame->count);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        bool repeats = is_repeated(memory, input);
        bool has_bytes = input->bytes && !repeats;
        uint8_t head = (uint8_t)((input->kind & KIND_MASK) | player_form(player, input->player));
        head |= repeats ? REPEATED : has_bytes && input->bytes == length ? SAME_LENGTH : 0;
        ls_write_u8(writer, head);
        if ((head & PLAYER_MASK) == PLAYER_EXPLICIT)
            ls_write_u8(writer, input->player);
        player = input->player;
        if (!has_bytes)
            continue;
        if (!(head & SAME_LENGTH))
            ls_write_u8(writer, (uint8_t)(input->bytes - 1));
        length = input->bytes;
        ls_write_bytes(writer, input->data, input->bytes);
        remember(memory, input);
    }
}

/* Reads the player; a number above every seat when the encoding is not the shortest. */
static uint32_t read_player(ls_reader *reader, uint8_t head, int before)
{
    switch (head & PLAYER_MASK) {
    case PLAYER_SAME:
        return before == NO_PLAYER ? UINT32_MAX : (uint32_t)before;
    case PLAYER_NEXT:
        return (uint32_t)(before + 1);
    case PLAYER_EXPLICIT: {
        uint32_t player = ls_read_u8(reader);
        return (int)player > before + 1 ? player : UINT32_MAX;
    }
    default:
        return UINT32_MAX;
    }
}

static bool has_data(uint32_t kind)
{
    return kind == LS_INPUT || is_state(kind);
}

/* Reads the bytes of an input, after its head, kind and player. */
static bool read_data(ls_reader *reader, uint8_t head, ls_state_memory *memory, uint32_t *length,
                      ls_input *input)
{
    if (!has_data(input->kind))
        return !(head & (REPEATED | SAME_LENGTH));
    if (head & REPEATED) {
        bool is_known = is_state(input->kind) && memory->bytes[input->player];
        input->bytes = memory->bytes[input->player];
        input->data = memory->data[input->player];
        return is_known && !(head & SAME_LENGTH);
    }
    uint32_t before = *length;
    if (!(head & SAME_LENGTH))
        *length = ls_read_u8(reader) + 1u;
    if (*length == 0 || (!(head & SAME_LENGTH) && *length == before) ||
        (is_state(input->kind) && *length > LS_STATE_BYTES_MAX))
        return false;
    input->bytes = (uint16_t)*length;
    input->data = ls_read_view(reader, *length);
    if (!input->data || is_repeated(memory, input))
        return false;
    remember(memory, input);
    return true;
}

bool ls_dense_decode(ls_reader *reader, ls_state_memory *memory, uint32_t player_count,
                     ls_input *inputs, ls_frame *frame)
{
    int player = NO_PLAYER;
    uint32_t length = 0;
    begin(memory, frame->tick);
    uint32_t count = ls_read_u8(reader);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t head = ls_read_u8(reader);
        uint32_t next_player = read_player(reader, head, player);
        uint32_t kind = head & KIND_MASK;
        bool is_match_wide = kind == LS_PAUSE || kind == LS_RESUME;
        if (reader->failed || head & 0x80 || kind > LS_RESUME ||
            next_player >= player_count + is_match_wide)
            return false;
        inputs[i] = (ls_input){.player = (uint8_t)next_player, .kind = (uint8_t)kind};
        if (!read_data(reader, head, memory, &length, &inputs[i]))
            return false;
        player = (int)next_player;
    }
    frame->count = count;
    frame->inputs = inputs;
    return !reader->failed && ls_frame_bytes(frame) <= LS_FRAME_BYTES_MAX;
}
