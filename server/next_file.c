#include "server/next_file.h"

#include "core/base/builder.h"
#include <lockstep/recording_series.h>

static void run(ls_job *job)
{
    ls_next_file *next = (ls_next_file *)job;
    ls_recorder_config config = {.name = next->name,
                                 .header = &next->header,
                                 .keyframe = next->keyframe,
                                 .link = next->has_link ? &next->link : NULL,
                                 .identity = next->identity};
    next->recorder = NULL;
    if (next->open(next->name, &config.sink, &next->error) == LS_OK &&
        ls_recorder_begin(&config, &next->recorder, &next->error) != LS_OK)
        next->recorder = NULL;
}

void ls_next_file_init(ls_next_file *next, const char *name, const ls_recording_header *header,
                       const ls_identity *identity)
{
    if (!next->open)
        return;
    next->job.run = run;
    next->header = *header;
    next->header.origin = header->origin ? header->origin : header->salt;
    next->first_name = ls_text_duplicate(name);
    next->identity = identity;
}

void ls_next_file_reset(ls_next_file *next, ls_jobs *jobs)
{
    ls_job_wait(jobs, &next->job);
    ls_recorder_destroy(next->recorder);
    ls_free(next->first_name);
    ls_free(next->name);
    *next = (ls_next_file){0};
}

void ls_next_file_want(ls_next_file *next, uint64_t tick)
{
    if (!next->open || next->header.segment == LS_RECORDING_SEGMENTS_MAX)
        return;
    /* The first attempt is immediate: the file may have failed although the disk works. */
    bool is_first = next->header.segment == 0 && next->due == 0;
    next->is_wanted = true;
    next->due =
        is_first ? tick : tick + (uint64_t)LS_NEXT_FILE_PAUSE_S * next->header.match.tick_rate;
}

uint64_t ls_next_file_due(const ls_next_file *next)
{
    return next->is_wanted && !ls_job_is_busy(&next->job) ? next->due : UINT64_MAX;
}

void ls_next_file_begin(ls_next_file *next, ls_jobs *jobs, const ls_next_file_start *start,
                        const ls_entropy *entropy)
{
    ls_recording_header *header = &next->header;
    header->segment++;
    header->first_tick = start->keyframe->tick;
    header->first_epoch = start->epoch;
    ls_entropy_fill(entropy, &header->salt, sizeof header->salt);
    ls_free(next->name);
    next->name = ls_series_name(next->first_name, header->segment);
    next->keyframe = start->keyframe;
    next->has_link = ls_recorder_get_link(start->failed, &next->link);
    ls_job_submit(jobs, &next->job);
}

ls_recorder *ls_next_file_take(ls_next_file *next)
{
    ls_recorder *made = next->recorder;
    next->recorder = NULL;
    next->keyframe = NULL;
    next->is_wanted = false;
    if (!made)
        ls_next_file_want(next, next->header.first_tick);
    return made;
}
