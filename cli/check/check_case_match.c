#include "cli/check/check_case_match.h"

#include <sys/mman.h>
#include <unistd.h>

ls_status ls_check_case_hand_over(const ls_check_case_match *match, const ls_tick_list *list,
                                  ls_child *child, ls_error *error)
{
    uint8_t *ticks;
    size_t tick_bytes;
    ls_tick_list_encode(list, &ticks, &tick_bytes);
    size_t room = LS_FINGERPRINT_BYTES + sizeof(ls_match) + tick_bytes;
    ls_writer writer;
    ls_writer_init(&writer, ls_alloc(room), room);
    ls_write_bytes(&writer, ls_program_fingerprint(match->program), LS_FINGERPRINT_BYTES);
    ls_match_encode(&match->match, &writer);
    ls_write_bytes(&writer, ticks, tick_bytes);
    LS_ASSERT(!writer.failed);
    ls_status status = ls_child_give(child, writer.data, writer.count, error);
    ls_free(writer.data);
    ls_free(ticks);
    return status;
}

ls_status ls_check_case_take_over(int file, ls_check_case_handover *handover, ls_error *error)
{
    uint8_t *bytes;
    size_t count;
    *handover = (ls_check_case_handover){0};
    ls_status status = ls_file_take(file, &bytes, &count, error);
    if (status)
        return status;
    ls_reader reader;
    ls_reader_init(&reader, bytes, count);
    ls_read_bytes(&reader, handover->fingerprint, LS_FINGERPRINT_BYTES);
    if (ls_match_decode(&reader, &handover->match))
        status = ls_tick_list_decode(bytes + reader.offset, ls_reader_left(&reader),
                                     &handover->list, error);
    else
        status = ls_error_set(error, LS_ERROR_CORRUPT, "the parent process sent no valid match");
    ls_free(bytes);
    return status;
}

static int copy_of(const uint8_t *bytes, size_t count)
{
    int file = memfd_create("ticks", MFD_CLOEXEC);
    size_t done = 0;
    while (file >= 0 && done < count) {
        ssize_t written = write(file, bytes + done, count - done);
        if (written <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)written;
    }
    return file;
}

ls_status ls_check_case_match_adopt(ls_check_case_match *match, const ls_child *base,
                                    ls_error *error)
{
    ls_check_case_handover handover;
    ls_status status = ls_check_case_take_over(base->bytes_file, &handover, error);
    if (status)
        return status;
    uint8_t *bytes;
    size_t count;
    status = ls_child_take(base, &bytes, &count, error);
    if (status) {
        ls_tick_list_destroy(handover.list);
        return status;
    }
    match->list_file = copy_of(bytes, count);
    ls_free(bytes);
    match->list = handover.list;
    match->base_end_ns = base->end_ns;
    return match->list_file >= 0 ? LS_OK
                                 : ls_error_set(error, LS_ERROR_IO, "cannot keep the ticks");
}

void ls_check_case_match_reset(ls_check_case_match *match)
{
    ls_tick_list_destroy(match->list);
    match->list = NULL;
    if (match->list_file > 0)
        close(match->list_file);
    match->list_file = 0;
}
