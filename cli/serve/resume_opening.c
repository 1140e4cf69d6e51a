#include "cli/serve/resume_opening.h"

#include "cli/serve/recordings.h"

#include <stdio.h>

ls_resume_opening *ls_resume_opening_create(const char *path, const ls_program *program)
{
    ls_resume_opening *self = ls_alloc(sizeof *self);
    self->job = (ls_job){.run = ls_resume_opening_run};
    self->program = program;
    snprintf(self->path, sizeof self->path, "%s", path);
    return self;
}

void ls_resume_opening_destroy(ls_resume_opening *self)
{
    if (!self)
        return;
    LS_ASSERT(!ls_job_is_busy(&self->job));
    ls_recorder_destroy(self->recorder);
    ls_series_close(self->series);
    ls_free(self);
}

void ls_resume_opening_run(ls_job *job)
{
    ls_resume_opening *self = (ls_resume_opening *)job;
    self->evidence_count = ls_recordings_count_evidence(self->path);
    self->status = ls_recordings_resume(self->path, self->program, &self->recorder, &self->series,
                                        &self->epoch, &self->error);
    if (!self->status)
        self->status =
            ls_seats_file_path(self->path, self->seats_path, sizeof self->seats_path, &self->error);
    if (self->status)
        return;
    const ls_recording_header *header = ls_recording_get_header(self->series->files[0]);
    self->has_seats = ls_seats_file_read(self->seats_path, &self->seats, NULL) == LS_OK &&
                      self->seats.salt == header->salt;
}
