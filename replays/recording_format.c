#include <lockstep/recording_format.h>

#include <lockstep/bytes.h>

const char *ls_closing_reason_name(uint8_t reason)
{
    static const char *const names[] = {
        [LS_CLOSING_FINISHED] = "finished",
        [LS_CLOSING_DRAINED] = "drained",
        [LS_CLOSING_ABANDONED] = "abandoned",
        [LS_CLOSING_FAILED] = "failed",
        [LS_CLOSING_CUT] = "cut",
    };
    return reason < LS_COUNT_OF(names) && names[reason] ? names[reason] : "unknown";
}

uint64_t ls_recording_column(const ls_recording_columns *columns, uint32_t column)
{
    ls_reader reader;
    LS_ASSERT(column < columns->count);
    ls_reader_init(&reader, columns->data + 8 * (size_t)column, 8);
    return ls_read_u64(&reader);
}
