/* Recorders, recordings and their players with an owner. */
#ifndef LS_RECORDING_HPP
#define LS_RECORDING_HPP

#include <lockstep/handle.hpp>
#include <lockstep/recorder.h>
#include <lockstep/replay_player.h>

namespace lockstep
{

/* Each function leaves the handle unchanged unless it returns LS_OK. */
class recorder : public handle<ls_recorder, ls_recorder_destroy>
{
  public:
    using handle::handle;
    [[nodiscard]] ls_status create(const char *path, const ls_recording_header &header,
                                   ls_error *error = nullptr) noexcept
    {
        return take(
            [&](ls_recorder **made) { return ls_recorder_create(path, &header, made, error); });
    }
};

class recording : public handle<ls_recording, ls_recording_close>
{
  public:
    using handle::handle;
    [[nodiscard]] ls_status open(const char *path, ls_error *error = nullptr) noexcept
    {
        return take([&](ls_recording **made) { return ls_recording_open(path, made, error); });
    }
    /* `data` must outlive the recording; `name` is for messages. */
    [[nodiscard]] ls_status open(const char *name, const void *data, size_t bytes,
                                 ls_error *error = nullptr) noexcept
    {
        return take([&](ls_recording **made) {
            return ls_recording_open_memory(name, data, bytes, made, error);
        });
    }
};

/* Destroy it before its program. */
class replay_player : public handle<ls_replay_player, ls_replay_player_close>
{
  public:
    using handle::handle;
    /* On success the player owns the recording, and `source` is empty; else `source` keeps it. */
    [[nodiscard]] ls_status create(recording &&source, const ls_replay_player_config &config,
                                   ls_error *error = nullptr) noexcept
    {
        ls_status status = take([&](ls_replay_player **made) {
            return ls_replay_player_create(source.get(), &config, made, error);
        });
        if (status == LS_OK)
            (void)source.release();
        return status;
    }
};

} // namespace lockstep

#endif
