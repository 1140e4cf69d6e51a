#include "cli/check/check_case_match.h"

#include "core/base/platform_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
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
    match->list_file = ls_file_make(bytes, count);
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

struct task {
    const ls_check_case *self;
    ls_check_case_function *function;
};

/* A fork has the ticks of the first case in memory; another run of the command reads them from
 * `extra_file`. */
static ls_status run_task(ls_child *child, void *argument, ls_error *error)
{
    const struct task *task = argument;
    if (!child->extra_file)
        return task->function(task->self, child, error);
    ls_check_case own = *task->self;
    ls_check_case_match match = *own.match;
    ls_check_case_handover handover;
    ls_status status = ls_check_case_take_over(child->extra_file, &handover, error);
    if (status)
        return status;
    own.match = &match;
    match.list = handover.list;
    match.list_file = child->extra_file;
    if (memcmp(ls_program_fingerprint(match.program), handover.fingerprint, LS_FINGERPRINT_BYTES) !=
        0)
        status = ls_error_set(error, LS_ERROR_INCOMPATIBLE, LS_CHECK_CASE_OTHER_SOURCES,
                              own.path ? own.path : match.sim);
    else
        status = task->function(&own, child, error);
    ls_tick_list_destroy(match.list);
    return status;
}

ls_status ls_check_case_begin(const ls_check_case *self, ls_check_case_function *function,
                              ls_child *child, ls_error *error)
{
    struct task task = {self, function};
    bool is_helper = function != self->kind->run;
    char words[LS_PATH_BYTES_MAX + 64];
    snprintf(words, sizeof words, "%" PRIu32 " %" PRIu32 " %d %s", self->match_index, self->index,
             is_helper, self->path ? self->path : "");
    /* The helper of a case ends with it, and needs no limit of its own. */
    const ls_child_again again = {.timeout_ns = is_helper ? UINT64_MAX : self->match->timeout_ns,
                                  .words = words,
                                  .file = self->match->list_file};
    return ls_child_start_again(child, &again, run_task, &task, error);
}

bool ls_check_case_read_words(ls_check_case_words *words)
{
    const char *text = ls_child_words();
    int is_helper = 0, at = 0;
    *words = (ls_check_case_words){0};
    if (!text || sscanf(text, "%" SCNu32 " %" SCNu32 " %d %n", &words->match_index, &words->index,
                        &is_helper, &at) != 3)
        return false;
    words->is_helper = is_helper != 0;
    words->path = at > 0 && text[at] ? text + at : NULL;
    return true;
}
